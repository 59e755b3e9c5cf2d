//! Structs with one named field per weight.
//!
//! A layer's weights pass through several forms: shapes and initial values, tensors, slices inside a fused
//! pass, and gradients. [`named_weights!`](crate::named_weights) defines one struct that is generic over the
//! form, so that code says `weights.recurrent` in every form instead of `weights[1]`.

use candle_core::{Result, Tensor};
use candle_nn::{Init, VarBuilder};

/// The shape and the initial distribution of a weight.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The shape.
    pub shape: Vec<usize>,
    /// The distribution of the initial values.
    pub init: Init,
}

impl Initial {
    /// Drawn uniformly from `[-bound, bound]`.
    pub fn uniform(shape: &[usize], bound: f64) -> Self {
        Self { shape: shape.to_vec(), init: Init::Uniform { lo: -bound, up: bound } }
    }
}

/// The bound of PyTorch's uniform initialisation of linear layers: 1 / √fan_in.
pub fn uniform_fan_in(fan_in: usize) -> f64 {
    1.0 / (fan_in as f64).sqrt()
}

/// The bound of Glorot's uniform initialisation: √(6 / (fan_in + fan_out)).
pub fn glorot(fan_in: usize, fan_out: usize) -> f64 {
    (6.0 / (fan_in + fan_out) as f64).sqrt()
}

/// A struct of weights in the form `W`. Implemented by [`named_weights!`](crate::named_weights).
pub trait WeightSet<W>: Sized {
    /// The names of the weights, in the order of the fields: as in PyTorch's `state_dict`.
    const NAMES: &'static [&'static str];

    /// The weights in the order of the fields.
    fn fields<'a>(&'a self) -> impl Iterator<Item = &'a W>
    where
        W: 'a;

    /// The weights by value, in the order of the fields.
    fn into_fields(self) -> impl Iterator<Item = W>;

    /// Takes one item per weight, in the order of the fields.
    ///
    /// # Panics
    /// If there are too few items.
    fn take_from(items: &mut impl Iterator<Item = W>) -> Self;
}

/// Creates weights by name, or finds them where they exist.
pub fn build_weights<I: WeightSet<Initial>, S: WeightSet<Tensor>>(
    initial: &I,
    vb: &VarBuilder<'_>,
) -> Result<S> {
    let tensors: Result<Vec<Tensor>> = I::NAMES
        .iter()
        .zip(initial.fields())
        .map(|(name, initial)| vb.get_with_hints(initial.shape.as_slice(), name, initial.init))
        .collect();
    Ok(S::take_from(&mut tensors?.into_iter()))
}

/// Defines a struct of named weights, generic over their form.
///
/// ```
/// use candle_core::{DType, Device};
/// use logicvae_compute::{Initial, Parameters, build_weights, named_weights, uniform_fan_in};
///
/// named_weights! {
///     /// A linear layer.
///     pub struct LinearWeights {
///         /// `[out, in]`.
///         weight: "weight",
///         /// `[out]`.
///         bias: "bias",
///     }
/// }
///
/// let bound = uniform_fan_in(3);
/// let initial = LinearWeights {
///     weight: Initial::uniform(&[2, 3], bound),
///     bias: Initial::uniform(&[2], bound),
/// };
/// let parameters = Parameters::new(7);
/// let vb = parameters.builder(DType::F32, &Device::Cpu).pp("head");
/// let weights: LinearWeights<candle_core::Tensor> = build_weights(&initial, &vb)?;
/// assert_eq!(weights.weight.dims(), [2, 3]);
/// assert_eq!(weights.map(|tensor| tensor.rank()).bias, 1);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[macro_export]
macro_rules! named_weights {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $key:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name<W> {
            $($(#[$field_meta])* pub $field: W,)+
        }

        impl<W> $crate::WeightSet<W> for $name<W> {
            const NAMES: &'static [&'static str] = &[$($key),+];

            fn fields<'a>(&'a self) -> impl Iterator<Item = &'a W>
            where
                W: 'a,
            {
                [$(&self.$field),+].into_iter()
            }

            fn into_fields(self) -> impl Iterator<Item = W> {
                [$(self.$field),+].into_iter()
            }

            fn take_from(items: &mut impl Iterator<Item = W>) -> Self {
                Self { $($field: items.next().expect("one item per weight")),+ }
            }
        }

        #[allow(dead_code)]
        impl<W> $name<W> {
            /// The same weights in another form.
            $vis fn map<V>(&self, mut convert: impl FnMut(&W) -> V) -> $name<V> {
                $name { $($field: convert(&self.$field)),+ }
            }
        }
    };
}
