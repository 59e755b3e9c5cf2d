//! Semantic similarity of logical formulae: a kernel, Gram matrices, embeddings and nearest neighbours.
//!
//! ```
//! use logicvae_kernel::{Embedding, EmbeddingParams, Form, Kernel, Domain, Neighbours};
//! use logicvae_logic::{Formula, SamplerParams};
//!
//! let pool = SamplerParams::new(4).check()?.distinct(1, 300)?;
//! let (f, g): (Formula, Formula) = ("x1 & x2".parse()?, "x1 & x2 | x3 & x4 & x1".parse()?);
//!
//! // Similarity: 1 for equivalent formulae, 0.8 for formulae that agree at 90 % of all assignments.
//! let kernel = Kernel::new(Domain::exact(4)?, Form::Plain)?;
//! assert_eq!(kernel.value(&f, &g)?, 0.875);
//!
//! // Embedding vectors, for formulae and for observed truth values.
//! let embedding = Embedding::fit(Domain::exact(4)?, &pool, &EmbeddingParams::new(10))?;
//! assert_eq!(embedding.transform(&[f.clone(), g])?.dim(), (2, 10));
//!
//! // The most similar formulae of a list.
//! let nearest = Neighbours::new(Domain::exact(4)?, &pool)?.nearest(&f, 3)?;
//! assert!(nearest[0].kernel >= nearest[2].kernel);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Domain`]: the truth assignments at which formulae are compared, all or a sample, with optional
//!   weights.
//! - [`Kernel`]: similarities of pairs, and Gram matrices, in several [forms](Form).
//! - [`Embedding`]: principal components of the Gram matrix; fitted to a pool of formulae, saved and loaded.
//! - [`Neighbours`]: search for the most similar formulae.
//! - [`error_bound`], [`samples_for`]: the accuracy of a kernel estimated from random assignments.
//! - [`experiments`]: the kernel experiments of the paper's appendix B.
//!
//! This crate does not depend on candle. It does not print and takes no paths: readers and writers are
//! parameters.

#![deny(unsafe_code)] // allowed only in the modules marked below

mod bound;
mod cluster;
mod distinct;
mod domain;
mod embedding;
mod error;
pub mod experiments;
mod form;
#[allow(unsafe_code)] // parallel writes to disjoint tiles of one matrix, and huge pages
mod gram;
#[allow(unsafe_code)] // calls functions compiled for AVX2 and AVX-512
mod hamming;
pub mod linalg;
mod measure;
mod neighbours;
#[allow(unsafe_code)] // AVX-512 intrinsics
mod nontemporal;
mod npy;
mod npy_reader;

/// Compiles the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use bound::{error_bound, samples_for};
pub use cluster::{Cluster, Clustering};
pub use domain::Domain;
pub use embedding::{Embedding, EmbeddingParams, MapParts, Method};
pub use error::KernelError;
pub use form::{Form, PAPER_SIGMA2};
pub use gram::{Kernel, jaccard};
pub use measure::{Measure, Overlap};
pub use neighbours::{Neighbour, Neighbours};
pub use npy::{NpyWriter, Precision};
pub use npy_reader::read_npy;
