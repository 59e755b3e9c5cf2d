//! `logicvae decode`

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use logicvae_logic::{Assignment, Formula, Names};
use logicvae_vae::{Codes, Condition, Conditions, Decoded, Decoding, Expressed, Model};
use serde::Serialize;

use crate::args::DecodeArgs;
use crate::input::{Inputs, is_file, read_text};
use crate::matrix;
use crate::output::Output;
use crate::trained::{formulae, formulae_or_file, minimised, open};

/// The number of formulae that are shown for a meaning.
const SHOWN: u32 = 10;

#[derive(Serialize)]
struct Report {
    formulae: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    row: usize,
    formula: Option<String>,
    log_probability: f64,
    /// The share of the requested values that the formula has; none if the model has no meaning.
    agreement: Option<f64>,
    count: usize,
}

pub fn run(args: &DecodeArgs, output: Output) -> Result<ExitCode> {
    let model = open(&args.model)?;
    if args.z.is_none() && args.context.is_none() && model.embedding().is_some() {
        bail!("this model is conditional: give vectors with --z, or a meaning with --context");
    }
    let mut inputs = Inputs::new();
    if let Some(list) = &args.names {
        inputs.names = names(list)?;
    }
    let conditions =
        args.context.as_deref().map(|given| conditions(&model, given, &mut inputs)).transpose()?;
    let from_prior = args.draws.is_some() || args.samples.is_some() || args.of.is_some();
    let formulae = match (&args.z, conditions) {
        (None, Some(conditions)) if !from_prior && model.config().goal_conditioned => {
            let count = args.beam.unwrap_or(SHOWN) as usize;
            let show = |formula: &Formula| shown(args, formula, &inputs);
            meanings(&model, &conditions, count, &show)?
        }
        (_, conditions) => vectors(args, &model, conditions, &mut inputs)?,
    };
    let mut report = Report { formulae };
    if args.minimise {
        // Different decodings can have the same smallest formula.
        report.formulae.dedup_by(|next, line| (next.row, &next.formula) == (line.row, &line.formula));
    }
    output.print(&report, |out| {
        writeln!(out, "  row  agreement  log-prob.  formula")?;
        for line in &report.formulae {
            let formula = line.formula.as_deref().unwrap_or("(not a formula)");
            let times = if line.count > 1 { format!("  {} times", line.count) } else { String::new() };
            let agreement = line.agreement.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share));
            writeln!(
                out,
                "{:>5}  {agreement:>9}  {:>9.4}  {formula}{times}",
                line.row, line.log_probability
            )?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A decoded formula as it is shown.
fn shown(args: &DecodeArgs, formula: &Formula, inputs: &Inputs) -> String {
    if args.minimise { inputs.show(&minimised(formula)) } else { inputs.show(formula) }
}

/// Formulae with given meanings, the shortest first.
fn meanings(
    model: &Model,
    conditions: &Conditions,
    count: usize,
    show: &dyn Fn(&Formula) -> String,
) -> Result<Vec<Line>> {
    let found = model.express(conditions, count)?;
    let line = |row: usize, Expressed { formula, log_probability, agreement }: Expressed| Line {
        row,
        formula: Some(show(&formula)),
        log_probability,
        agreement: Some(agreement),
        count: 1,
    };
    let lines = found.into_iter().enumerate();
    Ok(lines.flat_map(|(row, list)| list.into_iter().map(move |found| line(row, found))).collect())
}

/// Decodings of given vectors, or of samples of the prior.
fn vectors(
    args: &DecodeArgs,
    model: &Model,
    conditions: Option<Conditions>,
    inputs: &mut Inputs,
) -> Result<Vec<Line>> {
    let codes = match &args.z {
        Some(path) => {
            let found = matrix::read(path, model.vector_width())?;
            let mut codes = model.codes(&found)?;
            // Another meaning for the same way of writing.
            codes.conditions = match conditions {
                Some(conditions) if conditions.rows() == 1 => conditions.select(&vec![0; codes.rows()])?,
                Some(conditions) if conditions.rows() != codes.rows() => bail!(
                    "there are {} contexts for {} vectors: give one per vector, or one for all",
                    conditions.rows(),
                    codes.rows()
                ),
                Some(conditions) => conditions,
                None => codes.conditions,
            };
            codes
        }
        None => {
            let draws = args.draws.unwrap_or(1) as usize;
            let conditions = match conditions {
                Some(conditions) => {
                    let rows: Vec<usize> = (0..conditions.rows()).flat_map(|row| vec![row; draws]).collect();
                    conditions.select(&rows)?
                }
                None => Conditions::none(draws),
            };
            model.sample_prior(conditions, args.seed)?
        }
    };
    let decoding = match (args.beam, args.samples) {
        (Some(width), _) => Decoding::Beam { width: width as usize },
        (None, Some(samples)) => Decoding::Sampled {
            samples: samples as usize,
            temperature: args.temperature.unwrap_or(1.0),
            top_k: args.top_k,
            seed: args.seed,
        },
        (None, None) => Decoding::Greedy,
    };
    let decoded = match &args.of {
        Some(given) => score(model, &codes, given, inputs)?,
        None => model.decode(&codes, decoding)?,
    };
    let agreements = model.agreements(&decoded, &codes.conditions)?;
    let inputs = &*inputs;
    let lines = decoded.into_iter().zip(agreements).enumerate().flat_map(|(row, (list, agreements))| {
        let line = move |(d, agreement): (Decoded, Option<f64>)| Line {
            row,
            formula: d.formula.map(|formula| shown(args, &formula, inputs)),
            log_probability: d.log_probability,
            agreement,
            count: d.count,
        };
        list.into_iter().zip(agreements).map(line)
    });
    Ok(lines.collect())
}

/// The log-probabilities of given formulae: one per vector, or one for all.
fn score(model: &Model, codes: &Codes, given: &str, inputs: &mut Inputs) -> Result<Vec<Vec<Decoded>>> {
    let rows = codes.rows();
    let mut formulae = formulae(&formulae_or_file(given, model.config().limits(), inputs)?);
    if formulae.len() == 1 {
        formulae = vec![formulae[0].clone(); rows];
    }
    if formulae.len() != rows {
        bail!(
            "there are {} formulae for {rows} vectors: give one per vector, or one for all",
            formulae.len()
        );
    }
    let batch = model.prepare_with(&formulae, codes.conditions.clone())?;
    let nll = model.negative_log_likelihood(&batch, &codes.z)?;
    let one = |(formula, nll): (Formula, f32)| {
        vec![Decoded { formula: Some(formula), log_probability: -f64::from(nll), count: 1 }]
    };
    Ok(formulae.into_iter().zip(nll.to_vec1::<f32>()?).map(one).collect())
}

/// The meanings that `--context` names: a file of semantic vectors or of observed rows, a truth table, or a
/// formula.
fn conditions(model: &Model, given: &str, inputs: &mut Inputs) -> Result<Conditions> {
    let Some(embedding) = model.embedding() else {
        bail!("this model is not conditional: leave out --context")
    };
    let path = Path::new(given);
    if is_file(given)? {
        if path.extension().is_some_and(|e| e == "npy") {
            let rows = matrix::read(path, embedding.components())?.to_vec2()?;
            let vectors: Vec<Condition> = rows.into_iter().map(Condition::Vector).collect();
            return model.conditions(&vectors).with_context(|| path.display().to_string());
        }
        return Ok(model.conditions(&[observations(path)?])?);
    }
    if let Some(condition) = truth_table(given, embedding.domain().variables())? {
        return Ok(model.conditions(&[condition])?);
    }
    let formula: Formula = inputs
        .names
        .parse(given)
        .with_context(|| format!("`{given}` is neither a file nor a valid formula"))?;
    Ok(model.conditions(&[Condition::Formula(formula)])?)
}

/// The names of x1, x2, … that `--names` lists, or those of a file of formulae.
fn names(list: &str) -> Result<Names> {
    if is_file(list)? {
        let mut inputs = Inputs::new();
        inputs.formulae(Path::new(list), None)?;
        return Ok(inputs.names);
    }
    Names::new(list.split(',').map(str::trim)).context("--names")
}

/// A truth table such as `0110`, where `?` leaves a value open; `None` if the text is something else.
fn truth_table(given: &str, variables: usize) -> Result<Option<Condition>> {
    if given.len() < 2 || !given.chars().all(|c| matches!(c, '0' | '1' | '?')) {
        return Ok(None);
    }
    if given.len() != 1 << variables {
        bail!(
            "the truth table has {} values, but {variables} variables have {}: give all of them, with ? for \
             those that are open",
            given.len(),
            1 << variables
        );
    }
    if !given.contains('?') {
        return Ok(Some(Condition::Table(given.chars().map(|c| c == '1').collect())));
    }
    let known = given.chars().enumerate().filter(|(_, value)| *value != '?');
    let (rows, values): (Vec<Assignment>, Vec<bool>) =
        known.map(|(index, value)| (Assignment::from_index(index as u64, variables), value == '1')).unzip();
    if rows.is_empty() {
        bail!("all values of the truth table are open: give at least one 0 or 1");
    }
    Ok(Some(Condition::Observations { rows, values }))
}

/// Observed rows: an assignment such as `10110` and the value there, 0 or 1, per line.
fn observations(path: &Path) -> Result<Condition> {
    let name = path.display();
    let text = read_text(path, "observed rows")?;
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let content = line.split('#').next().unwrap_or_default();
        let parts: Vec<&str> =
            content.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty()).collect();
        let (bits, value) = match parts[..] {
            [] => continue,
            [bits, "0"] => (bits, false),
            [bits, "1"] => (bits, true),
            _ => bail!("{name}, line {number}: write an assignment and its value, such as `10110 1`"),
        };
        rows.push(bits.parse().with_context(|| format!("{name}, line {number}"))?);
        values.push(value);
    }
    Ok(Condition::Observations { rows, values })
}
