//! Paths through the latent space, and distances in it.

use candle_core::{DType, Device, Tensor};
use faer::Mat;

use crate::error::VaeError;
use crate::random::{Purpose, generator, normal};

/// Spherical interpolation: points from one vector to another on the arc between them, with linearly changing
/// length. Falls back to the straight line where there is no unique arc, that is, for parallel, opposite or
/// zero vectors.
///
/// ```
/// let points = logicvae_vae::arc(&[1.0, 0.0], &[0.0, 2.0], 3);
/// assert!((points[1][0] - 1.5 / 2f64.sqrt()).abs() < 1e-12);
/// assert_eq!(points[2], [0.0, 2.0]);
/// ```
pub fn arc(from: &[f64], to: &[f64], steps: usize) -> Vec<Vec<f64>> {
    let (a, b) = (length(from), length(to));
    let cosine = from.iter().zip(to).map(|(x, y)| x * y).sum::<f64>() / (a * b);
    let angle = cosine.clamp(-1.0, 1.0).acos();
    if !angle.is_finite() || angle.sin() < 1e-9 {
        return line(from, to, steps);
    }
    fractions(steps)
        .map(|t| {
            let radius = a + t * (b - a);
            let (p, q) = (((1.0 - t) * angle).sin() / angle.sin() / a, (t * angle).sin() / angle.sin() / b);
            // The end points exactly, whatever rounding does.
            match t {
                0.0 => from.to_vec(),
                1.0 => to.to_vec(),
                _ => from.iter().zip(to).map(|(x, y)| radius * (p * x + q * y)).collect(),
            }
        })
        .collect()
}

/// Linear interpolation between two vectors.
pub fn line(from: &[f64], to: &[f64], steps: usize) -> Vec<Vec<f64>> {
    fractions(steps).map(|t| from.iter().zip(to).map(|(x, y)| (1.0 - t) * x + t * y).collect()).collect()
}

/// Evenly spaced points on a great circle through a vector, starting with it, as in the paper's figure 3. The
/// seed selects the circle.
pub fn great_circle(from: &[f64], steps: usize, seed: u64) -> Result<Vec<Vec<f64>>, VaeError> {
    let noise = normal(&mut generator(seed, Purpose::Noise, 0), 1, from.len(), DType::F64, &Device::Cpu)?;
    let mut other: Vec<f64> = noise.flatten_all()?.to_vec1()?;
    let radius = length(from);
    if from.len() < 2 {
        return Err(VaeError::Input("a great circle needs latent vectors of at least two numbers".into()));
    }
    if radius == 0.0 {
        return Err(VaeError::Input("the latent vector is zero, so no great circle goes through it".into()));
    }
    // Orthogonal to the vector, and of the same length.
    let along = from.iter().zip(&other).map(|(x, y)| x * y).sum::<f64>() / (radius * radius);
    other.iter_mut().zip(from).for_each(|(y, x)| *y -= along * x);
    let scale = radius / length(&other);
    let point = |number: usize| {
        let (sin, cos) = (std::f64::consts::TAU * number as f64 / steps as f64).sin_cos();
        from.iter().zip(&other).map(|(x, y)| cos * x + sin * scale * y).collect()
    };
    Ok((0..steps).map(point).collect())
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn fractions(steps: usize) -> impl Iterator<Item = f64> {
    (0..steps).map(move |number| if steps > 1 { number as f64 / (steps - 1) as f64 } else { 0.0 })
}

/// The first two principal components of vectors, to draw them as points in a plane.
pub fn plane(z: &Tensor) -> Result<Vec<(f64, f64)>, VaeError> {
    let rows: Vec<Vec<f64>> = z.to_dtype(DType::F64)?.to_vec2()?;
    let (count, width) = (rows.len(), rows.first().map_or(0, Vec::len));
    if count == 0 || width < 2 {
        return Err(VaeError::Input("a map needs vectors of at least two numbers".into()));
    }
    let means: Vec<f64> =
        (0..width).map(|c| rows.iter().map(|row| row[c]).sum::<f64>() / count as f64).collect();
    let centred = Mat::from_fn(count, width, |r, c| rows[r][c] - means[c]);
    let covariance = centred.transpose() * &centred;
    let eigen = covariance.self_adjoint_eigen(faer::Side::Lower).map_err(|_| {
        VaeError::Input(
            "the latent vectors have no principal components: they contain infinite numbers".into(),
        )
    })?;
    // Eigenvalues ascend.
    let points = &centred * eigen.U().subcols(width - 2, 2);
    Ok((0..count).map(|row| (points[(row, 1)], points[(row, 0)])).collect())
}

/// The rows of `all` that are closest to a vector: their indices and Euclidean distances, closest first.
pub fn nearest(all: &Tensor, to: &[f64], count: usize) -> Result<Vec<(usize, f64)>, VaeError> {
    let rows: Vec<Vec<f64>> = all.to_dtype(DType::F64)?.to_vec2()?;
    let distance = |row: &Vec<f64>| length(&row.iter().zip(to).map(|(x, y)| x - y).collect::<Vec<f64>>());
    let mut found: Vec<(usize, f64)> = rows.iter().map(distance).enumerate().collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found.truncate(count);
    Ok(found)
}
