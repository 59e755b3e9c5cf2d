//! Propositional formulae for machine learning: syntax, semantics, sampling and files.
//!
//! ```
//! use logicvae_logic::{DatasetSpec, Formula, Stats, truth_tables, x};
//!
//! // Syntax: parse text, or build formulae with Rust operators.
//! let f: Formula = "x1 & !x2 | x3".parse()?;
//! assert_eq!(f, (x(1) & !x(2)) | x(3));
//!
//! // Semantics: evaluation is bit-parallel, at least 64 assignments per instruction.
//! assert_eq!(f.truth_table(3)?.to_string(), "01001111");
//! assert!(f.is_equivalent(&"x3 | !(!x1 | x2)".parse()?));
//!
//! // Sampling: the paper's data sets. The result depends only on the seed, not on the number of threads.
//! let spec = DatasetSpec::preset("paper-3").ok_or("unknown preset")?;
//! let formulae = spec.sampler.check()?.distinct(spec.seed, 100)?;
//! assert_eq!(truth_tables(&formulae, 3)?.rows(), 100);
//! assert_eq!(formulae.iter().collect::<Stats>().variables.min, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Formula`]: a syntax tree stored as one flat array in depth-first preorder. No algorithm on formulae
//!   recurses over the tree, so depth is unlimited.
//! - [`Assignments`] and [`BitMatrix`]: the values of many formulae at many truth assignments.
//! - [`Formula::compare`], [`Formula::find_model`], [`Formula::count_models`]: equivalence, satisfiability
//!   and model counting, by truth table up to 20 variables and by a SAT solver above.
//! - [`edit_distance()`]: the tree edit distance between two formulae.
//! - [`SamplerParams`], [`GeneralSampler`], [`DatasetSpec`]: random formulae and data sets.
//! - [`ShortestFormulae`]: the smallest formula of a function.
//! - [`FormulaReader`], [`write_text`], [`BinaryWriter`]: streaming readers and writers for files of
//!   formulae.
//!
//! This crate contains no tensors and no kernels, and it does not print. Readers and writers are parameters;
//! only [`write_atomic`] takes a path.

#![deny(unsafe_code)] // allowed only in the SIMD modules of `eval`

mod budget;
mod child_order;
mod constants;
mod decide;
mod edit_distance;
mod eval;
mod exchange;
mod formula;
mod identifier;
mod io;
mod minimise;
mod names;
mod node;
mod parse;
mod print;
mod random;
mod relations;
mod sample;
mod serialize;
mod shortest;
mod simplify;
mod statistics;
mod stats;
mod substitute;
mod tree;

/// Compiles the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use budget::{Budget, Unknown};
pub use decide::{CountError, Equivalence, TABLE_LIMIT};
pub use edit_distance::edit_distance;
pub use eval::{
    Assignment, AssignmentError, Assignments, BatchError, BitMatrix, TableError, TruthTable, UnboundVariable,
    VARIABLE_PATTERNS, truth_tables,
};
pub use exchange::{FileFormat, FormulaFile};
pub use formula::{Formula, PreorderError, x};
pub use io::{
    BinaryWriter, ContainerError, ContainerReader, ContainerWriter, Entry, FormulaLimits, FormulaReader,
    LimitError, ReadError, remove_unfinished_files, write_atomic, write_text,
};
pub use minimise::{
    BinaryOperator, Expression, Minimised, NotExpressible, Operators, SmallFunctions, minimise,
    minimise_table,
};
pub use names::{NameError, NamedFormula, Names};
pub use node::{MAX_VARIABLE, Node, Var, VarError};
pub use parse::{ParseError, ParseErrorKind};
pub use random::{GOLDEN_GAMMA, fnv1a, mix64, uniform};
pub use relations::{Relations, relations};
pub use sample::{
    Dataset, DatasetSpec, FormulaForm, FormulaKind, GeneralSampler, OperatorWeights, SampleError, Sampler,
    SamplerParams, Split, VariableNames, all_formulae,
};
pub use shortest::ShortestFormulae;
pub use statistics::{pearson, quantiles, spearman, wilson_interval};
pub use stats::{NodeMix, Stats, StatsBuilder, Summary};
pub use tree::Postorder;
