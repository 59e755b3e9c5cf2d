//! The number types that fused passes compute with: `f32`, and `f64` to check gradients by finite
//! differences.

use candle_core::WithDType;
use faer::{Accum, MatMut, MatRef};

#[cfg(target_arch = "x86_64")]
pub(crate) use crate::amx::Packed;
use crate::buffer::Reusable;

/// No matrix unit of another architecture is supported.
#[cfg(not(target_arch = "x86_64"))]
pub enum Packed {}

/// A floating-point number.
pub trait Real: WithDType + faer::traits::RealField + Reusable {
    /// The nearest number of this type.
    fn constant(value: f32) -> Self;
    /// The exponential function.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// The larger number.
    fn max(self, other: Self) -> Self;

    /// Packs the right factor of a product for a matrix unit, if the machine has one for this type.
    #[doc(hidden)]
    fn pack(_factor: MatRef<'_, Self>) -> Option<Packed> {
        None
    }

    /// Computes `to = a b` or `to += a b` on the matrix unit, and returns whether it did.
    #[doc(hidden)]
    fn multiply_packed(_to: &mut MatMut<'_, Self>, _how: Accum, _a: MatRef<'_, Self>, _b: &Packed) -> bool {
        false
    }

    /// 1 / (1 + e^-x).
    #[inline(always)]
    fn sigmoid(self) -> Self {
        let half = Self::constant(0.5);
        half + half * Real::tanh(half * self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn constant(value: f32) -> Self {
        value.into()
    }
    #[inline(always)]
    fn exp(self) -> Self {
        f64::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        f64::ln(self)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        f64::tanh(self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        f64::max(self, other)
    }
}

impl Real for f32 {
    #[inline(always)]
    fn constant(value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn exp(self) -> Self {
        f32::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        f32::ln(self)
    }
    /// A quotient of two polynomials, accurate to a few units in the last place. Unlike the standard
    /// library's function, which is one call per number, it compiles to vector instructions.
    #[inline(always)]
    fn tanh(self) -> Self {
        const ODD: [f32; 7] = [
            -2.760_768_5e-16,
            2.000_188e-13,
            -8.604_672e-11,
            5.122_297e-8,
            1.485_722_4e-5,
            6.372_619e-4,
            4.893_524_6e-3,
        ];
        const EVEN: [f32; 4] = [1.198_258_4e-6, 1.185_347_1e-4, 2.268_434_6e-3, 4.893_525e-3];
        // Outside this range the result rounds to ±1.
        let x = self.clamp(-7.905_311, 7.905_311);
        let square = x * x;
        let mut odd = ODD[0];
        for c in &ODD[1..] {
            odd = odd * square + c;
        }
        let mut even = EVEN[0];
        for c in &EVEN[1..] {
            even = even * square + c;
        }
        x * odd / even
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        f32::max(self, other)
    }
    #[cfg(target_arch = "x86_64")]
    fn pack(factor: MatRef<'_, f32>) -> Option<Packed> {
        Packed::new(factor)
    }
    #[cfg(target_arch = "x86_64")]
    fn multiply_packed(to: &mut MatMut<'_, f32>, how: Accum, a: MatRef<'_, f32>, b: &Packed) -> bool {
        b.multiply(to, how, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_functions_are_accurate() {
        for i in -400_000..=400_000 {
            let x = i as f32 / 20_000.0;
            let exact = f64::from(x).tanh();
            assert!((f64::from(Real::tanh(x)) - exact).abs() <= 4e-7 * exact.abs(), "tanh({x})");
            let exact = 1.0 / (1.0 + f64::exp(-f64::from(x)));
            assert!((f64::from(Real::sigmoid(x)) - exact).abs() < 3e-7, "sigmoid({x})");
        }
        assert!(Real::tanh(f32::NAN).is_nan());
        assert_eq!(
            (Real::tanh(f32::INFINITY), Real::sigmoid(f32::NEG_INFINITY)),
            (Real::tanh(9f32), Real::sigmoid(-20f32))
        );
    }
}
