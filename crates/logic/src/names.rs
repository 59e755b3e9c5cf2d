//! Names of variables: a symbol table beside the formulae, which themselves contain only indices.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::formula::Formula;
use crate::identifier::{self, is_identifier};
use crate::node::Var;

/// A symbol table: which name stands for which variable.
///
/// A formula is an array of indices, and stays one. The names are beside it: they are needed to parse and to
/// print, and nothing in between knows of them. A new name takes the smallest index that is neither named nor
/// written as `x1`, `x2`, …, so both ways of writing variables can be mixed.
///
/// ```
/// use logicvae_logic::Names;
/// let mut names = Names::default();
/// let f = names.parse("door_open & !alarm -> locked")?;
/// assert_eq!(f.to_string(), "!(x1 & !x2) | x3");
/// assert_eq!(names.display(&f).to_string(), "!(door_open & !alarm) | locked");
/// // Another text with the same names has the same variables.
/// assert_eq!(names.parse("locked | \"speed >= 30\"")?.to_string(), "x3 | x4");
/// # Ok::<(), logicvae_logic::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The name of `x1`, `x2`, and so on; none for variables written by their index.
    list: Vec<Option<Arc<str>>>,
    indices: FxHashMap<Arc<str>, Var>,
    /// Indices that occur in a text as `x1`, `x2`, …, so that no name may take them.
    reserved: BTreeSet<u32>,
    /// No index below this one is free.
    first_free: u32,
}

/// A variable that is written in two ways, or a name that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// An index that already has a name.
    #[error(
        "x{index} is the variable `{name}` here: write `{name}`, or give all variables names, so that none \
         is called by its number"
    )]
    Taken {
        /// The index.
        index: u32,
        /// Its name.
        name: String,
    },
    /// A name with a character that no name can have.
    #[error("`{name}` cannot be a name: names have at least one character, no quotes and no line breaks")]
    Invalid {
        /// The name.
        name: String,
    },
    /// The same name twice in a list.
    #[error("the name `{name}` occurs twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// More names than variables.
    #[error("there are too many names")]
    TooMany,
}

impl Names {
    /// A table in which `x1`, `x2`, … have these names. A name such as `x3` in third place means that this
    /// variable has none.
    ///
    /// ```
    /// use logicvae_logic::{Names, x};
    /// let names = Names::new(["door_open", "x2", "alarm"])?;
    /// assert_eq!(names.display(&(x(1) & x(2) & x(3))).to_string(), "door_open & x2 & alarm");
    /// # Ok::<(), logicvae_logic::NameError>(())
    /// ```
    pub fn new(list: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, NameError> {
        let mut names = Self::default();
        for (name, index) in list.into_iter().zip(1u32..) {
            let (name, var) = (name.as_ref(), Var::new(index).map_err(|_| NameError::TooMany)?);
            if identifier::index(name) == Some(index) {
                names.reserve(var)?;
            } else if names.index(name).is_some() {
                return Err(NameError::Twice { name: name.to_owned() });
            } else {
                names.insert(name, var)?;
            }
        }
        Ok(names)
    }

    /// Whether no variable has a name.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The largest index that is named or written as `x1`, `x2`, …
    pub fn width(&self) -> usize {
        self.list.len().max(self.reserved.last().map_or(0, |&last| last as usize))
    }

    /// The name of a variable, if it has one.
    pub fn name(&self, var: Var) -> Option<&str> {
        self.list.get(var.position())?.as_deref()
    }

    /// The variable of this name.
    pub fn index(&self, name: &str) -> Option<Var> {
        self.indices.get(name).copied()
    }

    /// How a variable is written: its name, in quotes if it would not be read as one otherwise, or `x3`.
    pub fn show(&self, var: Var) -> String {
        match self.name(var) {
            Some(name) if is_identifier(name) => name.to_owned(),
            Some(name) => format!("\"{name}\""),
            None => var.to_string(),
        }
    }

    /// How the variables up to `count` are written.
    pub fn columns(&self, count: usize) -> Vec<String> {
        (1..=count as u32).filter_map(|index| Some(self.show(Var::new(index).ok()?))).collect()
    }

    /// The variable of this name, which is created if it does not exist.
    pub fn declare(&mut self, name: &str) -> Result<Var, NameError> {
        if let Some(var) = self.index(name) {
            return Ok(var);
        }
        let mut free = self.first_free.max(1);
        while self.reserved.contains(&free) || self.list.get(free as usize - 1).is_some_and(Option::is_some) {
            free += 1;
        }
        self.first_free = free;
        let var = Var::new(free).map_err(|_| NameError::TooMany)?;
        self.insert(name, var)?;
        Ok(var)
    }

    /// Keeps the index of a variable that is written as `x1`, `x2`, … from being named. It is an error if it
    /// has a name already: the same variable would be written in two ways, or two variables would be one.
    pub fn reserve(&mut self, var: Var) -> Result<(), NameError> {
        if let Some(name) = self.name(var) {
            return Err(NameError::Taken { index: var.index(), name: name.to_owned() });
        }
        self.reserved.insert(var.index());
        Ok(())
    }

    fn insert(&mut self, name: &str, var: Var) -> Result<(), NameError> {
        if name.is_empty() || name.contains(['"', '`', '\n', '\r']) {
            return Err(NameError::Invalid { name: name.escape_debug().to_string() });
        }
        if self.list.len() <= var.position() {
            self.list.resize(var.position() + 1, None);
        }
        let name: Arc<str> = name.into();
        self.list[var.position()] = Some(name.clone());
        self.indices.insert(name, var);
        Ok(())
    }

    /// Shows a formula with these names.
    pub fn display<'a>(&'a self, formula: &'a Formula) -> NamedFormula<'a> {
        NamedFormula { formula, names: self }
    }

    /// Translates formulae that use another table to this one, by name: equal names become the same
    /// variable, new names are added, and variables without a name keep their index.
    pub(crate) fn translate(
        &mut self,
        other: &Names,
        formulae: &[Formula],
    ) -> Result<Vec<Formula>, NameError> {
        let used: BTreeSet<Var> = formulae.iter().flat_map(Formula::variables).collect();
        used.iter().filter(|v| other.name(**v).is_none()).try_for_each(|&v| self.reserve(v))?;
        let mut new: FxHashMap<Var, Var> = FxHashMap::default();
        for &var in &used {
            new.insert(var, other.name(var).map_or(Ok(var), |name| self.declare(name))?);
        }
        Ok(formulae.iter().map(|f| f.rename(|v| new.get(&v).copied().unwrap_or(v))).collect())
    }
}

/// A formula that is displayed with the names of its variables. See [`Names::display`].
pub struct NamedFormula<'a> {
    pub(crate) formula: &'a Formula,
    pub(crate) names: &'a Names,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::x;

    #[test]
    fn equal_names_become_the_same_variable() {
        let mut names = Names::new(["alarm", "door_open"]).unwrap();
        let other = Names::new(["door_open", "locked"]).unwrap();
        assert_eq!(names.translate(&other, &[x(1) & x(2)]).unwrap(), [x(2) & x(3)]);
    }
}
