//! Formulae and other text from files, from standard input, from the command line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use logicvae_logic::{Formula, FormulaReader};

/// What `-` stands for.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// How messages call it.
pub fn name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Opens a file or standard input; `of` is what should be in it.
fn open(path: &Path, of: &str) -> Result<Box<dyn BufRead>> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    let name = name(path);
    if is_standard(path) {
        if TAKEN.swap(true, Ordering::Relaxed) {
            bail!("standard input can be read only once: name a file for the other `-`");
        }
        return Ok(Box::new(io::stdin().lock()));
    }
    if path.is_dir() {
        bail!("{name} is a folder: name a file of {of}");
    }
    Ok(Box::new(BufReader::new(File::open(path).with_context(|| format!("cannot open {name}"))?)))
}

/// Formulae of a file, one by one; an error names the file and the place in it.
pub fn formulae(
    path: &Path,
    variables: Option<u32>,
) -> Result<impl Iterator<Item = Result<Formula>> + use<>> {
    let name = name(path);
    let reader =
        FormulaReader::new(open(path, "formulae")?).with_context(|| name.clone())?.with_variables(variables);
    Ok(reader.map(move |formula| formula.with_context(|| name.clone())))
}

/// All text of a file.
pub fn text(path: &Path, of: &str) -> Result<String> {
    let mut text = String::new();
    open(path, of)?.read_to_string(&mut text).with_context(|| format!("cannot read {}", name(path)))?;
    Ok(text)
}

/// A formula given on the command line, where `-` takes the next one of standard input.
pub struct Arguments {
    standard: Option<Box<dyn Iterator<Item = Result<Formula>>>>,
}

impl Arguments {
    pub fn new() -> Self {
        Self { standard: None }
    }

    pub fn formula(&mut self, text: &str) -> Result<Formula> {
        if text != "-" {
            return text.parse().context("not a formula");
        }
        let lines = match &mut self.standard {
            Some(lines) => lines,
            None => self.standard.insert(Box::new(formulae(Path::new("-"), None)?)),
        };
        lines.next().unwrap_or_else(|| bail!("standard input has no formula left: write one a line"))
    }

    /// Refuses formulae on standard input that nobody asked for: they would be passed over in silence.
    pub fn finish(mut self) -> Result<()> {
        match self.standard.as_mut().and_then(Iterator::next) {
            Some(extra) => {
                bail!("standard input has more formulae than were asked for, such as `{}`", extra?)
            }
            None => Ok(()),
        }
    }
}
