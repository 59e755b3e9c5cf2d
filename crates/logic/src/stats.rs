//! Descriptive statistics of a set of formulae.

use serde::Serialize;

use crate::budget::{Budget, Unknown};
use crate::formula::Formula;
use crate::node::Node;

/// Mean, minimum and maximum of a quantity over a set of formulae.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The minimum.
    pub min: usize,
    /// The maximum.
    pub max: usize,
}

/// The fraction of each node type among all nodes. The fractions sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NodeMix {
    /// Conjunctions.
    pub and: f64,
    /// Disjunctions.
    pub or: f64,
    /// Negations.
    pub not: f64,
    /// Variables.
    pub variable: f64,
    /// The constant 1.
    pub constant: f64,
}

/// Statistics of a set of formulae.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// The number of formulae.
    pub count: usize,
    /// Nodes per formula.
    pub nodes: Summary,
    /// Depth: edges from the root to the deepest leaf.
    pub depth: Summary,
    /// Distinct variables per formula.
    pub variables: Summary,
    /// The fraction of each node type.
    pub mix: NodeMix,
    /// The fraction of formulae that are true at every assignment.
    pub tautologies: f64,
    /// The fraction of formulae that are true at no assignment.
    pub contradictions: f64,
    /// The fraction of formulae for which that is unknown, because it is too hard to find out.
    pub undecided: f64,
    /// The number of formulae with 0, 1, 2, … nodes. The last bin also counts all larger formulae.
    pub size_histogram: Vec<usize>,
}

/// After this many conflicts of the SAT solver, about a second, a formula counts as undecided.
const MAX_CONFLICTS: u64 = 10_000;

/// The number of bins of the size histogram.
const BINS: usize = 257;

/// Accumulates [`Stats`] one formula at a time, in constant memory.
///
/// ```
/// use logicvae_logic::{StatsBuilder, x};
/// let mut builder = StatsBuilder::default();
/// builder.add(&(x(1) | !x(1)));
/// builder.add(&(x(1) & x(2)));
/// let stats = builder.finish();
/// assert_eq!((stats.nodes.mean, stats.tautologies), (3.5, 0.5));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StatsBuilder {
    nodes: Tally,
    depth: Tally,
    variables: Tally,
    types: [usize; 5],
    tautologies: usize,
    contradictions: usize,
    undecided: usize,
    sizes: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: usize,
    sum: u128,
    min: usize,
    max: usize,
}

impl Tally {
    fn add(&mut self, value: usize) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.sum += value as u128;
        self.count += 1;
    }

    fn summary(self) -> Summary {
        Summary { mean: self.sum as f64 / self.count.max(1) as f64, min: self.min, max: self.max }
    }
}

impl StatsBuilder {
    /// Adds a formula.
    pub fn add(&mut self, formula: &Formula) {
        self.nodes.add(formula.size());
        self.depth.add(formula.depth());
        self.variables.add(formula.variables().len());
        for node in formula.preorder() {
            self.types[kind(node)] += 1;
        }
        let budget = Budget::conflicts(MAX_CONFLICTS);
        // A formula that cannot be false is a tautology.
        match (formula.find_counterexample_within(&budget), formula.find_model_within(&budget)) {
            (Ok(None), _) => self.tautologies += 1,
            (_, Ok(None)) => self.contradictions += 1,
            (Ok(Some(_)), Ok(Some(_))) => {}
            (Err(Unknown), _) | (_, Err(Unknown)) => self.undecided += 1,
        }
        let bin = formula.size().min(BINS - 1);
        if self.sizes.len() <= bin {
            self.sizes.resize(bin + 1, 0);
        }
        self.sizes[bin] += 1;
    }

    /// The statistics of all formulae added so far.
    pub fn finish(&self) -> Stats {
        let count = self.nodes.count;
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let all: usize = self.types.iter().sum();
        let fraction = |node: Node| share(self.types[kind(node)], all);
        let variables = share(self.types[4], all);
        Stats {
            count,
            nodes: self.nodes.summary(),
            depth: self.depth.summary(),
            variables: self.variables.summary(),
            mix: NodeMix {
                and: fraction(Node::And),
                or: fraction(Node::Or),
                not: fraction(Node::Not),
                variable: variables,
                constant: fraction(Node::True),
            },
            tautologies: share(self.tautologies, count),
            contradictions: share(self.contradictions, count),
            undecided: share(self.undecided, count),
            size_histogram: self.sizes.clone(),
        }
    }
}

fn kind(node: Node) -> usize {
    node.code().min(4) as usize
}

impl<'a> FromIterator<&'a Formula> for Stats {
    fn from_iter<I: IntoIterator<Item = &'a Formula>>(formulae: I) -> Self {
        let mut builder = StatsBuilder::default();
        formulae.into_iter().for_each(|f| builder.add(f));
        builder.finish()
    }
}
