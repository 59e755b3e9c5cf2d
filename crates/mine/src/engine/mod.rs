//! The engines: ways to find formulae. All of them propose candidates, which are judged by one score.

pub(crate) mod decompose;
pub(crate) mod exact;
pub(crate) mod genetic;
pub(crate) mod learned;
pub(crate) mod local;
pub(crate) mod template;
pub(crate) mod two_level;

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::error::MineError;

/// An engine, which can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// The best formula over every promising choice of four or five features, by enumeration.
    Exact,
    /// Disjunctions of conjunctions and their duals, grown from rows and pruned.
    TwoLevel,
    /// Parities, thresholds and case distinctions.
    Decompose,
    /// Stochastic local search: subformulae are replaced by what fits best in their place.
    Local,
    /// Subformulae of good formulae are tried in others.
    Genetic,
    /// Decodings of the built-in model.
    Learned,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 6] =
        [Self::Exact, Self::TwoLevel, Self::Decompose, Self::Local, Self::Genetic, Self::Learned];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TwoLevel => "two-level",
            Self::Decompose => "decompose",
            Self::Local => "local",
            Self::Genetic => "genetic",
            Self::Learned => "learned",
        }
    }
}

/// The engines that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engines(pub BTreeSet<Engine>);

impl Default for Engines {
    fn default() -> Self {
        Self(Engine::ALL.into_iter().collect())
    }
}

impl FromStr for Engines {
    type Err = MineError;

    /// Reads a list such as `exact,local`, or `-learned` for all but some.
    fn from_str(text: &str) -> Result<Self, MineError> {
        let find = |name: &str| {
            Engine::ALL.into_iter().find(|engine| engine.name() == name).ok_or_else(|| {
                let names: Vec<&str> = Engine::ALL.iter().map(|engine| engine.name()).collect();
                MineError::Settings(format!("`{name}` is not an engine: use {}", names.join(", ")))
            })
        };
        let mut without = Self::default().0;
        let mut only = BTreeSet::new();
        for name in text.split(',').map(str::trim) {
            if name == "all" {
                only.extend(Engine::ALL);
                continue;
            }
            match name.strip_prefix('-') {
                Some(name) => {
                    without.remove(&find(name)?);
                }
                None => {
                    only.insert(find(name)?);
                }
            }
        }
        let list = if only.is_empty() { without } else { only.intersection(&without).copied().collect() };
        if list.is_empty() {
            return Err(MineError::Settings("no engine is left: name at least one".into()));
        }
        Ok(Self(list))
    }
}
