//! One test binary, a file a topic.

mod deciding;
mod deep;
mod edit_distance;
mod files;
mod naive;
mod order;
mod sampling;
mod semantics;
mod syntax;
