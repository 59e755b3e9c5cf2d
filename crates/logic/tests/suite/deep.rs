//! Trees with a million levels, in a thread with the default stack of 2 MiB.

use std::thread;

use logicvae_logic::{BinaryWriter, Formula, FormulaReader, Node, Stats, Var, x};

const LEVELS: usize = 1_000_000;

fn in_a_default_thread(work: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread").join().expect("no overflow");
}

fn everything(f: &Formula, levels: usize, variables: usize) {
    assert_eq!(f.depth(), levels);
    assert_eq!(f.postorder().count(), f.size());
    assert_eq!(f.parents().len(), f.size());
    assert_eq!(&f.to_string().parse::<Formula>().expect("its own text"), f);
    let one = vec![true; variables].into();
    let value = f.evaluate(&one).expect("variables in range");
    if variables <= 20 {
        assert_eq!(f.truth_table(variables).expect("few variables").get((1 << variables) - 1), value);
    }
    assert_eq!(f.simplify().evaluate(&one), Ok(value));
    assert!(f.is_satisfiable());
    let mut writer = BinaryWriter::new(Vec::new()).expect("writing to memory");
    writer.write(f).expect("writing to memory");
    let bytes = writer.finish().expect("writing to memory");
    let back = FormulaReader::new(&bytes[..]).expect("a container").next().expect("one").expect("whole");
    assert_eq!(&back, f);
    let json = serde_json::to_string(f).expect("text");
    assert_eq!(&serde_json::from_str::<Formula>(&json).expect("text"), f);
    assert_eq!([f].into_iter().collect::<Stats>().depth.max, levels);
}

#[test]
fn a_million_negations() {
    in_a_default_thread(|| {
        let f: Formula = format!("{}x1", "!".repeat(LEVELS)).parse().expect("deep");
        assert_eq!(f.simplify(), x(1));
        everything(&f, LEVELS, 1);
        assert_eq!(format!("{}x1{}", "(".repeat(LEVELS), ")".repeat(LEVELS)).parse::<Formula>(), Ok(x(1)));
        assert!("(".repeat(LEVELS).parse::<Formula>().is_err());
    });
}

#[test]
fn a_million_operators_to_the_left_and_to_the_right() {
    in_a_default_thread(|| {
        let left = Formula::all((0..=LEVELS as u32).map(|i| x(i % 10 + 1)));
        everything(&left, LEVELS, 10);
        let v = |i: usize| Node::Var(Var::new(i as u32 % 10 + 1).expect("1..=10"));
        let right =
            Formula::from_preorder((0..LEVELS).flat_map(|i| [Node::Or, v(i)]).chain([v(0)])).expect("a comb");
        everything(&right, LEVELS, 10);
        // Right operands that are not leaves keep an intermediate result on the stack at every level.
        let waiting = Formula::any((0..=LEVELS as u32 / 4).map(|i| x(i % 10 + 1) & x(i % 7 + 1)));
        everything(&waiting, LEVELS / 4 + 1, 10);
    });
}

#[test]
fn deep_and_with_too_many_variables_for_a_table() {
    in_a_default_thread(|| {
        let f = Formula::any((0..=100_000u32).map(|i| x(i % 40 + 1)));
        everything(&f, 100_000, 40);
        assert!(!f.is_tautology());
        assert_eq!(f.count_models(40), Ok((1 << 40) - 1));
        let arrows = vec!["x1"; LEVELS / 2].join(" -> ");
        assert!(arrows.parse::<Formula>().expect("a chain").is_tautology());
    });
}
