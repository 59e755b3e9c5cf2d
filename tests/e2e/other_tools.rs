//! Round trips through the real tools: z3, minisat and SymPy. Where one is not installed, its test is skipped
//! with a message, unless `LOGICVAE_TOOLS=required` is set, as it is in CI.

use std::process::Command;

use crate::support::{Folder, done, logicvae, repository};

/// Whether a program runs. It is an error if it must.
fn available(program: &str, arguments: &[&str]) -> bool {
    let found = Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success());
    let required = std::env::var("LOGICVAE_TOOLS").is_ok_and(|value| value == "required");
    assert!(found || !required, "{program} is not installed, but LOGICVAE_TOOLS is `required`");
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Random sets of requirements over 60 variables. Set `conflict` has a planted conflict.
fn requirements(seed: u64, count: usize, conflict: bool) -> String {
    let mut state = seed;
    let mut pick = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut lines = Vec::new();
    for number in 1..=count {
        let [a, b, c] = std::array::from_fn(|_| format!("signal_{}", pick(56)));
        let body = match pick(4) {
            0 => format!("{a} -> {b} | {c}"),
            1 => format!("{a} & {b} -> {c}"),
            2 => format!("!({a} & {b} & !{c})"),
            _ => format!("{a} | !{b} | {c}"),
        };
        lines.push(format!("REQ-{number}: {body}"));
    }
    if conflict {
        for planted in
            ["pump_on | valve_open", "pump_on -> heat", "valve_open -> heat", "heat -> fan", "!fan"]
        {
            lines.insert(pick(lines.len()), format!("PLANTED-{}: {planted}", lines.len()));
        }
    }
    lines.join("\n") + "\n"
}

/// A planted conflict among 500 requirements is found as a minimal subset, and z3 agrees: the whole set and
/// the subset are unsatisfiable, and the subset without any one of its formulae is satisfiable.
#[test]
fn z3_agrees_on_conflicts() {
    if !available("z3", &["--version"]) {
        return;
    }
    for seed in 0..10 {
        let folder = Folder::new();
        let file = folder.write("r.txt", requirements(seed, 500, true));
        let json = logicvae(&["relate", &file, "--json"]).json();
        let core: Vec<usize> = json["core"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|l| l.as_u64().expect("a line") as usize)
            .collect();
        assert_eq!(core.len(), 5, "{json}");
        let text = String::from_utf8(folder.read("r.txt")).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        assert!(core.iter().all(|&line| lines[line - 1].starts_with("PLANTED")));
        let answer = |name: &str, chosen: &[usize]| {
            let part: String = chosen.iter().map(|&line| format!("{}\n", lines[line - 1])).collect();
            let source = folder.write(&format!("{name}.txt"), part);
            let problem = folder.path(&format!("{name}.smt2"));
            done(&["convert", &source, "--out", &problem, "--force"]);
            output("z3", &[&problem]).trim().to_owned()
        };
        let all: Vec<usize> = (1..=lines.len()).collect();
        assert_eq!(answer("all", &all), "unsat");
        assert_eq!(answer("core", &core), "unsat");
        for &left_out in &core {
            let rest: Vec<usize> = core.iter().copied().filter(|&line| line != left_out).collect();
            assert_eq!(answer("rest", &rest), "sat");
            let others: Vec<usize> = all.iter().copied().filter(|&line| line != left_out).collect();
            assert_eq!(answer("others", &others), "sat");
        }
    }
}

/// z3 proves that a file keeps its meaning through SMT-LIB.
#[test]
fn z3_reads_what_is_written_and_the_other_way_round() {
    if !available("z3", &["--version"]) {
        return;
    }
    let folder = Folder::new();
    let list = repository("datasets/paper-5/test.txt");
    let text = std::fs::read_to_string(list).expect("a data set");
    for (number, formula) in text.lines().take(40).enumerate() {
        // z3 rewrites the formula, and we read the result.
        let problem = folder.path(&format!("{number}.smt2"));
        done(&["convert", formula, "--to", "smtlib", "--out", &problem]);
        let mut source = String::from_utf8(folder.read(&format!("{number}.smt2"))).expect("text");
        source = source.replace("(check-sat)", "(apply (then simplify nnf))");
        let goal = output("z3", &[&folder.write("apply.smt2", source)]);
        let terms = goal.split_once("(goal\n").map_or("", |(_, rest)| rest);
        let end = terms.find(":precision").expect("a goal");
        let declared: String = (1..=5).map(|i| format!("(declare-const x{i} Bool)\n")).collect();
        let back = format!("{declared}(assert (and true {}))", &terms[..end]);
        let back = folder.write("back.smt2", back);
        let back = done(&["convert", &back, "--to", "text"]).out;
        let back = back.lines().last().expect("a formula");
        assert_eq!(logicvae(&["check", formula, back]).code, 0, "{formula} became {back}");
    }
}

#[test]
fn minisat_solves_what_is_written() {
    if !available("sh", &["-c", "command -v minisat"]) {
        return;
    }
    for (seed, conflict) in [(1, false), (2, true), (3, false), (4, true)] {
        let folder = Folder::new();
        let file = folder.write("r.txt", requirements(seed, 100, conflict));
        let problem = folder.path("r.cnf");
        done(&["convert", &file, "--out", &problem]);
        let model = folder.path("model");
        let status = Command::new("minisat").args(["-verb=0", &problem, &model]).output().expect("it runs");
        assert_eq!(status.status.code(), Some(if conflict { 20 } else { 10 }));
        assert_eq!(logicvae(&["relate", &file]).code, if conflict { 1 } else { 0 });
        if conflict {
            continue;
        }
        // Its solution satisfies every requirement.
        let text = String::from_utf8(folder.read("model")).expect("text");
        let literals = text.lines().nth(1).expect("a solution").split_whitespace();
        let bits: Vec<&str> = literals.take(70).map(|l| if l.starts_with('-') { "0" } else { "1" }).collect();
        let text = done(&["convert", &file, "--to", "text"]).out;
        let header = text.lines().next().expect("the variables").replace("# variables: ", "");
        let names: Vec<&str> = header.split(' ').collect();
        let values: Vec<String> =
            names.iter().zip(&bits).map(|(name, bit)| format!("({name} <-> {bit})")).collect();
        for line in text.lines().skip(1) {
            let formula = line.split("  #").next().expect("a formula");
            let claim = format!("{} -> ({formula})", values.join(" & "));
            assert_eq!(logicvae(&["check", &claim, "1", "--time-limit", "20"]).code, 0, "{formula}");
        }
    }
}

#[test]
fn sympy_builds_the_same_formulae() {
    if !available("python3", &["-c", "import sympy"]) {
        return;
    }
    let folder = Folder::new();
    let text =
        "A: door_open & !lambda -> x3\n\"speed >= 30\" ^ door_open\nx3 <-> (E | I & !S)\n1 & door_open\n";
    let file = folder.write("r.txt", text);
    let program = folder.path("r.py");
    done(&["convert", &file, "--out", &program]);
    let tail = "\nimport itertools\nnames = sorted({str(s) for f in formulae for s in f.free_symbols})\n\
        for f in formulae:\n    own = sorted(map(str, f.free_symbols))\n    rows = ''\n\
        \x20   for values in itertools.product([False, True], repeat=len(own)):\n\
        \x20       rows += str(int(bool(f.subs({Symbol(n): v for n, v in zip(own, values)}))))\n\
        \x20   print(','.join(own) + ';' + rows)\n";
    let source = String::from_utf8(folder.read("r.py")).expect("text") + tail;
    let printed = output("python3", &[&folder.write("run.py", source)]);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 4, "{printed}");
    for (line, formula) in lines.iter().zip(text.lines()) {
        let formula = formula.strip_prefix("A: ").unwrap_or(formula);
        let (names, rows) = line.split_once(';').expect("names and rows");
        let names: Vec<String> =
            names.split(',').map(|name| format!("\"{name}\"").replace("\"x3\"", "x3")).collect();
        let terms: Vec<String> = rows
            .chars()
            .enumerate()
            .filter(|(_, value)| *value == '1')
            .map(|(row, _)| {
                let literal = |(at, name): (usize, &String)| {
                    let set = row >> (names.len() - 1 - at) & 1 == 1;
                    if set { name.clone() } else { format!("!{name}") }
                };
                names.iter().enumerate().map(literal).collect::<Vec<_>>().join(" & ")
            })
            .collect();
        assert_eq!(logicvae(&["check", formula, &terms.join(" | ")]).code, 0, "{formula}: {line}");
    }
}
