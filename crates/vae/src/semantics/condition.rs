//! What a conditional model is asked to express.

use candle_core::{DType, Device, Tensor};
use logicvae_kernel::{Embedding, Method};
use logicvae_logic::{Assignment, BitMatrix, Formula};

use super::differentiable::DifferentiableEmbedding;
use super::embedding::semantic_vectors;
use crate::error::VaeError;

/// The meaning that a decoded formula should have.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The meaning of this formula.
    Formula(Formula),
    /// This truth table over all variables of the model: entry `i` is the value at the assignment that sets
    /// x(b+1) to bit b of `i`.
    Table(Vec<bool>),
    /// Observed assignments, each with the value that the formula should have there. The kernel is estimated
    /// on these rows alone, so what was not observed is left open.
    Observations {
        /// The assignments, each to all variables of the model.
        rows: Vec<Assignment>,
        /// The value at each assignment.
        values: Vec<bool>,
    },
    /// A semantic vector, such as `logicvae embed` writes it.
    Vector(Vec<f32>),
}

/// The semantic vectors of a batch, one per row; without vectors for a model that is not conditional.
#[derive(Clone, Debug)]
pub struct Conditions {
    rows: usize,
    vectors: Option<Tensor>,
}

impl Conditions {
    /// For a model that is not conditional.
    pub fn none(rows: usize) -> Self {
        Self { rows, vectors: None }
    }

    /// Semantic vectors: `[rows, components]`.
    pub fn from_vectors(vectors: Tensor) -> Result<Self, VaeError> {
        Ok(Self { rows: vectors.dims2()?.0, vectors: Some(vectors) })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The vectors, if the model is conditional.
    pub fn vectors(&self) -> Option<&Tensor> {
        self.vectors.as_ref()
    }

    /// Some rows, in this order; a row may be repeated.
    pub fn select(&self, rows: &[usize]) -> Result<Self, VaeError> {
        let pick = |vectors: &Tensor| {
            let rows: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
            vectors.index_select(&Tensor::new(rows, vectors.device())?, 0)
        };
        Ok(Self { rows: rows.len(), vectors: self.vectors.as_ref().map(pick).transpose()? })
    }

    /// The first rows.
    pub(crate) fn first(&self, rows: usize) -> Result<Self, VaeError> {
        let vectors = self.vectors.as_ref().map(|vectors| vectors.narrow(0, 0, rows)).transpose()?;
        Ok(Self { rows, vectors })
    }
}

impl Condition {
    /// The semantic vector: `[1, components]`.
    pub(crate) fn vector(
        &self,
        embedding: &Embedding,
        dtype: DType,
        device: &Device,
    ) -> Result<Tensor, VaeError> {
        let variables = embedding.domain().variables();
        match self {
            Self::Formula(formula) => {
                if formula.max_variable() as usize > variables {
                    return Err(VaeError::Input(format!(
                        "the condition has the variable x{}, but the model knows x1 to x{variables}",
                        formula.max_variable()
                    )));
                }
                semantic_vectors(embedding, std::slice::from_ref(formula), dtype, device)
            }
            Self::Table(table) => {
                if variables >= usize::BITS as usize || table.len() != 1 << variables {
                    return Err(VaeError::Input(format!(
                        "the truth table has {} values, but {variables} variables have 2^{variables} \
                         assignments",
                        table.len()
                    )));
                }
                let assignments = embedding.domain().assignments();
                let mut values = BitMatrix::zeros(1, assignments.len());
                for row in 0..assignments.len() {
                    if table[index(&assignments.get(row))] {
                        values.set(0, row);
                    }
                }
                let vectors = embedding.transform_values(&values)?;
                let (shape, values) = (vectors.dim(), vectors.into_iter().collect::<Vec<f64>>());
                Ok(Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?)
            }
            Self::Observations { rows, values } => observed(embedding, rows, values, dtype, device),
            Self::Vector(vector) => {
                if vector.len() != embedding.components() {
                    return Err(VaeError::Input(format!(
                        "the semantic vector has {} numbers, but the model needs {}",
                        vector.len(),
                        embedding.components()
                    )));
                }
                let row = Tensor::from_slice(vector, (1, vector.len()), &Device::Cpu)?;
                Ok(row.to_dtype(dtype)?.to_device(device)?)
            }
        }
    }
}

/// The index of an assignment in a truth table.
fn index(assignment: &Assignment) -> usize {
    assignment.values().iter().enumerate().map(|(bit, &value)| usize::from(value) << bit).sum()
}

/// The vector of observations. Where a formula has the values ±1 at all assignments, observations have their
/// mean value at the observed ones and 0 elsewhere.
///
/// With kernel PCA, this is the mean of the vectors of all truth tables that complete the observations.
/// Gram PCA compares with the formulae of a pool instead; there the values are scaled so that products with
/// them are means over the observed rows.
fn observed(
    embedding: &Embedding,
    rows: &[Assignment],
    values: &[bool],
    dtype: DType,
    device: &Device,
) -> Result<Tensor, VaeError> {
    let domain = embedding.domain();
    let variables = domain.variables();
    if rows.is_empty() || rows.len() != values.len() {
        let message = format!(
            "there are {} observed rows and {} values: give one value per row",
            rows.len(),
            values.len()
        );
        return Err(VaeError::Input(message));
    }
    if let Some(at) = rows.iter().position(|row| row.len() != variables) {
        let found = rows[at].len();
        let message =
            format!("observed row {} has {found} values, but the model has {variables} variables", at + 1);
        return Err(VaeError::Input(message));
    }
    // An exact domain lists all assignments in the order of their indices.
    if domain.assignments().columns().is_some() {
        let message = "this model samples its assignments, so it cannot be conditioned on observed rows";
        return Err(VaeError::Input(message.into()));
    }
    let mut signs = vec![0.0; domain.len()];
    let mut times = vec![0.0; domain.len()];
    for (row, &value) in rows.iter().zip(values) {
        signs[index(row)] += if value { 1.0 } else { -1.0 };
        times[index(row)] += 1.0;
    }
    let unit = domain.len() as f64 / rows.len() as f64;
    for (sign, &times) in signs.iter_mut().zip(&times) {
        *sign *= match embedding.method() {
            Method::GramPca => unit,
            Method::KernelPca if times > 0.0 => 1.0 / times,
            Method::KernelPca => 0.0,
        };
    }
    let signs =
        Tensor::from_vec(signs, (1, domain.len()), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?;
    DifferentiableEmbedding::new(embedding, dtype, device)?.project(&signs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::semantics::fit_embedding;

    #[test]
    fn a_formula_its_table_and_all_its_observations_are_one_condition() {
        let context = ["context.pool=300", "context.components=20"];
        for form in ["context.gaussian=0.44", "model.noise=0.01"] {
            let mut config =
                Config::preset("cvae-gcn-3").unwrap().with(&context).unwrap().with(&[form]).unwrap();
            if form.starts_with("model") {
                config.context.as_mut().unwrap().gaussian = None;
                config.context.as_mut().unwrap().components = 8;
            }
            let embedding = fit_embedding(&config).unwrap().unwrap();
            let formula: Formula = "x1 & !x2 | x3".parse().unwrap();
            let table: Vec<bool> = (0..8).map(|i| formula.truth_table(3).unwrap().get(i)).collect();
            let rows: Vec<Assignment> = (0..8).map(|i| Assignment::from_index(i, 3)).collect();
            let vector = |condition: Condition| -> Vec<f64> {
                let vector = condition.vector(&embedding, DType::F64, &Device::Cpu).unwrap();
                vector.flatten_all().unwrap().to_vec1().unwrap()
            };
            let expected = vector(Condition::Formula(formula));
            let others = [
                Condition::Table(table.clone()),
                Condition::Observations { rows, values: table },
                Condition::Vector(expected.iter().map(|&x| x as f32).collect()),
            ];
            for condition in others {
                let found = vector(condition.clone());
                assert_eq!(found.len(), expected.len());
                for (a, b) in found.iter().zip(&expected) {
                    assert!((a - b).abs() < 1e-5 * b.abs().max(1.0), "{condition:?}: {a}, expected {b}");
                }
            }
        }
    }

    #[test]
    fn conditions_that_do_not_fit_are_errors() {
        let context = ["context.pool=100", "context.components=8"];
        let config = Config::preset("cvae-gcn-3").unwrap().with(&context).unwrap();
        let embedding = fit_embedding(&config).unwrap().unwrap();
        let row = Assignment::from_index(0, 2);
        for (condition, part) in [
            (Condition::Formula("x5".parse().unwrap()), "x5"),
            (Condition::Table(vec![true; 4]), "4 values"),
            (Condition::Vector(vec![0.0; 3]), "3 numbers"),
            (Condition::Observations { rows: vec![row], values: vec![true] }, "row 1"),
            (Condition::Observations { rows: vec![], values: vec![] }, "observed rows"),
        ] {
            let error = condition.vector(&embedding, DType::F32, &Device::Cpu).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
