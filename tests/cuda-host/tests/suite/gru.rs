//! GRU gates.

use logicvae_cuda_host::gru;

use crate::naive;
use crate::support::{Random, WIDTHS, assert_close, assert_gradient, dot, doubles};

#[test]
fn gates_and_gradients_match_the_definition() {
    for (seed, width) in (20..).zip(WIDTHS) {
        for n in [1, 5] {
            let random = &mut Random::new(seed);
            let [gi, gh, h] = [3, 3, 1].map(|parts| random.numbers(n * parts * width));
            let [wide_gi, wide_gh, wide_h] = [&gi, &gh, &h].map(|x| doubles(x));
            let got = gru::forward(width, &gi, &gh, &h).expect("no fault");
            assert_close("out", &got, &naive::gru(width, &wide_gi, &wide_gh, &wide_h));

            let grad = random.numbers(h.len());
            let [grad_gi, grad_gh, grad_h] = gru::backward(width, &gi, &gh, &h, &grad).expect("no fault");
            assert_gradient("grad_gi", &grad_gi, &gi, |gi| {
                dot(&naive::gru(width, gi, &wide_gh, &wide_h), &grad)
            });
            assert_gradient("grad_gh", &grad_gh, &gh, |gh| {
                dot(&naive::gru(width, &wide_gi, gh, &wide_h), &grad)
            });
            assert_gradient("grad_h", &grad_h, &h, |h| dot(&naive::gru(width, &wide_gi, &wide_gh, h), &grad));
        }
    }
}

#[test]
fn every_element_of_a_gradient_matches_finite_differences() {
    let random = &mut Random::new(30);
    let (n, width) = (3, 6);
    let [gi, gh, h] = [3, 3, 1].map(|parts| random.numbers(n * parts * width));
    let grad = random.numbers(h.len());
    let (wide_gi, wide_gh, wide_h) = (doubles(&gi), doubles(&gh), doubles(&h));
    let [grad_gi, grad_gh, grad_h] = gru::backward(width, &gi, &gh, &h, &grad).expect("no fault");
    // 54 elements at most, so the comparison skips none.
    assert_gradient("grad_gi", &grad_gi, &gi, |gi| dot(&naive::gru(width, gi, &wide_gh, &wide_h), &grad));
    assert_gradient("grad_gh", &grad_gh, &gh, |gh| dot(&naive::gru(width, &wide_gi, gh, &wide_h), &grad));
    assert_gradient("grad_h", &grad_h, &h, |h| dot(&naive::gru(width, &wide_gi, &wide_gh, h), &grad));
}

#[test]
fn gates_saturate_without_nan() {
    let (gi, gh) = ([200.0, -200.0, 200.0], [0.0; 3]);
    assert_eq!(gru::forward(1, &gi, &gh, &[0.5]), Ok(vec![1.0]));
    let gradients = gru::backward(1, &gi, &gh, &[0.5], &[1.0]).expect("no fault");
    assert!(gradients.iter().flatten().all(|g| g.is_finite()), "{gradients:?}");
}
