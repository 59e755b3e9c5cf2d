//! `cargo xtask bench growth`: how a training step of the encoders grows.

use std::fmt::Write;

use anyhow::Result;
use serde_json::Value;

use crate::cells::{self, Request};

const KINDS: [&str; 3] = ["gcn", "gru", "gat"];
const BATCHES: [usize; 4] = [32, 128, 512, 2048];
const TREES: [usize; 3] = [10, 100, 1000];

pub fn run(json: bool) -> Result<()> {
    let mut requests = Vec::new();
    for kind in KINDS {
        for nodes in TREES {
            for batch in BATCHES {
                let label = format!("{kind}, {batch} trees of {nodes} nodes");
                requests.push(Request { label, flag: format!("--growth={kind},{batch},{nodes}") });
            }
        }
    }
    cells::run(json, &requests, "growth.md", table)
}

fn table(cells: &[Value]) -> Result<String> {
    let mut out = String::from(
        "# Growth of a training step\n\n\
         By `cargo xtask bench growth`, on two cores: ordering, forward and backward of a bidirectional encoder of width 32, on\n\
         batches of random trees of 5 variables. *Rows* are the states that are computed, in both directions, after equal\n\
         subtrees and equal paths are merged. Memory is the peak beyond what the process held before the first step.\n\n\
         | encoder | trees | nodes a tree | nodes | levels | rows | step, ms | µs a node | µs a row | memory, MiB | KiB a row |\n\
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
        "\nTime grows no faster than the number of nodes, and memory as the rows do: neither as levels times nodes. A row takes\n\
         longer in the largest batches, whose buffers are far larger than the caches and whose ordering, which is work for a\n\
         node and not for a row, is spread over fewer rows. Small batches pay for what a step costs whatever its size:\n\
         starting threads, and the gradients of all weights.\n",
    );
    Ok(out)
}
