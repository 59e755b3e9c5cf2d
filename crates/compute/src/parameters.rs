//! Weights by name: drawn from a seed, or loaded from safetensors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{DType, Device, Error, Result, Shape, Tensor, Var};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use logicvae_logic::{fnv1a, uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The largest number of weights of a new model, 2²⁷. Training takes about 20 bytes per weight.
const MAX_WEIGHTS: usize = 1 << 27;

/// All weights of a model. Layers request theirs by name through [`Parameters::builder`].
///
/// A new weight is drawn from a generator that depends on the seed and the name only, so neither the order of
/// the layers nor the device changes its value. Parameters that were [loaded](Parameters::from_safetensors)
/// draw nothing: a weight that the file lacks is an error.
///
/// ```
/// use candle_core::{DType, Device};
/// use logicvae_compute::Parameters;
/// let parameters = Parameters::new(7);
/// let layer = candle_nn::linear(3, 2, parameters.builder(DType::F32, &Device::Cpu).pp("head"))?;
/// let names: Vec<String> = parameters.vars().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["head.bias", "head.weight"]);
///
/// let loaded = Parameters::from_safetensors(&parameters.to_safetensors()?)?;
/// let same = candle_nn::linear(3, 2, loaded.builder(DType::F32, &Device::Cpu).pp("head"))?;
/// assert_eq!(same.weight().to_vec2::<f32>()?, layer.weight().to_vec2::<f32>()?);
/// assert!(candle_nn::linear(3, 2, loaded.builder(DType::F32, &Device::Cpu).pp("other")).is_err());
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Parameters {
    origin: Origin,
    vars: Arc<Mutex<BTreeMap<String, Var>>>,
}

/// Where weights that are not there yet come from.
#[derive(Clone)]
enum Origin {
    Seed(u64),
    File(Arc<BTreeMap<String, Tensor>>),
}

impl Parameters {
    /// No weights yet; each is drawn from this seed when it is first requested.
    pub fn new(seed: u64) -> Self {
        Self { origin: Origin::Seed(seed), vars: Arc::default() }
    }

    /// The weights of a safetensors file. Those that no layer requests are ignored.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self> {
        Ok(Self { origin: Origin::File(Arc::new(read(bytes)?)), vars: Arc::default() })
    }

    /// What layers take their weights from.
    pub fn builder(&self, dtype: DType, device: &Device) -> VarBuilder<'static> {
        VarBuilder::from_backend(Box::new(self.clone()), dtype, device.clone())
    }

    /// All weights, sorted by name. The order never depends on a hash.
    pub fn vars(&self) -> Vec<(String, Var)> {
        self.lock().iter().map(|(name, var)| (name.clone(), var.clone())).collect()
    }

    /// The weights as a safetensors file.
    pub fn to_safetensors(&self) -> Result<Vec<u8>> {
        let vars = self.vars();
        let views: Vec<(&str, &Tensor)> =
            vars.iter().map(|(name, var)| (name.as_str(), var.as_tensor())).collect();
        safetensors::serialize(views, None).map_err(Error::wrap)
    }

    /// Replaces the values of all existing weights by those of a safetensors file. The file must contain
    /// every one of them in its shape; other tensors in it are ignored. On an error nothing changes.
    pub fn load_safetensors(&self, bytes: &[u8]) -> Result<()> {
        let file = read(bytes)?;
        let vars = self.vars();
        let found: Result<Vec<Tensor>> = vars
            .iter()
            .map(|(name, var)| find(&file, name, var.shape())?.to_device(var.device())?.to_dtype(var.dtype()))
            .collect();
        vars.iter().zip(found?).try_for_each(|((_, var), tensor)| var.set(&tensor))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Var>> {
        // The map only changes by single insertions, so it is consistent even after a panic in another
        // thread.
        self.vars.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The weights of a safetensors file, which must be finite floating-point numbers.
fn read(bytes: &[u8]) -> Result<BTreeMap<String, Tensor>> {
    let file: BTreeMap<String, Tensor> =
        candle_core::safetensors::load_buffer(bytes, &Device::Cpu)?.into_iter().collect();
    for (name, tensor) in &file {
        if !matches!(tensor.dtype(), DType::F16 | DType::BF16 | DType::F32 | DType::F64) {
            candle_core::bail!(
                "`{name}` has numbers of type {:?}, but weights are F16, BF16, F32 or F64",
                tensor.dtype()
            );
        }
        // A sum is finite only if all its terms are; values of weights are far from overflow, also in the
        // type with which models compute.
        let values = tensor.to_dtype(DType::F32)?.to_dtype(DType::F64)?;
        let sum = values.abs()?.sum_all()?.to_scalar::<f64>()?;
        if !sum.is_finite() {
            candle_core::bail!("`{name}` contains values that are not finite: the file is damaged");
        }
    }
    Ok(file)
}

/// A weight of a file, which must have this shape.
fn find<'a>(file: &'a BTreeMap<String, Tensor>, name: &str, shape: &Shape) -> Result<&'a Tensor> {
    let Some(tensor) = file.get(name) else {
        candle_core::bail!("the file has no weight `{name}`");
    };
    if tensor.shape() != shape {
        let (found, expected) = (tensor.dims(), shape.dims());
        candle_core::bail!("`{name}` has the shape {found:?} in the file, but {expected:?} is expected");
    }
    Ok(tensor)
}

/// Initial values.
fn draw(seed: u64, name: &str, shape: &Shape, init: Init) -> Result<Tensor> {
    let count = shape.elem_count();
    let between = |lo: f64, up: f64| -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(fnv1a(name));
        (0..count).map(|_| lo + (up - lo) * uniform(&mut rng)).collect()
    };
    let values = match init {
        Init::Const(value) => vec![value; count],
        Init::Uniform { lo, up } => between(lo, up),
        // PyTorch's default for linear layers.
        Init::Kaiming { fan, .. } => {
            let bound = 1.0 / (fan.for_shape(shape) as f64).sqrt();
            between(-bound, bound)
        }
        Init::Randn { .. } => {
            candle_core::bail!("`{name}`: normal initialisation is not supported, use a uniform one")
        }
    };
    Tensor::from_vec(values, shape, &Device::Cpu)
}

impl SimpleBackend for Parameters {
    fn get(&self, shape: Shape, name: &str, init: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        if let Some(var) = self.lock().get(name) {
            if var.shape() != &shape {
                let (found, expected) = (var.dims(), shape.dims());
                candle_core::bail!("the weight `{name}` is {found:?}, but {expected:?} is requested");
            }
            return Ok(var.as_tensor().clone());
        }
        let value = match &self.origin {
            Origin::Seed(seed) => {
                let before: usize = self.lock().values().map(|var| var.elem_count()).sum();
                let all = shape.dims().iter().try_fold(1usize, |all, &size| all.checked_mul(size));
                if all.and_then(|all| all.checked_add(before)).is_none_or(|all| all > MAX_WEIGHTS) {
                    candle_core::bail!(
                        "the model has more than {MAX_WEIGHTS} weights: choose a smaller size of its layers"
                    );
                }
                draw(*seed, name, &shape, init)?
            }
            Origin::File(file) => find(file, name, &shape)?.clone(),
        };
        let var = Var::from_tensor(&value.to_dtype(dtype)?.to_device(device)?)?;
        let tensor = var.as_tensor().clone();
        self.lock().insert(name.to_owned(), var);
        Ok(tensor)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        match self.lock().get(name) {
            Some(var) => Ok(var.as_tensor().clone()),
            None => candle_core::bail!("there is no weight `{name}`"),
        }
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.lock().contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_are_not_finite_numbers_are_refused() {
        let file = |tensor: Tensor| safetensors::serialize([("w", tensor)], None).unwrap();
        let tensor = |values: [f32; 3]| Tensor::new(&values, &Device::Cpu).unwrap();
        assert!(Parameters::from_safetensors(&file(tensor([1.0, -2.0, 0.0]))).is_ok());
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = Parameters::from_safetensors(&file(tensor([1.0, value, 0.0]))).map(drop).unwrap_err();
            assert!(error.to_string().contains("not finite"), "{error}");
        }
        let integers = Tensor::new(&[1u32, 2], &Device::Cpu).unwrap();
        let error = Parameters::from_safetensors(&file(integers)).map(drop).unwrap_err();
        assert!(error.to_string().contains("F16, BF16, F32 or F64"), "{error}");
        // Finite in the file, but not in the type with which models compute.
        let large = Tensor::new(&[1e300f64], &Device::Cpu).unwrap();
        let error = Parameters::from_safetensors(&file(large)).map(drop).unwrap_err();
        assert!(error.to_string().contains("not finite"), "{error}");
        // Conversions from other small types may never end.
        let header = br#"{"w":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}"#;
        let small = [&(header.len() as u64).to_le_bytes()[..], header, &[0x38]].concat();
        let error = Parameters::from_safetensors(&small).map(drop).unwrap_err();
        assert!(error.to_string().contains("F16, BF16, F32 or F64"), "{error}");
    }
}
