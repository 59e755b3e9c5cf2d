//! The kernel compared with a double loop over formulae and assignments.

use logicvae_kernel::{Domain, Form, Kernel, KernelError, PAPER_SIGMA2, jaccard};
use logicvae_logic::{Assignment, Formula};
use ndarray::{Array2, concatenate};
use proptest::prelude::*;

use crate::support::{formula, pool};

/// The definition of the plain kernel.
fn naive(first: &Formula, second: &Formula, rows: &[Assignment]) -> f64 {
    let sign = |f: &Formula, a: &Assignment| i64::from(f.sign(a).expect("variables in range"));
    let sum: i64 = rows.iter().map(|a| sign(first, a) * sign(second, a)).sum();
    sum as f64 / rows.len() as f64
}

fn all(variables: usize) -> Vec<Assignment> {
    (0..1 << variables).map(|i| Assignment::from_index(i, variables)).collect()
}

#[test]
fn the_exact_kernel_equals_the_double_loop_bit_for_bit() {
    // Rows of 1, 1, 2, 4, 8 and 16 words, and of one width without a specialised loop.
    for n in [3, 6, 7, 8, 9, 10, 11] {
        let formulae = pool(n, 40, u64::from(n));
        let n = n as usize;
        let gram = Kernel::new(Domain::exact(n).expect("few variables"), Form::Plain)
            .expect("valid form")
            .gram(&formulae)
            .expect("variables in range");
        let rows = all(n);
        for (i, f) in formulae.iter().enumerate() {
            for (j, g) in formulae.iter().enumerate() {
                assert_eq!(gram[[i, j]].to_bits(), naive(f, g, &rows).to_bits(), "{f} and {g}");
            }
        }
    }
}

#[test]
fn used_memory_changes_no_bit() {
    for (n, form) in [(3, Form::Plain), (8, Form::Gaussian { sigma2: PAPER_SIGMA2 }), (10, Form::Plain)] {
        let formulae = pool(n, 45, 3);
        let kernel = Kernel::new(Domain::exact(n as usize).expect("few variables"), form).expect("a kernel");
        let fresh = kernel.gram(&formulae).expect("variables in range");
        for old in [
            Array2::zeros((0, 0)),
            Array2::zeros((45, 44)),
            Array2::from_elem((60, 50), f64::NAN),
            fresh.clone(),
        ] {
            assert_eq!(
                kernel.gram_reusing(&formulae, old).expect("variables in range"),
                fresh,
                "{n} variables"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any number of observed assignments, with and without weights, in every form.
    #[test]
    fn observed_kernels_agree(
        m in 1usize..150, seed: u64, weights in prop::collection::vec(0.0f64..5.0, 150)
    ) {
        let formulae = pool(5, 30, seed % 1000);
        let drawn = Domain::monte_carlo(5, m, seed).expect("not empty");
        let rows: Vec<Assignment> = (0..m).map(|i| drawn.assignments().get(i)).collect();
        let observed = Domain::observed(&rows).expect("rows");
        prop_assert_eq!(&observed, &drawn);
        let gram_of = |domain: &Domain, form: Form| {
            let kernel = Kernel::new(domain.clone(), form).expect("valid form");
            kernel.gram(&formulae).expect("variables in range")
        };
        let plain = gram_of(&observed, Form::Plain);
        for (i, f) in formulae.iter().enumerate() {
            for (j, g) in formulae.iter().enumerate().take(10) {
                prop_assert_eq!(plain[[i, j]].to_bits(), naive(f, g, &rows).to_bits());
            }
        }
        for form in [Form::Gaussian { sigma2: PAPER_SIGMA2 }, Form::Agreement] {
            let other = gram_of(&observed, form);
            prop_assert_eq!(other, plain.mapv(|k| form.apply(k)));
        }
        let weights = &weights[..m];
        if let Ok(weighted) = observed.weighted(weights) {
            let gram = gram_of(&weighted, Form::Plain);
            let sum: f64 = weights.iter().sum();
            let (f, g) = (&formulae[3], &formulae[7]);
            let sign = |f: &Formula, a: &Assignment| f64::from(f.sign(a).expect("variables in range"));
            let term = |(a, w): (&Assignment, &f64)| w / sum * (sign(f, a) * sign(g, a));
            let expected: f64 = rows.iter().zip(weights).map(term).sum();
            prop_assert!((gram[[3, 7]] - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn rectangles_and_blocks_are_parts_of_the_square() {
    let formulae = pool(5, 130, 2);
    for form in [Form::Plain, Form::Gaussian { sigma2: 0.44 }] {
        let kernel = Kernel::new(Domain::exact(5).expect("few variables"), form).expect("valid settings");
        let gram = kernel.gram(&formulae).expect("variables in range");
        assert_eq!(gram, gram.t());
        assert_eq!(
            kernel.cross(&formulae[..50], &formulae).expect("variables in range"),
            gram.slice(ndarray::s![..50, ..])
        );
        let mut joined = Array2::zeros((0, 130));
        let gather = |block: ndarray::ArrayView2<'_, f64>| {
            joined = concatenate![ndarray::Axis(0), joined, block];
            Ok::<(), KernelError>(())
        };
        kernel.cross_blocks(&formulae, &formulae, gather).expect("variables in range");
        assert_eq!(joined, gram);
    }
}

#[test]
fn agreement_and_jaccard_are_two_things() {
    let domain = Domain::exact(2).expect("few variables");
    let (f, g) = (formula("x1 & x2"), formula("x1"));
    let plain = Kernel::new(domain.clone(), Form::Plain)
        .expect("valid form")
        .value(&f, &g)
        .expect("variables in range");
    let agreement = Kernel::new(domain.clone(), Form::Agreement)
        .expect("agreement")
        .value(&f, &g)
        .expect("variables in range");
    assert_eq!((plain, agreement), (0.5, 0.75));
    assert_eq!(jaccard(&domain, &f, &g).expect("variables in range"), 0.5);
    assert_eq!(jaccard(&domain, &formula("0"), &formula("x1 & !x1")).expect("variables in range"), 1.0);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let formulae = pool(8, 300, 4);
    let kernel = Kernel::new(Domain::exact(8).expect("few variables"), Form::Gaussian { sigma2: 0.44 })
        .expect("valid settings");
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| kernel.gram(&formulae).expect("variables in range"))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn bad_requests_are_refused() {
    let domain = || Domain::exact(2).expect("few variables");
    let text = |e: KernelError| e.to_string();
    assert!(
        text(domain().weighted(&[1.0, f64::NAN, 1.0, 1.0]).expect_err("NaN")).contains("weight 2 is NaN")
    );
    assert!(
        text(domain().weighted(&[1.0, -1.0, 1.0, 1.0]).expect_err("negative")).contains("weight 2 is -1")
    );
    assert!(domain().weighted(&[0.0; 4]).is_err());
    assert!(text(domain().weighted(&[1.0; 3]).expect_err("three")).contains("3 weights for 4"));
    assert!(text(Domain::monte_carlo(3, 0, 0).expect_err("none")).contains("no assignments"));
    assert!(text(Domain::exact(40).expect_err("many")).contains("Monte Carlo"));
    for sigma2 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Kernel::new(domain(), Form::Gaussian { sigma2 }).is_err(), "{sigma2}");
    }
    let kernel = Kernel::new(domain(), Form::Plain).expect("valid form");
    assert!(text(kernel.gram(&[formula("x1"), formula("x5")]).expect_err("x5 of 2")).contains("x5"));
}
