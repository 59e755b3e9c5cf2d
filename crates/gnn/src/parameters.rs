//! Weights by name: made from a seed, kept in order, moved as safetensors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{DType, Device, Error, Result, Shape, Tensor, Var};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// All weights of a model. Layers ask for theirs by name through [`Parameters::builder`]; one that is not there yet is drawn
/// from a generator of the seed and the name, so that neither the order of layers nor the device changes its value.
///
/// ```
/// use candle_core::{DType, Device};
/// use logicvae_gnn::Parameters;
/// let parameters = Parameters::new(7);
/// let weight = candle_nn::linear(3, 2, parameters.builder(DType::F32, &Device::Cpu).pp("head"))?;
/// let names: Vec<String> = parameters.vars().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["head.bias", "head.weight"]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Parameters {
    seed: u64,
    vars: Arc<Mutex<BTreeMap<String, Var>>>,
}

impl Parameters {
    /// No weights yet; those that are asked for are drawn from this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, vars: Arc::default() }
    }

    /// What layers take their weights from.
    pub fn builder(&self, dtype: DType, device: &Device) -> VarBuilder<'static> {
        VarBuilder::from_backend(Box::new(self.clone()), dtype, device.clone())
    }

    /// All weights in the order of their names: use this wherever order can change a result.
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

    /// Sets all weights that exist from a safetensors file, which must have each, in its shape; others in the file are left
    /// alone. Nothing is set if anything is wrong.
    pub fn load_safetensors(&self, bytes: &[u8]) -> Result<()> {
        let mut file = candle_core::safetensors::load_buffer(bytes, &Device::Cpu)?;
        let vars = self.vars();
        let mut found = Vec::with_capacity(vars.len());
        for (name, var) in &vars {
            let Some(tensor) = file.remove(name) else {
                candle_core::bail!("the file has no weight `{name}`");
            };
            if tensor.shape() != var.shape() {
                candle_core::bail!(
                    "`{name}` has the shape {:?} in the file, but {:?} is wanted",
                    tensor.dims(),
                    var.dims()
                );
            }
            found.push(tensor.to_device(var.device())?.to_dtype(var.dtype())?);
        }
        vars.iter().zip(found).try_for_each(|((_, var), tensor)| var.set(&tensor))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Var>> {
        // The map is changed by single insertions, so it is whole even after a panic elsewhere.
        self.vars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, name: &str, count: usize, lo: f64, up: f64) -> Vec<f64> {
        // FNV-1a: the same on every machine and for ever, which the standard hash does not promise.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(hash);
        (0..count).map(|_| lo + (up - lo) * (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64).collect()
    }
}

impl SimpleBackend for Parameters {
    fn get(&self, shape: Shape, name: &str, init: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        if let Some(var) = self.lock().get(name) {
            if var.shape() != &shape {
                candle_core::bail!(
                    "the weight `{name}` is {:?}, but {:?} is asked for",
                    var.dims(),
                    shape.dims()
                );
            }
            return Ok(var.as_tensor().clone());
        }
        let count = shape.elem_count();
        let values = match init {
            Init::Const(value) => vec![value; count],
            Init::Uniform { lo, up } => self.draw(name, count, lo, up),
            // PyTorch's default for linear layers.
            Init::Kaiming { fan, .. } => {
                let bound = 1.0 / (fan.for_shape(&shape) as f64).sqrt();
                self.draw(name, count, -bound, bound)
            }
            Init::Randn { .. } => {
                candle_core::bail!("`{name}`: normal weights are not made here, use uniform ones")
            }
        };
        let var = Var::from_tensor(
            &Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?,
        )?;
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
