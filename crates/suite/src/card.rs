//! Model cards: the `README.md` of each exported model, from its result and its files.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::layout::{Layout, Scale, write_file};
use crate::record::{ExportManifest, Record, read_json};
use crate::suite::Suite;

/// A number on a card.
struct Line {
    title: &'static str,
    /// Its path within the measured values.
    key: &'static str,
    /// Whether it is shown as a percentage.
    percent: bool,
}

const fn percentage(title: &'static str, key: &'static str) -> Line {
    Line { title, key, percent: true }
}

const fn number(title: &'static str, key: &'static str) -> Line {
    Line { title, key, percent: false }
}

const LINES: [Line; 10] = [
    percentage("accuracy", "accuracy"),
    percentage("accuracy with the order of children", "ordered_accuracy"),
    percentage("mode accuracy", "mode_accuracy"),
    percentage("semantic accuracy", "semantic_accuracy"),
    percentage("validity", "validity"),
    percentage("uniqueness", "uniqueness"),
    percentage("novelty", "novelty"),
    number("kernel (plain)", "kernel"),
    number("kernel (Gaussian)", "gaussian_kernel"),
    number("semantic distance", "semantic_distance"),
];

/// Writes the cards of all exported models whose weights are those of the recorded result.
pub fn write_cards(suite: &Suite, layout: &Layout) -> Result<()> {
    for experiment in &suite.experiments {
        let Some(export) = experiment.task.export().filter(|export| !export.intermediate) else { continue };
        let folder = layout.model(export);
        let record: Option<Record> = read_json(&layout.result(experiment));
        let manifest: Option<ExportManifest> = read_json(&folder.join("run.json"));
        let Some((record, manifest)) = record.zip(manifest) else { continue };
        if record.checksum.as_ref() == Some(&manifest.export.weights) {
            write_card(&folder, export.model, &record, &manifest, layout.scale)
                .with_context(|| format!("the card of {}", folder.display()))?;
        }
    }
    Ok(())
}

fn write_card(
    folder: &Path,
    name: &str,
    record: &Record,
    manifest: &ExportManifest,
    scale: Scale,
) -> Result<()> {
    let config = fs::read_to_string(folder.join("config.toml")).context("cannot read its settings")?;
    let mut card = format!("# {name}\n\n");
    if scale == Scale::Quick {
        card.push_str("This model has a reduced size and was trained for minutes, to test the suite. ");
        card.push_str("It does not show what full-size models can do.\n\n");
    }
    writeln!(card, "This model was made by `cargo xtask reproduce --scale {}`.", scale.name())?;
    writeln!(card, "It can be used like a run folder:\n")?;
    writeln!(card, "```sh\nlogicvae evaluate models/{name}\n```\n")?;
    writeln!(card, "## Evaluation\n\nThe exported weights were evaluated on the test formulae.\n")?;
    writeln!(card, "| metric | value |\n|---|--:|")?;
    writeln!(card, "| test formulae | {} |", record.value("formulae"))?;
    for line in LINES {
        if let Some(value) = record.value(line.key).as_f64() {
            let shown = if line.percent { format!("{:.2} %", 100.0 * value) } else { format!("{value:.4}") };
            writeln!(card, "| {} | {shown} |", line.title)?;
        }
    }
    writeln!(card, "\n## Training\n\n| | |\n|---|---|")?;
    writeln!(card, "| data set | `{}` |", manifest.data)?;
    if let Some(from) = &manifest.from {
        writeln!(card, "| initial weights | `{from}` |")?;
    }
    writeln!(card, "| epochs | {} |", manifest.export.epochs)?;
    let (bytes, checksum) = (record.bytes.unwrap_or(0), &manifest.export.weights);
    writeln!(card, "| weights | half precision, {bytes} bytes |")?;
    writeln!(card, "| CRC-32 of the weights | `{checksum}` |")?;
    if manifest.from.is_some() {
        writeln!(
            card,
            "\nThis training started from the weights of an earlier one. The number of epochs, the"
        )?;
        writeln!(card, "settings and the novelty refer to the last training only.")?;
    }
    writeln!(card, "\n## Settings\n\n```toml\n{config}```")?;
    write_file(&folder.join("README.md"), card.as_bytes())
}
