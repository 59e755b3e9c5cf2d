//! One test binary, a file a topic.

mod deciding;
mod deep;
mod edit_distance;
mod files;
mod naive;
mod sampling;
mod semantics;
mod syntax;
