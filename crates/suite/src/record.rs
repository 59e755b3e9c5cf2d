//! Files that experiments and trainings leave, as far as the suite reads them.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The result of an experiment: one JSON file per experiment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The name of the experiment.
    pub name: String,
    /// The scale that it ran at.
    pub scale: String,
    /// Identifies the settings and the code that gave this result.
    pub fingerprint: String,
    /// The suite's `code_version` at that time.
    pub code_version: u32,
    /// The seed of the experiment.
    pub seed: Option<u64>,
    /// All settings of a training, as TOML.
    pub config: Option<String>,
    /// The processor that it ran on.
    pub processor: Option<String>,
    /// How long the experiment took, without parts of a training that ran before an interruption.
    pub seconds: f64,
    /// What was measured. Metrics and exhibits of the suite address it by path.
    pub values: Value,
    /// How a training ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// How many formulae the training saw, over all epochs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formulae: Option<u64>,
    /// The mean negative log-likelihood of a formula in the last epoch of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_nll: Option<f64>,
    /// How long the whole training took, over all its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_seconds: Option<f64>,
    /// The size of exported weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The CRC-32 of exported weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
}

impl Record {
    /// A measured value by its path, such as `quartiles.0`; null if there is none.
    pub fn value(&self, path: &str) -> &Value {
        let pointer = format!("/{}", path.replace('.', "/"));
        self.values.pointer(&pointer).unwrap_or(&Value::Null)
    }

    /// How many epochs the training of this experiment had.
    pub fn epochs(&self) -> Option<u64> {
        self.training.as_ref().map(|training| training.epochs)
    }
}

/// What `logicvae train` prints at its end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Training {
    /// The number of completed epochs.
    pub epochs: u64,
    /// Everything else, kept as it is.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The newest line of a training's `metrics.jsonl`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct LastEpoch {
    /// The number of completed epochs.
    pub epoch: u64,
    /// Formulae seen so far.
    pub formulae: Option<u64>,
    /// The mean negative log-likelihood of a formula.
    pub nll: Option<f64>,
    /// Seconds of training so far.
    pub seconds: Option<f64>,
}

impl LastEpoch {
    /// Reads it from a run folder; zero epochs if there is none.
    pub fn read(run: &Path) -> Self {
        let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default();
        text.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
    }
}

/// What precedes the hash at the end of a result file.
const SEAL: &str = ",\"sha256\":\"";

/// A result as the text of its file, which ends with the SHA-256 of everything before it. A result that was
/// edited by hand is therefore noticed.
pub fn seal(result: &Value) -> String {
    let text = result.to_string();
    let digest = Sha256::digest(text.as_bytes());
    let content = text.strip_suffix('}').unwrap_or(&text);
    format!("{content}{SEAL}{digest:x}\"}}\n")
}

/// Reads a result; `None` if it does not exist, has another form, or was changed after it was written.
pub fn read_result(path: &Path) -> Option<Record> {
    let text = fs::read_to_string(path).ok()?;
    let (content, rest) = text.rsplit_once(SEAL)?;
    let digest = rest.trim_end().strip_suffix("\"}")?;
    let is_unchanged = format!("{:x}", Sha256::digest(format!("{content}}}"))) == digest;
    is_unchanged.then(|| serde_json::from_str(&text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_that_was_edited_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let text = seal(&json!({ "name": "a", "fingerprint": "f", "values": { "accuracy": 0.5 } }));
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            read_result(&path)
        };
        assert_eq!(read(&text).unwrap().value("accuracy"), &json!(0.5));
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "it is still JSON");
        assert!(read(&text.replace("0.5", "0.6")).is_none());
        assert!(read(&text.replace("sha256\":\"", "sha256\":\"0")).is_none());
        // Neither a result without its hash nor one with another layout is.
        assert!(read(r#"{"name":"a","values":{"accuracy":0.5}}"#).is_none());
        assert!(read(&text.replace(":", ": ")).is_none());
    }
}
