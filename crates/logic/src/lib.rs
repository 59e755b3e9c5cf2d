//! Propositional formulae for machine learning: syntax, semantics, sampling and files.
//!
//! ```
//! use logicvae_logic::{DatasetSpec, Formula, Stats, truth_tables, x};
//!
//! // Syntax: text, operators, a flat tree.
//! let f: Formula = "x1 & !x2 | x3".parse()?;
//! assert_eq!(f, (x(1) & !x(2)) | x(3));
//!
//! // Semantics: bit-parallel, 64 assignments and more an instruction.
//! assert_eq!(f.truth_table(3)?.to_string(), "01001111");
//! assert!(f.is_equivalent(&"x3 | !(!x1 | x2)".parse()?));
//!
//! // Sampling: the paper's datasets, the same for any number of threads.
//! let spec = DatasetSpec::preset("paper-3").ok_or("a known preset")?;
//! let formulae = spec.sampler.check()?.distinct(spec.seed, 100)?;
//! assert_eq!(truth_tables(&formulae, 3)?.rows(), 100);
//! assert_eq!(formulae.iter().collect::<Stats>().variables.min, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Formula`]: a tree as one flat array in depth-first preorder. No algorithm on it recurses, so depth is no limit.
//! - [`Assignments`] and [`BitMatrix`]: values of many formulae at many assignments.
//! - [`Formula::compare`], [`Formula::find_model`], [`Formula::count_models`]: truth tables up to 20 variables, a SAT
//!   solver above.
//! - [`edit_distance()`]: how many nodes differ between two trees.
//! - [`SamplerParams`], [`DatasetSpec`]: random formulae and datasets.
//! - [`FormulaReader`], [`write_text`], [`BinaryWriter`]: files, as streams.
//!
//! What is not here: tensors, kernels, paths, printing.

mod decide;
mod edit_distance;
mod eval;
mod formula;
mod io;
mod node;
mod order;
mod parse;
mod print;
mod quantile;
mod random;
mod rewrite;
mod sample;
mod serialize;
mod simplify;
mod stats;
mod tree;

pub use decide::{CountError, Equivalence, TABLE_LIMIT};
pub use edit_distance::edit_distance;
pub use eval::{
    Assignment, AssignmentError, Assignments, BatchError, BitMatrix, MAX_TABLE_VARIABLES, TableError,
    TruthTable, UnboundVariable, truth_tables,
};
pub use formula::{Formula, PreorderError, x};
pub use io::{
    BinaryWriter, ContainerError, ContainerReader, ContainerWriter, FormulaReader, ReadError, write_atomic,
    write_text,
};
pub use node::{MAX_VARIABLE, Node, Var, VarError};
pub use parse::{ParseError, ParseErrorKind};
pub use quantile::quantiles;
pub use random::{GOLDEN_GAMMA, fnv1a, mix64, uniform};
pub use sample::{Dataset, DatasetSpec, SampleError, Sampler, SamplerParams, Split};
pub use stats::{NodeMix, Stats, StatsBuilder, Summary};
pub use tree::Postorder;
