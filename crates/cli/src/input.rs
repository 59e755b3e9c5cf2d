//! Reading formulae and other text from files, standard input and the command line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use logicvae_logic::{Formula, FormulaLimits, FormulaReader};

/// Whether a path is `-`, which stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an input in messages.
pub fn display_name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Opens a file or standard input. Messages say that it should have these `contents`.
fn open(path: &Path, contents: &str) -> Result<Box<dyn BufRead>> {
    static STANDARD_INPUT_TAKEN: AtomicBool = AtomicBool::new(false);
    let name = display_name(path);
    if is_standard(path) {
        if STANDARD_INPUT_TAKEN.swap(true, Ordering::Relaxed) {
            bail!("standard input can be read only once: use a file instead of the second `-`");
        }
        return Ok(Box::new(io::stdin().lock()));
    }
    if path.is_dir() {
        bail!("{name} is a folder: give a file with {contents}");
    }
    Ok(Box::new(BufReader::new(File::open(path).with_context(|| format!("cannot open {name}"))?)))
}

/// Reads the formulae of a file one by one. Errors name the file and the position in it. With `variables`, a
/// formula with a larger variable is an error.
pub fn stream_formulae(
    path: &Path,
    variables: Option<u32>,
) -> Result<impl Iterator<Item = Result<Formula>> + use<>> {
    let name = display_name(path);
    let reader =
        FormulaReader::new(open(path, "formulae")?).with_context(|| name.clone())?.with_variables(variables);
    Ok(reader.map(move |formula| formula.with_context(|| name.clone())))
}

/// Reads all formulae of a file, as [`stream_formulae`] does. An empty file is an error.
pub fn read_formulae(path: &Path, variables: Option<u32>) -> Result<Vec<Formula>> {
    let formulae: Vec<Formula> = stream_formulae(path, variables)?.collect::<Result<_>>()?;
    if formulae.is_empty() {
        return Err(no_formulae(path));
    }
    Ok(formulae)
}

/// Reads all formulae of a file, which must be within the limits of a model.
pub fn read_limited(path: &Path, limits: FormulaLimits) -> Result<Vec<Formula>> {
    let name = display_name(path);
    let reader =
        FormulaReader::new(open(path, "formulae")?).with_context(|| name.clone())?.with_limits(limits);
    let formulae: Vec<Formula> =
        reader.map(|formula| formula.with_context(|| name.clone())).collect::<Result<_>>()?;
    if formulae.is_empty() {
        return Err(no_formulae(path));
    }
    Ok(formulae)
}

/// Opens a binary file or standard input. Messages say that it should have these `contents`.
pub fn read_bytes(path: &Path, contents: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, contents)?
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {}", display_name(path)))?;
    Ok(bytes)
}

/// The error for an input without formulae.
pub fn no_formulae(path: &Path) -> anyhow::Error {
    anyhow::anyhow!("{} contains no formulae: write one formula per line", display_name(path))
}

/// Reads a whole text file. Messages say that it should have these `contents`.
pub fn read_text(path: &Path, contents: &str) -> Result<String> {
    let mut text = String::new();
    open(path, contents)?
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read {}", display_name(path)))?;
    Ok(text)
}

/// Formulae given as command-line arguments, where each `-` reads the next formula from standard input.
pub struct FormulaArguments {
    standard_input: Option<Box<dyn Iterator<Item = Result<Formula>>>>,
}

impl FormulaArguments {
    pub fn new() -> Self {
        Self { standard_input: None }
    }

    /// The formula of one argument.
    pub fn parse(&mut self, argument: &str) -> Result<Formula> {
        if argument != "-" {
            return argument.parse().context("invalid formula");
        }
        let lines = match &mut self.standard_input {
            Some(lines) => lines,
            None => self.standard_input.insert(Box::new(stream_formulae(Path::new("-"), None)?)),
        };
        lines
            .next()
            .unwrap_or_else(|| bail!("standard input has no more formulae: write one formula per line"))
    }

    /// Reports formulae left on standard input as an error, since they would be ignored silently.
    pub fn finish(mut self) -> Result<()> {
        match self.standard_input.as_mut().and_then(Iterator::next) {
            Some(extra) => {
                bail!(
                    "standard input has more formulae than this command reads: remove `{}` and what follows",
                    extra?
                )
            }
            None => Ok(()),
        }
    }
}
