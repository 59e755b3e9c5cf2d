//! Readable logical formulae from tables of observations.
//!
//! [`Table::read`] turns a CSV file into distinct, bit-packed rows with yes-or-no [`Feature`]s. [`mine()`]
//! searches for formulae that explain the target, with several [`Engine`]s under one score: the bits that
//! describe the formula and its errors. The result is a front of size against error, one formula of
//! which is chosen. [`predict`] applies a formula to a file.
//!
//! What is not here: printing and figures.

#![forbid(unsafe_code)]

/// Compiles the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod column_logic;
mod cuts;
mod engine;
mod error;
mod expr;
mod factor;
mod feature;
mod front;
mod goal;
mod mine;
mod observations;
mod parse;
mod problem;
mod random;
mod rows;
mod score;
mod search;
mod shape;
mod shown;
mod table;
mod trust;
mod write;

pub use engine::{Engine, Engines};
pub use error::MineError;
pub use expr::{Expr, Join};
pub use feature::{Feature, Test};
pub use mine::{MineOptions, Mined, MinedFormula, mine};
pub use parse::{ParsedFormula, parse};
pub use problem::MineOperators;
pub use rows::{Confusion, RowCounter, Rows};
pub use search::StopReason;
pub use shape::Shape;
pub use table::{ColumnUse, Predictions, Summary, Table, TableOptions, WrongRow, predict, wrong_rows};
pub use trust::{HeldOut, Significance, Stability};
