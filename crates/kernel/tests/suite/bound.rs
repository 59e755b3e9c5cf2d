//! The Monte Carlo error bound, checked by simulation.

use logicvae_kernel::{Domain, Form, Kernel, KernelError, error_bound, samples_for};

use crate::support::pool;

#[test]
fn drawn_kernels_stay_within_the_bound() {
    let formulae = pool(6, 20, 1);
    let exact = Kernel::new(Domain::exact(6).expect("few variables"), Form::Plain)
        .expect("valid form")
        .gram(&formulae)
        .expect("variables in range");
    let (delta, samples, trials) = (0.05, 400, 1000);
    let bound = error_bound(samples, delta, 20 * 19 / 2).expect("valid settings");
    let mut outside = 0;
    let mut largest: f64 = 0.0;
    for seed in 0..trials {
        let domain = Domain::monte_carlo(6, samples as usize, seed).expect("not empty");
        let drawn = Kernel::new(domain, Form::Plain)
            .expect("valid form")
            .gram(&formulae)
            .expect("variables in range");
        let error = (&drawn - &exact).iter().fold(0.0f64, |top, e| top.max(e.abs()));
        largest = largest.max(error);
        outside += u32::from(error >= bound);
    }
    assert!(f64::from(outside) <= delta * trials as f64, "{outside} of {trials} outside {bound}");
    // The bound should not be too loose either.
    assert!(largest > bound / 3.0, "the largest error is {largest}, the bound {bound}");
}

#[test]
fn samples_and_error_are_inverse() {
    let samples = samples_for(0.02, 0.01, 1000).expect("valid settings");
    assert!(error_bound(samples, 0.01, 1000).expect("valid settings") <= 0.02);
    assert!(error_bound(samples - 1, 0.01, 1000).expect("valid settings") > 0.02);
    assert!(matches!(samples_for(0.0, 0.1, 1), Err(KernelError::Probability { name: "epsilon", .. })));
    assert!(matches!(error_bound(10, 1.5, 1), Err(KernelError::Probability { name: "delta", .. })));
}
