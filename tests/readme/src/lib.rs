//! The Rust code of the README, as a doctest.

#[cfg(doctest)]
#[doc = include_str!(concat!(env!("OUT_DIR"), "/readme.md"))]
struct Readme;
