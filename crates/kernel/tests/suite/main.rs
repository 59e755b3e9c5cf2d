//! One test binary, a file a topic.

mod bound;
mod embedding;
mod files;
mod gram;
mod linalg;
mod neighbours;
mod support;
