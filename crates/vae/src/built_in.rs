//! The model that is part of the library: `general-5`, for any formula of at most five variables and 30
//! nodes.

use crate::error::VaeError;
use crate::model::Model;

const CONFIG: &str = include_str!("../models/general-5/config.toml");
const WEIGHTS: &[u8] = include_bytes!("../models/general-5/model.safetensors");
const EMBEDDING: &[u8] = include_bytes!("../models/general-5/context.bin");

impl Model {
    /// The model `general-5`. Its card, with its accuracy by kind of formula, is in
    /// `crates/vae/models/general-5/README.md`.
    ///
    /// ```
    /// use logicvae_vae::{Decoding, Model};
    /// let model = Model::built_in()?;
    /// let formula: logicvae_logic::Formula = "x1 & !x2".parse().unwrap();
    /// let codes = model.encode(&[formula.clone()])?;
    /// assert_eq!(model.decode(&codes, Decoding::Greedy)?[0][0].formula, Some(formula));
    /// # Ok::<(), logicvae_vae::VaeError>(())
    /// ```
    pub fn built_in() -> Result<Self, VaeError> {
        Self::from_bytes(CONFIG, WEIGHTS, Some(EMBEDDING))
    }
}
