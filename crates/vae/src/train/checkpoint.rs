//! Everything that is needed to resume training: weights as safetensors, and the rest as a container with
//! checksums.

use logicvae_logic::{ContainerError, ContainerReader, ContainerWriter};
use serde::{Deserialize, Serialize};

use crate::error::VaeError;

const KIND: [u8; 4] = *b"trst";
const VERSION: u32 = 1;
/// Settings, position and the names of weights are small. A larger header is rejected before it is read.
const POSITION_LIMIT: usize = 1 << 24;

/// The state of a training, in two files.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The number of finished epochs.
    pub epoch: usize,
    /// The weights, as a safetensors file.
    pub weights: Vec<u8>,
    /// The optimiser and the position, as a file that contains the checksum of the weights.
    pub state: Vec<u8>,
}

impl Checkpoint {
    /// The checksum of the weights that a state file belongs to, and the number of finished epochs. The state
    /// must be complete; the weights need not exist.
    pub fn peek(state: &[u8]) -> Result<(u32, usize), VaeError> {
        let mut reader = ContainerReader::new(state, KIND, VERSION).map_err(damaged)?;
        let head = read_head(&mut reader)?;
        // Read to the end, so that damage anywhere is found.
        while reader.next_frame().map_err(damaged)?.is_some() {}
        Ok((head.weights_checksum, head.position.epoch))
    }
}

impl Checkpoint {
    /// Reads a state completely, and checks that it belongs to these weights.
    pub fn verify(weights: &[u8], state: &[u8]) -> Result<(), VaeError> {
        read_state(state, weights).map(drop)
    }
}

/// The position of a training. Everything else follows from the settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    /// Finished epochs.
    pub epoch: usize,
    /// Finished steps of the current epoch.
    pub step: usize,
    pub sums: Sums,
    pub best: Option<BestRecord>,
    /// The number of validations since the best.
    pub worse: usize,
    /// The optimiser's steps.
    pub optimiser: u64,
}

/// The best validation. The layout is that of the oldest runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BestRecord {
    pub epoch: usize,
    pub loss: f64,
    pub prediction: f64,
    pub weighted: f64,
    pub accuracy: f64,
}

/// Sums over the steps of an epoch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub prediction: f64,
    pub weighted: f64,
    pub norm: f64,
    pub formulae: usize,
}

#[derive(Serialize, Deserialize)]
struct Head {
    /// The settings, as TOML.
    config: String,
    position: Position,
    weights_length: u64,
    weights_checksum: u32,
    /// The length of each weight's moments.
    moments: Vec<(String, u64)>,
}

fn damaged(what: impl std::fmt::Display) -> VaeError {
    VaeError::Checkpoint(format!("the training state cannot be used: {what}"))
}

/// Writes the state file.
pub(super) fn write_state(
    config: String,
    position: &Position,
    weights: &[u8],
    moments: &[(String, Vec<f32>)],
) -> Result<Vec<u8>, VaeError> {
    let head = Head {
        config,
        position: position.clone(),
        weights_length: weights.len() as u64,
        weights_checksum: crc32fast::hash(weights),
        moments: moments.iter().map(|(name, list)| (name.clone(), list.len() as u64)).collect(),
    };
    let write = || -> std::io::Result<Vec<u8>> {
        let mut out = ContainerWriter::new(Vec::new(), KIND, VERSION)?;
        out.frame(
            &bincode::serde::encode_to_vec(&head, bincode::config::standard())
                .map_err(std::io::Error::other)?,
        )?;
        for (_, list) in moments {
            let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_le_bytes()).collect();
            out.frame(&bytes)?;
        }
        out.finish()
    };
    write().map_err(damaged)
}

/// The content of a state file that is complete and belongs to its weights.
pub(super) struct State {
    pub config: String,
    pub position: Position,
    pub moments: Vec<(String, Vec<f32>)>,
}

fn next_frame(reader: &mut ContainerReader<&[u8]>) -> Result<Vec<u8>, VaeError> {
    reader
        .next_frame()
        .map_err(damaged)?
        .ok_or_else(|| damaged(ContainerError::Truncated { frame: reader.frames() + 1 }))
}

fn read_head(reader: &mut ContainerReader<&[u8]>) -> Result<Head, VaeError> {
    let head = next_frame(reader)?;
    let limited = bincode::config::standard().with_limit::<POSITION_LIMIT>();
    Ok(bincode::serde::decode_from_slice(&head, limited).map_err(damaged)?.0)
}

pub(super) fn read_state(state: &[u8], weights: &[u8]) -> Result<State, VaeError> {
    let mut reader = ContainerReader::new(state, KIND, VERSION).map_err(damaged)?;
    let head = read_head(&mut reader)?;
    if weights.len() as u64 != head.weights_length || crc32fast::hash(weights) != head.weights_checksum {
        return Err(VaeError::Checkpoint(
            "the weights do not belong to this training state: they were changed or truncated".into(),
        ));
    }
    let mut moments = Vec::with_capacity(head.moments.len());
    for (name, length) in head.moments {
        let bytes = next_frame(&mut reader)?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if numbers.len() as u64 != length || !rest.is_empty() {
            return Err(damaged(format!("`{name}` has {} bytes instead of {length} numbers", bytes.len())));
        }
        moments.push((name, numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()));
    }
    if reader.next_frame().map_err(damaged)?.is_some() {
        return Err(damaged("it has too many parts"));
    }
    Ok(State { config: head.config, position: head.position, moments })
}
