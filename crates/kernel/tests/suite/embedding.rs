//! Embeddings compared with principal components of the full Gram matrix.

use logicvae_kernel::linalg::{Backend, eigen};
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form, Kernel, KernelError, Method};
use logicvae_logic::{Assignment, Formula};
use ndarray::{Array1, Array2, Axis, s};

use crate::support::{formula, pool};

const GAUSSIAN: Form = Form::Gaussian { sigma2: 0.44 };

fn fit(
    domain: Domain,
    pool: &[Formula],
    method: Method,
    form: Form,
    components: usize,
) -> Result<Embedding, KernelError> {
    Embedding::fit(domain, pool, &EmbeddingParams { method, form, ..EmbeddingParams::new(components) })
}

/// Reference scores and variances: the full N × N matrix, centred explicitly and decomposed.
fn reference(
    kernel: &Kernel,
    formulae: &[Formula],
    method: Method,
    components: usize,
) -> (Array2<f64>, Array1<f64>, f64) {
    let gram = kernel.gram(formulae).expect("variables in range");
    let n = gram.nrows();
    let centring = Array2::eye(n) - Array2::from_elem((n, n), 1.0 / n as f64);
    match method {
        Method::GramPca => {
            let rows = centring.dot(&gram);
            let parts = eigen(Backend::Faer, &rows.t().dot(&rows)).expect("decomposes");
            let scores = rows.dot(&parts.vectors.slice(s![.., ..components]));
            let variances = parts.values.mapv(|v| v / (n - 1) as f64);
            let total = variances.sum();
            (scores, variances, total)
        }
        Method::KernelPca => {
            let parts = eigen(Backend::Faer, &centring.dot(&gram).dot(&centring)).expect("decomposes");
            let roots = parts.values.slice(s![..components]).mapv(f64::sqrt);
            let scores = &parts.vectors.slice(s![.., ..components]) * &roots;
            let variances = parts.values.mapv(|v| v / (n - 1) as f64);
            let total = variances.sum();
            (scores, variances, total)
        }
    }
}

fn distances(y: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((y.nrows(), y.nrows()), |(i, j)| {
        (&y.row(i) - &y.row(j)).mapv(|d| d * d).sum().sqrt()
    })
}

/// Every method, form and kind of domain, compared with the reference.
#[test]
fn embeddings_are_the_principal_components() {
    let formulae = pool(4, 120, 7); // many share a truth table
    let rows: Vec<Assignment> = (0..16).map(|i| Assignment::from_index(i, 4)).collect();
    let weights: Vec<f64> = (0..16).map(|i| f64::from(i % 5)).collect();
    let domains = [
        Domain::exact(4).expect("few variables"),
        Domain::monte_carlo(4, 50, 3).expect("not empty"),
        Domain::observed(&rows).expect("rows").weighted(&weights).expect("valid settings"),
    ];
    for domain in domains {
        for method in [Method::GramPca, Method::KernelPca] {
            for form in [Form::Plain, GAUSSIAN] {
                let kernel = Kernel::new(domain.clone(), form).expect("valid settings");
                let (scores, variances, total) = reference(&kernel, &formulae, method, 6);
                let embedding = fit(domain.clone(), &formulae, method, form, 6).expect("variables in range");
                let y = embedding.transform(&formulae).expect("variables in range");
                for k in 0..6 {
                    let (ours, expected) = (embedding.variances()[k], variances[k]);
                    assert!(
                        (ours - expected).abs() < 1e-9 * variances[0],
                        "{method:?} {form:?} variance {k}: {ours} and {expected}"
                    );
                    let share = embedding.explained_variance()[k];
                    assert!((share - expected / total).abs() < 1e-9, "{method:?} {form:?} share {k}");
                }
                let difference =
                    (distances(&y) - distances(&scores)).iter().fold(0.0f64, |t, d| t.max(d.abs()));
                assert!(difference < 1e-6, "{method:?} {form:?}: distances differ by {difference}");
                let mean = y.mean_axis(Axis(0)).expect("rows");
                assert!(mean.iter().all(|m| m.abs() < 1e-9), "{method:?} {form:?}: the pool is centred");
            }
        }
    }
}

#[test]
fn observations_are_as_good_as_formulae() {
    let (formulae, new) = (pool(5, 300, 1), pool(5, 50, 99));
    for (method, form) in
        [(Method::GramPca, Form::Plain), (Method::GramPca, GAUSSIAN), (Method::KernelPca, GAUSSIAN)]
    {
        let embedding = fit(Domain::exact(5).expect("few variables"), &formulae, method, form, 10)
            .expect("variables in range");
        let values = embedding.domain().values(&new).expect("variables in range");
        assert_eq!(
            embedding.transform_values(&values).expect("variables in range"),
            embedding.transform(&new).expect("variables in range")
        );
    }
}

/// Out of sample: a formula outside the pool is projected on the same axes as by the reference.
#[test]
fn new_formulae_are_projected_on_the_same_axes() {
    let (formulae, new) = (pool(4, 100, 2), pool(4, 30, 77));
    let kernel = Kernel::new(Domain::exact(4).expect("few variables"), GAUSSIAN).expect("valid settings");
    let gram = kernel.gram(&formulae).expect("variables in range");
    let mean = gram.mean_axis(Axis(0)).expect("rows");
    let rows = &gram - &mean;
    let axes = eigen(Backend::Faer, &rows.t().dot(&rows)).expect("decomposes").vectors;
    let expected =
        (kernel.cross(&new, &formulae).expect("variables in range") - &mean).dot(&axes.slice(s![.., ..5]));
    let y = fit(Domain::exact(4).expect("few variables"), &formulae, Method::GramPca, GAUSSIAN, 5)
        .expect("variables in range")
        .transform(&new)
        .expect("variables in range");
    let difference = (distances(&y) - distances(&expected)).iter().fold(0.0f64, |t, d| t.max(d.abs()));
    assert!(difference < 1e-7, "{difference}");
}

/// As the authors' program does it: the pool is decomposed with one σ², formulae are embedded with another.
#[test]
fn formulae_can_be_embedded_with_another_form() {
    let (formulae, new) = (pool(4, 100, 2), pool(4, 30, 77));
    let domain = || Domain::exact(4).expect("few variables");
    let narrow = Form::Gaussian { sigma2: 0.2 };
    let gram = Kernel::new(domain(), narrow).expect("valid settings").gram(&formulae).expect("in range");
    let mean = gram.mean_axis(Axis(0)).expect("rows");
    let rows = &gram - &mean;
    let axes = eigen(Backend::Faer, &rows.t().dot(&rows)).expect("decomposes").vectors;
    let wide = Kernel::new(domain(), GAUSSIAN).expect("valid settings");
    let expected =
        (wide.cross(&new, &formulae).expect("variables in range") - &mean).dot(&axes.slice(s![.., ..5]));
    let fitted = fit(domain(), &formulae, Method::GramPca, narrow, 5).expect("variables in range");
    let y = fitted.clone().with_form(GAUSSIAN).expect("valid settings").transform(&new).expect("in range");
    let largest = |a: &Array2<f64>| a.iter().fold(0.0f64, |t, d| t.max(d.abs()));
    let difference = largest(&(distances(&y) - distances(&expected)));
    assert!(difference < 1e-7, "{difference}");
    let same = fitted.transform(&new).expect("variables in range");
    assert!(largest(&(distances(&y) - distances(&same))) > 0.01, "the form makes a difference");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let formulae = pool(7, 700, 4);
    for form in [Form::Plain, GAUSSIAN] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let embedding =
                    fit(Domain::exact(7).expect("few variables"), &formulae, Method::GramPca, form, 20)
                        .expect("variables in range");
                embedding.transform(&formulae).expect("variables in range")
            })
        };
        assert!(run(1) == run(3), "{form:?}");
    }
}

#[test]
fn bad_requests_are_refused() {
    let formulae = pool(3, 50, 1);
    let exact = || Domain::exact(3).expect("few variables");
    let text = |e: KernelError| e.to_string();
    let error = text(fit(exact(), &formulae, Method::GramPca, Form::Plain, 20).expect_err("rank 8"));
    assert!(error.contains("20 components") && error.contains("at most 8"), "{error}");
    let fewer =
        Embedding::fit(exact(), &formulae, &EmbeddingParams { up_to_rank: true, ..EmbeddingParams::new(20) })
            .expect("variables in range");
    assert_eq!(fewer.components(), 8);
    assert!(
        text(fit(exact(), &formulae, Method::GramPca, Form::Plain, 0).expect_err("none"))
            .contains("at least 1")
    );
    assert!(
        text(fit(exact(), &formulae[..1], Method::GramPca, Form::Plain, 1).expect_err("one")).contains("two")
    );
    let same = vec![formula("x1"); 5];
    assert!(fit(exact(), &same, Method::GramPca, Form::Plain, 1).is_err(), "no variance at all");
    let embedding = fit(exact(), &formulae, Method::GramPca, Form::Plain, 4).expect("variables in range");
    assert!(text(embedding.transform(&[formula("x9")]).expect_err("x9 of 3")).contains("x9"));
    let values = Domain::exact(4).expect("few variables").values(&formulae).expect("variables in range");
    assert!(text(embedding.transform_values(&values).expect_err("16 of 8")).contains("16 values"));
}
