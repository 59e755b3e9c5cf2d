//! Semantic embeddings: vectors of formulae, or of observed truth values, that are close if the meanings are
//! similar.
//!
//! With G the Gram matrix of a pool of N formulae and H the centring matrix, which subtracts the mean row:
//!
//! - **gram-pca**, the paper's method: principal components of the *rows* of G. The features of a formula are
//!   its similarities with the pool; they are centred and projected on the leading right singular vectors of
//!   HG.
//! - **kernel-pca**, standard kernel PCA: the leading eigenvectors of HGH.
//!
//! Both result in one linear map of centred features. [`fit`] selects the cheapest exact algorithm.

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

/// The method of principal component analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Principal components of the rows of the Gram matrix: the paper's method.
    #[default]
    GramPca,
    /// Standard kernel PCA.
    KernelPca,
}

/// The settings of an embedding, used by [`Embedding::fit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmbeddingParams {
    /// The method.
    pub method: Method,
    /// The form of the kernel.
    pub form: Form,
    /// The number of components.
    pub components: usize,
    /// Whether to return fewer components if the pool has a lower rank, instead of an error.
    pub up_to_rank: bool,
    /// The tolerance of the truncated eigenvalue solver, if it is used: residuals are at most this times the
    /// largest eigenvalue, and errors of eigenvalues are of the order of its square.
    pub tolerance: f64,
    /// The linear algebra backend.
    pub backend: Backend,
}

impl EmbeddingParams {
    /// The paper's embedding with this number of components: gram-pca of the plain kernel.
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

/// The features that the linear map is applied to.
#[derive(Clone, Debug, PartialEq)]
enum Features {
    /// ±1 at every assignment.
    Values,
    /// Similarities with the distinct formulae of the pool, given by their truth values.
    Similarities(BitMatrix),
}

/// The parts of an embedding's linear map: see [`Embedding::map_parts`].
#[derive(Clone, Copy, Debug)]
pub struct MapParts<'a> {
    /// The pool's truth values if the features are similarities with the pool; `None` if they are ±1 at every
    /// assignment.
    pub pool: Option<&'a BitMatrix>,
    /// The means of the features over the pool.
    pub mean: &'a Array1<f64>,
    /// The projection matrix, features × components.
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
/// assert_eq!(y.row(0), y.row(1)); // equivalent formulae have equal vectors
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    kernel: Kernel,
    method: Method,
    features: Features,
    /// The means of the features over the pool.
    mean: Array1<f64>,
    /// The projection matrix, features × components.
    projection: Array2<f64>,
    /// The variance along each component.
    variances: Array1<f64>,
    /// The total variance in all directions.
    total_variance: f64,
}

impl Embedding {
    /// Fits the embedding to a pool of formulae.
    pub fn fit(domain: Domain, pool: &[Formula], params: &EmbeddingParams) -> Result<Self, KernelError> {
        let values = domain.values(pool)?;
        fit::fit(domain, &values, params)
    }

    /// The same embedding with another form of the kernel between the pool and what is embedded. The means
    /// and the projection stay those of the form that it was fitted with. The authors' program does that: it
    /// decomposes the pool with σ² = 0.2 and embeds formulae with σ² = 0.44. An embedding by truth values has
    /// no such form and stays as it is.
    pub fn with_form(self, form: Form) -> Result<Self, KernelError> {
        Ok(Self { kernel: Kernel::new(self.kernel.domain().clone(), form)?, ..self })
    }

    /// The assignments at which formulae are compared.
    pub fn domain(&self) -> &Domain {
        self.kernel.domain()
    }

    /// The form of the kernel.
    pub fn form(&self) -> Form {
        self.kernel.form()
    }

    /// The method of principal component analysis.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.projection.ncols()
    }

    /// The variance along each component, in descending order.
    pub fn variances(&self) -> &Array1<f64> {
        &self.variances
    }

    /// The fraction of the pool's variance along each component, in descending order.
    pub fn explained_variance(&self) -> Array1<f64> {
        &self.variances / self.total_variance
    }

    /// The parts of the linear map: a vector is (features − mean) · projection. Use them to embed something
    /// other than truth values, for example with gradients.
    pub fn map_parts(&self) -> MapParts<'_> {
        let pool = match &self.features {
            Features::Values => None,
            Features::Similarities(pool) => Some(pool),
        };
        MapParts { pool, mean: &self.mean, projection: &self.projection }
    }

    /// The vectors of formulae, one row for each. The formulae need not be in the pool.
    pub fn transform(&self, formulae: &[Formula]) -> Result<Array2<f64>, KernelError> {
        self.transform_blocks(formulae.len(), |range| self.domain().values(&formulae[range]))
    }

    /// The vectors of *observations*: truth values at the embedding's assignments, without a formula.
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
        Ok(self.project(values))
    }

    /// Transforms in blocks of rows, so that the features of a long list do not take more memory than its
    /// vectors.
    fn transform_blocks(
        &self,
        rows: usize,
        values: impl Fn(std::ops::Range<usize>) -> Result<BitMatrix, KernelError>,
    ) -> Result<Array2<f64>, KernelError> {
        let height = ((1 << 22) / self.mean.len().max(1)).clamp(64, 1 << 16);
        let mut result = Array2::zeros((rows, self.components()));
        for (part, mut to) in result.axis_chunks_iter_mut(Axis(0), height).enumerate() {
            let start = part * height;
            to.assign(&self.project(&values(start..rows.min(start + height))?));
        }
        Ok(result)
    }

    fn project(&self, values: &BitMatrix) -> Array2<f64> {
        let mut features = match &self.features {
            Features::Values => scaled_signs(values, &vec![1.0; values.bits()]),
            Features::Similarities(pool) => self.kernel.cross_of_values(values, pool),
        };
        features -= &self.mean;
        product(Backend::default(), features.view(), self.projection.view())
    }
}
