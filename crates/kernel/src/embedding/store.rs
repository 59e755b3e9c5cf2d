//! Saving and loading embeddings: in the project's container format, one frame with a description, then one
//! frame for each array.

use std::io::{Read, Write};

use bincode::config::standard;
use logicvae_logic::{Assignments, BitMatrix, ContainerError, ContainerReader, ContainerWriter};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::{Embedding, Features, Method};
use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;

const KIND: [u8; 4] = *b"embd";
const VERSION: u32 = 1;
/// The largest accepted description, in bytes. Real descriptions are much smaller; longer ones are rejected
/// before they are decoded.
const DESCRIPTION_LIMIT: usize = 1 << 10;

#[derive(Serialize, Deserialize)]
struct Description {
    variables: u64,
    assignments: u64,
    /// Whether these are all assignments; if not, their bits are stored in the next frame.
    exact: bool,
    weighted: bool,
    form: Form,
    method: Method,
    /// The number of pool rows, if the features are similarities with the pool.
    pool: Option<u64>,
    components: u64,
    total_variance: f64,
}

impl Embedding {
    /// Writes the embedding, with checksums.
    pub fn save(&self, writer: impl Write) -> Result<(), KernelError> {
        let domain = self.domain();
        let pool = match &self.features {
            Features::Values => None,
            Features::Similarities(pool) => Some(pool),
        };
        let description = Description {
            variables: domain.variables() as u64,
            assignments: domain.len() as u64,
            exact: domain.assignments().columns().is_none(),
            weighted: domain.weights().is_some(),
            form: self.form(),
            method: self.method,
            pool: pool.map(|p| p.rows() as u64),
            components: self.components() as u64,
            total_variance: self.total_variance,
        };
        let mut out = ContainerWriter::new(writer, KIND, VERSION)?;
        let head = bincode::serde::encode_to_vec(&description, standard()).map_err(std::io::Error::other)?;
        out.frame(&head)?;
        if let Some(columns) = domain.assignments().columns() {
            out.frame(&word_bytes(columns.words()))?;
        }
        if let Some(weights) = domain.weights() {
            out.frame(&number_bytes(weights))?;
        }
        if let Some(pool) = pool {
            out.frame(&word_bytes(pool.words()))?;
        }
        out.frame(&number_bytes(&self.mean))?;
        out.frame(&number_bytes(&self.projection))?;
        out.frame(&number_bytes(&self.variances))?;
        out.finish()?;
        Ok(())
    }

    /// Reads an embedding written by [`save`](Self::save). It gives bit-identical results.
    pub fn load(reader: impl Read) -> Result<Self, KernelError> {
        let mut frames = Frames(ContainerReader::new(reader, KIND, VERSION)?);
        let head = frames.next()?;
        let limited = standard().with_limit::<DESCRIPTION_LIMIT>();
        let (d, _): (Description, usize) = bincode::serde::decode_from_slice(&head, limited)
            .map_err(|e| frames.invalid(format!("invalid description: {e}")))?;
        let assignments = if d.exact {
            Assignments::all(d.variables as usize)?
        } else {
            let columns = frames.bits(d.variables, d.assignments)?;
            Assignments::from_columns(columns)?
        };
        if assignments.len() as u64 != d.assignments {
            return Err(frames.invalid(format!(
                "{} assignments instead of {}",
                assignments.len(),
                d.assignments
            )));
        }
        let weights = if d.weighted { Some(frames.numbers(d.assignments)?) } else { None };
        if weights.iter().flatten().any(|weight| *weight < 0.0) {
            return Err(frames.invalid("a weight is negative".into()));
        }
        let features = match d.pool {
            None => Features::Values,
            Some(rows) => Features::Similarities(frames.bits(rows, d.assignments)?),
        };
        let width = d.pool.unwrap_or(d.assignments);
        let mean = Array1::from(frames.numbers(width)?);
        let projection = frames.numbers(width.saturating_mul(d.components))?;
        let projection = Array2::from_shape_vec((width as usize, d.components as usize), projection)
            .map_err(|e| frames.invalid(format!("invalid projection: {e}")))?;
        let variances = Array1::from(frames.numbers(d.components)?);
        frames.end()?;
        if !d.total_variance.is_finite() {
            return Err(frames.invalid(format!("the total variance is {}", d.total_variance)));
        }
        let kernel = Kernel::new(Domain::from_scaled(assignments, weights), d.form)?;
        Ok(Self {
            kernel,
            method: d.method,
            features,
            mean,
            projection,
            variances,
            total_variance: d.total_variance,
        })
    }
}

fn word_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn number_bytes<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Vec<u8> {
    numbers.into_iter().flat_map(|v| v.to_le_bytes()).collect()
}

struct Frames<R: Read>(ContainerReader<R>);

impl<R: Read> Frames<R> {
    fn invalid(&self, what: String) -> KernelError {
        ContainerError::Content { frame: self.0.frames(), what }.into()
    }

    fn next(&mut self) -> Result<Vec<u8>, KernelError> {
        self.0.next_frame()?.ok_or_else(|| self.invalid("a frame is missing".into()))
    }

    /// Reads a frame of exactly `count` numbers of eight bytes. Memory is allocated for the frame that was
    /// read, not for the declared count.
    fn eight_byte_words(&mut self, count: u64) -> Result<Vec<[u8; 8]>, KernelError> {
        let bytes = self.next()?;
        let (eights, rest) = bytes.as_chunks::<8>();
        if eights.len() as u64 != count || !rest.is_empty() {
            return Err(
                self.invalid(format!("{} bytes instead of {count} numbers of eight bytes", bytes.len()))
            );
        }
        Ok(eights.to_vec())
    }

    fn numbers(&mut self, count: u64) -> Result<Vec<f64>, KernelError> {
        let numbers: Vec<f64> = self.eight_byte_words(count)?.into_iter().map(f64::from_le_bytes).collect();
        match numbers.iter().find(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(number) => Err(self.invalid(format!("{number} is not a finite number"))),
        }
    }

    fn bits(&mut self, rows: u64, bits: u64) -> Result<BitMatrix, KernelError> {
        let words = self.eight_byte_words(rows.saturating_mul(bits.div_ceil(64)))?;
        Ok(BitMatrix::from_words(
            rows as usize,
            bits as usize,
            words.into_iter().map(u64::from_le_bytes).collect(),
        ))
    }

    fn end(&mut self) -> Result<(), KernelError> {
        match self.0.next_frame()? {
            None => Ok(()),
            Some(_) => Err(self.invalid("there are too many frames".into())),
        }
    }
}
