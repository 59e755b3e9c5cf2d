//! Matrix products, by faer or on a matrix unit where the machine has one. Each product runs on one thread.
//! Large ones are split into two halves whether or not a second thread is free, so the bits of a result never
//! depend on the number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::real::{Packed, Real};

/// Products with more multiplications than this are split into two halves.
const WORTH_SHARING: usize = 4_000_000;

/// A view of a row-major matrix.
#[inline]
pub fn matrix<T: Real>(data: &[T], rows: usize) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(data, rows, data.len() / rows.max(1))
}

/// A mutable view of a row-major matrix.
#[inline]
pub fn matrix_mut<T: Real>(data: &mut [T], rows: usize) -> MatMut<'_, T> {
    let columns = data.len() / rows.max(1);
    MatMut::from_row_major_slice_mut(data, rows, columns)
}

/// `to = a b`, or `to += a b`, on this thread.
pub fn multiply<T: Real>(to: MatMut<'_, T>, how: Accum, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    if to.nrows() > 0 && to.ncols() > 0 {
        matmul(to, how, a, b, T::constant(1.0), Par::Seq);
    }
}

/// The right factor of several products. Where the machine has a matrix unit, it is packed for the unit once.
pub struct Factor<'a, T: Real> {
    matrix: MatRef<'a, T>,
    packed: Option<Packed>,
}

impl<'a, T: Real> Factor<'a, T> {
    /// Packs a matrix.
    pub fn new(matrix: MatRef<'a, T>) -> Self {
        Self { matrix, packed: T::pack(matrix) }
    }

    /// `to = a b`, or `to += a b`, on this thread, where b is this factor.
    pub fn multiply(&self, to: MatMut<'_, T>, how: Accum, a: MatRef<'_, T>) {
        multiply_by(to, how, a, self.matrix, self.packed.as_ref());
    }
}

/// A [`Factor`] that owns its numbers: for weights that do not change.
pub struct Weight<T: Real> {
    numbers: Vec<T>,
    rows: usize,
    packed: Option<Packed>,
}

impl<T: Real> Weight<T> {
    /// Packs a row-major matrix of `rows` rows.
    pub fn new(numbers: Vec<T>, rows: usize) -> Self {
        let packed = T::pack(matrix(&numbers, rows));
        Self { numbers, rows, packed }
    }

    /// `to = a b`, or `to += a b`, on this thread, where b is this weight.
    pub fn multiply(&self, to: MatMut<'_, T>, how: Accum, a: MatRef<'_, T>) {
        multiply_by(to, how, a, matrix(&self.numbers, self.rows), self.packed.as_ref());
    }
}

/// Uses the matrix unit if the factor is packed and the unit supports this product, otherwise faer.
fn multiply_by<T: Real>(
    mut to: MatMut<'_, T>,
    how: Accum,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    packed: Option<&Packed>,
) {
    let done = packed.is_some_and(|packed| T::multiply_packed(&mut to, how, a, packed));
    if !done {
        multiply(to, how, a, b);
    }
}

/// With fewer rows, packing the right factor for a single product costs more than it saves.
const WORTH_PACKING: usize = 64;

/// `to = a b`, on a matrix unit if there is one and the product is large enough.
fn multiply_once<T: Real>(to: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    match to.nrows() < WORTH_PACKING {
        true => multiply(to, Accum::Replace, a, b),
        false => Factor::new(b).multiply(to, Accum::Replace, a),
    }
}

/// `to = a b`. An idle thread may compute one half.
pub fn multiply_shared<T: Real>(to: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    if to.nrows() * to.ncols() * a.ncols() < WORTH_SHARING {
        return multiply_once(to, a, b);
    }
    if to.nrows() >= to.ncols() {
        let half = to.nrows() / 2;
        let (top, bottom) = to.split_at_row_mut(half);
        let (a_top, a_bottom) = a.split_at_row(half);
        rayon::join(|| multiply_once(top, a_top, b), || multiply_once(bottom, a_bottom, b));
    } else {
        let half = to.ncols() / 2;
        let (left, right) = to.split_at_col_mut(half);
        let (b_left, b_right) = b.split_at_col(half);
        rayon::join(|| multiply_once(left, a, b_left), || multiply_once(right, a, b_right));
    }
}

/// The gradient of weights that many products share: `gᵀ x`, summed over the products. Of each row of `grad`,
/// the columns from `from` on are used, one per row of the weights.
pub fn product_gradient<T: Real>(to: &mut [T], grad: &[T], from: usize, inputs: &[T], products: usize) {
    // Graphs without edges have no products and no gradient.
    if products > 0 {
        let inputs = matrix(inputs, products);
        let rows = to.len() / inputs.ncols();
        multiply_shared(matrix_mut(to, rows), matrix(grad, products).subcols(from, rows).transpose(), inputs);
    }
}
