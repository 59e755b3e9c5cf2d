//! A figure as one file that the user names: its ending says whether SVG or PNG.

use std::path::Path;

use anyhow::{Result, bail};

use super::png;
use crate::output::{check_target, write_file};

/// A file for a figure that is still to be made.
pub struct Picture<'a> {
    path: &'a Path,
    force: bool,
    png: bool,
}

impl<'a> Picture<'a> {
    /// Refuses other endings, and files that must not be replaced, before any work is done.
    pub fn new(path: &'a Path, force: bool) -> Result<Self> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let png = match ending.as_deref() {
            Some("svg") => false,
            Some("png") => true,
            _ => bail!("pictures are SVG or PNG: end the name in .svg or .png, not `{}`", path.display()),
        };
        check_target(path, force)?;
        Ok(Self { path, force, png })
    }

    pub fn write(&self, svg: &str) -> Result<()> {
        let bytes = if self.png { png::render(svg)? } else { svg.as_bytes().to_vec() };
        write_file(self.path, self.force, |out| Ok(out.write_all(&bytes)?))
    }
}
