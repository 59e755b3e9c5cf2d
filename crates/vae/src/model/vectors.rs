//! The embedding e = (y, z): one vector per formula that says what it means and how it is written.
//!
//! ```text
//! e = [ tag | y: the meaning | z / 128: how it is written ]
//! ```
//!
//! **Semantic first, syntactic second.** If the semantic embedding is isometric, two formulae of five
//! variables with different meanings are at least 0.35 apart in y, since |y − y'|² = 2 − 2k. Latent vectors
//! are divided by 128, so that their distances stay below that: formulae with equal meanings are closer to
//! each other than formulae with different meanings.
//!
//! **Nothing is lost.** The division only changes the exponent of a floating-point number, so z is read back
//! exactly.
//!
//! **The tag** is the first number. It is the same for all vectors of a model, so it does not change
//! distances, and it survives averages and interpolation. Vectors of another model are recognised by it. It
//! is tiny, so that it does not change cosines either.
//!
//! A model that is not conditional has no meaning to offer: its vectors are the tag and z.

use candle_core::{D, DType, Device, Tensor};

use super::{Codes, Model};
use crate::error::VaeError;
use crate::semantics::Conditions;

/// What latent vectors are divided by if a meaning stands beside them.
const SYNTAX_DIVISOR: f64 = 128.0;
/// The number of different tags.
const TAGS: u32 = 1 << 20;
/// One step of a tag: 2⁻³⁴, so that it is below 0.0001.
const TAG_UNIT: f64 = 1.0 / (1u64 << 34) as f64;

impl Model {
    /// The number of numbers in a vector of the embedding.
    pub fn vector_width(&self) -> usize {
        1 + self.condition_width + self.config.latent
    }

    /// The range of columns that holds the meaning.
    pub fn meaning_columns(&self) -> std::ops::Range<usize> {
        1..1 + self.condition_width
    }

    /// A number that identifies the model, from 1 to 2²⁰: a hash of its weights and its semantic embedding.
    pub(crate) fn tag(&self) -> Result<u32, VaeError> {
        let mut hash = crc32fast::Hasher::new();
        hash.update(&self.parameters.to_safetensors()?);
        if let Some(embedding) = self.embedding() {
            let mut bytes = Vec::new();
            embedding.save(&mut bytes)?;
            hash.update(&bytes);
        }
        Ok(1 + hash.finalize() % TAGS)
    }

    fn syntax_divisor(&self) -> f64 {
        if self.condition_width > 0 { SYNTAX_DIVISOR } else { 1.0 }
    }

    /// The vectors of encoded formulae: `[rows, vector_width]`.
    ///
    /// ```
    /// use logicvae_vae::{Config, Model};
    /// let model = Model::new(&Config::preset("tiny").unwrap())?;
    /// let codes = model.encode(&["x1 & !x2".parse().unwrap()])?;
    /// let vectors = model.vectors(&codes)?;
    /// assert_eq!(vectors.dims(), [1, model.vector_width()]);
    /// let again = model.codes(&vectors)?;
    /// assert_eq!(again.z.to_vec2::<f32>()?, codes.z.to_vec2::<f32>()?);
    /// # Ok::<(), logicvae_vae::VaeError>(())
    /// ```
    pub fn vectors(&self, codes: &Codes) -> Result<Tensor, VaeError> {
        let rows = codes.rows();
        let tag = f64::from(self.tag()?) * TAG_UNIT;
        let first = Tensor::full(tag as f32, (rows, 1), &Device::Cpu)?;
        let host = |t: &Tensor| t.to_dtype(DType::F32)?.to_device(&Device::Cpu);
        let mut parts = vec![first];
        parts.extend(codes.conditions.vectors().map(host).transpose()?);
        parts.push((host(&codes.z)? / self.syntax_divisor())?);
        Ok(Tensor::cat(&parts, D::Minus1)?)
    }

    /// Codes from vectors of [`Model::vectors`]. Vectors of another model are an error.
    pub fn codes(&self, vectors: &Tensor) -> Result<Codes, VaeError> {
        let (rows, width) = vectors.dims2()?;
        if width != self.vector_width() {
            return Err(VaeError::Input(format!(
                "the vectors have {width} numbers, but those of this model have {}: they come from another \
                 model",
                self.vector_width()
            )));
        }
        let vectors = vectors.to_dtype(DType::F32)?.to_device(&Device::Cpu)?;
        let expected = f64::from(self.tag()?);
        let found: Vec<f32> = vectors.narrow(1, 0, 1)?.flatten_all()?.to_vec1()?;
        let differs = |&x: &f32| (f64::from(x) / TAG_UNIT - expected).abs() >= 0.5;
        if let Some(row) = found.iter().position(differs) {
            return Err(VaeError::Input(format!(
                "row {} does not carry the tag of this model ({expected}): it was made by another \
                 model, or its first number was changed",
                row + 1
            )));
        }
        let conditions = match self.condition_width {
            0 => Conditions::none(rows),
            width => Conditions::from_vectors(self.checked_meanings(vectors.narrow(1, 1, width)?)?)?,
        };
        let z = vectors.narrow(1, 1 + self.condition_width, self.config.latent)?.contiguous()?;
        Ok(Codes { z: (z * self.syntax_divisor())?, conditions })
    }
}
