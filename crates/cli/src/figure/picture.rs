//! A figure in one file, whose extension selects SVG or PNG.

use std::path::Path;

use anyhow::{Result, bail};

use super::png;
use super::svg::without_controls;
use crate::output::{check_target, write_file};

/// The file that a figure will be written to.
pub struct Picture<'a> {
    path: &'a Path,
    force: bool,
    png: bool,
}

impl<'a> Picture<'a> {
    /// Checks the extension and whether the file can be written, before any work is done.
    pub fn new(path: &'a Path, force: bool) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let png = match extension.as_deref() {
            Some("svg") => false,
            Some("png") => true,
            _ => bail!(
                "unsupported picture format in `{}`: use a file name that ends in .svg or .png",
                path.display()
            ),
        };
        check_target(path, force)?;
        Ok(Self { path, force, png })
    }

    /// Writes the figure, converted to PNG if the extension is .png.
    pub fn write(&self, svg: &str) -> Result<()> {
        let svg = without_controls(svg);
        let bytes = if self.png { png::render(&svg)? } else { svg.into_bytes() };
        write_file(self.path, self.force, |out| Ok(out.write_all(&bytes)?))
    }
}
