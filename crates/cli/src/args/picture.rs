//! Arguments of the commands that write one picture.

use std::path::PathBuf;

/// The file that a picture is written to.
#[derive(clap::Args)]
pub struct PictureArgs {
    /// Output file, .svg or .png. An SVG adapts to the light or dark mode of its viewer.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Draw the syntax tree of a formula.
///
/// A tree that is too large for a picture is an error.
///
/// JSON keys: formula, nodes, depth, out.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae draw '(x1 & !x2) | ((x3 & x1) & !x4)' --out tree.svg
  echo 'x1 -> x2' | logicvae draw - --out tree.png --force")]
pub struct DrawArgs {
    /// The formula; - reads it from standard input.
    pub formula: String,

    #[command(flatten)]
    pub picture: PictureArgs,
}

/// Draw a chart described by a JSON file: a histogram, a line chart or a bar chart.
///
/// JSON keys: kind, series (the number of series), out.
#[derive(clap::Args)]
#[command(after_help = r#"Chart descriptions:
  {"kind": "histogram", "title": "...", "x": "kernel", "y": "share", "bins": 30,
   "series": [{"name": "GAT", "values": [0.7, 0.9]}],
   "marks": [{"name": "paper", "at": 0.78, "series": 0}]}
  {"kind": "lines", "title": "...", "x": "layers", "y": "accuracy, %",
   "series": [{"name": "GAT", "points": [[1, 81.4], [2, 83]], "low": [80, 82], "high": [83, 84]},
              {"name": "paper", "points": [[1, 80], [2, 82]], "dashed": true, "like": 0}]}
  {"kind": "bars", "title": "...", "y": "accuracy, %", "groups": ["n = 3", "n = 4"],
   "series": [{"name": "GAT", "values": [97, null], "low": [96, null], "high": [98, null],
               "reference": [95, null], "colour": 0}], "reference": "paper"}

  low and high are the ends of error bars. "series" in a mark and "like" in a
  line give the index, starting at 0, of the series whose colour is used.
  "reference" gives values to compare with, drawn across the bars, and their
  name in the legend. "colour" is the number of a colour, from 0 to 7, for any
  series. bins, marks, low, high, dashed, like, reference and colour are
  optional. A chart has at most 8 series, a histogram at most 200 bins and 8
  marks, and a bar chart at most 12 groups.

Examples:
  logicvae plot accuracy.json --out accuracy.svg
  jq '.title = "Ours"' accuracy.json | logicvae plot - --out accuracy.png"#)]
pub struct PlotArgs {
    /// File with the description of the chart; - is standard input.
    #[arg(value_name = "CHART")]
    pub chart: PathBuf,

    #[command(flatten)]
    pub picture: PictureArgs,
}
