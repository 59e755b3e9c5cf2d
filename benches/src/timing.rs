//! Timing two implementations alternately, and a table of their medians.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;
use logicvae_logic::quantiles;
use serde::Serialize;

/// One comparison. Times are seconds per unit of work, medians over all rounds.
#[derive(Serialize)]
pub struct Row {
    pub name: String,
    /// The peer that we compare with.
    pub against: String,
    pub ours: f64,
    pub peer: f64,
    /// How many times faster we are than the peer.
    pub ratio: f64,
    /// The ratio to reach, if there is a target.
    pub target: Option<f64>,
}

impl Row {
    pub fn new(name: &str, against: &str, ours: f64, peer: f64, target: Option<f64>) -> Self {
        Self { name: name.into(), against: against.into(), ours, peer, ratio: peer / ours, target }
    }
}

/// Runs both sides alternately. Each returns the seconds that one unit of its work took. In every round, each
/// side runs twice and its second run counts, so that neither pays for the caches that the other has filled,
/// or for its threads, which wait actively for a while.
pub fn compare(
    name: &str,
    against: &str,
    target: Option<f64>,
    rounds: usize,
    mut ours: impl FnMut() -> Result<f64>,
    mut peer: impl FnMut() -> Result<f64>,
) -> Result<Row> {
    eprintln!("{name} against {against}: {rounds} rounds");
    let (mut our_times, mut peer_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours()?;
        our_times.push(ours()?);
        peer()?;
        peer_times.push(peer()?);
    }
    let (ours, peer) = (median(our_times), median(peer_times));
    Ok(Row::new(name, against, ours, peer, target))
}

/// The median of several measurements.
pub fn median_of(count: usize, mut measure: impl FnMut() -> Result<f64>) -> Result<f64> {
    Ok(median((0..count).map(|_| measure()).collect::<Result<_>>()?))
}

fn median(mut times: Vec<f64>) -> f64 {
    let [median] = quantiles(&mut times, [0.5]);
    median
}

/// The duration of a call in seconds, and its result. Returning the result keeps the compiler from removing
/// the work.
pub fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

pub fn table(rows: &[Row]) -> String {
    let mut out =
        format!("{:<46} {:>10} {:>10} {:>9} {:>8}  against\n", "", "ours", "peer", "ratio", "target");
    for row in rows {
        let target = row.target.map_or(String::new(), |t| format!("{t:.0}"));
        let _ = writeln!(
            out,
            "{:<46} {:>10} {:>10} {:>9.1} {:>8}  {}",
            row.name,
            human(row.ours),
            human(row.peer),
            row.ratio,
            target,
            row.against
        );
    }
    out
}
