//! Sampling and truth tables, compared with plain Python and NumPy.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use logicvae_logic::{Assignments, DatasetSpec, SamplerParams};

use crate::peer::Peer;
use crate::timing::{Row, compare, median_of, seconds};

pub fn run(python: &Path) -> Result<Vec<Row>> {
    let mut peer = Peer::start(python, "logic_peer.py")?;
    let paper = DatasetSpec::preset("paper-5").context("a preset")?.sampler;
    let mut rows = vec![
        sampling("one distinct formula, paper-5", paper, Some(300.0), 200, &mut peer)?,
        sampling(
            "one distinct formula, 5 variables, ≤ 30 nodes",
            SamplerParams::new(5),
            None,
            2000,
            &mut peer,
        )?,
    ];
    rows.extend(tables(&mut peer)?);
    Ok(rows)
}

/// Times sampling on both sides: the same algorithm and limits, with different random generators.
fn sampling(
    name: &str,
    params: SamplerParams,
    target: Option<f64>,
    peer_count: usize,
    peer: &mut Peer,
) -> Result<Row> {
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
        let request =
            format!("sample {variables} {max_nodes} {} {peer_count} {peer_seed}", u8::from(all_variables));
        Ok(peer.ask(&request)?.seconds / peer_count as f64)
    };
    compare(name, "plain Python", target, 11, ours, theirs)
}

/// Times the truth tables of 5,000 formulae of 10 variables.
fn tables(peer: &mut Peer) -> Result<Vec<Row>> {
    const COUNT: usize = 5000;
    const VARIABLES: usize = 10;
    let formulae =
        DatasetSpec::preset("paper-10").context("a preset")?.sampler.check()?.distinct(1, COUNT)?;
    peer.load(VARIABLES, &formulae)?;

    let all = Assignments::all(VARIABLES)?;
    let mut tables = all.evaluate(&formulae)?;
    let satisfying: u64 = (0..COUNT).map(|row| tables.count_ones(row)).sum();
    // Both sides report the median of several calls. One of our calls takes less than a millisecond, so there
    // are more of them.
    let mut ours = || {
        median_of(201, || {
            let (time, done) = seconds(|| all.evaluate_into(&formulae, &mut tables));
            done?;
            Ok(time / COUNT as f64)
        })
    };
    let mut theirs = |request: &str| {
        median_of(5, || {
            let answer = peer.ask(request)?;
            ensure!(
                answer.check == satisfying,
                "the peer's tables have {} ones, ours {satisfying}",
                answer.check
            );
            Ok(answer.seconds / COUNT as f64)
        })
    };
    let name = "one truth table of 10 variables (of 5,000)";
    Ok(vec![
        compare(name, "NumPy, one operation per node, ±1", Some(500.0), 11, &mut ours, || theirs("tables"))?,
        compare(name, "NumPy, one operation per node, bool", None, 11, &mut ours, || theirs("bool_tables"))?,
    ])
}
