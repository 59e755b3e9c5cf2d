//! `logicvae evaluate --embedding`: is every kind of formula reconstructed, and do vectors carry the meaning?

use std::io::{self, Write};

use anyhow::Result;
use logicvae_logic::{DatasetSpec, wilson_interval};
use logicvae_vae::metrics::{
    InvertedKind, Meaning, MeaningProtocol, Protocol, inversion, meaning, reconstruction,
};
use logicvae_vae::{Model, Refinement};
use serde::Serialize;

use crate::progress::Progress;

/// What was measured.
#[derive(Serialize)]
pub struct EmbeddingReport {
    pub name: String,
    pub seed: u64,
    /// Exact reconstruction by kind of formula.
    pub results: Vec<Kind>,
    /// The paper's protocol on its test set of as many variables, if there is one.
    pub paper: Option<PaperReport>,
    /// Only for models that read meanings.
    pub meaning: Option<Meaning>,
}

/// Exact reconstruction of one kind of formula, in numbers and in percent.
#[derive(Serialize)]
pub struct Kind {
    #[serde(flatten)]
    pub inverted: InvertedKind,
    pub exact_percent: f64,
    /// The 95 % interval of it.
    pub interval: String,
    pub refined_percent: Option<f64>,
}

impl From<InvertedKind> for Kind {
    fn from(inverted: InvertedKind) -> Self {
        let count = inverted.formulae.max(1) as f64;
        let percent = |number: usize| 100.0 * number as f64 / count;
        let (low, high) = wilson_interval(inverted.exact as f64 / count, count);
        Self {
            exact_percent: percent(inverted.exact),
            interval: format!("{:.2} to {:.2}", 100.0 * low, 100.0 * high),
            refined_percent: inverted.refined.map(percent),
            inverted,
        }
    }
}

/// The paper's protocol on the test set of `paper-N`.
#[derive(Serialize)]
pub struct PaperReport {
    pub data: String,
    pub formulae: usize,
    pub accuracy: f64,
    pub ordered_accuracy: f64,
    pub mode_accuracy: f64,
    pub greedy_accuracy: f64,
    /// The share that is reconstructed after refinement.
    pub refined: Option<f64>,
}

/// Measures a model on formulae that are sampled for this purpose.
pub fn measure(model: &Model, name: &str, quick: bool, seed: u64) -> Result<EmbeddingReport> {
    let scale = if quick { 10 } else { 1 };
    let reads_meanings = model.reads_meanings();
    let mut bar = Progress::phase("reconstructing, in percent", 100);
    let inversion = inversion(model, 2000 / scale, seed, reads_meanings, |done, all| {
        bar.set(100 * done / all.max(1));
    })?;
    drop(bar);
    let paper = paper(model, quick, seed)?;
    let meaning = if reads_meanings {
        let protocol =
            MeaningProtocol { compared: 2000 / scale, expressed: 2000 / scale, walks: 100 / scale, seed };
        let mut bar = Progress::phase("comparing meanings, in percent", 100);
        Some(meaning(model, &protocol, |share| bar.set((100.0 * share) as usize))?)
    } else {
        None
    };
    let results = inversion.into_iter().map(Kind::from).collect();
    Ok(EmbeddingReport { name: name.to_owned(), seed, results, paper, meaning })
}

fn paper(model: &Model, quick: bool, seed: u64) -> Result<Option<PaperReport>> {
    let data = format!("paper-{}", model.config().variables);
    let Some(spec) = DatasetSpec::preset(&data) else { return Ok(None) };
    if spec.sampler.max_nodes > model.config().max_nodes {
        return Ok(None);
    }
    let test = spec.generate()?.test;
    let protocol = if quick { Protocol::quick() } else { Protocol::paper() };
    let mut bar = Progress::phase("reconstructing the paper's test set", test.len());
    let found = reconstruction(model, &test, &Protocol { seed, ..protocol }, |done| bar.set(done))?;
    drop(bar);
    let refined = if model.reads_meanings() {
        let codes = model.encode(&test)?;
        let mut bar = Progress::phase("refining the paper's test set", test.len());
        let exact = model.refine(&test, &codes, &Refinement::default(), |done| bar.set(done))?.exact;
        Some(exact.iter().filter(|&&exact| exact).count() as f64 / test.len() as f64)
    } else {
        None
    };
    Ok(Some(PaperReport {
        data,
        formulae: test.len(),
        accuracy: found.accuracy,
        ordered_accuracy: found.ordered_accuracy,
        mode_accuracy: found.mode_accuracy,
        greedy_accuracy: found.greedy_accuracy,
        refined,
    }))
}

/// The report as text.
pub fn print(report: &EmbeddingReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: exact reconstruction by greedy decoding, in percent", report.name)?;
    writeln!(out, "{:<26}{:>9}{:>9}{:>18}{:>9}", "formulae", "number", "exact", "95 % interval", "refined")?;
    for Kind { inverted: InvertedKind { kind, formulae, .. }, exact_percent, interval, refined_percent } in
        &report.results
    {
        let refined = refined_percent.map_or("-".into(), |percent| format!("{percent:.2}"));
        writeln!(out, "{kind:<26}{formulae:>9}{exact_percent:>9.2}{interval:>18}{refined:>9}")?;
    }
    let mut line = |title: &str, value: String| writeln!(out, "{title:<48}{value:>10}");
    if let Some(paper) = &report.paper {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        line(&format!("{}, the paper's protocol: accuracy", paper.data), percent(paper.accuracy))?;
        line("  as ordered trees", percent(paper.ordered_accuracy))?;
        line("  most frequent decoding", percent(paper.mode_accuracy))?;
        line("  greedy, as ordered trees", percent(paper.greedy_accuracy))?;
        if let Some(refined) = paper.refined {
            line("  after refinement", percent(refined))?;
        }
    }
    if let Some(m) = &report.meaning {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        line("rank correlation of distance and kernel", format!("{:.4}", m.spearman))?;
        line("kernel of the nearest neighbour", format!("{:.4}", m.neighbour_kernel))?;
        line("  as a share of the best possible", percent(m.neighbour_share))?;
        line("largest distance of equivalent formulae", format!("{:.4}", m.largest_syntactic))?;
        line("smallest distance of other formulae", format!("{:.4}", m.smallest_semantic))?;
        line("meaning alone: first decoding equivalent", percent(m.first_equivalent))?;
        line("  one of ten equivalent", percent(m.best_equivalent))?;
        line("  size of the shortest / source, median", format!("{:.3}", m.size_ratio))?;
        line("walks with exact ends", percent(m.exact_ends))?;
        line("  kernel of consecutive steps", format!("{:.4}", m.walk_kernel))?;
    }
    Ok(())
}
