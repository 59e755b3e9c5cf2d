//! The kernels against the obvious implementation in double precision, and gradients against finite differences.

mod attention;
mod cpu;
mod faults;
mod gru;
mod naive;
mod sums;
mod support;
