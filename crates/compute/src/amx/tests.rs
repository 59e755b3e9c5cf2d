//! Products of tiles against exact ones: with the model of the instructions everywhere, and with the matrix
//! unit on machines that have it.

use faer::Mat;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;

/// What computes a product.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Model,
    Hardware,
}

/// A factor that was packed by one of them.
fn pack(unit: Unit, b: MatRef<'_, f32>) -> Packed {
    let (depth, columns) = (b.nrows(), b.ncols());
    let operand = Operand::new(b.as_ptr(), columns, depth, b.col_stride(), b.row_stride()).unwrap();
    let mut tiles = Tiles::new(columns, depth);
    match unit {
        // SAFETY: the operand describes the matrix `b`.
        Unit::Model => unsafe { software::pack(&operand, 0, depth, true, &mut tiles) },
        Unit::Hardware => {
            assert!(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16"));
            // SAFETY: the instructions are there, and the operand describes the matrix `b`.
            unsafe { hardware::pack(&operand, 0, depth, true, &mut tiles) };
        }
    }
    Packed { tiles, depth, columns }
}

fn multiply(unit: Unit, packed: &Packed, to: &mut MatMut<'_, f32>, how: Accum, a: MatRef<'_, f32>) {
    if unit == Unit::Hardware {
        assert!(available());
        assert!(packed.multiply(to, how, a));
        return;
    }
    assert!(to.col_stride() == 1 && to.ncols() == packed.columns && a.ncols() == packed.depth);
    assert!(to.nrows() == a.nrows());
    let operand = Operand::new(a.as_ptr(), a.nrows(), a.ncols(), a.row_stride(), a.col_stride()).unwrap();
    let (rows, columns) = (to.nrows(), to.ncols());
    let result = Output { start: to.as_ptr_mut(), stride: to.row_stride(), rows, columns };
    // SAFETY: the shapes were checked.
    unsafe { software::multiply(&operand, &packed.tiles, &result, how == Accum::Add) };
}

fn random(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> Mat<f32> {
    Mat::from_fn(rows, columns, |_, _| rng.next_u32() as f32 / u32::MAX as f32 - 0.5)
}

/// An entry of the product in double precision, and the sum of the absolute values of its terms.
fn exact(a: MatRef<'_, f32>, b: MatRef<'_, f32>, i: usize, j: usize) -> (f64, f64) {
    let terms = (0..a.ncols()).map(|k| f64::from(a[(i, k)]) * f64::from(b[(k, j)]));
    terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
}

#[test]
fn the_model_multiplies_all_shapes_and_layouts_accurately_to_sixteen_bits() {
    products_of_all_shapes_and_layouts_are_accurate_to_sixteen_bits(Unit::Model);
}

#[test]
#[cfg_attr(not(amx), ignore = "this machine has no matrix unit")]
fn the_matrix_unit_multiplies_all_shapes_and_layouts_accurately_to_sixteen_bits() {
    products_of_all_shapes_and_layouts_are_accurate_to_sixteen_bits(Unit::Hardware);
}

fn products_of_all_shapes_and_layouts_are_accurate_to_sixteen_bits(unit: Unit) {
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
            let packed = pack(unit, b);
            for how in [Accum::Replace, Accum::Add] {
                let mut result = vec![0.25; m * (n + 3)];
                let mut to = MatMut::from_row_major_slice_mut(&mut result, m, n + 3).subcols_mut(1, n);
                multiply(unit, &packed, &mut to, how, a);
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
fn rows_of_the_model_have_the_same_bits_in_every_block() {
    rows_have_the_same_bits_in_every_block(Unit::Model);
}

#[test]
#[cfg_attr(not(amx), ignore = "this machine has no matrix unit")]
fn rows_of_the_matrix_unit_have_the_same_bits_in_every_block() {
    rows_have_the_same_bits_in_every_block(Unit::Hardware);
}

fn rows_have_the_same_bits_in_every_block(unit: Unit) {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (a, b) = (random(&mut rng, 60, 100), random(&mut rng, 100, 70));
    let packed = pack(unit, b.as_ref());
    let product_of_rows = |first: usize, count: usize| {
        let mut result = vec![0.0; count * 70];
        let mut to = MatMut::from_row_major_slice_mut(&mut result, count, 70);
        multiply(unit, &packed, &mut to, Accum::Replace, a.as_ref().subrows(first, count));
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

#[test]
#[cfg_attr(not(avx512bf16), ignore = "this machine has no instructions for bf16")]
fn the_processor_packs_as_the_model_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (n, k) in [(40, 40), (33, 31), (1, 64), (16, 250), (49, 33), (100, 257)] {
        let b = random(&mut rng, k, n);
        let rows = Mat::from_fn(n, k, |i, j| b[(j, i)]);
        for b in [b.as_ref(), rows.transpose()] {
            let numbers = |unit: Unit| {
                let Packed { tiles, .. } = pack(unit, b);
                let all = &tiles.memory[tiles.first..][..n.div_ceil(TILE) * tiles.along * PAIR];
                all.iter().map(|number| number.to_bits()).collect::<Vec<u32>>()
            };
            assert!(numbers(Unit::Hardware) == numbers(Unit::Model), "{n} columns, {k} rows");
        }
    }
}

#[test]
fn tiles_beyond_the_end_are_refused() {
    let mut tiles = Tiles::new(20, 70);
    for (outer, step, steps) in [(0, 2, 2), (0, 3, 1), (2, 0, 3)] {
        let panic = std::panic::catch_unwind(|| tiles.at(outer, step, steps));
        assert!(panic.is_err(), "{outer} {step} {steps}");
    }
    assert_eq!(tiles.at(1, 0, 3), tiles.at_mut(1, 0).cast_const());
}
