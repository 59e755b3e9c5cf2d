//! The Rust code of the README, as a doctest.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!(concat!(env!("OUT_DIR"), "/readme.md"))]
struct Readme;
