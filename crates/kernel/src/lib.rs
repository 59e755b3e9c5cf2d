//! Semantic similarity of logical formulae. Nothing is here yet.
