//! Reading `.npy` files that are not trusted.

use std::io::Cursor;

use ndarray::{Array1, Array2, Axis};
use ndarray_npy::ReadNpyExt;

use crate::error::KernelError;

/// The matrix of f32 or f64 in a `.npy` file; a single vector is one row. Memory is bounded by the bytes
/// that are there, whatever the header promises.
pub fn read_npy(bytes: &[u8]) -> Result<Array2<f32>, KernelError> {
    parse(bytes).map_err(KernelError::Npy)
}

/// Compares the shape in the header with the bytes that are there, before memory is reserved for it.
fn check_length(bytes: &[u8]) -> Result<(), String> {
    let damaged = || "the header is damaged: this is not a .npy file".to_owned();
    let (length, start) = match bytes.get(6).ok_or_else(damaged)? {
        1 => (u32::from(u16::from_le_bytes(field(bytes).ok_or_else(damaged)?)), 10),
        _ => (u32::from_le_bytes(field(bytes).ok_or_else(damaged)?), 12),
    };
    let end = start + length as usize;
    let header = String::from_utf8_lossy(bytes.get(start..end).ok_or_else(damaged)?);
    // A dictionary with one tuple. The parser of headers needs exponential time for nested brackets.
    if header.matches(['(', '[', '{']).count() > 2 {
        return Err("the header is not that of a matrix of f32 or f64".into());
    }
    let shape =
        header.split("'shape':").nth(1).and_then(|rest| rest.split('(').nth(1)).ok_or_else(damaged)?;
    let shape = shape.split(')').next().unwrap_or_default();
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Vec<u64> = sizes.map(|size| size.parse().map_err(|_| damaged())).collect::<Result<_, _>>()?;
    let numbers = sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size));
    let present = (bytes.len() - end) as u64;
    // Even without rows, no row is wider than a file.
    let numbers = numbers.filter(|_| sizes.iter().all(|&size| size <= bytes.len() as u64));
    match numbers {
        // A number has 4 or 8 bytes.
        Some(numbers) if numbers.checked_mul(4).is_some_and(|least| least <= present) => Ok(()),
        _ => Err(format!("the header promises more numbers than there are: the file is truncated ({shape})")),
    }
}

/// The bytes of the header's length.
fn field<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.get(8..8 + N)?.try_into().ok()
}

fn parse(bytes: &[u8]) -> Result<Array2<f32>, String> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("this is not a .npy file".into());
    }
    check_length(bytes)?;
    let matrix = Array2::<f32>::read_npy(Cursor::new(bytes))
        .or_else(|_| Array2::<f64>::read_npy(Cursor::new(bytes)).map(|m| m.mapv(|x| x as f32)));
    let vector = || {
        Array1::<f32>::read_npy(Cursor::new(bytes))
            .or_else(|_| Array1::<f64>::read_npy(Cursor::new(bytes)).map(|v| v.mapv(|x| x as f32)))
            .map(|vector| vector.insert_axis(Axis(0)))
    };
    matrix.or_else(|_| vector()).map_err(|_| {
        "this is not a complete matrix of f32 or f64 in C order: it may be truncated or of another type"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_brackets_are_refused_at_once() {
        let shape = "({".to_owned() + &"{".repeat(100);
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let length = (header.len() as u16).to_le_bytes();
        let bytes = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &[0; 8]].concat();
        assert!(read_npy(&bytes).is_err_and(|error| error.to_string().contains("not that of a matrix")));
    }
}
