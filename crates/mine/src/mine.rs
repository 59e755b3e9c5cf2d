//! Mining: from a table to a front of formulae, one of which is chosen.

use std::sync::atomic::{AtomicU64, Ordering};

use logicvae_logic::Budget;
use serde::Serialize;

use crate::column_logic::simplified;
use crate::engine::Engines;
use crate::error::MineError;
use crate::expr::Expr;
use crate::feature::Test;
use crate::front::Front;
use crate::parse::ParsedFormula;
use crate::problem::{Candidate, MineOperators, Problem};
use crate::rows::{Bits, Rows, same_bits};
use crate::score::Score;
use crate::search::{Search, StopReason};
use crate::shape::Shape;
use crate::shown::Style;
use crate::table::{MISSING, Table};
use crate::trust::{HeldOut, Significance, Stability, Trust, saved_bits};

/// What to search for, and how.
#[derive(Clone, Debug)]
pub struct MineOptions {
    /// The seed of all random choices.
    pub seed: u64,
    /// The operators of formulae.
    pub operators: MineOperators,
    /// The engines to use.
    pub engines: Engines,
    /// The largest size of a formula, in nodes.
    pub max_size: usize,
    /// The number of rounds without an improvement after which the search ends.
    pub patience: usize,
    /// A formula to improve.
    pub start: Option<ParsedFormula>,
    /// Columns that must occur.
    pub must: Vec<String>,
    /// The shape of formulae.
    pub shape: Shape,
    /// The number of folds of the cross-validation; 0 for none.
    pub folds: usize,
    /// How often labels are shuffled to estimate significance; 0 for never.
    pub shuffles: usize,
    /// How often rows are resampled to estimate stability; 0 for never.
    pub resamples: usize,
}

impl Default for MineOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            operators: MineOperators::default(),
            engines: Engines::default(),
            max_size: 60,
            patience: 16,
            start: None,
            must: Vec::new(),
            shape: Shape::Any,
            folds: 5,
            shuffles: 0,
            resamples: 0,
        }
    }
}

/// A formula that was found.
#[derive(Clone, Debug, Serialize)]
pub struct MinedFormula {
    /// The formula over the columns.
    pub formula: String,
    /// Its number of nodes.
    pub size: usize,
    /// The weight of the rows that it gets wrong.
    pub errors: f64,
    /// The share of rows that it gets right.
    pub accuracy: f64,
    /// F1 of the positive label.
    pub f1: f64,
    /// The bits of its errors and of the formula.
    pub bits: f64,
    /// The accuracy on held-out rows of formulae of this size, if it was estimated.
    pub cv_accuracy: Option<f64>,
    /// The 95 % interval of that.
    pub cv_interval: Option<(f64, f64)>,
    /// Whether it is on the front: no smaller formula has as few errors. Others are alternatives of the same
    /// size.
    pub front: bool,
    /// Whether this is the chosen one.
    pub chosen: bool,
    /// The formula itself.
    #[serde(skip)]
    pub expr: Expr,
}

impl MinedFormula {
    /// The formula in LaTeX.
    pub fn latex(&self, table: &Table, operators: MineOperators) -> String {
        Style { features: &table.features, implies: operators.implies }.latex(&self.expr)
    }

    /// The formula as an outline: each line is an operator or a question, with its depth. Operands follow
    /// their operator.
    pub fn outline(&self, table: &Table) -> Vec<(usize, String)> {
        Style { features: &table.features, implies: false }.outline(&self.expr)
    }

    /// The formula as a function of Python, which takes a row as a dictionary of texts, as the module `csv`
    /// reads them.
    pub fn python(&self, table: &Table) -> String {
        let style = Style { features: &table.features, implies: false };
        let target = serde_json::Value::from(table.summary.target.as_str()).to_string();
        // The target can contain anything, so it is filled in last.
        let missing = format!("{{{}}}", MISSING.map(|word| format!("{word:?}")).join(", "));
        let mut formula = style.python(&self.expr);
        // What is not a number in a column of numbers, or neither true nor false among these, is missing too.
        for asked in self.expr.features().into_iter().map(|f| &table.features[f as usize]) {
            let column = serde_json::Value::from(asked.column.as_str()).to_string();
            let of_column = table.features.iter().filter(|feature| feature.column == asked.column);
            let kind = of_column.filter_map(|feature| match feature.test {
                Test::AtLeast(_) => Some("number"),
                Test::True => Some("truth"),
                _ => None,
            });
            if let (Test::Missing, Some(kind)) = (&asked.test, kind.min()) {
                let known = format!("({kind}(row, {column}) is None)");
                formula = formula.replace(&format!("is_missing(row, {column})"), &known);
            }
        }
        let text = PYTHON.replacen("{missing}", &missing, 1).replace("{formula}", &formula);
        text.replacen("{target}", &target, 1)
    }
}

/// A function of Python.
const PYTHON: &str = r#"MISSING = {missing}


def is_missing(row, column):
    return str(row[column]).strip() in MISSING


def truth(row, column):
    # True or False, or None for other values.
    value = str(row[column]).strip().lower()
    if value in {"1", "true", "yes", "t", "y", "1.0"}:
        return True
    return False if value in {"0", "false", "no", "f", "n", "0.0"} else None


def is_true(row, column):
    return truth(row, column) is True


def number(row, column):
    # A finite number, or None for other values.
    try:
        value = float(str(row[column]).strip())
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def equals(row, column, value):
    return str(row[column]).strip() == value


def differs(row, column, value):
    return not is_missing(row, column) and not equals(row, column, value)


def at_least(row, column, limit):
    value = number(row, column)
    return value is not None and value >= limit


def below(row, column, limit):
    value = number(row, column)
    return value is not None and value < limit


def predict(row):
    # Whether the target is true. A row is a dictionary. The target: {target}
    return {formula}
"#;

/// The result of mining.
#[derive(Clone, Debug, Serialize)]
pub struct Mined {
    /// The front, smallest first, with alternatives of the same size.
    pub formulae: Vec<MinedFormula>,
    /// The formula that the search started from, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<MinedFormula>,
    /// Why one of them is chosen.
    pub reason: String,
    /// Whether the chosen formula is better than always guessing the more frequent label.
    pub beats_guessing: bool,
    /// Whether the search ended by itself. Only then is the result the same on every machine.
    pub converged: bool,
    /// The number of formulae whose errors the search computed.
    pub evaluated: u64,
    /// The accuracy on held-out rows of choosing a formula in this way.
    pub cross_validation: Option<HeldOut>,
    /// The result of shuffling labels.
    pub significance: Option<Significance>,
    /// The result of resampling rows.
    pub stability: Option<Stability>,
}

impl Mined {
    /// The chosen formula.
    pub fn chosen(&self) -> Option<&MinedFormula> {
        self.formulae.iter().find(|formula| formula.chosen)
    }
}

/// The share of the time for the search, if the result is also tested on other rows.
const SEARCH_SHARE: f64 = 0.6;

/// Finds formulae that explain the target of a table.
///
/// The result depends only on the table and the options, unless the budget ends the search. `observe` is
/// called from time to time with the front so far.
///
/// ```
/// use logicvae_logic::Budget;
/// use logicvae_mine::{MineOptions, Table, TableOptions, mine};
/// let mut csv = String::from("a,b,c,alarm\n");
/// for i in 0..8 {
///     let [a, b, c] = [i & 1, i >> 1 & 1, i >> 2 & 1];
///     csv += &format!("{a},{b},{c},{}\n", a & (b | c));
/// }
/// let table = Table::from_bytes(csv.as_bytes(), &TableOptions::new("alarm"))?;
/// let found = mine(&table, &MineOptions::default(), &Budget::seconds(10.0), &|_| {})?;
/// assert_eq!(found.chosen().unwrap().formula, "a & (b | c)");
/// # Ok::<(), logicvae_mine::MineError>(())
/// ```
pub fn mine(
    table: &Table,
    options: &MineOptions,
    budget: &Budget,
    observe: &(dyn Fn(&[MinedFormula]) + Sync),
) -> Result<Mined, MineError> {
    let rows = &table.rows;
    for name in &options.must {
        if !table.features.iter().any(|feature| feature.column == *name) {
            let message = format!("--must: there are no questions about a column `{name}`");
            return Err(MineError::Settings(message));
        }
    }
    let problem = Problem {
        rows,
        features: &table.features,
        score: Score::for_rows(rows),
        operators: options.operators,
        max_size: options.max_size,
        must: options.must.clone(),
        shape: options.shape.clone(),
        evaluated: AtomicU64::new(0),
    };
    let start = options.start.as_ref().map(|start| start.over(&table.features)).transpose()?;
    let mut given = None;
    if let Some(start) = &start {
        if !problem.allows(start) {
            let message = "the formula to start from has operators or a shape that are not allowed";
            return Err(MineError::Settings(message.into()));
        }
        let Some(scored) = problem.candidate(start.clone()) else {
            let (size, limit) = (problem.style().size(start), options.max_size);
            let message = format!("the formula to start from has {size} nodes, more than --max-size {limit}");
            return Err(MineError::Settings(message));
        };
        given = Some(described(&problem, table, &scored));
    }
    let tests = options.folds > 1 || options.shuffles > 0 || options.resamples > 0;
    let search = Search {
        engines: &options.engines,
        seed: options.seed,
        patience: options.patience,
        start: start.as_ref(),
        budget: &if tests { budget.share(SEARCH_SHARE) } else { budget.clone() },
    };
    let describe = |front: &Front| listed(&problem, table, front);
    let (front, stop) = search.run(&problem, &|front| observe(&describe(front)));
    let mut formulae = describe(&front);
    let Some(chosen) = chosen(&problem, &front) else {
        let message = "no formula meets the conditions: relax --must, --shape, --operators or --max-size";
        return Err(MineError::Settings(message.into()));
    };
    let saved = saved_bits(&problem, chosen.score);
    match formulae.iter_mut().find(|formula| formula.expr == chosen.expr) {
        Some(formula) => formula.chosen = true,
        None => {
            let at = formulae.partition_point(|formula| formula.size < chosen.size);
            formulae.insert(
                at,
                MinedFormula { chosen: true, front: false, ..described(&problem, table, &chosen) },
            );
        }
    }
    let observations = table.observations();
    let trust =
        Trust { problem: &problem, observations, engines: &options.engines, seed: options.seed, budget };
    let mut cross_validation = None;
    if options.folds > 1 && rows.evidence() >= 2.0 * options.folds as f64 {
        let sizes: Vec<usize> = formulae.iter().map(|formula| formula.size).collect();
        if let Some((list, own)) = trust.cross_validate(&sizes, options.folds) {
            for (formula, held_out) in formulae.iter_mut().zip(list) {
                (formula.cv_accuracy, formula.cv_interval) =
                    (Some(held_out.accuracy), Some(held_out.interval));
            }
            cross_validation = Some(own);
        }
    }
    let verdict = Verdict::of(&problem, &chosen, cross_validation.as_ref());
    let (mut reason, beats_guessing) =
        (reason(&problem, &chosen, saved, verdict), verdict == Verdict::Better);
    let smaller = formulae.iter().any(|other| {
        other.size < chosen.size && problem.rows.errors(&other.expr.values(problem.rows)) <= chosen.errors
    });
    if smaller {
        reason += "; a smaller formula has as few errors, but its parts are less alike";
    }
    let significance = (options.shuffles > 0).then(|| trust.significance(options.shuffles));
    let stability = (options.resamples > 0).then(|| trust.stability(&chosen.expr, options.resamples));
    let converged = stop == StopReason::Converged;
    let evaluated = problem.evaluated.load(Ordering::Relaxed);
    Ok(Mined {
        formulae,
        start: given,
        reason,
        beats_guessing,
        converged,
        evaluated,
        cross_validation,
        significance,
        stability,
    })
}

/// The chosen formula. If the table has every combination of values, once and without contradictions, there
/// is nothing to generalise to, and the smallest formula without errors is chosen. Otherwise, the one with
/// the shortest description, in the shortest form that was found.
fn chosen(problem: &Problem<'_>, front: &Front) -> Option<Candidate> {
    if problem.rows.is_complete() {
        let exact = front.all().find(|candidate| candidate.errors == 0);
        return exact.or(front.best()).cloned();
    }
    let best = front.best()?;
    let simple = simplified(&best.expr, problem.features);
    let simple = problem.candidate(simple).filter(|simple| problem.is_complete(&simple.expr));
    // The score can be better with parts that make no difference, since then more parts are alike.
    let best = &simple.map_or_else(|| best.clone(), |simple| Candidate { score: best.score, ..simple });
    // Candidates come smallest first.
    let mut shorter = front.all().filter(|other| other.size < best.size && other.errors == best.errors);
    let same = shorter.find(|other| is_same_function(&other.expr, &best.expr));
    same.map(|other| Candidate { score: best.score, ..other.clone() }).or(Some(best.clone()))
}

/// Whether two formulae have the same value for every assignment. `false` if they have too many features to
/// find out.
fn is_same_function(a: &Expr, b: &Expr) -> bool {
    const MOST: usize = 12;
    let mut features = [a.features(), b.features()].concat();
    features.sort_unstable();
    features.dedup();
    let value = |expr: &Expr, row: usize| {
        expr.value(&|feature| features.binary_search(&feature).is_ok_and(|at| row >> at & 1 == 1))
    };
    features.len() <= MOST && (0..1usize << features.len()).all(|row| value(a, row) == value(b, row))
}

/// Whether a formula is better than guessing.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Better,
    /// It is the guess itself, or no better on held-out rows.
    Guess,
    /// It needs more bits than it saves, and there are no held-out rows that could tell.
    Unknown,
}

impl Verdict {
    /// A formula that saves clearly more bits than its full description has is no accident. Otherwise,
    /// held-out rows decide.
    fn of(problem: &Problem<'_>, chosen: &Candidate, held_out: Option<&HeldOut>) -> Self {
        if matches!(chosen.expr, Expr::Const(_)) {
            return Self::Guess;
        }
        let own = problem.score.errors(chosen.errors) + problem.score.description(&chosen.expr);
        if problem.rows.is_complete() || saved_bits(problem, own) > CLEARLY {
            return Self::Better;
        }
        match held_out {
            Some(held_out) if held_out.interval.0 > guessing(problem.rows) => Self::Better,
            Some(_) => Self::Guess,
            None => Self::Unknown,
        }
    }
}

/// A formula that saves this number of bits is found by accident in one of about a hundred tables.
const CLEARLY: f64 = 7.0;

/// The accuracy of the better constant.
fn guessing(rows: &Rows) -> f64 {
    rows.positive().max(rows.total() - rows.positive()) as f64 / rows.total() as f64
}

fn reason(problem: &Problem<'_>, chosen: &Candidate, saved: f64, verdict: Verdict) -> String {
    match verdict {
        Verdict::Guess if matches!(chosen.expr, Expr::Const(_)) => {
            return "nothing beats guessing: no formula saves more bits than it costs to write down".into();
        }
        Verdict::Guess => {
            return format!(
                "nothing beats guessing: on held-out rows this formula is not surely better than always \
                 saying the more frequent value ({:.1} % right)",
                100.0 * guessing(problem.rows)
            );
        }
        Verdict::Unknown => {
            return "the shortest description, but it may be no better than guessing: use cross-validation or \
                    --significance to find out"
                .into();
        }
        Verdict::Better => {}
    }
    if problem.rows.is_complete() && chosen.errors == 0 {
        return "the table has every combination of values, so the smallest formula without errors is chosen"
            .into();
    }
    let errors = problem.score.errors(chosen.errors);
    let own = chosen.score - errors;
    format!(
        "shortest description: {own:.0} bits for the formula and {errors:.0} bits for its errors, {saved:.0} \
         bits less than guessing"
    )
}

fn described(problem: &Problem<'_>, table: &Table, candidate: &Candidate) -> MinedFormula {
    let confusion = problem.rows.confusion(&candidate.expr.values(problem.rows));
    MinedFormula {
        formula: problem.style().text(&candidate.expr),
        size: candidate.size,
        errors: candidate.errors as f64 * table.summary.weight_unit,
        accuracy: confusion.accuracy(),
        f1: confusion.f1(),
        bits: candidate.score,
        cv_accuracy: None,
        cv_interval: None,
        front: false,
        chosen: false,
        expr: candidate.expr.clone(),
    }
}

/// The formulae of the front, with up to two alternatives of the same size that have about as few errors,
/// at other rows.
fn listed(problem: &Problem<'_>, table: &Table, front: &Front) -> Vec<MinedFormula> {
    let mut list = Vec::new();
    for group in front.pareto() {
        let best = group[0].errors;
        // Alternatives that are right and wrong at the same rows say nothing new.
        let mut kept: Vec<Bits> = Vec::new();
        for candidate in group.iter().filter(|candidate| candidate.errors <= best + best / 10) {
            let values = candidate.expr.values(problem.rows);
            let is_new = kept.iter().all(|other| !same_bits(other, &values, problem.rows.len()));
            if is_new && kept.len() < 3 {
                list.push(MinedFormula { front: kept.is_empty(), ..described(problem, table, candidate) });
                kept.push(values);
            }
        }
    }
    list
}
