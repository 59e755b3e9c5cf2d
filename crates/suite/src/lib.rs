//! The experiment suite of LogicVAE: every table and figure of the paper, and our own.
//!
//! `suite.toml` declares the experiments and the exhibits (tables and figures) made from them. One run of the
//! suite goes through these modules:
//!
//! 1. `suite` reads and validates the declaration.
//! 2. `plan` finds out which experiments still have to run. It uses `settings` for the configuration of
//!    each training, `fingerprint` to recognise results that are up to date, and `estimate` for the
//!    remaining time.
//! 3. `runner` runs the experiments in parallel. Each is a `job` that starts `logicvae` processes and
//!    writes a `record`.
//! 4. `report` writes `report.html` and `REPORT.md` from the records. Cards of exported models are written by
//!    `logicvae export`.
//!
//! On a cluster, `slurm` submits the experiments as job arrays instead. Each task runs one experiment.
//!
//! Where all of this is stored is described by `layout`.

#![forbid(unsafe_code)]

#[macro_use]
mod output;

mod args;
mod command;
mod estimate;
mod fingerprint;
mod job;
mod layout;
mod machine;
mod plan;
mod progress;
mod record;
mod report;
mod runner;
mod settings;
mod slurm;
mod suite;

pub use args::Args;
pub use command::run;
