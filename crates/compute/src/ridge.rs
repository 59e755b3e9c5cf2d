//! Ridge regression.

use faer::linalg::solvers::Solve;
use faer::{Accum, Mat, MatRef, Side};

use crate::error::ComputeError;
use crate::product::multiply;

/// The linear map `W` that minimises `|X W - Y|² + penalty · rows · |W|²`, by the normal equations. Add a
/// column of ones to `x` for an intercept.
///
/// ```
/// use faer::mat;
/// let x = mat![[1.0, 1.0], [2.0, 1.0], [3.0, 1.0f64]];
/// let y = mat![[3.0], [5.0], [7.0f64]];
/// let map = logicvae_compute::ridge(x.as_ref(), y.as_ref(), 0.0)?;
/// assert!((map[(0, 0)] - 2.0f64).abs() < 1e-9 && (map[(1, 0)] - 1.0f64).abs() < 1e-9);
/// # Ok::<(), logicvae_compute::ComputeError>(())
/// ```
pub fn ridge(x: MatRef<'_, f64>, y: MatRef<'_, f64>, penalty: f64) -> Result<Mat<f64>, ComputeError> {
    let (rows, inputs) = (x.nrows(), x.ncols());
    let correlation = |right: MatRef<'_, f64>| {
        let mut to = Mat::zeros(inputs, right.ncols());
        multiply(to.as_mut(), Accum::Replace, x.transpose(), right);
        to
    };
    let mut normal = correlation(x);
    for i in 0..inputs {
        normal[(i, i)] += penalty * rows as f64;
    }
    let factors = normal.llt(Side::Lower).map_err(|_| ComputeError::Unsolvable)?;
    Ok(factors.solve(correlation(y)))
}
