//! Reading formulae and other text from files, standard input and the command line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use logicvae_logic::{
    Entry, FileFormat, Formula, FormulaFile, FormulaLimits, FormulaReader, LimitError, Names, ReadError, Var,
};

/// Whether a path is `-`, which stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether an argument that can be a formula or a file is a file. A name such as `requirements.csv` that does
/// not exist is a mistake, although it could be the name of a variable.
pub fn is_file(input: &str) -> Result<bool> {
    let path = Path::new(input);
    if is_standard(path) || path.exists() {
        return Ok(true);
    }
    let known = FileFormat::from_extension(path).is_some() || path.extension().is_some_and(|e| e == "npy");
    let is_word = !input.contains(|c: char| c.is_whitespace() || "()!&|^~<>\"".contains(c));
    if is_word && known {
        bail!(
            "there is no file {input}: if it is the name of a variable, put it in quotes, as in '\"{input}\"'"
        );
    }
    Ok(false)
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
    let (streamed, read): (Option<_>, Vec<Formula>) = match format(path)? {
        FileFormat::Text | FileFormat::Binary => {
            let reader = FormulaReader::new(open(path, "formulae")?).with_context(|| name.clone())?;
            (Some(reader.with_variables(variables)), Vec::new())
        }
        _ => (None, Inputs::new().formulae(path, variables)?),
    };
    let streamed = streamed.into_iter().flatten().map(move |formula| formula.with_context(|| name.clone()));
    Ok(read.into_iter().map(Ok).chain(streamed))
}

/// The format of a file, by its name. Text and binary files are told apart by their content.
fn format(path: &Path) -> Result<FileFormat> {
    let format = FileFormat::from_extension(path).unwrap_or(FileFormat::Text);
    if !format.is_readable() {
        bail!("{} is in a format that can be written, but not read", path.display());
    }
    Ok(format)
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

/// Formulae from files and from the command line, which share the names of their variables.
#[derive(Default)]
pub struct Inputs {
    /// The names in everything that was read.
    pub names: Names,
    /// What is left of standard input, if an argument is `-`.
    standard_input: Option<VecDeque<Entry>>,
}

impl Inputs {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file of formulae with their labels. An empty file is an error, and so is a formula with a
    /// variable above `variables`.
    pub fn entries(&mut self, path: &Path, variables: Option<u32>) -> Result<Vec<Entry>> {
        self.read(path, variables, None)
    }

    /// Reads the formulae of a file, as [`entries`](Self::entries) does.
    pub fn formulae(&mut self, path: &Path, variables: Option<u32>) -> Result<Vec<Formula>> {
        Ok(self.entries(path, variables)?.into_iter().map(|entry| entry.formula).collect())
    }

    /// Reads a file of formulae, which must be within the limits of a model.
    pub fn limited(&mut self, path: &Path, limits: FormulaLimits) -> Result<Vec<Entry>> {
        self.read(path, None, Some(limits))
    }

    fn read(
        &mut self,
        path: &Path,
        variables: Option<u32>,
        limits: Option<FormulaLimits>,
    ) -> Result<Vec<Entry>> {
        let name = display_name(path);
        let names = std::mem::take(&mut self.names);
        let format = format(path)?;
        let reader = open(path, "formulae")?;
        let entries = match format {
            FileFormat::Text | FileFormat::Binary => {
                let mut reader = FormulaReader::new(reader)
                    .with_context(|| name.clone())?
                    .with_variables(variables)
                    .with_names(names);
                if let Some(limits) = limits {
                    reader = reader.with_limits(limits);
                }
                let mut entries = Vec::new();
                loop {
                    match reader.next_entry() {
                        Ok(Some(entry)) => entries.push(entry),
                        Ok(None) => break,
                        Err(error) => return Err(named(error, reader.names())).with_context(|| name.clone()),
                    }
                }
                self.names = reader.names().clone();
                entries
            }
            _ => {
                let file = FormulaFile::read_with(reader, format, names).with_context(|| name.clone())?;
                self.names = file.names;
                let check = |entry: Entry| check(entry, variables, limits);
                let entries: Result<Vec<Entry>, ReadError> = file.entries.into_iter().map(check).collect();
                entries.map_err(|error| named(error, &self.names)).with_context(|| name.clone())?
            }
        };
        if entries.is_empty() {
            return Err(no_formulae(path));
        }
        Ok(entries)
    }

    /// The formula of one argument, where `-` reads the next formula from standard input.
    pub fn formula(&mut self, argument: &str) -> Result<Formula> {
        if argument != "-" {
            return self.names.parse(argument).context("invalid formula");
        }
        if self.standard_input.is_none() {
            let entries = self.read(Path::new("-"), None, None)?;
            self.standard_input = Some(entries.into());
        }
        let next = self.standard_input.as_mut().and_then(VecDeque::pop_front);
        let next = next.context("standard input has no more formulae: write one formula per line")?;
        Ok(next.formula)
    }

    /// The formula of one argument, which must be within the limits of a model.
    pub fn limited_formula(&mut self, argument: &str, limits: FormulaLimits) -> Result<Formula> {
        let formula = self.formula(argument)?;
        limits
            .admit(formula)
            .map_err(|e| anyhow::anyhow!("{}", limit(&e, &self.names)))
            .with_context(|| format!("`{argument}`"))
    }

    /// How a formula is written with the names of the input.
    pub fn show(&self, formula: &Formula) -> String {
        self.names.display(formula).to_string()
    }

    /// Reports formulae left on standard input as an error, since they would be ignored silently.
    pub fn finish(&self) -> Result<()> {
        match self.standard_input.as_ref().and_then(|rest| rest.front()) {
            Some(extra) => bail!(
                "standard input has more formulae than this command reads: remove `{}` and what follows",
                self.show(&extra.formula)
            ),
            None => Ok(()),
        }
    }
}

/// The checks that [`FormulaReader`] makes, for the other formats.
fn check(entry: Entry, variables: Option<u32>, limits: Option<FormulaLimits>) -> Result<Entry, ReadError> {
    let place = || format!("line {}", entry.line);
    let variable = entry.formula.max_variable();
    match variables {
        Some(variables) if variable > variables => {
            return Err(ReadError::Variable { place: place(), variable, variables });
        }
        _ => {}
    }
    match limits.map(|limits| limits.admit(entry.formula.clone())).transpose() {
        Ok(formula) => Ok(Entry { formula: formula.unwrap_or_else(|| entry.formula.clone()), ..entry }),
        Err(error) => Err(ReadError::Limit { place: place(), error }),
    }
}

/// An error about a variable that has a name says so.
fn named(error: ReadError, names: &Names) -> anyhow::Error {
    match &error {
        ReadError::Limit { place, error: inner } => anyhow::anyhow!("{place}: {}", limit(inner, names)),
        ReadError::Variable { place, variable, variables } => {
            match Var::new(*variable).ok().and_then(|var| names.name(var)) {
                Some(name) => anyhow::anyhow!(
                    "{place}: `{name}` is variable {variable} of the input, but there are only {variables}: \
                     raise the number of variables"
                ),
                None => error.into(),
            }
        }
        _ => error.into(),
    }
}

fn limit(error: &LimitError, names: &Names) -> String {
    match error {
        LimitError::Variable { variable, limit } => {
            match Var::new(*variable).ok().and_then(|var| names.name(var)) {
                Some(name) => format!(
                    "`{name}` is variable {variable} of the input, but only {limit} variables are supported: \
                     use fewer variables at once"
                ),
                None => error.to_string(),
            }
        }
        _ => error.to_string(),
    }
}
