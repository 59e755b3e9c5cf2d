//! The assignments at which formulae are compared, as chosen by the command-line arguments.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use logicvae_kernel::{Domain, Form, error_bound};
use logicvae_logic::{Assignment, Formula, TABLE_LIMIT};

use crate::args::DomainArgs;
use crate::message::message;

/// The number of random assignments if there are too many to use all of them and `--samples` is not given.
const DEFAULT_SAMPLES: usize = 10_000;

/// The largest index of a variable in any of the formulae.
pub fn largest_variable<'a>(formulae: impl IntoIterator<Item = &'a Formula>) -> u32 {
    formulae.into_iter().map(Formula::max_variable).max().unwrap_or(0)
}

/// The kernel: Gaussian with this σ² if it is given, else plain.
pub fn kernel_form(gaussian: Option<f64>) -> Result<Form> {
    Ok(gaussian.map_or(Form::Plain, |sigma2| Form::Gaussian { sigma2 }).check()?)
}

/// From this many variables on, a model's formulae are compared at sampled assignments.
const EXACT_VARIABLES: usize = 12;
const SAMPLED: usize = 4096;

/// The assignments at which the formulae of a model are compared: all, or a sample if there are many.
pub fn model_domain(variables: u32) -> Result<Domain> {
    Ok(match variables as usize {
        few if few < EXACT_VARIABLES => Domain::exact(few)?,
        many => Domain::monte_carlo(many, SAMPLED, 0)?,
    })
}

/// The domain that the arguments choose. `largest_variable` is the number of variables if `--vars` is not
/// given.
pub fn domain(args: &DomainArgs, largest_variable: u32) -> Result<Domain> {
    let variables = args.vars.unwrap_or(largest_variable) as usize;
    if let Some(file) = &args.rows {
        return observed_domain(file, variables);
    }
    if let Some(samples) = args.samples {
        return Ok(Domain::monte_carlo(variables, samples, args.seed)?);
    }
    if variables <= TABLE_LIMIT {
        return Ok(Domain::exact(variables)?);
    }
    let error = error_bound(DEFAULT_SAMPLES as u64, 0.05, 1)?;
    message(format_args!(
        "logicvae: {variables} variables have too many assignments to use all of them; \
         {DEFAULT_SAMPLES} random ones are used (seed {}). With 95 % confidence, a kernel value is off \
         by less than {error:.3}. Use --samples for another number.",
        args.seed
    ));
    Ok(Domain::monte_carlo(variables, DEFAULT_SAMPLES, args.seed)?)
}

/// Reads observed assignments such as `1011` from a file, each followed by an optional weight.
fn observed_domain(file: &Path, variables: usize) -> Result<Domain> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let (mut rows, mut weights, mut weighted) = (Vec::new(), Vec::new(), false);
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let content = line.split('#').next().unwrap_or_default();
        let mut parts = content.split_whitespace();
        let Some(bits) = parts.next() else { continue };
        let row: Assignment = bits.parse().with_context(|| format!("{name}, line {number}"))?;
        if row.len() != variables {
            bail!(
                "{name}, line {number}: {} value(s), but there are {variables} variables: \
                 give one value per variable, starting with x1",
                row.len()
            );
        }
        rows.push(row);
        let weight = parts.next();
        if let Some(more) = parts.next() {
            bail!(
                "{name}, line {number}: `{more}` follows the weight: give the values without spaces, such as \
                 1011, and at most one weight"
            );
        }
        weighted |= weight.is_some();
        let invalid =
            |text: &str| format!("{name}, line {number}: `{text}` is not a valid weight: give a number");
        let weight = weight.map(|text| text.parse::<f64>().with_context(|| invalid(text))).transpose()?;
        weights.push(weight.unwrap_or(1.0));
    }
    let domain = Domain::observed(&rows).with_context(|| name.to_string())?;
    if weighted { domain.weighted(&weights).with_context(|| name.to_string()) } else { Ok(domain) }
}
