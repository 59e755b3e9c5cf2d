//! Minimisation of functions of five variables, compared with ABC: sizes and times.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use logicvae_logic::{Budget, Formula, Operators, SamplerParams, minimise, mix64, x};
use serde::Serialize;
use tempfile::TempDir;

use crate::aig::Aig;

const VARIABLES: usize = 5;
const FUNCTIONS: usize = 1000;
const SEED: u64 = 1;

/// Our time limits for one function, in seconds.
const LIMITS: [f64; 2] = [0.01, 0.1];

/// The scripts of ABC, each with a name. `compress2rs` and `resyn2` are those of its own file of aliases.
const SCRIPTS: [(&str, &str); 4] = [
    ("dch and resyn2, three times", "strash; dch; resyn2; dch; resyn2; dch; resyn2"),
    ("compress2rs, three times", "strash; compress2rs; compress2rs; compress2rs"),
    ("collapse, fx, dch, compress2rs", "collapse; sop; fx; strash; dch; compress2rs; compress2rs"),
    ("dch, resyn2, deepsyn", "strash; dch; resyn2; &get -n; &deepsyn -I 1 -J 4; &put"),
];

const ALIASES: &str = "\
alias b balance
alias rs resub
alias rw rewrite
alias rwz rewrite -z
alias rf refactor
alias rfz refactor -z
alias resyn2 \"b; rw; rf; b; rw; rwz; b; rfz; rwz; b\"
alias compress2rs \"b -l; rs -K 6 -l; rw -l; rs -K 6 -N 2 -l; rf -l; rs -K 8 -l; b -l; rs -K 8 -N 2 -l; \
rw -l; rs -K 10 -l; rwz -l; rs -K 10 -N 2 -l; b -l; rs -K 12 -l; rfz -l; rs -K 12 -N 2 -l; rwz -l; b -l\"
";

/// The results of one set of functions.
#[derive(Serialize)]
pub struct Comparison {
    functions: usize,
    methods: Vec<Method>,
    /// The smallest result of all scripts of ABC, function by function.
    best_of_abc: Method,
    /// For how many functions our last result is smaller than that, and larger.
    smaller: usize,
    larger: usize,
}

/// The results of one method: means over all functions.
#[derive(Serialize)]
struct Method {
    name: String,
    /// The nodes of the formula.
    size: f64,
    /// The conjunctions of the graph with shared parts.
    ands: f64,
    /// Processor time. It does not depend on what else the machine is doing, unlike the time limits.
    seconds: f64,
    /// The share that is proven to be optimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal: Option<f64>,
}

/// Formula nodes and conjunctions of one result.
type Sizes = (usize, usize);

/// Compares both on `random` truth tables or on `sampled` formulae.
pub fn run(set: &str) -> Result<Comparison> {
    let functions = functions(set)?;
    // The tables that all calls share are computed once, outside of the measurement.
    minimise(&functions[0], Operators::BASIC, &Budget::seconds(0.0))?;
    let mut methods = Vec::new();
    let mut ours: Vec<Sizes> = Vec::new();
    for limit in LIMITS {
        eprintln!("{set}: ours, at most {limit} s per function");
        let start = processor_seconds()?;
        let found: Vec<_> = functions
            .iter()
            .map(|formula| minimise(formula, Operators::BASIC, &Budget::seconds(limit)))
            .collect::<Result<_, _>>()?;
        let seconds = processor_seconds()? - start;
        let optimal = found.iter().filter(|found| found.optimal).count() as f64 / FUNCTIONS as f64;
        ours.clear();
        for (found, formula) in found.iter().zip(&functions) {
            let result = found.expression.to_formula();
            ensure!(result.is_equivalent(formula), "{result} is not equivalent to {formula}");
            ours.push((found.expression.size(), Aig::from_formula(&result, VARIABLES).ands()));
        }
        let method = Method::new(format!("ours, at most {limit} s"), &ours, seconds);
        methods.push(Method { optimal: Some(optimal), ..method });
    }
    let mut best: Vec<Sizes> = vec![(usize::MAX, usize::MAX); FUNCTIONS];
    let mut all_seconds = 0.0;
    for (name, script) in SCRIPTS {
        eprintln!("{set}: ABC, {name}");
        let (sizes, seconds) = abc(set, &functions, script)?;
        for (best, own) in best.iter_mut().zip(&sizes) {
            *best = (best.0.min(own.0), best.1.min(own.1));
        }
        all_seconds += seconds;
        methods.push(Method::new(format!("ABC: {name}"), &sizes, seconds));
    }
    let count = |smaller: fn(usize, usize) -> bool| {
        ours.iter().zip(&best).filter(|(ours, best)| smaller(ours.0, best.0)).count()
    };
    Ok(Comparison {
        functions: FUNCTIONS,
        methods,
        smaller: count(|ours, best| ours < best),
        larger: count(|ours, best| ours > best),
        best_of_abc: Method::new("ABC: the smallest of all four".into(), &best, all_seconds),
    })
}

impl Method {
    fn new(name: String, sizes: &[Sizes], seconds: f64) -> Self {
        let mean = |of: fn(&Sizes) -> usize| sizes.iter().map(of).sum::<usize>() as f64 / sizes.len() as f64;
        let seconds = seconds / sizes.len() as f64;
        Self { name, size: mean(|s| s.0), ands: mean(|s| s.1), seconds, optimal: None }
    }
}

/// The processor time of this process and of the programs that it has run, in seconds.
fn processor_seconds() -> Result<f64> {
    /// Linux counts this time in hundredths of a second for programs, on all machines.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").context("processor times are only known on Linux")?;
    // Fields 14 to 17; the name of the program, field 2, is in parentheses and may contain spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(4);
    let ticks: Vec<f64> = fields.map(str::parse).collect::<Result<_, _>>()?;
    ensure!(ticks.len() == 4, "/proc/self/stat is too short");
    Ok(ticks.iter().sum::<f64>() / TICKS)
}

/// The functions of a set, as formulae.
fn functions(set: &str) -> Result<Vec<Formula>> {
    match set {
        "random" => Ok((0..FUNCTIONS as u64).map(|i| from_table(mix64(mix64(SEED) ^ i) as u32)).collect()),
        "sampled" => Ok(SamplerParams::new(VARIABLES as u32).check()?.distinct(SEED, FUNCTIONS)?),
        _ => bail!("unknown set `{set}`: use random or sampled"),
    }
}

/// The disjunction of all assignments at which a table is true.
fn from_table(table: u32) -> Formula {
    let rows = (0..1u32 << VARIABLES).filter(|index| table >> index & 1 == 1);
    Formula::any(rows.map(|index| {
        let literal = |bit: u32| if index >> bit & 1 == 1 { x(bit + 1) } else { !x(bit + 1) };
        Formula::all((0..VARIABLES as u32).map(literal))
    }))
}

/// Minimises all functions in one process of ABC. Random functions are given as truth tables, and sampled
/// formulae as graphs with their structure. Returns the size of each result, and the time for all.
fn abc(set: &str, functions: &[Formula], script: &str) -> Result<(Vec<Sizes>, f64)> {
    let folder = TempDir::new()?;
    let path = |name: String| folder.path().join(name);
    let mut commands = String::from(ALIASES);
    for (at, formula) in functions.iter().enumerate() {
        if set == "random" {
            writeln!(commands, "read_truth {:08x}", formula.truth_table(VARIABLES)?.words()[0])?;
        } else {
            fs::write(path(format!("formula-{at}.aig")), Aig::from_formula(formula, VARIABLES).bytes())?;
            writeln!(commands, "read_aiger formula-{at}.aig")?;
        }
        writeln!(commands, "{script}\nwrite_aiger {at}.aig")?;
    }
    fs::write(path("script".into()), commands)?;
    let mut process = Command::new("berkeley-abc");
    process.args(["-q", "source script"]).current_dir(folder.path());
    let start = processor_seconds()?;
    let output = process.output().context("cannot start berkeley-abc: install the package of this name")?;
    let seconds = processor_seconds()? - start;
    ensure!(output.status.success(), "ABC failed: {}", String::from_utf8_lossy(&output.stdout));
    let mut sizes = Vec::new();
    for (at, formula) in functions.iter().enumerate() {
        let bytes = fs::read(path(format!("{at}.aig"))).with_context(|| {
            format!("ABC wrote no result {at}: {}", String::from_utf8_lossy(&output.stdout))
        })?;
        let graph = Aig::read(&bytes)?;
        ensure!(graph.truth_table() == formula.truth_table(VARIABLES)?.words()[0], "ABC: {at} is wrong");
        sizes.push((graph.formula_size(), graph.ands()));
    }
    Ok((sizes, seconds))
}
