//! `cargo xtask bench growth`: time and memory of a training step of the encoders.

use std::fmt::Write;

use anyhow::Result;
use serde_json::Value;

use crate::cells::{self, Request};

const KINDS: [&str; 3] = ["gcn", "gru", "gat"];
const BATCHES: [usize; 4] = [32, 128, 512, 2048];
const TREES: [usize; 3] = [10, 100, 1000];

pub fn run(json: bool) -> Result<()> {
    let requests = cells::combinations(&KINDS, &TREES, &BATCHES, |kind, nodes, batch| Request {
        label: format!("{kind}, {batch} trees of {nodes} nodes"),
        flag: format!("--growth={kind},{batch},{nodes}"),
    });
    cells::run(json, &requests, "growth.md", table)
}

fn table(cells: &[Value]) -> Result<String> {
    let mut out = String::from(
        "# Growth of a training step\n\n\
         Measured by `cargo xtask bench growth` on two cores. A step consists of scheduling, forward and\n\
         backward pass of a bidirectional encoder of width 32, on batches of random trees of 5 variables.\n\
         *Rows* are the states that are computed in both directions, after equal subtrees and equal\n\
         paths are merged. Memory is the peak beyond what the process used before the first step.\n\n\
         | encoder | trees | nodes per tree | nodes | levels | rows | step, ms | µs per node | µs per row \
         | memory, MiB | KiB per row |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for cell in cells {
        let number = |key: &str| cell[key].as_f64().unwrap_or(f64::NAN);
        let memory = number("peak_mebibytes") - number("base_mebibytes");
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.0} | {:.1} |",
            cell["kind"].as_str().unwrap_or_default().to_uppercase(),
            cell["batch"],
            cell["tree_nodes"],
            cell["nodes"],
            cell["levels"],
            cell["rows"],
            1e3 * number("seconds"),
            1e6 * number("seconds") / number("nodes"),
            1e6 * number("seconds") / number("rows"),
            memory,
            1024.0 * memory / number("rows"),
        )?;
    }
    out.push_str(
        "\nTime grows no faster than the number of nodes, and memory grows with the number of rows. Neither\n\
         grows with levels × nodes. A row takes longer in the largest batches, for two reasons: buffers are\n\
         far larger than the caches, and the cost of scheduling, which depends on nodes, is spread over\n\
         fewer rows. Small batches are dominated by fixed costs: starting threads, and the gradients of all\n\
         weights.\n",
    );
    Ok(out)
}
