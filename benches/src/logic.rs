//! Sampling and truth tables against plain Python and numpy.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use logicvae_logic::{Formula, SamplerParams, preset, truth_tables};

use crate::measure::{Row, compare, seconds};
use crate::peer::Peer;

pub fn run(python: &Path) -> Result<Vec<Row>> {
    let mut peer = Peer::start(python, "logic_peer.py")?;
    let paper = preset("paper-5").context("a preset")?.sampler;
    Ok(vec![
        sampling("a distinct formula, paper-5", paper, Some(300.0), 200, &mut peer)?,
        sampling("a distinct formula, 5 variables, ≤ 30 nodes", SamplerParams::new(5), None, 2000, &mut peer)?,
        tables("a truth table of 10 variables (5,000 of them)", 10, Some(500.0), &mut peer)?,
    ])
}

/// The same number of formulae by the same algorithm and limits, with different generators.
fn sampling(name: &str, params: SamplerParams, target: Option<f64>, peer_count: usize, peer: &mut Peer) -> Result<Row> {
    const COUNT: usize = 20_000;
    let sampler = params.check()?;
    let mut seed = 0;
    let ours = || {
        seed += 1;
        let (time, formulae) = seconds(|| sampler.distinct(seed, COUNT));
        ensure!(formulae?.len() == COUNT);
        Ok(time / COUNT as f64)
    };
    let SamplerParams { variables, max_nodes, all_variables, .. } = params;
    let mut peer_seed = 0;
    let theirs = || {
        peer_seed += 1;
        let request = format!("sample {variables} {max_nodes} {} {peer_count} {peer_seed}", u8::from(all_variables));
        Ok(peer.ask(&request)?.seconds / peer_count as f64)
    };
    compare(name, "plain Python", target, 11, ours, theirs)
}

fn tables(name: &str, variables: usize, target: Option<f64>, peer: &mut Peer) -> Result<Row> {
    const COUNT: usize = 5000;
    let formulae = preset("paper-10").context("a preset")?.sampler.check()?.distinct(1, COUNT)?;
    let mut file = tempfile::NamedTempFile::new()?;
    for formula in &formulae {
        let codes: Vec<String> = formula.codes().iter().map(u32::to_string).collect();
        writeln!(file, "{}", codes.join(" "))?;
    }
    file.flush()?;
    ensure!(peer.ask(&format!("load {variables} {}", file.path().display()))?.check == COUNT as u64);

    let satisfying = |formulae: &[Formula]| -> Result<u64> {
        let tables = truth_tables(formulae, variables)?;
        Ok((0..COUNT).map(|row| tables.count_ones(row)).sum())
    };
    let expected = satisfying(&formulae)?;
    let ours = || {
        // One call takes less than a millisecond: the best of a few shows the work and not the scheduler.
        let times = (0..20).map(|_| seconds(|| truth_tables(&formulae, variables).map(|t| t.rows())).0);
        Ok(times.fold(f64::INFINITY, f64::min) / COUNT as f64)
    };
    let theirs = || {
        let answer = peer.ask("tables")?;
        ensure!(answer.check == expected, "the peer's tables have {} ones, ours {expected}", answer.check);
        Ok(answer.seconds / COUNT as f64)
    };
    compare(name, "numpy, an operation a node", target, 11, ours, theirs)
}
