//! Products on the matrix unit against exact ones, on machines that have it.

use faer::Mat;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;

fn random(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> Mat<f32> {
    Mat::from_fn(rows, columns, |_, _| rng.next_u32() as f32 / u32::MAX as f32 - 0.5)
}

/// An entry of the product in double precision, and the sum of the absolute values of its terms.
fn exact(a: MatRef<'_, f32>, b: MatRef<'_, f32>, i: usize, j: usize) -> (f64, f64) {
    let terms = (0..a.ncols()).map(|k| f64::from(a[(i, k)]) * f64::from(b[(k, j)]));
    terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
}

#[test]
fn products_of_all_shapes_and_layouts_are_accurate_to_sixteen_bits() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let shapes =
        [(4, 40, 40), (5, 33, 31), (16, 16, 64), (17, 49, 250), (48, 250, 33), (33, 100, 257), (70, 31, 600)];
    for (m, n, k) in shapes {
        let (a, b) = (random(&mut rng, m, k), random(&mut rng, k, n));
        let (a_rows, b_rows) = (Mat::from_fn(k, m, |i, j| a[(j, i)]), Mat::from_fn(n, k, |i, j| b[(j, i)]));
        // faer's own matrices are column-major.
        for (a, b) in
            [(a.as_ref(), b.as_ref()), (a_rows.transpose(), b.as_ref()), (a.as_ref(), b_rows.transpose())]
        {
            let Some(packed) = Packed::new(b) else { return };
            for how in [Accum::Replace, Accum::Add] {
                let mut result = vec![0.25; m * (n + 3)];
                let mut to = MatMut::from_row_major_slice_mut(&mut result, m, n + 3).subcols_mut(1, n);
                assert!(packed.multiply(&mut to, how, a));
                let before = if how == Accum::Add { 0.25 } else { 0.0 };
                for (i, line) in result.chunks(n + 3).enumerate() {
                    // Neighbouring columns are not touched.
                    assert_eq!((line[0], line[n + 1], line[n + 2]), (0.25, 0.25, 0.25));
                    for (j, &found) in line[1..=n].iter().enumerate() {
                        let (sum, size) = exact(a, b, i, j);
                        let error = (f64::from(found) - sum - before).abs();
                        assert!(
                            error <= 1e-5 * (size + before),
                            "{m}x{n}x{k} at ({i}, {j}): {found} instead of {}",
                            sum + before
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn rows_have_the_same_bits_in_every_block() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (a, b) = (random(&mut rng, 60, 100), random(&mut rng, 100, 70));
    let Some(packed) = Packed::new(b.as_ref()) else { return };
    let product_of_rows = |first: usize, count: usize| {
        let mut result = vec![0.0; count * 70];
        let mut to = MatMut::from_row_major_slice_mut(&mut result, count, 70);
        assert!(packed.multiply(&mut to, Accum::Replace, a.as_ref().subrows(first, count)));
        result
    };
    let whole = product_of_rows(0, 60);
    for (first, count) in [(0, 7), (3, 20), (21, 39), (56, 4)] {
        assert_eq!(
            product_of_rows(first, count),
            whole[first * 70..(first + count) * 70],
            "rows {first} to {}",
            first + count
        );
    }
}
