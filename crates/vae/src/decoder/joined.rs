//! Several weights side by side, so that one product computes all of them.

use faer::Accum;
use logicvae_compute::{Weight, matrix, matrix_mut};

/// The number of columns that are multiplied at once: two tiles of faer's largest kernel. Wider products are
/// cut by faer into parts that are not whole tiles.
const BLOCK: usize = 192;

/// The number of columns in a vector register. Rows are filled up with zeros to whole registers.
const REGISTER: usize = 16;

/// Weights that multiply the same rows.
pub(super) struct Joined {
    /// Blocks of columns, each with its first column and its number of columns.
    blocks: Vec<(Weight<f32>, usize, usize)>,
    inputs: usize,
    /// The number of columns: those of all parts, rounded up to whole registers.
    pub width: usize,
}

impl Joined {
    /// Joins row-major matrices of `inputs` rows, each given with its number of columns.
    pub fn new(parts: &[(&[f32], usize)], inputs: usize) -> Self {
        let columns: usize = parts.iter().map(|(_, columns)| columns).sum();
        let width = columns.next_multiple_of(REGISTER);
        let mut numbers = Vec::with_capacity(inputs * width);
        for line in 0..inputs {
            for (part, columns) in parts {
                numbers.extend_from_slice(&part[line * columns..(line + 1) * columns]);
            }
            numbers.resize((line + 1) * width, 0.0);
        }
        let block = |from: usize| {
            let columns = BLOCK.min(width - from);
            let lines = numbers.chunks_exact(width).flat_map(|line| &line[from..from + columns]);
            (Weight::new(lines.copied().collect(), inputs), from, columns)
        };
        Self { blocks: (0..width).step_by(BLOCK).map(block).collect(), inputs, width }
    }

    /// The size of the products of `rows`.
    pub fn products(&self, rows: &[f32]) -> usize {
        rows.len() / self.inputs * self.width
    }

    /// Sets the rows of `to` to the products of `rows`.
    pub fn multiply(&self, to: &mut [f32], rows: &[f32]) {
        let count = rows.len() / self.inputs;
        if count == 0 {
            return;
        }
        let mut to = matrix_mut(to, count);
        for (weight, from, columns) in &self.blocks {
            let to = to.as_mut().subcols_mut(*from, *columns);
            weight.multiply(to, Accum::Replace, matrix(rows, count));
        }
    }

    /// Appends the products of `rows`.
    pub fn append(&self, to: &mut Vec<f32>, rows: &[f32]) {
        let start = to.len();
        to.resize(start + self.products(rows), 0.0);
        self.multiply(&mut to[start..], rows);
    }
}
