//! The variational autoencoder: `z ~ N(μ(φ, y), noise² σ²(φ, y))`, and φ from the decoder, given z and y. y
//! is the semantic vector that a conditional model is conditioned on; other models have none.

mod codes;
mod decode;
mod express;
mod loss;
mod prior;
mod refine;
mod vectors;

use std::sync::Arc;

use candle_core::{D, DType, Device, Tensor};
use candle_nn::{Linear, Module, VarBuilder, linear};
use logicvae_compute::Parameters;
use logicvae_gnn::{Encoder, Implementation};
use logicvae_kernel::{Embedding, Form, Method};
use logicvae_logic::Formula;

pub use codes::Codes;
pub use express::Expressed;
pub(crate) use loss::FromPrior;
pub use loss::Loss;
pub use prior::Gaussian;
pub use refine::{Refined, Refinement};

use crate::config::{Config, ModelConfig};
use crate::decoder::generate::KeptWeights;
use crate::decoder::{Decoder, Forest, Goal};
use crate::error::VaeError;
use crate::semantics::{Condition, Conditions, PROBE_PREFIX, TableProbe, fit_embedding, semantic_vectors};
use prior::PriorNetwork;

/// Formulae that are ready for the model, with the conditions under which they are encoded and decoded. Cheap
/// to clone.
#[derive(Clone)]
pub struct Batch {
    graphs: logicvae_gnn::Batch,
    forest: Arc<Forest>,
    conditions: Conditions,
}

impl Batch {
    /// The number of formulae.
    pub fn len(&self) -> usize {
        self.forest.graphs
    }

    /// Always false: an empty batch is an error.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The meaning of formulae, as a conditional model uses it.
#[derive(Clone)]
struct Semantics {
    embedding: Arc<Embedding>,
    /// Whether the embedding keeps all distances of the kernel, so that the probe reads it without error.
    isometric: bool,
    /// Reads truth tables from semantic vectors, if the decoder is goal-conditioned.
    probe: Option<TableProbe>,
    /// Whether training uses the semantic vectors of other formulae: see `ContextConfig::shifted`.
    shifted: bool,
}

/// The model with its weights and, if it is conditional, its semantic embedding. Cheap to clone: clones share
/// weights.
///
/// ```
/// use logicvae_vae::{Config, Decoding, Model};
/// let model = Model::new(&Config::preset("tiny").unwrap())?;
/// let formulae = ["x1 & !x2".parse().unwrap(), "x3 | x1".parse().unwrap()];
/// let codes = model.encode(&formulae)?;
/// assert_eq!(codes.z.dims(), [2, model.config().latent]);
/// let decoded = model.decode(&codes, Decoding::Greedy)?; // what an untrained model makes of them
/// assert_eq!(decoded.len(), 2);
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
#[derive(Clone)]
pub struct Model {
    config: ModelConfig,
    condition_width: usize,
    parameters: Parameters,
    encoder: Encoder,
    mean: Linear,
    log_variance: Linear,
    prior: Option<PriorNetwork>,
    from_latent: Linear,
    decoder: Decoder,
    /// The weights of the decoder as generation reads them.
    generation: KeptWeights,
    semantics: Option<Semantics>,
    implementation: Implementation,
}

impl Model {
    /// A model with initial weights, on the CPU. If it is conditional, its semantic embedding is fitted.
    pub fn new(config: &Config) -> Result<Self, VaeError> {
        Self::initial(config, fit_embedding(config)?.map(Arc::new), DType::F32, &Device::Cpu)
    }

    /// A model with initial weights. A conditional model needs its [embedding](crate::fit_embedding).
    pub fn initial(
        config: &Config,
        embedding: Option<Arc<Embedding>>,
        dtype: DType,
        device: &Device,
    ) -> Result<Self, VaeError> {
        let model = Self::build(config, embedding, Parameters::new(config.seed), dtype, device)?;
        if let Some(Semantics { embedding, probe: Some(_), .. }) = &model.semantics {
            TableProbe::fit(config, embedding, &model.parameters)?;
        }
        Ok(model)
    }

    /// A model with the weights of a safetensors file. Nothing is sampled or fitted.
    pub(crate) fn from_weights(
        config: &Config,
        embedding: Option<Arc<Embedding>>,
        weights: &[u8],
        device: &Device,
    ) -> Result<Self, VaeError> {
        Self::build(config, embedding, Parameters::from_safetensors(weights)?, DType::F32, device)
    }

    fn build(
        config: &Config,
        embedding: Option<Arc<Embedding>>,
        parameters: Parameters,
        dtype: DType,
        device: &Device,
    ) -> Result<Self, VaeError> {
        config.check()?;
        let (model, condition_width) = (config.model.clone(), config.context_width());
        check_embedding(config, embedding.as_deref())?;
        let vb: VarBuilder<'_> = parameters.builder(dtype, device);
        let encoder_config = model.encoder_config();
        let encoder = Encoder::new(&encoder_config, vb.clone())?;
        let encoded = encoder_config.output() + condition_width;
        let probe = model.goal_conditioned.then(|| TableProbe::new(config, &vb)).transpose()?;
        Ok(Self {
            encoder,
            mean: linear(encoded, model.latent, vb.pp("mean"))?,
            log_variance: linear(encoded, model.latent, vb.pp("logvar"))?,
            prior: PriorNetwork::new(&model, condition_width, &vb)?,
            from_latent: linear(model.latent + condition_width, model.hidden, vb.pp("from_latent"))?,
            decoder: Decoder::new(&model, &vb)?,
            generation: KeptWeights::default(),
            semantics: embedding.map(|embedding| Semantics {
                isometric: is_isometric(&embedding),
                embedding,
                probe,
                shifted: config.context.as_ref().is_some_and(|context| context.shifted),
            }),
            config: model,
            condition_width,
            parameters,
            implementation: Implementation::Fused,
        })
    }

    /// The same weights with another implementation.
    pub fn with_implementation(&self, implementation: Implementation) -> Self {
        Self { encoder: self.encoder.with_implementation(implementation), implementation, ..self.clone() }
    }

    /// The settings.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The weights.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The semantic embedding of a conditional model.
    pub fn embedding(&self) -> Option<&Embedding> {
        self.semantics.as_ref().map(|semantics| &*semantics.embedding)
    }

    /// The type of the weights.
    pub fn dtype(&self) -> DType {
        self.mean.weight().dtype()
    }

    /// Where the weights are.
    pub(crate) fn device(&self) -> &Device {
        self.mean.weight().device()
    }

    /// The semantic vectors of what a conditional model is asked to express.
    pub fn conditions(&self, conditions: &[Condition]) -> Result<Conditions, VaeError> {
        let Some(Semantics { embedding, .. }) = &self.semantics else {
            let message = "this model is not conditional: it cannot be asked for a meaning";
            return Err(VaeError::Input(message.into()));
        };
        let vectors: Result<Vec<Tensor>, VaeError> =
            conditions.iter().map(|c| c.vector(embedding, self.dtype(), self.device())).collect();
        Conditions::from_vectors(self.checked_meanings(Tensor::cat(&vectors?, 0)?)?)
    }

    /// Refuses semantic vectors that are not a truth table or a mean of truth tables, as far as that can be
    /// told: those of another embedding.
    fn checked_meanings(&self, vectors: Tensor) -> Result<Tensor, VaeError> {
        /// Values lie between -1 and 1 up to the precision of half-precision weights.
        const LIMIT: f32 = 1.05;
        let Some(Semantics { isometric: true, probe: Some(probe), .. }) = &self.semantics else {
            return Ok(vectors);
        };
        let values = probe.values(&vectors)?;
        match values.iter().position(|row| !row.iter().all(|value| value.abs() <= LIMIT)) {
            Some(row) => Err(VaeError::Input(format!(
                "row {} is not a semantic vector of this model: it belongs to no truth table; it was made \
                 with another pool, method or kernel",
                row + 1
            ))),
            None => Ok(vectors),
        }
    }

    /// The conditions of formulae: their semantic vectors, or none for a model that is not conditional.
    pub fn conditions_of(&self, formulae: &[Formula]) -> Result<Conditions, VaeError> {
        match &self.semantics {
            None => Ok(Conditions::none(formulae.len())),
            Some(Semantics { embedding, .. }) => {
                Conditions::from_vectors(semantic_vectors(embedding, formulae, self.dtype(), self.device())?)
            }
        }
    }

    /// Orders formulae for the model, under the conditions of their own meanings. Formulae that are used
    /// repeatedly need this only once.
    pub fn prepare(&self, formulae: &[Formula]) -> Result<Batch, VaeError> {
        self.prepare_with(formulae, self.conditions_of(formulae)?)
    }

    /// The same for training, which can give each formula the meaning of the one before it.
    pub(crate) fn prepare_training(&self, formulae: &[Formula]) -> Result<Batch, VaeError> {
        let mut meant = formulae.to_vec();
        if self.semantics.as_ref().is_some_and(|semantics| semantics.shifted) {
            meant.rotate_right(1);
        }
        self.prepare_with(formulae, self.conditions_of(&meant)?)
    }

    /// Orders formulae for the model, under given conditions.
    pub fn prepare_with(&self, formulae: &[Formula], conditions: Conditions) -> Result<Batch, VaeError> {
        let vocabulary = self.config.vocabulary();
        let (graphs, forest) = rayon::join(
            || self.encoder.prepare(&vocabulary.graphs(formulae)?),
            || {
                let indices = self.config.parent_index.then_some(self.config.marks());
                let (state, stops) = (self.config.graph_state, !self.config.constrained);
                Forest::new(&vocabulary, formulae, state, stops, indices)
            },
        );
        Ok(Batch { graphs: graphs?, forest: Arc::new(forest?), conditions })
    }

    /// The distribution of latent vectors, given formulae and their conditions.
    pub fn posterior(&self, batch: &Batch) -> Result<Gaussian, VaeError> {
        let encoded = self.with_conditions(&self.encoder.forward(&batch.graphs)?, &batch.conditions)?;
        Ok(Gaussian {
            mean: self.mean.forward(&encoded)?,
            log_variance: self.log_variance.forward(&encoded)?,
        })
    }

    /// h₀, which START reads: `[rows, hidden]`.
    fn start(&self, z: &Tensor, conditions: &Conditions) -> Result<Tensor, VaeError> {
        Ok(self.from_latent.forward(&self.with_conditions(z, conditions)?)?.tanh()?)
    }

    /// The goals of decodings under these conditions, if the decoder is goal-conditioned.
    fn goals(&self, conditions: &Conditions) -> Result<Vec<Goal>, VaeError> {
        let probe = self.semantics.as_ref().and_then(|semantics| semantics.probe.as_ref());
        let Some((probe, vectors)) = probe.zip(conditions.vectors()) else { return Ok(Vec::new()) };
        if self.semantics.as_ref().is_some_and(|semantics| semantics.isometric) {
            return Ok(probe.values(vectors)?.iter().map(|values| Goal::from_values(values)).collect());
        }
        let goal = |table| Goal::exactly(table, self.config.variables);
        Ok(probe.tables(vectors)?.into_iter().map(goal).collect())
    }

    /// The weights that training changes, by name: all but those of the table probe.
    pub(crate) fn trained(&self) -> Vec<(String, candle_core::Var)> {
        self.parameters.vars().into_iter().filter(|(name, _)| !name.starts_with(PROBE_PREFIX)).collect()
    }

    /// A model whose decoder weights are constants, for latent vectors that move while the weights stay.
    pub(crate) fn frozen(&self) -> Self {
        let detach = |l: &Linear| Linear::new(l.weight().detach(), l.bias().map(Tensor::detach));
        Self { from_latent: detach(&self.from_latent), decoder: self.decoder.frozen(), ..self.clone() }
    }

    /// Appends the conditions to vectors. Missing conditions and other widths are errors.
    fn with_conditions(&self, x: &Tensor, conditions: &Conditions) -> Result<Tensor, VaeError> {
        match (self.condition_width, conditions.vectors()) {
            (0, None) => Ok(x.clone()),
            (0, Some(_)) => {
                Err(VaeError::Input("this model is not conditional: it takes no semantic vectors".into()))
            }
            (_, None) => Err(missing_conditions()),
            (width, Some(vectors)) => {
                if vectors.dims() != [x.dim(0)?, width] {
                    return Err(VaeError::Input(format!(
                        "the semantic vectors are {:?}, but this model needs {width} numbers for each of {}",
                        vectors.dims(),
                        x.dim(0)?
                    )));
                }
                Ok(Tensor::cat(&[x, &vectors.to_device(self.device())?], D::Minus1)?)
            }
        }
    }
}

/// Whether distances of semantic vectors follow from the kernel alone: kernel PCA of the plain kernel with
/// one component per assignment.
fn is_isometric(embedding: &Embedding) -> bool {
    embedding.method() == Method::KernelPca
        && embedding.form() == Form::Plain
        && embedding.components() == embedding.domain().len()
}

fn missing_conditions() -> VaeError {
    VaeError::Input("this model is conditional: it needs a semantic vector for each row".into())
}

/// A conditional model needs an embedding of its width, and only a conditional model.
pub(crate) fn check_embedding(config: &Config, embedding: Option<&Embedding>) -> Result<(), VaeError> {
    let reason = match (&config.context, embedding) {
        (None, None) => return Ok(()),
        (Some(context), Some(embedding)) => {
            let variables = embedding.domain().variables();
            if embedding.components() == context.components && variables == config.model.variables as usize {
                return Ok(());
            }
            format!(
                "the semantic embedding has {} components and {variables} variables, but the settings say {} \
                 and {}",
                embedding.components(),
                context.components,
                config.model.variables
            )
        }
        (Some(_), None) => "a conditional model needs a semantic embedding".into(),
        (None, Some(_)) => "only a conditional model has a semantic embedding".into(),
    };
    Err(VaeError::Setting { setting: "context".into(), reason })
}

#[cfg(test)]
mod tests {
    use logicvae_logic::SamplerParams;

    use super::*;

    #[test]
    fn truth_tables_are_read_from_semantic_vectors() {
        let mut config = Config::preset("cvae-gcn-4").unwrap();
        (config.model.goal_conditioned, config.model.hidden) = (true, 8);
        let context = config.context.as_mut().unwrap();
        (context.pool, context.components) = (1000, 60);
        let formulae = config.data.set.generate().unwrap().test;
        let model = Model::new(&config).unwrap();
        let goals = model.goals(&model.conditions_of(&formulae).unwrap()).unwrap();
        let correct = |(goal, formula): (&Goal, &Formula)| {
            let table = formula.truth_table(4).unwrap().words()[0];
            16 - (goal.one ^ table).count_ones()
        };
        let correct: u32 = goals.iter().zip(&formulae).map(correct).sum();
        assert!(correct > 16 * 300 * 98 / 100, "{correct} of {} values", 16 * 300);
    }

    #[test]
    fn shifted_conditions_belong_to_the_formula_before() {
        let mut config = Config::preset("cvae-best-3").unwrap();
        (config.model.hidden, config.model.latent) = (8, 4);
        let context = config.context.as_mut().unwrap();
        (context.pool, context.components) = (50, 4);
        let formulae: Vec<Formula> = ["x1", "x1 & x2", "!x3"].map(|text| text.parse().unwrap()).to_vec();
        let mut vectors = |shifted: bool| {
            config.context.as_mut().unwrap().shifted = shifted;
            let batch = Model::new(&config).unwrap().prepare_training(&formulae).unwrap();
            batch.conditions.vectors().unwrap().to_vec2::<f32>().unwrap()
        };
        let mut own = vectors(false);
        own.rotate_right(1);
        assert_eq!(vectors(true), own);
    }

    #[test]
    fn loading_weights_samples_and_fits_nothing() {
        let mut config = Config::preset("cvae-best-3").unwrap();
        (config.model.hidden, config.model.latent) = (8, 4);
        let context = config.context.as_mut().unwrap();
        (context.pool, context.components) = (100, 8);
        let model = Model::new(&config).unwrap();
        let weights = model.parameters().to_safetensors().unwrap();
        let embedding = Some(model.semantics.as_ref().unwrap().embedding.clone());
        // A pool that could not be sampled, since there are too few small formulae: loading must not try.
        config.context.as_mut().unwrap().pool = 1_000_000;
        config.data.set.sampler = SamplerParams { max_nodes: 5, ..SamplerParams::new(3) };
        assert!(fit_embedding(&config).is_err());
        let loaded = Model::from_weights(&config, embedding, &weights, &Device::Cpu).unwrap();
        assert_eq!(loaded.parameters().to_safetensors().unwrap(), weights);
        let other = Config { model: ModelConfig { hidden: 9, ..config.model.clone() }, ..config };
        let embedding = Some(model.semantics.as_ref().unwrap().embedding.clone());
        let error = Model::from_weights(&other, embedding, &weights, &Device::Cpu).map(drop).unwrap_err();
        assert!(error.to_string().contains("shape"), "{error}");
    }
}
