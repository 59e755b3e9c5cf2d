//! The leading eigenvectors of a large symmetric matrix, by block Lanczos iteration with full
//! reorthogonalisation and thick restarts. The residuals are checked before a result is returned.

use logicvae_logic::uniform;
use ndarray::{Array1, Array2, ArrayView2, s};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{Backend, Eigen, eigen, fix_signs, product};
use crate::error::KernelError;

/// The largest number of block products before the solver reports that it did not converge.
const MAX_PRODUCTS: usize = 400;

/// The `count` leading eigenpairs of a positive semidefinite operator on vectors of length `n`. `apply`
/// multiplies the operator with a block of vectors. Residuals ‖Av - λv‖ are at most `tolerance` times the
/// largest eigenvalue.
pub(crate) fn leading_eigenpairs(
    backend: Backend,
    n: usize,
    count: usize,
    tolerance: f64,
    apply: impl Fn(ArrayView2<'_, f64>) -> Array2<f64>,
) -> Result<Eigen, KernelError> {
    let block = (count / 4).clamp(8, 64).min(n);
    let room = (count + count / 4 + 2 * block).min(n);
    let kept = (count + block).min(room.saturating_sub(block)).max(count.min(n));
    let mut next = orthonormal(backend, random_block(n, block));
    let mut space = Subspace::empty(n, room, tolerance < 1e-8);
    let mut worst = f64::INFINITY;
    let mut products = 0;
    while products < MAX_PRODUCTS {
        // Extend the subspace by the operator's image of its newest block, until it is full or invariant.
        while next.ncols() > 0 && space.size + next.ncols() <= room {
            let image = apply(next.view());
            products += 1;
            let residual = space.extend(backend, &next, image);
            next = orthonormal(backend, residual);
        }
        let ritz = eigen(backend, &space.projected)?;
        let found = count.min(space.size);
        let coefficients = ritz.vectors.slice(s![.., ..found]);
        let vectors = product(backend, space.basis(), coefficients);
        let images = product(backend, space.images(), coefficients);
        let values = ritz.values.slice(s![..found]).to_owned();
        worst = worst_residual(&vectors, &images, &values);
        if worst <= tolerance || next.ncols() == 0 {
            let mut vectors = vectors;
            fix_signs(&mut vectors);
            return Ok(Eigen { values, vectors });
        }
        space.restart(backend, &ritz, kept.min(space.size));
    }
    Err(KernelError::NotConverged { products, residual: worst, wanted: tolerance })
}

/// An orthonormal basis, its image under the operator, and the operator projected on it.
struct Subspace {
    /// The first `size` columns are in use, both here and in `images`.
    basis: Array2<f64>,
    images: Array2<f64>,
    projected: Array2<f64>,
    size: usize,
    /// Whether new vectors are orthogonalised twice, which is accurate to rounding. A single pass leaves
    /// errors of the order of rounding divided by the fraction of the vector that is new, far below any
    /// tolerance that is not itself close to rounding.
    strict: bool,
}

impl Subspace {
    fn empty(n: usize, room: usize, strict: bool) -> Self {
        let (basis, images) = (Array2::zeros((n, room)), Array2::zeros((n, room)));
        Self { basis, images, projected: Array2::zeros((0, 0)), size: 0, strict }
    }

    fn basis(&self) -> ArrayView2<'_, f64> {
        self.basis.slice(s![.., ..self.size])
    }

    fn images(&self) -> ArrayView2<'_, f64> {
        self.images.slice(s![.., ..self.size])
    }

    /// Adds a block that is orthonormal and orthogonal to the basis, and its image. Returns the part of the
    /// image that is orthogonal to the basis.
    fn extend(&mut self, backend: Backend, block: &Array2<f64>, image: Array2<f64>) -> Array2<f64> {
        let (old, all) = (self.size, self.size + block.ncols());
        self.basis.slice_mut(s![.., old..all]).assign(block);
        self.images.slice_mut(s![.., old..all]).assign(&image);
        self.size = all;
        let column = product(backend, self.basis().t(), image.view());
        let mut projected = Array2::zeros((all, all));
        projected.slice_mut(s![..old, ..old]).assign(&self.projected);
        projected.slice_mut(s![.., old..]).assign(&column);
        projected.slice_mut(s![old.., ..old]).assign(&column.slice(s![..old, ..]).t());
        self.projected = projected;
        let new = image - product(backend, self.basis(), column.view());
        if !self.strict {
            return new;
        }
        let again = product(backend, self.basis().t(), new.view());
        new - product(backend, self.basis(), again.view())
    }

    /// Keeps only the leading Ritz vectors.
    fn restart(&mut self, backend: Backend, ritz: &Eigen, kept: usize) {
        let coefficients = ritz.vectors.slice(s![.., ..kept]);
        let (basis, images) =
            (product(backend, self.basis(), coefficients), product(backend, self.images(), coefficients));
        self.size = kept;
        self.basis.slice_mut(s![.., ..kept]).assign(&basis);
        self.images.slice_mut(s![.., ..kept]).assign(&images);
        self.projected = Array2::from_diag(&ritz.values.slice(s![..kept]));
    }
}

/// The largest ‖Av - λv‖, relative to the largest λ.
fn worst_residual(vectors: &Array2<f64>, images: &Array2<f64>, values: &Array1<f64>) -> f64 {
    let scale = values.iter().fold(f64::MIN_POSITIVE, |top, v| top.max(v.abs()));
    let residual = images - &(vectors * values);
    residual.columns().into_iter().map(|c| c.dot(&c).sqrt() / scale).fold(0.0, f64::max)
}

/// An orthonormal basis of the span of the columns. Directions dominated by rounding errors are dropped.
fn orthonormal(backend: Backend, block: Array2<f64>) -> Array2<f64> {
    let mut block = block;
    for _ in 0..2 {
        let squares = product(backend, block.t(), block.view());
        let Ok(parts) = eigen(backend, &squares) else { return Array2::zeros((block.nrows(), 0)) };
        let largest = parts.values.first().copied().unwrap_or(0.0);
        let rank = parts.values.iter().take_while(|v| **v > 1e-26 && **v > 1e-13 * largest).count();
        let scaled = &parts.vectors.slice(s![.., ..rank]) / &parts.values.slice(s![..rank]).mapv(f64::sqrt);
        block = product(backend, block.view(), scaled.view());
    }
    block
}

fn random_block(n: usize, columns: usize) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    Array2::from_shape_simple_fn((n, columns), || 2.0 * uniform(&mut rng) - 1.0)
}
