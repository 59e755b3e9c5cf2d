//! Model cards: what a model is for, what it cannot do, and how it was measured.

use std::fmt::Write;

use anyhow::Result;
use logicvae_vae::{Config, Model, Run, Weights};

use crate::commands::evaluate::embedding::{EmbeddingReport, Kind};

/// The `README.md` of an exported model.
pub fn card(run: &Run, model: &Model, report: &EmbeddingReport) -> Result<String> {
    let mut card = String::new();
    let (name, config) = (&run.config.name, &run.config);
    header(&mut card, name)?;
    description(&mut card, config, model)?;
    use_it(&mut card, name, model)?;
    limits(&mut card, config, report)?;
    let weights = run.weights(Weights::Last)?;
    training(&mut card, run, weights.len(), &format!("{:08x}", crc32fast::hash(&weights)))?;
    metrics(&mut card, config, report)?;
    writeln!(card, "## Licence and citation\n")?;
    writeln!(card, "MIT or Apache-2.0, at your choice. The method is described in\n")?;
    writeln!(
        card,
        "> G. Saveri and L. Bortolussi: Towards Invertible Semantic-Preserving Embeddings of Logical"
    )?;
    writeln!(card, "> Formulae, 2023.\n")?;
    writeln!(card, "## Settings\n\n```toml\n{}```", config.to_toml()?)?;
    Ok(card)
}

fn header(card: &mut String, name: &str) -> Result<()> {
    writeln!(
        card,
        "---\nlicense:\n- mit\n- apache-2.0\nlibrary_name: logicvae\ntags:\n- logic\n- embedding"
    )?;
    writeln!(card, "- autoencoder\n- requirements\nmodel_name: {name}\n---\n\n# {name}\n")?;
    Ok(())
}

fn description(card: &mut String, config: &Config, model: &Model) -> Result<()> {
    let variables = config.model.variables;
    writeln!(
        card,
        "An autoencoder of propositional formulae over x1 to x{variables}: it turns a formula into a"
    )?;
    writeln!(card, "vector of {} numbers, and a vector into a formula.\n", model.vector_width())?;
    if model.reads_meanings() {
        let meaning = model.meaning_columns();
        writeln!(card, "| columns | content |\n|---|---|")?;
        writeln!(card, "| 0 | the tag of the model, the same for all vectors |")?;
        let last = meaning.end - 1;
        writeln!(
            card,
            "| {} to {last} | y: the meaning; \\|y − y'\\|² = 2 − 2k, where k is the kernel |",
            meaning.start
        )?;
        let (from, to) = (meaning.end, model.vector_width() - 1);
        writeln!(card, "| {from} to {to} | z / 128: how the formula is written |\n")?;
    }
    Ok(())
}

fn use_it(card: &mut String, name: &str, model: &Model) -> Result<()> {
    writeln!(card, "## Intended use\n")?;
    let purpose = match model.reads_meanings() {
        true => "Searching and comparing formulae, walking between them, and finding formulae for a meaning.",
        false => "Encoding formulae as vectors and decoding them again, and as a start for other models.",
    };
    writeln!(card, "{purpose}")?;
    writeln!(
        card,
        "Each vector is verified when it is made: `encode` reports formulae that are not reconstructed"
    )?;
    writeln!(card, "exactly.\n\n```sh")?;
    writeln!(card, "logicvae encode formulae.txt --model {name} --out e.npy")?;
    writeln!(card, "logicvae decode --model {name} --z e.npy")?;
    if model.reads_meanings() {
        writeln!(card, "logicvae decode --model {name} --context 'x1 & x2 | x1 & !x2'")?;
    }
    writeln!(card, "```\n\n```rust,ignore")?;
    writeln!(card, "let model = logicvae_vae::Model::load(\"{name}\")?;")?;
    writeln!(card, "let codes = model.encode(&[\"x1 & !x2\".parse()?])?;")?;
    writeln!(card, "let decoded = model.decode(&codes, logicvae_vae::Decoding::Greedy)?;\n```\n")?;
    Ok(())
}

fn limits(card: &mut String, config: &Config, report: &EmbeddingReport) -> Result<()> {
    let model = &config.model;
    writeln!(card, "## Limits\n")?;
    writeln!(
        card,
        "- At most {} variables and {} nodes; other formulae are refused.",
        model.variables, model.max_nodes
    )?;
    if !model.constant {
        writeln!(card, "- No constants.")?;
    }
    let is_size = |kind: &&Kind| kind.inverted.kind.ends_with("nodes") && kind.inverted.kind.contains('-');
    let by_share = |a: &&Kind, b: &&Kind| a.exact_percent.total_cmp(&b.exact_percent);
    if let Some(worst) = report.results.iter().filter(is_size).min_by(by_share) {
        let Kind { inverted, exact_percent, interval, .. } = worst;
        writeln!(card, "- The network alone is weakest on formulae of {}: it reconstructs", inverted.kind)?;
        writeln!(card, "  {exact_percent:.2} % of them (95 % interval {interval}).")?;
    }
    if config.data.set.sampler.all_variables {
        writeln!(
            card,
            "- It was trained on formulae in which every variable occurs, and reconstructs others far less"
        )?;
        writeln!(card, "  often: see the table.")?;
    }
    let distances = match report.meaning {
        Some(_) => "All truth assignments count the same, whether they can occur or not.",
        None => "Distances between its vectors carry no meaning.",
    };
    writeln!(card, "- {distances}\n")?;
    Ok(())
}

fn training(card: &mut String, run: &Run, bytes: usize, checksum: &str) -> Result<()> {
    let config = &run.config;
    let sampler = &config.data.set.sampler;
    writeln!(card, "## Training data\n\n| | |\n|---|---|")?;
    let data = match (config.data.general, config.data.fresh) {
        (true, _) => {
            "sampled for every epoch: random trees (plain, large, with every variable), chains, \
                      implications, two-level formulae and nestings, small formulae, constants"
        }
        (false, true) => "random trees, sampled for every epoch",
        (false, false) => "a fixed set of formulae",
    };
    writeln!(card, "| formulae | {data} |")?;
    let which = if sampler.all_variables { "exactly" } else { "up to" };
    writeln!(card, "| variables, nodes | {which} {}, up to {} |", sampler.variables, sampler.max_nodes)?;
    let epochs = run.epochs()?;
    writeln!(card, "| epochs | {epochs} of {} formulae |", config.data.set.train)?;
    if config.training.hardest_of > 1 {
        writeln!(card, "| hard-example mining | the hardest one of {} |", config.training.hardest_of)?;
    }
    if let Some(from) = run.start_name() {
        let (name, checksum) = from.split_once(' ').unwrap_or((from, "unknown"));
        writeln!(card, "| initial weights | those of an earlier run named `{name}`, CRC-32 `{checksum}` |")?;
    }
    writeln!(card, "| weights | half precision, {bytes} bytes, CRC-32 `{checksum}` |\n")?;
    Ok(())
}

fn metrics(card: &mut String, config: &Config, report: &EmbeddingReport) -> Result<()> {
    writeln!(card, "## Metrics\n")?;
    writeln!(
        card,
        "`logicvae evaluate --embedding` on the exported weights, seed {}. Exact reconstruction by greedy",
        report.seed
    )?;
    writeln!(
        card,
        "decoding, as ordered trees, in percent; *refined* is what `encode` delivers. {}",
        if config.data.set.sampler.all_variables { "Formulae" } else { "Small formulae occur" }
    )?;
    let known = match config.data.set.sampler.all_variables {
        true => "without some of the variables do not occur in training.",
        false => "in training as well, since there are few of them.",
    };
    writeln!(card, "{known}\n")?;
    let refined = report.results.iter().any(|kind| kind.refined_percent.is_some());
    let (title, line) = if refined { (" refined |", "--:|") } else { ("", "") };
    writeln!(card, "| formulae | number | network alone | 95 % interval |{title}\n|---|--:|--:|--:|{line}")?;
    for Kind { inverted, exact_percent, interval, refined_percent } in &report.results {
        let refined = match refined_percent {
            Some(percent) => format!(" {percent:.2} |"),
            None if refined => " - |".into(),
            None => String::new(),
        };
        let (kind, formulae) = (&inverted.kind, inverted.formulae);
        writeln!(card, "| {kind} | {formulae} | {exact_percent:.2} | {interval} |{refined}")?;
    }
    writeln!(card)?;
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let mut lines: Vec<(String, String)> = Vec::new();
    if let Some(paper) = &report.paper {
        let title =
            |what: &str| format!("{}, {} formulae, the paper's protocol: {what}", paper.data, paper.formulae);
        lines.push((title("accuracy"), percent(paper.accuracy)));
        lines.push((title("accuracy as ordered trees"), percent(paper.ordered_accuracy)));
        lines.push((title("mode accuracy"), percent(paper.mode_accuracy)));
    }
    if let Some(m) = &report.meaning {
        lines.extend([
            ("rank correlation of distance and kernel (-1 is best)".into(), format!("{:.4}", m.spearman)),
            (
                "kernel of the nearest neighbour, as a share of the best possible".into(),
                percent(m.neighbour_share),
            ),
            ("largest distance between equivalent formulae".into(), format!("{:.4}", m.largest_syntactic)),
            ("smallest distance between other formulae".into(), format!("{:.4}", m.smallest_semantic)),
            (
                format!("from {} meanings alone, the first decoding is equivalent", m.meanings),
                percent(m.first_equivalent),
            ),
            ("one of ten is equivalent".into(), percent(m.best_equivalent)),
            (
                "size of the shortest equivalent relative to the source, median".into(),
                format!("{:.3}", m.size_ratio),
            ),
            (format!("{} walks of 9 steps: exact ends", m.walks), percent(m.exact_ends)),
            ("mean kernel of consecutive steps".into(), format!("{:.4}", m.walk_kernel)),
        ]);
    }
    if !lines.is_empty() {
        writeln!(card, "| metric | value |\n|---|--:|")?;
        lines.iter().try_for_each(|(title, value)| writeln!(card, "| {title} | {value} |"))?;
        writeln!(card)?;
    }
    Ok(())
}
