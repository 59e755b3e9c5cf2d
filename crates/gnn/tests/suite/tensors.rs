//! Tensors of fixed numbers, and comparisons of numbers up to rounding. The tests of `logicvae-vae` include
//! this file too.

use candle_core::{DType, Device, Tensor};

/// A fixed tensor of irregular numbers between -1 and 1.
pub fn probe(rows: usize, columns: usize, dtype: DType) -> Tensor {
    let values: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 12.9898 + 1.0).sin()).collect();
    Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap().to_dtype(dtype).unwrap()
}

/// All numbers of a tensor.
pub fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1().unwrap()
}

/// Asserts that two lists are equal up to `tolerance`, relative to the largest number of the second.
pub fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0f64, |top, e| top.max(e.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * scale.max(1e-30),
            "{what}[{i}]: {f}, expected {e} (scale {scale})"
        );
    }
}
