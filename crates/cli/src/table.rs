//! Aligned text tables.

use std::io::{self, Write};

/// The longest text in a column, in characters. Longer texts are cut, except in the last column.
const WIDEST: usize = 48;

/// A table with a header. Columns that contain only numbers are aligned to the right, and columns without any
/// text are left out.
pub struct Table<const N: usize> {
    header: [&'static str; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub fn new(header: [&'static str; N]) -> Self {
        Self { header, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: [String; N]) {
        let last = N - 1;
        self.rows.push(std::array::from_fn(|column| match cells[column].char_indices().nth(WIDEST) {
            Some((cut, _)) if column < last => format!("{}…", &cells[column][..cut - 1]),
            _ => cells[column].clone(),
        }));
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let numeric = |cell: &str| cell.chars().all(|c| c.is_ascii_digit() || ".+-% ".contains(c));
        let columns: Vec<(usize, usize, bool)> = (0..N)
            .filter(|&column| self.rows.iter().any(|row| !row[column].is_empty()) || self.rows.is_empty())
            .map(|column| {
                let cells = self.rows.iter().map(|row| row[column].as_str());
                let width = cells.clone().chain([self.header[column]]).map(|c| c.chars().count()).max();
                (column, width.unwrap_or(0), cells.clone().all(numeric))
            })
            .collect();
        let header: [String; N] = self.header.map(str::to_owned);
        for row in std::iter::once(&header).chain(&self.rows) {
            let cells: Vec<String> = columns
                .iter()
                .map(|&(column, width, right)| {
                    let cell = &row[column];
                    if right { right_aligned(cell, width) } else { left_aligned(cell, width) }
                })
                .collect();
            writeln!(out, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// A text with spaces before it. The width of Rust's own formatting is limited to 65,535, but formulae and
/// names are not.
pub fn right_aligned(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.chars().count())) + text
}

/// A text with spaces behind it.
fn left_aligned(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text.chars().count()))
}
