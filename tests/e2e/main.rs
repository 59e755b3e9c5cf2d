//! End-to-end tests: the real binary, real files, exit codes and messages. A file a topic.

mod bad_input;
mod datasets;
mod exports;
mod formulae;
mod kernel;
mod models;
mod pictures;
mod shell;
mod support;
