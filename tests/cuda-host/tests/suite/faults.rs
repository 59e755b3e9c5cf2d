//! The shim detects the faults of incorrect kernels.

use logicvae_cuda_host::{Fault, faulty};

#[test]
fn a_missing_barrier_is_a_race() {
    let x = std::array::from_fn(|i| i as f32);
    assert_eq!(faulty::sum(true, &x), Ok(2016.0));
    assert_eq!(faulty::sum(false, &x), Err(Fault::Race));
}

#[test]
fn a_barrier_that_some_threads_skip_is_reported() {
    assert_eq!(faulty::barrier(64), Ok(vec![1.0; 64]));
    assert_eq!(faulty::barrier(40), Err(Fault::SkippedBarrier));
    assert_eq!(faulty::barrier(32), Err(Fault::SkippedBarrier), "a whole warp has returned");
}

#[test]
fn a_shuffle_that_some_lanes_skip_is_reported() {
    assert_eq!(faulty::shuffle(64), Ok(vec![1.0; 64]));
    assert!(faulty::shuffle(32).is_ok(), "the other warp may return");
    assert_eq!(faulty::shuffle(40), Err(Fault::SkippedShuffle));
}

#[test]
fn an_out_of_bounds_write_is_reported() {
    assert_eq!(faulty::bounds(40), Err(Fault::OutOfBounds(0)));
}

#[test]
fn lanes_are_not_synchronised_implicitly() {
    assert_eq!(faulty::warp(), Err(Fault::Race));
}
