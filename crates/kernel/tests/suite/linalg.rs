//! A conformance suite that every backend runs, and the truncated solver compared with the full one.

use logicvae_kernel::linalg::{Backend, eigen, product};
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form, Method};
use ndarray::{Array2, s};

use crate::support::pool;

/// A symmetric matrix with a known, decreasing spectrum.
fn symmetric(n: usize) -> Array2<f64> {
    let raw = Array2::from_shape_fn((n, n), |(i, j)| {
        (((i * 37 + j * 101 + i * j) % 211) as f64 - 105.0) / (1.0 + j as f64)
    });
    raw.dot(&raw.t())
}

#[test]
fn eigenpairs_are_eigenpairs() {
    for &backend in Backend::ALL {
        for n in [1, 2, 17, 130] {
            let a = symmetric(n);
            let parts = eigen(backend, &a).expect("decomposes");
            assert!(parts.values.windows(2).into_iter().all(|w| w[0] >= w[1]), "descending");
            let residual = a.dot(&parts.vectors) - &parts.vectors * &parts.values;
            let scale = parts.values[0].abs();
            assert!(residual.iter().all(|r| r.abs() < 1e-10 * scale), "{backend:?} {n}");
            let unit = parts.vectors.t().dot(&parts.vectors) - Array2::<f64>::eye(n);
            assert!(unit.iter().all(|r| r.abs() < 1e-10), "{backend:?} {n}");
        }
    }
}

#[test]
fn products_agree_with_the_definition() {
    let (a, b) = (symmetric(75), symmetric(75));
    let (a, b) = (a.slice(s![..70, ..]), b.slice(s![.., ..33]));
    let mut naive = Array2::zeros((70, 33));
    for ((i, j), value) in naive.indexed_iter_mut() {
        *value = (0..75).map(|k| a[[i, k]] * b[[k, j]]).sum::<f64>();
    }
    let scale = naive.iter().fold(0.0f64, |t, v: &f64| t.max(v.abs()));
    for &backend in Backend::ALL {
        let ours = product(backend, a, b);
        assert!((&ours - &naive).iter().all(|d| d.abs() < 1e-12 * scale), "{backend:?}");
        let turned = product(backend, b.t(), a.t());
        assert!((&turned.t() - &naive).iter().all(|d| d.abs() < 1e-12 * scale), "{backend:?} transposed");
    }
}

fn params(method: Method, form: Form, components: usize, backend: Backend) -> EmbeddingParams {
    EmbeddingParams { method, form, backend, tolerance: 1e-10, ..EmbeddingParams::new(components) }
}

/// Compares every backend with the default one, for every algorithm: eigenvalues to 1e-8 relative, subspaces
/// to 1e-6.
#[test]
fn backends_agree_on_embeddings() {
    let formulae = pool(6, 900, 3);
    for (method, form) in [
        (Method::GramPca, Form::Plain),
        (Method::KernelPca, Form::Plain),
        (Method::GramPca, Form::Gaussian { sigma2: 0.44 }),
        (Method::KernelPca, Form::Gaussian { sigma2: 0.44 }),
    ] {
        let fit = |backend| {
            Embedding::fit(
                Domain::exact(6).expect("few variables"),
                &formulae,
                &params(method, form, 12, backend),
            )
            .expect("variables in range")
        };
        let reference = fit(Backend::Faer);
        let expected = reference.transform(&formulae).expect("variables in range");
        for &backend in Backend::ALL {
            let other = fit(backend);
            for (a, b) in reference.variances().iter().zip(other.variances()) {
                assert!((a - b).abs() <= 1e-8 * a, "{backend:?} {method:?} {form:?}: {a} and {b}");
            }
            // Distances are invariant under rotations within a subspace, so they agree if the subspaces do.
            let y = other.transform(&formulae).expect("variables in range");
            for (i, j) in [(0, 1), (5, 100), (899, 450), (17, 18)] {
                let distance = |y: &Array2<f64>| (&y.row(i) - &y.row(j)).mapv(|d| d * d).sum().sqrt();
                let (a, b) = (distance(&expected), distance(&y));
                assert!((a - b).abs() <= 1e-6 * a.max(1.0), "{backend:?} {method:?} {form:?}: {a} and {b}");
            }
        }
    }
}

/// The same pool, once with so many components that the full matrix is decomposed, and once truncated.
#[test]
fn the_truncated_solver_finds_the_leading_part_of_the_whole() {
    let formulae = pool(7, 1500, 5);
    for method in [Method::GramPca, Method::KernelPca] {
        let form = Form::Gaussian { sigma2: 0.44 };
        for &backend in Backend::ALL {
            let fit = |count| {
                Embedding::fit(
                    Domain::exact(7).expect("few variables"),
                    &formulae,
                    &params(method, form, count, backend),
                )
                .expect("variables in range")
            };
            let (whole, few) = (fit(500), fit(40));
            for (a, b) in whole.variances().iter().zip(few.variances()) {
                assert!((a - b).abs() <= 1e-8 * whole.variances()[0], "{method:?}: {a} and {b}");
            }
            let shares = (whole.explained_variance(), few.explained_variance());
            assert!((shares.0.slice(s![..40]).sum() - shares.1.sum()).abs() < 1e-8);
            let (y, z) = (
                whole.transform(&formulae[..50]).expect("variables in range"),
                few.transform(&formulae[..50]).expect("variables in range"),
            );
            for k in 0..5 {
                let difference = (&y.column(k) - &z.column(k)).iter().fold(0.0f64, |t, d| t.max(d.abs()));
                assert!(difference < 1e-5, "{method:?}: component {k} differs by {difference}");
            }
        }
    }
}
