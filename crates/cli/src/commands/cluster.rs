//! `logicvae cluster`: groups of formulae with similar meanings.

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_kernel::Clustering;
use serde::Serialize;

use crate::args::ClusterArgs;
use crate::domain::{domain, largest_variable};
use crate::figure::{Picture, draw_clusters};
use crate::input::{Inputs, display_name};
use crate::message::counted;
use crate::output::Output;
use crate::trained::formulae;

/// The number of members of a cluster that are shown as text.
const SHOWN: usize = 8;

#[derive(Serialize)]
struct Report {
    file: String,
    clusters: Vec<Group>,
    /// The mean silhouette.
    silhouette: f64,
    distance: &'static str,
}

#[derive(Serialize)]
struct Group {
    /// The line of the representative.
    representative: usize,
    label: Option<String>,
    formula: String,
    /// The lines of all members.
    members: Vec<usize>,
    /// Their labels, in the same order.
    labels: Vec<Option<String>>,
    mean_distance: f64,
}

pub fn run(args: &ClusterArgs, output: Output) -> Result<ExitCode> {
    let picture = args.out.as_ref().map(|out| Picture::new(out, args.force)).transpose()?;
    let mut inputs = Inputs::new();
    let entries = inputs.entries(&args.file, args.domain.vars)?;
    let list = formulae(&entries);
    if let Some(k) = args.k.filter(|&k| k as usize > list.len()) {
        bail!("-k is {k}, but there are only {} formulae: choose a smaller number", list.len());
    }
    let domain = domain(&args.domain, largest_variable(&list))?;
    let found = Clustering::new(domain, &list, args.k.map(|k| k as usize))?;
    let name = |at: usize| {
        let label = entries[at].label.as_ref().map_or(String::new(), |label| format!("{label}: "));
        label + &inputs.show(&list[at])
    };
    if let Some(picture) = picture {
        picture.write(&draw_clusters(&found, &name)?)?;
    }
    let clusters = found.clusters.iter().map(|cluster| Group {
        representative: entries[cluster.representative].line,
        label: entries[cluster.representative].label.clone(),
        formula: inputs.show(&list[cluster.representative]),
        members: cluster.members.iter().map(|&at| entries[at].line).collect(),
        labels: cluster.members.iter().map(|&at| entries[at].label.clone()).collect(),
        mean_distance: cluster.mean_distance,
    });
    let distance = "1 - correlation of truth values";
    let file = display_name(&args.file);
    let report = Report { file, clusters: clusters.collect(), silhouette: found.silhouette, distance };
    output.print(&report, |out| {
        let (clusters, formulae) = (report.clusters.len(), list.len());
        writeln!(
            out,
            "{} of {} in {}, mean silhouette {:.3}",
            counted(clusters, "cluster"),
            counted(formulae, "formula"),
            report.file,
            report.silhouette
        )?;
        writeln!(out, "distance: {distance}")?;
        for (number, (group, cluster)) in (1..).zip(report.clusters.iter().zip(&found.clusters)) {
            let size = group.members.len();
            let count = counted(size, "formula");
            writeln!(out, "\ncluster {number}: {count}, mean distance {:.3}", group.mean_distance)?;
            writeln!(out, "* {:>4}  {}", group.representative, name(cluster.representative))?;
            let others = cluster.members.iter().filter(|&&at| at != cluster.representative);
            for &at in others.clone().take(SHOWN) {
                writeln!(out, "  {:>4}  {}", entries[at].line, name(at))?;
            }
            if others.count() > SHOWN {
                writeln!(out, "        … and {} more: use --json", size - 1 - SHOWN)?;
            }
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}
