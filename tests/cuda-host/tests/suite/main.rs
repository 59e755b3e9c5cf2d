//! The kernels agree with a naive implementation in double precision, and gradients with finite differences.

mod attention;
mod cpu;
mod faults;
mod gru;
mod naive;
mod sums;
mod support;
