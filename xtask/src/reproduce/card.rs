//! The card of a model that is passed on.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::reproduce::place::{Scale, write};

/// Numbers on a card, each with its key in the measures.
const LINES: [(&str, &str, bool); 10] = [
    ("accuracy", "accuracy", true),
    ("accuracy, as ordered trees", "ordered_accuracy", true),
    ("mode accuracy", "mode_accuracy", true),
    ("semantic accuracy", "semantic_accuracy", true),
    ("validity", "validity", true),
    ("uniqueness", "uniqueness", true),
    ("novelty", "novelty", true),
    ("kernel", "kernel", false),
    ("Gaussian kernel", "gaussian_kernel", false),
    ("semantic distance", "semantic_distance", false),
];

/// Writes `README.md` beside an export.
pub fn write_card(folder: &Path, name: &str, exported: &Value, values: &Value, scale: Scale) -> Result<()> {
    let config = fs::read_to_string(folder.join("config.toml")).context("the export's settings")?;
    let about: Value =
        serde_json::from_slice(&fs::read(folder.join("run.json"))?).context("the export's run.json")?;
    let mut card = format!("# {name}\n\n");
    if scale == Scale::Quick {
        card.push_str("A model of reduced size, trained for minutes: it shows that things work, not what they can do.\n\n");
    }
    writeln!(card, "Made by `cargo xtask reproduce --scale {}`. Use it in place of a run:\n", scale.name())?;
    writeln!(card, "```sh\nlogicvae evaluate models/{name}\n```\n")?;
    writeln!(card, "| | |\n|---|--:|")?;
    writeln!(card, "| test formulae | {} |", values["formulae"])?;
    for (title, key, percent) in LINES {
        if let Some(value) = values[key].as_f64() {
            let shown = if percent { format!("{:.2} %", 100.0 * value) } else { format!("{value:.4}") };
            writeln!(card, "| {title} | {shown} |")?;
        }
    }
    writeln!(card, "| data | {} |", about["data"].as_str().unwrap_or("-"))?;
    if let Some(from) = about["from"].as_str() {
        writeln!(
            card,
            "| began with the weights of | {from} (epochs, settings and novelty are of what came after) |"
        )?;
    }
    writeln!(card, "| epochs | {} |", about["export"]["epochs"])?;
    writeln!(card, "| weights | half precision, {} bytes |", exported["bytes"])?;
    writeln!(card, "| CRC-32 of the weights | `{}` |", exported["checksum"].as_str().unwrap_or("-"))?;
    writeln!(card, "\nMeasured on the exported weights. All settings:\n\n```toml\n{config}```")?;
    write(&folder.join("README.md"), card.as_bytes())
}
