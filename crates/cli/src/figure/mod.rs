//! Figures: charts, trees and maps as SVG that follows the reader's light or dark scheme, the same as PNG, and the data as CSV.

mod bars;
mod chart;
mod extent;
mod legend;
mod map;
mod marks;
mod picture;
pub mod plot;
mod png;
mod portrait;
mod scheme;
mod strip;
mod svg;
mod tree;

pub use chart::{Axis, Chart};
pub use map::map;
pub use marks::{Mark, Series};
pub use picture::Picture;
pub use portrait::portrait;
pub use strip::{Step, strip};

use std::path::Path;

use anyhow::Result;

use crate::output::write_file;

/// What is drawn, and the numbers behind it.
pub struct Figure {
    /// The files' name, without ending.
    pub name: String,
    pub chart: Chart,
    /// The first line names the columns.
    pub csv: String,
}

/// Endings of the files that a figure becomes.
pub const ENDINGS: [&str; 3] = ["svg", "png", "csv"];

impl Figure {
    pub fn write(&self, folder: &Path, force: bool) -> Result<()> {
        let svg = self.chart.svg()?;
        let png = png::render(&svg)?;
        for (ending, bytes) in ENDINGS.iter().zip([svg.as_bytes(), &png, self.csv.as_bytes()]) {
            let path = folder.join(format!("{}.{ending}", self.name));
            write_file(&path, force, |out| Ok(out.write_all(bytes)?))?;
        }
        Ok(())
    }
}
