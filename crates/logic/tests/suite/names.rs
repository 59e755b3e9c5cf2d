//! Names of variables and labels of formulae, in every format and both directions.

use logicvae_logic::{Entry, FileFormat, Formula, FormulaFile, Names, Var, x};
use proptest::prelude::*;

use crate::naive::formulae;

/// Names that are awkward somewhere: words of our syntax, of Python and of SMT-LIB, and other characters.
const AWKWARD: [&str; 14] = [
    "door_open",
    "and",
    "true",
    "lambda",
    "x_",
    "x1a",
    "speed >= 30",
    "colour = red",
    "motor.1.on",
    "übergabe",
    "let",
    "a#b",
    "a: b",
    "Symbol",
];

fn awkward(names: usize) -> Names {
    let mut table = Names::default();
    table.reserve(Var::new(2).expect("x2")).expect("free");
    for name in &AWKWARD[..names] {
        table.declare(name).expect("a name");
    }
    table
}

fn written(file: &FormulaFile, format: FileFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(&mut bytes, format).expect("written");
    bytes
}

fn read(bytes: &[u8], format: FileFormat) -> FormulaFile {
    FormulaFile::read(bytes, format).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(bytes)))
}

fn texts(file: &FormulaFile) -> Vec<String> {
    file.entries.iter().map(|entry| file.names.display(&entry.formula).to_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn names_and_labels_survive_every_format(
        list in prop::collection::vec(formulae(10, 40), 1..8),
        names in 9usize..14,
        labelled in any::<bool>(),
    ) {
        let label = |at: usize| labelled.then(|| format!("REQ-{at} \"door\" interlock"));
        let entries = list.iter().enumerate().map(|(at, formula)| Entry {
            formula: formula.clone(),
            label: label(at),
            line: 0,
        });
        let file = FormulaFile { names: awkward(names), entries: entries.collect() };
        for format in [FileFormat::Text, FileFormat::Json, FileFormat::SmtLib, FileFormat::Binary] {
            let back = read(&written(&file, format), format);
            prop_assert_eq!(texts(&back), texts(&file), "{:?}", format);
            if format != FileFormat::Binary {
                let labels: Vec<_> = back.entries.iter().map(|entry| entry.label.clone()).collect();
                prop_assert_eq!(labels, (0..list.len()).map(label).collect::<Vec<_>>(), "{:?}", format);
            }
            if format != FileFormat::SmtLib {
                let same = back.entries.iter().zip(&list).all(|(entry, formula)| entry.formula == *formula);
                prop_assert!(same, "the indices changed in {:?}", format);
            }
        }
        // A table of other programs, with text in quotes.
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let rows = texts(&file).into_iter().enumerate().map(|(at, text)| {
            format!("{},{}\n", quoted(&label(at).unwrap_or_default()), quoted(&text))
        });
        let table: String = std::iter::once("id,formula\n".to_owned()).chain(rows).collect();
        let back = read(table.as_bytes(), FileFormat::Csv);
        prop_assert_eq!(texts(&back), texts(&file));
        let labels: Vec<_> = back.entries.iter().map(|entry| entry.label.clone()).collect();
        prop_assert_eq!(labels, (0..list.len()).map(label).collect::<Vec<_>>());
        // One problem for all formulae: it has a solution exactly if they have one together.
        let problem = read(&written(&file, FileFormat::Dimacs), FileFormat::Dimacs);
        for var in file.entries.iter().flat_map(|entry| entry.formula.variables()) {
            prop_assert_eq!(problem.names.name(var), file.names.name(var));
        }
        let together = Formula::all(list);
        let model = problem.entries[0].formula.find_model();
        prop_assert_eq!(model.is_some(), together.is_satisfiable());
        if let Some(model) = model {
            prop_assert_eq!(together.sign(&model), Ok(1));
        }
    }

    #[test]
    fn files_with_other_names_are_aligned_by_name(list in prop::collection::vec(formulae(8, 30), 1..6)) {
        let first = Names::new(["d", "c", "b", "a", "e", "f", "g", "h"]).expect("names");
        let second = Names::new(["h", "a", "b", "c", "d", "e", "f", "g"]).expect("names");
        let entries: Vec<Entry> = list.into_iter().map(Entry::from).collect();
        let file = FormulaFile { names: second, entries };
        for format in [FileFormat::Text, FileFormat::Json, FileFormat::Binary, FileFormat::SmtLib] {
            let bytes = written(&file, format);
            let aligned = FormulaFile::read_with(&bytes[..], format, first.clone()).expect("read");
            prop_assert_eq!(texts(&aligned), texts(&file));
            let a = Var::new(4).expect("x4");
            prop_assert_eq!(aligned.names.name(a), Some("a"));
        }
    }
}

#[test]
fn symbols_of_smt_lib_are_different() {
    // Equal labels, a label that is also a variable, and names that differ only in what quotes cannot have.
    let text = "R: door & b\nR: !door\ndoor: b -> x9\n\"a|b\" & !a_b\ntrue: b\n";
    let file = read(text.as_bytes(), FileFormat::Text);
    let out = String::from_utf8(written(&file, FileFormat::SmtLib)).expect("text");
    let mut symbols: Vec<&str> = Vec::new();
    for line in out.lines() {
        let declared = line.strip_prefix("(declare-const ").and_then(|rest| rest.strip_suffix(" Bool)"));
        let named = line.split_once(":named ").and_then(|(_, rest)| rest.strip_suffix("))"));
        symbols.extend(declared.or(named));
    }
    let count = symbols.len();
    symbols.sort_unstable();
    symbols.dedup();
    assert_eq!((count, symbols.len()), (9, 9), "{out}");
    let back = read(out.as_bytes(), FileFormat::SmtLib);
    assert_eq!(back.entries[0].label.as_deref(), Some("R"));
    assert_eq!(back.entries[4].label.as_deref(), Some("true"));
    // The fourth formula contradicts itself if both names become one.
    assert!(back.entries[3].formula.is_satisfiable());
}

#[test]
fn names_do_not_take_the_indices_that_a_file_uses() {
    let text = "door_open & x3\nalarm | x1\nx4 -> door_open\n";
    let file = read(text.as_bytes(), FileFormat::Text);
    assert_eq!(file.entries[0].formula, x(2) & x(3));
    assert_eq!(file.entries[1].formula, x(5) | x(1));
    assert_eq!(texts(&file), ["door_open & x3", "alarm | x1", "!x4 | door_open"]);
}

#[test]
fn a_variable_cannot_be_written_in_two_ways() {
    let mut names = Names::default();
    names.parse("door_open").expect("a name");
    let error = names.parse("x1 & alarm").expect_err("x1 is door_open").to_string();
    assert!(error.contains("x1 is the variable `door_open`"), "{error}");
}

#[test]
fn labels_before_and_behind() {
    let text = "# a section\nREQ-1: a & b\na | b  # REQ-2 one of both\nREQ-3: a  # why\n\"a: b\" & c\n";
    let file = read(text.as_bytes(), FileFormat::Text);
    let labels: Vec<Option<&str>> = file.entries.iter().map(|entry| entry.label.as_deref()).collect();
    assert_eq!(labels, [Some("REQ-1"), Some("REQ-2 one of both"), Some("REQ-3 why"), None]);
    assert_eq!(file.entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [2, 3, 4, 5]);
    let error = FormulaFile::read(&b"\nREQ-1: a & & b\n"[..], FileFormat::Text).expect_err("two operators");
    assert!(error.to_string().starts_with("line 2, column 12: expected a variable"), "{error}");
}

#[test]
fn tables_of_requirements() {
    let text = "id;formula;owner\nREQ-1;door_open -> !locked;me\nREQ-2;\"locked; \" ;you\n";
    assert!(FormulaFile::read(text.as_bytes(), FileFormat::Csv).is_err());
    let text = "id;formula;owner\nREQ-1;door_open -> !locked;me\n\nREQ-2;locked | x1;you\n";
    let file = read(text.as_bytes(), FileFormat::Csv);
    assert_eq!(texts(&file), ["!door_open | !locked", "locked | x1"]);
    assert_eq!((file.entries[1].label.as_deref(), file.entries[1].line), (Some("REQ-2"), 4));
    let error = FormulaFile::read(&b"id,rule\n1,a\n"[..], FileFormat::Csv).expect_err("no formula column");
    assert!(error.to_string().contains("no column is called `formula`"), "{error}");
}

#[test]
fn smt_lib_of_other_programs() {
    let text = "(set-logic QF_UF) ; comment\n(declare-fun |a b| () Bool)\n(declare-const c Bool)\n\
        (define-fun d () Bool (=> |a b| c))\n\
        (assert (! (let ((e (xor c d)) (f (not c))) (ite e f (= c d))) :named REQ-1))\n\
        (assert (distinct c d))\n(check-sat)\n(get-model)\n";
    let file = read(text.as_bytes(), FileFormat::SmtLib);
    assert_eq!(file.entries[0].label.as_deref(), Some("REQ-1"));
    let mut names = file.names.clone();
    let d = "(\"a b\" -> c)";
    let expected = names.parse(&format!("((c ^ {d}) & !c) | !(c ^ {d}) & (c <-> {d})")).expect("a formula");
    assert!(file.entries[0].formula.is_equivalent(&expected));
    assert!(file.entries[1].formula.is_equivalent(&names.parse(&format!("c ^ {d}")).expect("a formula")));
    for (bad, message) in [
        ("(assert (and a))", "`a` is not declared"),
        ("(declare-const a Int)", "only the sort Bool"),
        ("(declare-const a Bool)(assert (and a a)", "a `)` is missing"),
    ] {
        let error = FormulaFile::read(bad.as_bytes(), FileFormat::SmtLib).expect_err("bad").to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn two_level_files_have_a_formula_per_output() {
    let text = ".i 3\n.o 2\n.ilb a b c\n.ob f g\n.p 3\n11- 10\n--0 11\n0-- 01\n.e\n";
    let file = read(text.as_bytes(), FileFormat::Pla);
    assert_eq!(texts(&file), ["a & b | !c", "!c | !a"]);
    assert_eq!(file.entries[1].label.as_deref(), Some("g"));
    let error = FormulaFile::read(&b".i 2\n.o 1\n111 1\n"[..], FileFormat::Pla).expect_err("a row too long");
    assert!(error.to_string().starts_with("line 3: the row has 4 values"), "{error}");
}

#[test]
fn clauses_with_mistakes_are_refused() {
    for (text, message) in [
        ("1 2 0\n", "line 1: clauses come after"),
        ("p cnf 2 1\n1 3 0\n", "line 2: variable 3 is above the 2 declared"),
        ("p cnf 2 2\n1 2 0\n", "declares 2 clauses, but 1"),
        ("p cnf 2 1\n1 a 0\n", "`a` is not a literal"),
    ] {
        let error = FormulaFile::read(text.as_bytes(), FileFormat::Dimacs).expect_err("bad").to_string();
        assert!(error.contains(message), "{error}");
    }
}
