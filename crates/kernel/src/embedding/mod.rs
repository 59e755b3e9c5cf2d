//! Semantic embeddings: vectors of formulae, or of observed truth values, that lie close where meanings are similar.
//!
//! With G the Gram matrix of a pool of N formulae, and H the centring of rows:
//!
//! - **gram-pca**, the paper's: principal components of the *rows* of G. A formula's features are its similarities with
//!   the pool; they are centred and projected on the leading right singular vectors of HG.
//! - **kernel-pca**, the textbook's: leading eigenvectors of HGH.
//!
//! Both end in one linear map of centred features, and the cheapest exact way to it is chosen: see [`fit`].

mod dual;
mod fit;
mod primal;
mod store;

use logicvae_logic::{BitMatrix, Formula};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::{Kernel, scaled_signs};
use crate::linalg::{Backend, product};

/// Which principal components are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Principal components of the rows of the Gram matrix: the paper's embedding.
    #[default]
    GramPca,
    /// Textbook kernel PCA.
    KernelPca,
}

/// What to fit. [`Embedding::fit`] takes it together with the pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmbeddingParams {
    /// Which principal components.
    pub method: Method,
    /// The form of the kernel.
    pub form: Form,
    /// How many components.
    pub components: usize,
    /// Take all there are, where there are fewer than `components`, instead of refusing.
    pub up_to_rank: bool,
    /// How far the truncated solver goes, where it is used: residuals are at most this times the largest eigenvalue,
    /// and errors of eigenvalues are of the order of its square.
    pub tolerance: f64,
    /// Who computes.
    pub backend: Backend,
}

impl EmbeddingParams {
    /// The paper's embedding with this many components: gram-pca of the plain kernel.
    pub fn new(components: usize) -> Self {
        Self {
            method: Method::GramPca,
            form: Form::Plain,
            components,
            up_to_rank: false,
            tolerance: 1e-6,
            backend: Backend::default(),
        }
    }
}

/// What the linear map is applied to.
#[derive(Clone, Debug, PartialEq)]
enum Features {
    /// ±1 at every assignment.
    Values,
    /// Similarities with the different formulae of the pool, whose values these are.
    Similarities(BitMatrix),
}

/// The parts of an embedding's linear map: see [`Embedding::map_parts`].
#[derive(Clone, Copy, Debug)]
pub struct MapParts<'a> {
    /// Features are similarities with these rows of truth values; without them they are ±1 at every assignment.
    pub pool: Option<&'a BitMatrix>,
    /// Means of the features.
    pub mean: &'a Array1<f64>,
    /// Features × components.
    pub projection: &'a Array2<f64>,
}

/// A fitted embedding.
///
/// ```
/// use logicvae_kernel::{Embedding, EmbeddingParams, Domain};
/// use logicvae_logic::SamplerParams;
/// let pool = SamplerParams::new(4).check()?.distinct(1, 200)?;
/// let embedding = Embedding::fit(Domain::exact(4)?, &pool, &EmbeddingParams::new(8))?;
/// let f = ["x1 & x2", "!(!x2 | !x1)", "!x1 | !x2"].map(|t| t.parse().unwrap());
/// let y = embedding.transform(&f)?;
/// assert_eq!(y.row(0), y.row(1)); // equivalent formulae are one point
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    kernel: Kernel,
    method: Method,
    features: Features,
    /// Means of the features over the pool.
    mean: Array1<f64>,
    /// Features × components.
    projection: Array2<f64>,
    /// Variance along each component, and in all directions together.
    variances: Array1<f64>,
    total_variance: f64,
}

impl Embedding {
    /// Fits to a pool of formulae.
    pub fn fit(domain: Domain, pool: &[Formula], params: &EmbeddingParams) -> Result<Self, KernelError> {
        let values = domain.values(pool)?;
        fit::fit(domain, &values, params)
    }

    /// Where formulae are compared.
    pub fn domain(&self) -> &Domain {
        self.kernel.domain()
    }

    /// The kernel's form.
    pub fn form(&self) -> Form {
        self.kernel.form()
    }

    /// Which principal components these are.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.projection.ncols()
    }

    /// Variance along each component, the largest first.
    pub fn variances(&self) -> &Array1<f64> {
        &self.variances
    }

    /// The share of the pool's variance along each component, the largest first.
    pub fn explained_variance(&self) -> Array1<f64> {
        &self.variances / self.total_variance
    }

    /// The linear map at the end, for those who compute the embedding of something else than truth values, with gradients
    /// perhaps: a vector is (features − mean) · projection.
    pub fn map_parts(&self) -> MapParts<'_> {
        let pool = match &self.features {
            Features::Values => None,
            Features::Similarities(pool) => Some(pool),
        };
        MapParts { pool, mean: &self.mean, projection: &self.projection }
    }

    /// The vectors of formulae, in the pool or not, a row for each.
    pub fn transform(&self, formulae: &[Formula]) -> Result<Array2<f64>, KernelError> {
        self.in_parts(formulae.len(), |range| self.domain().values(&formulae[range]))
    }

    /// The vectors of *observations*: values at the embedding's assignments, with no formula needed.
    ///
    /// ```
    /// use logicvae_kernel::{Embedding, EmbeddingParams, Domain};
    /// use logicvae_logic::SamplerParams;
    /// let pool = SamplerParams::new(3).check()?.distinct(1, 100)?;
    /// let embedding = Embedding::fit(Domain::exact(3)?, &pool, &EmbeddingParams::new(4))?;
    /// let values = embedding.domain().values(&pool[..2])?;
    /// assert_eq!(embedding.transform_values(&values)?, embedding.transform(&pool[..2])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transform_values(&self, values: &BitMatrix) -> Result<Array2<f64>, KernelError> {
        if values.bits() != self.domain().len() {
            return Err(KernelError::Observation { found: values.bits(), expected: self.domain().len() });
        }
        Ok(self.map(values))
    }

    /// Blocks keep the features of a long list from taking more memory than its vectors.
    fn in_parts(
        &self,
        rows: usize,
        values: impl Fn(std::ops::Range<usize>) -> Result<BitMatrix, KernelError>,
    ) -> Result<Array2<f64>, KernelError> {
        let height = ((1 << 22) / self.mean.len().max(1)).clamp(64, 1 << 16);
        let mut result = Array2::zeros((rows, self.components()));
        for (part, mut to) in result.axis_chunks_iter_mut(Axis(0), height).enumerate() {
            let start = part * height;
            to.assign(&self.map(&values(start..rows.min(start + height))?));
        }
        Ok(result)
    }

    fn map(&self, values: &BitMatrix) -> Array2<f64> {
        let mut features = match &self.features {
            Features::Values => scaled_signs(values, &vec![1.0; values.bits()]),
            Features::Similarities(pool) => self.kernel.cross_of_values(values, pool),
        };
        features -= &self.mean;
        product(Backend::default(), features.view(), self.projection.view())
    }
}
