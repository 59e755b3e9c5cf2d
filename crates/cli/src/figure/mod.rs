//! Figures: charts, syntax trees and maps, as SVG or PNG. An SVG adapts to the light or dark mode of its
//! viewer.

mod change_bars;
mod chart;
mod clusters;
mod extent;
mod formula;
mod front;
mod legend;
mod loss;
mod map;
mod marks;
mod picture;
pub mod plot;
mod png;
mod scheme;
mod strip;
mod svg;
mod tree;

pub use chart::{Axis, Chart};
pub use clusters::draw_clusters;
pub use formula::draw_formula;
pub use front::draw_front;
pub use loss::loss_curves;
pub use map::{MapContent, map};
pub use marks::{Mark, Series};
pub use picture::Picture;
pub use strip::{Step, strip};
pub use svg::without_controls;

use std::path::Path;

use anyhow::Result;

use crate::output::write_file;

/// A chart, and its data.
pub struct Figure {
    /// The name of the files, without an extension.
    pub name: String,
    pub chart: Chart,
    /// The data, with the names of the columns in the first line.
    pub csv: String,
}

/// The extensions of the files that a figure is written to.
pub const ENDINGS: [&str; 3] = ["svg", "png", "csv"];

impl Figure {
    /// Writes one file per extension into a folder.
    pub fn write(&self, folder: &Path, force: bool) -> Result<()> {
        let svg = without_controls(&self.chart.svg()?);
        let png = png::render(&svg)?;
        for (ending, bytes) in ENDINGS.iter().zip([svg.as_bytes(), &png, self.csv.as_bytes()]) {
            let path = folder.join(format!("{}.{ending}", self.name));
            write_file(&path, force, |out| Ok(out.write_all(bytes)?))?;
        }
        Ok(())
    }
}
