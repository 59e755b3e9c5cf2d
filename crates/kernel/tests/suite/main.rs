//! All tests in one binary, with one file per topic.

mod bound;
mod embedding;
mod files;
mod gram;
mod linalg;
mod neighbours;
mod support;
