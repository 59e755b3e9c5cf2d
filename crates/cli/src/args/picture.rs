//! Flags of the commands whose result is one picture.

use std::path::PathBuf;

/// Where a picture goes.
#[derive(clap::Args)]
pub struct PictureArgs {
    /// Where to draw; the ending, .svg or .png, says how. SVG follows the reader's light or dark scheme.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Draw the syntax tree of a formula.
///
/// JSON: formula, nodes, depth, out.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  logicvae draw '(x1 & !x2) | ((x3 & x1) & !x4)' --out tree.svg")]
pub struct DrawArgs {
    /// The formula; - reads it from standard input.
    pub formula: String,

    #[command(flatten)]
    pub picture: PictureArgs,
}

/// Draw a chart that a JSON file describes: a histogram, lines or bars.
///
/// JSON: kind, series (how many), out.
#[derive(clap::Args)]
#[command(after_help = r#"Charts:
  {"kind": "histogram", "title": "...", "x": "kernel", "y": "share", "bins": 30,
   "series": [{"name": "GAT", "values": [0.7, 0.9]}],
   "marks": [{"name": "paper", "at": 0.78, "series": 0}]}
  {"kind": "lines", "title": "...", "x": "layers", "y": "accuracy, %",
   "series": [{"name": "GAT", "points": [[1, 81.4], [2, 83]], "low": [80, 82], "high": [83, 84]},
              {"name": "paper", "points": [[1, 80], [2, 82]], "dashed": true, "like": 0}]}
  {"kind": "bars", "title": "...", "y": "accuracy, %", "groups": ["n = 3", "n = 4"],
   "series": [{"name": "GAT", "values": [97, null], "low": [96, null], "high": [98, null]}]}
  Marks have the colour of their series, and lines that of the one they are like, counted from 0.
  low and high are the ends of error bars. They, bins, marks, dashed and like may be left out.

Examples:
  logicvae plot accuracy.json --out accuracy.svg
  jq '.title = "Ours"' accuracy.json | logicvae plot - --out accuracy.png"#)]
pub struct PlotArgs {
    /// The description; - is standard input.
    #[arg(value_name = "CHART")]
    pub chart: PathBuf,

    #[command(flatten)]
    pub picture: PictureArgs,
}
