//! `logicvae sample`: random formulae.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_logic::{BinaryWriter, DatasetSpec, Formula, FormulaForm, SamplerParams, Split, write_text};
use serde::Serialize;

use crate::args::{Format, SampleArgs};
use crate::input::is_standard;
use crate::message::message;
use crate::output::{Output, check_target, write_file};
use crate::progress::Progress;

/// Largest number of formulae: more would not fit into memory.
const MAX_COUNT: usize = 1_000_000_000;

#[derive(Serialize)]
struct Report {
    count: usize,
    mean_nodes: f64,
    mean_depth: f64,
    seed: u64,
}

pub fn run(args: &SampleArgs, output: Output) -> Result<ExitCode> {
    let spec = spec(args)?;
    let sampler = spec.sampler.check()?;
    if is_standard(&args.out) && output.json {
        bail!("the formulae and the JSON object would both go to standard output: give a file with --out");
    }
    check_target(&args.out, args.force)?;

    let formulae = if spec.independent || spec.form() != FormulaForm::default() {
        let data = spec.generate()?;
        let splits = args.split.map_or(Split::ALL.to_vec(), |split| vec![split]);
        splits.into_iter().flat_map(|split| data.split(split).to_vec()).collect()
    } else {
        // A split is a range of the sequence of formulae. Without --split, the range is the whole sequence.
        let range = args.split.map_or(0..spec.len(), |split| spec.range(split));
        if args.split == Some(Split::Unseen) {
            bail!("all test formulae of this data set are unseen: use --split test");
        }
        let mut progress = Progress::new("sampling formulae", range.end);
        let mut formulae = sampler.distinct_with(spec.seed, range.end, |found| progress.set(found))?;
        formulae.split_off(range.start)
    };
    let formulae = &formulae[..];

    write_file(&args.out, args.force, |out| Ok(write(formulae, args.format, out)?))?;
    let mean = |quantity: fn(&Formula) -> usize| {
        formulae.iter().map(quantity).sum::<usize>() as f64 / formulae.len().max(1) as f64
    };
    let report = Report {
        count: formulae.len(),
        mean_nodes: mean(Formula::size),
        mean_depth: mean(Formula::depth),
        seed: spec.seed,
    };
    let summary = format!(
        "{} formulae, {:.2} nodes and depth {:.2} on average",
        report.count, report.mean_nodes, report.mean_depth
    );
    if output.json {
        output.print(&report, |_| Ok(()))?;
    } else {
        message(format_args!("{summary}, seed {}", report.seed));
    }
    Ok(ExitCode::SUCCESS)
}

fn write(formulae: &[Formula], format: Format, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Text => write_text(out, formulae),
        Format::Binary => {
            let mut writer = BinaryWriter::new(out)?;
            formulae.iter().try_for_each(|f| writer.write(f))?;
            writer.finish().map(drop)
        }
    }
}

/// The settings of the preset, or the defaults, with the changes made by the other arguments.
fn spec(args: &SampleArgs) -> Result<DatasetSpec> {
    let base = match (&args.preset, args.vars) {
        (Some(name), vars) => {
            let Some(spec) = DatasetSpec::preset(name) else {
                bail!("unknown preset `{name}`: use one of {}", DatasetSpec::PRESETS.join(", "))
            };
            if vars.is_some_and(|v| v != spec.sampler.variables) {
                bail!("preset {name} has {} variables: remove --vars or --preset", spec.sampler.variables);
            }
            spec
        }
        (None, vars) => DatasetSpec {
            seed: 0,
            train: 1000,
            valid: 0,
            test: 0,
            ..DatasetSpec::new(SamplerParams::new(vars.unwrap_or_default()))
        },
    };
    let sampler = SamplerParams {
        p_leaf: args.p_leaf.unwrap_or(base.sampler.p_leaf),
        max_nodes: args.max_nodes.unwrap_or(base.sampler.max_nodes),
        max_depth: args.max_depth.or(base.sampler.max_depth),
        all_variables: args.all_vars || base.sampler.all_variables,
        ..base.sampler
    };
    let mut spec = DatasetSpec { sampler, seed: args.seed.unwrap_or(base.seed), ..base };
    if let Some(count) = args.count {
        if !(1..=MAX_COUNT).contains(&count) {
            bail!("--count is {count}, but must be at least 1 and at most {MAX_COUNT}");
        }
        (spec.train, spec.valid, spec.test) = (count, 0, 0);
        spec.independent = false;
    }
    Ok(spec)
}
