//! From flags to the assignments at which formulae are compared.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use logicvae_kernel::{Domain, Form, error_bound};
use logicvae_logic::{Assignment, Formula, TABLE_LIMIT};

use crate::args::MeasureArgs;
use crate::input::{self, name};

/// Drawn assignments where all would be too many and none were asked for.
const DEFAULT_SAMPLES: usize = 10_000;

/// All formulae of a file; an empty file is an error.
pub fn formulae(path: &Path, variables: Option<u32>) -> Result<Vec<Formula>> {
    let formulae: Vec<Formula> = input::formulae(path, variables)?.collect::<Result<_>>()?;
    if formulae.is_empty() {
        bail!("{} has no formulae: write one a line", name(path));
    }
    Ok(formulae)
}

pub fn largest_variable<'a>(formulae: impl IntoIterator<Item = &'a Formula>) -> u32 {
    formulae.into_iter().map(Formula::max_variable).max().unwrap_or(0)
}

pub fn form(gaussian: Option<f64>) -> Result<Form> {
    Ok(gaussian.map_or(Form::Plain, |sigma2| Form::Gaussian { sigma2 }).check()?)
}

/// The measure that the flags ask for; `used` is the largest variable of the formulae.
pub fn measure(args: &MeasureArgs, used: u32) -> Result<Domain> {
    let variables = args.vars.unwrap_or(used) as usize;
    if let Some(file) = &args.rows {
        return observed(file, variables);
    }
    if let Some(samples) = args.samples {
        return Ok(Domain::monte_carlo(variables, samples, args.seed)?);
    }
    if variables <= TABLE_LIMIT {
        return Ok(Domain::exact(variables)?);
    }
    let error = error_bound(DEFAULT_SAMPLES as u64, 0.05, 1)?;
    eprintln!(
        "logicvae: {variables} variables have too many assignments; {DEFAULT_SAMPLES} are drawn (seed {}), and a kernel value is off by less \
         than {error:.3} in 95 of 100 cases. Choose with --samples.",
        args.seed
    );
    Ok(Domain::monte_carlo(variables, DEFAULT_SAMPLES, args.seed)?)
}

/// Rows such as `1011`, each with an optional weight behind it.
fn observed(file: &Path, variables: usize) -> Result<Domain> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let (mut rows, mut weights, mut given) = (Vec::new(), Vec::new(), false);
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let content = line.split('#').next().unwrap_or_default();
        let mut parts = content.split_whitespace();
        let Some(bits) = parts.next() else { continue };
        let row: Assignment = bits.parse().with_context(|| format!("{name}, line {number}"))?;
        if row.len() != variables {
            bail!(
                "{name}, line {number}: {} values for {variables} variables: give one for each, x1 first",
                row.len()
            );
        }
        rows.push(row);
        let weight = parts.next();
        given |= weight.is_some();
        let weight = weight
            .map(|w| w.parse::<f64>().with_context(|| format!("{name}, line {number}: `{w}` is no weight")))
            .transpose()?;
        weights.push(weight.unwrap_or(1.0));
    }
    let measure = Domain::observed(&rows).with_context(|| name.to_string())?;
    if given { measure.weighted(&weights).with_context(|| name.to_string()) } else { Ok(measure) }
}
