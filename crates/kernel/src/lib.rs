//! Semantic similarity of logical formulae: a kernel, Gram matrices, embeddings, nearest neighbours.
//!
//! ```
//! use logicvae_kernel::{Embedding, EmbeddingParams, Form, Kernel, Domain, Neighbours};
//! use logicvae_logic::{Formula, SamplerParams};
//!
//! let pool = SamplerParams::new(4).check()?.distinct(1, 300)?;
//! let (f, g): (Formula, Formula) = ("x1 & x2".parse()?, "x1 & x2 | x3 & x4 & x1".parse()?);
//!
//! // How similar are two formulae? 1 if equivalent, 0.8 if they agree at 90 % of all assignments.
//! let kernel = Kernel::new(Domain::exact(4)?, Form::Plain)?;
//! assert_eq!(kernel.value(&f, &g)?, 0.875);
//!
//! // Vectors whose distances mean something, for formulae and for observed truth values.
//! let embedding = Embedding::fit(Domain::exact(4)?, &pool, &EmbeddingParams::new(10))?;
//! assert_eq!(embedding.transform(&[f.clone(), g])?.dim(), (2, 10));
//!
//! // The nearest formulae of a list.
//! let nearest = Neighbours::new(Domain::exact(4)?, &pool)?.nearest(&f, 3)?;
//! assert!(nearest[0].kernel >= nearest[2].kernel);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is not here: candle, paths, printing.

mod bound;
mod distinct;
mod domain;
mod embedding;
mod error;
pub mod experiments;
mod form;
mod gram;
mod hamming;
pub mod linalg;
mod neighbours;
mod npy;
mod stream;

pub use bound::{error_bound, samples_for};
pub use domain::Domain;
pub use embedding::{Embedding, EmbeddingParams, MapParts, Method};
pub use error::KernelError;
pub use form::{Form, PAPER_SIGMA2};
pub use gram::{Kernel, jaccard};
pub use neighbours::{Neighbour, Neighbours};
pub use npy::{NpyWriter, Precision};
