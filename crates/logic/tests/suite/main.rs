//! All tests in one binary, with one file per topic.

mod child_order;
mod deciding;
mod deep;
mod edit_distance;
mod files;
mod minimising;
mod naive;
mod names;
mod relating;
mod sampling;
mod semantics;
mod smtlib;
mod syntax;
