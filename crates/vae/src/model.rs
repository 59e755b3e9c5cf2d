//! The variational autoencoder: `z ~ N(μ(φ, y), noise² σ²(φ, y))`, φ from [`decoder`](crate::decode) of z and y, with a
//! context y or without.
//!
//! The loss of a formula is −log p(φ | z, y) + β KL(N(μ, σ²) ‖ prior), the prior N(0, I) or N(μ(y), σ²(y)).

use std::sync::Arc;

use candle_core::{D, DType, Device, Tensor};
use candle_nn::{Linear, Module, VarBuilder, linear};
use logicvae_gnn::{Encoder, Implementation, Parameters};
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;

use crate::config::{Config, ModelConfig, Prior};
use crate::decoder::{Decoder, Forest, Goal};
use crate::error::VaeError;
use crate::random::{Purpose, generator, normal};
use crate::readout::{self, Readout};

/// A normal distribution with independent components, one for each formula: `[formulae, latent]` both.
#[derive(Clone, Debug)]
pub struct Gaussian {
    /// The means.
    pub mean: Tensor,
    /// The logarithms of the variances.
    pub log_variance: Tensor,
}

impl Gaussian {
    /// `mean + scale · σ ε`, with the given standard normal numbers ε.
    pub fn sample(&self, scale: f64, noise: &Tensor) -> Result<Tensor, VaeError> {
        Ok((&self.mean + (((&self.log_variance * 0.5)?.exp()? * noise)? * scale)?)?)
    }
}

/// What gives the prior of a context: means, then logarithms of variances.
#[derive(Clone)]
struct PriorNetwork {
    /// [`Prior::Network`] alone.
    hidden: Option<Linear>,
    output: Linear,
}

impl PriorNetwork {
    fn new(model: &ModelConfig, context: usize, vb: &VarBuilder<'_>) -> Result<Option<Self>, VaeError> {
        let (hidden, output) = (model.hidden, 2 * model.latent);
        Ok(match model.prior {
            Prior::Standard => None,
            Prior::Learned => Some(Self { hidden: None, output: linear(context, output, vb.pp("prior"))? }),
            Prior::Network => Some(Self {
                hidden: Some(linear(context, hidden, vb.pp("prior.0"))?),
                output: linear(hidden, output, vb.pp("prior.2"))?,
            }),
        })
    }

    fn of(&self, context: &Tensor, latent: usize) -> Result<Gaussian, VaeError> {
        let hidden = self.hidden.as_ref().map(|hidden| hidden.forward(context)?.relu()).transpose()?;
        let both = self.output.forward(hidden.as_ref().unwrap_or(context))?;
        Ok(Gaussian { mean: both.narrow(1, 0, latent)?, log_variance: both.narrow(1, latent, latent)? })
    }
}

/// Formulae that are ready for the model. Cheap to clone.
#[derive(Clone)]
pub struct Batch {
    graphs: logicvae_gnn::Batch,
    forest: Arc<Forest>,
}

impl Batch {
    /// The number of formulae.
    pub fn len(&self) -> usize {
        self.forest.graphs
    }

    /// Whether there are none; never, since an empty batch is refused.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The loss of a batch, summed over its formulae.
pub struct Loss {
    /// `nll + beta · kl`, differentiable.
    pub total: Tensor,
    /// The negative log-likelihood.
    pub nll: Tensor,
    /// The Kullback-Leibler divergence of the posterior from the prior.
    pub kl: Tensor,
}

/// The model with its weights. Cheap to clone: clones share weights.
///
/// ```
/// use logicvae_vae::{Config, Model};
/// let config = Config::preset("tiny").unwrap();
/// let model = Model::new(&config)?;
/// let formulae = ["x1 & !x2".parse().unwrap(), "x3 | x1".parse().unwrap()];
/// let posterior = model.posterior(&model.prepare(&formulae)?, None)?;
/// assert_eq!(posterior.mean.dims(), [2, config.model.latent]);
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
#[derive(Clone)]
pub struct Model {
    config: ModelConfig,
    context: usize,
    parameters: Parameters,
    encoder: Encoder,
    mean: Linear,
    log_variance: Linear,
    prior: Option<PriorNetwork>,
    from_latent: Linear,
    decoder: Decoder,
    /// Where the decoder is told goals: what reads them from contexts.
    readout: Option<Readout>,
    implementation: Implementation,
}

impl Model {
    /// A model with first weights, on the CPU.
    pub fn new(config: &Config) -> Result<Self, VaeError> {
        Self::on(config, DType::F32, &Device::Cpu)
    }

    /// A model with first weights, of any type and on any device.
    pub fn on(config: &Config, dtype: DType, device: &Device) -> Result<Self, VaeError> {
        config.check()?;
        let (model, context) = (config.model.clone(), config.context_width());
        let parameters = Parameters::new(config.seed);
        let vb: VarBuilder<'_> = parameters.builder(dtype, device);
        let encoder_config = model.encoder_config();
        let encoder = Encoder::new(&encoder_config, vb.clone())?;
        let encoded = encoder_config.output() + context;
        Ok(Self {
            encoder,
            mean: linear(encoded, model.latent, vb.pp("mean"))?,
            log_variance: linear(encoded, model.latent, vb.pp("logvar"))?,
            prior: PriorNetwork::new(&model, context, &vb)?,
            from_latent: linear(model.latent + context, model.hidden, vb.pp("from_latent"))?,
            decoder: Decoder::new(&model, &vb)?,
            readout: model.goals.then(|| Readout::new(config, &vb)).transpose()?,
            config: model,
            context,
            parameters,
            implementation: Implementation::Fused,
        })
    }

    /// The same weights, computed by another implementation.
    pub fn with_implementation(&self, implementation: Implementation) -> Self {
        Self { encoder: self.encoder.with_implementation(implementation), implementation, ..self.clone() }
    }

    /// The settings.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The width of the context that the model reads; 0 if it reads none.
    pub fn context_width(&self) -> usize {
        self.context
    }

    /// The weights.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Orders formulae for the model. Formulae that come again need this only once.
    pub fn prepare(&self, formulae: &[Formula]) -> Result<Batch, VaeError> {
        let (graphs, forest) = rayon::join(
            || self.encoder.prepare(&self.config.vocabulary().graphs(formulae)?),
            || {
                let indices = self.config.parent_index.then_some(self.config.marks());
                Forest::new(
                    &self.config.vocabulary(),
                    formulae,
                    self.config.graph_state,
                    !self.config.constrained,
                    indices,
                )
            },
        );
        Ok(Batch { graphs: graphs?, forest: Arc::new(forest?) })
    }

    /// The distribution of latent vectors, given formulae and their contexts.
    pub fn posterior(&self, batch: &Batch, context: Option<&Tensor>) -> Result<Gaussian, VaeError> {
        let encoded = self.with_context(&self.encoder.forward(&batch.graphs)?, context)?;
        Ok(Gaussian {
            mean: self.mean.forward(&encoded)?,
            log_variance: self.log_variance.forward(&encoded)?,
        })
    }

    /// The distribution of latent vectors before a formula is seen; for `rows` of them.
    pub fn prior(&self, rows: usize, context: Option<&Tensor>) -> Result<Gaussian, VaeError> {
        match (&self.prior, context) {
            (Some(prior), Some(context)) => prior.of(&context.to_device(self.device())?, self.config.latent),
            (Some(_), None) => Err(missing_context()),
            (None, _) => {
                let zeros = Tensor::zeros((rows, self.config.latent), self.dtype(), self.device())?;
                Ok(Gaussian { mean: zeros.clone(), log_variance: zeros })
            }
        }
    }

    /// Latent vectors drawn from the prior: `[rows, latent]`.
    pub fn draw(&self, rows: usize, context: Option<&Tensor>, seed: u64) -> Result<Tensor, VaeError> {
        let noise = normal(
            &mut generator(seed, Purpose::Prior, 0),
            rows,
            self.config.latent,
            self.dtype(),
            self.device(),
        )?;
        self.prior(rows, context)?.sample(1.0, &noise)
    }

    /// What START reads: `[rows, hidden]`.
    pub(crate) fn start(&self, z: &Tensor, context: Option<&Tensor>) -> Result<Tensor, VaeError> {
        Ok(self.from_latent.forward(&self.with_context(z, context)?)?.tanh()?)
    }

    /// What decodings of each context should be, if the decoder is told.
    pub(crate) fn goals(&self, context: Option<&Tensor>) -> Result<Vec<Goal>, VaeError> {
        let Some((readout, context)) = self.readout.as_ref().zip(context) else { return Ok(Vec::new()) };
        let tables = readout.tables(context)?;
        Ok(tables.into_iter().map(|table| Goal::to_be(table, self.config.variables)).collect())
    }

    /// Makes a new model ready for the contexts of an embedding. What is trained is not changed.
    pub(crate) fn read_contexts_of(&self, config: &Config, embedding: &Embedding) -> Result<(), VaeError> {
        match self.readout {
            Some(_) => Readout::fit(config, embedding, &self.parameters),
            None => Ok(()),
        }
    }

    /// The weights that training changes, by name: all but the readout's.
    pub(crate) fn trained(&self) -> Vec<(String, candle_core::Var)> {
        self.parameters.vars().into_iter().filter(|(name, _)| !name.starts_with(readout::PREFIX)).collect()
    }

    /// −log p(φ | z, y) of each formula: `[formulae]`. Differentiable.
    pub fn negative_log_likelihood(
        &self,
        batch: &Batch,
        z: &Tensor,
        context: Option<&Tensor>,
    ) -> Result<Tensor, VaeError> {
        if z.dims() != [batch.len(), self.config.latent] {
            let wanted = (batch.len(), self.config.latent);
            return Err(VaeError::Input(format!(
                "latent vectors are {:?}, but {wanted:?} is wanted",
                z.dims()
            )));
        }
        let h0 = self.start(&z.to_device(self.device())?, context)?;
        Ok(self.decoder.negative_log_likelihood(
            &batch.forest,
            &h0,
            self.goals(context)?,
            self.implementation,
        )?)
    }

    /// The same for latent vectors that are moved while the weights stay: the gradients of weights are not computed.
    pub(crate) fn frozen(&self) -> Self {
        let detach = |l: &Linear| Linear::new(l.weight().detach(), l.bias().map(Tensor::detach));
        Self { from_latent: detach(&self.from_latent), decoder: self.decoder.frozen(), ..self.clone() }
    }

    /// The loss of a batch: `noise` has a row of standard normal numbers for each formula.
    pub fn loss(
        &self,
        batch: &Batch,
        noise: &Tensor,
        context: Option<&Tensor>,
        beta: f64,
    ) -> Result<Loss, VaeError> {
        self.hybrid_loss(batch, noise, context, beta, 0)
    }

    /// The same, where the first formulae, so many, are decoded from the prior instead of the posterior: what a context is
    /// given for is then learned along with how formulae come back (the hybrid objective of Sohn, Lee and Yan, 2015).
    pub fn hybrid_loss(
        &self,
        batch: &Batch,
        noise: &Tensor,
        context: Option<&Tensor>,
        beta: f64,
        from_prior: usize,
    ) -> Result<Loss, VaeError> {
        let posterior = self.posterior(batch, context)?;
        let mut z = posterior.sample(self.config.noise, noise)?;
        if from_prior > 0 {
            let rest = batch.len() - from_prior;
            let context = context.map(|context| context.narrow(0, 0, from_prior)).transpose()?;
            // The prior follows the posterior, not the other way round.
            let prior = self.prior(from_prior, context.as_ref())?;
            let drawn = prior.sample(1.0, &noise.narrow(0, 0, from_prior)?)?.detach();
            z = Tensor::cat(&[&drawn, &z.narrow(0, from_prior, rest)?], 0)?;
        }
        let nll = self.negative_log_likelihood(batch, &z, context)?.sum_all()?;
        let kl = self.divergence(&posterior, context)?;
        Ok(Loss { total: (&nll + (&kl * beta)?)?, nll, kl })
    }

    /// KL(posterior ‖ prior), summed.
    pub(crate) fn divergence(
        &self,
        posterior: &Gaussian,
        context: Option<&Tensor>,
    ) -> Result<Tensor, VaeError> {
        let Gaussian { mean, log_variance } = posterior;
        let twice = match &self.prior {
            // exp(v) + μ² − 1 − v
            None => ((log_variance.exp()? + mean.sqr()?)? - (log_variance + 1.0)?)?,
            // (exp(v) + (μ − m)²) / exp(p) − 1 + p − v
            Some(_) => {
                let prior = self.prior(mean.dim(0)?, context)?;
                let scaled =
                    ((log_variance.exp()? + (mean - &prior.mean)?.sqr()?)? / prior.log_variance.exp()?)?;
                ((scaled - 1.0)? + (&prior.log_variance - log_variance)?)?
            }
        };
        Ok((twice.sum_all()? * 0.5)?)
    }

    /// Puts the context beside vectors; says so if it is missing or of another width.
    fn with_context(&self, x: &Tensor, context: Option<&Tensor>) -> Result<Tensor, VaeError> {
        match (self.context, context) {
            (0, None) => Ok(x.clone()),
            (0, Some(_)) => Err(VaeError::Input("this model reads no context: leave it out".into())),
            (_, None) => Err(missing_context()),
            (width, Some(context)) => {
                if context.dims() != [x.dim(0)?, width] {
                    let message = format!(
                        "the context is {:?}, but this model reads {width} numbers for each of {}",
                        context.dims(),
                        x.dim(0)?
                    );
                    return Err(VaeError::Input(message));
                }
                Ok(Tensor::cat(&[x, &context.to_device(self.device())?], D::Minus1)?)
            }
        }
    }

    /// The type of the weights.
    pub fn dtype(&self) -> DType {
        self.mean.weight().dtype()
    }

    /// Where the weights are.
    pub fn device(&self) -> &Device {
        self.mean.weight().device()
    }
}

fn missing_context() -> VaeError {
    VaeError::Input("this model is conditional: give it a context for each formula".into())
}
