//! Features: yes-or-no questions about one column.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A question about the value of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The column's name.
    pub column: String,
    /// The question.
    pub test: Test,
    /// The other value, if the column has exactly two and none is missing: `fan = off` reads better than
    /// `fan != on`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) opposite: Option<String>,
    /// Whether no value of the column is missing. Only then is `speed < 30` the negation of `speed >= 30`.
    #[serde(skip)]
    pub(crate) complete: bool,
}

/// A question about a value. A missing value answers every question with no, except whether it is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Whether a column of 0/1, true/false or yes/no is true.
    True,
    /// Whether the value is this text.
    Equals(String),
    /// Whether there is a value, and it is not this text.
    Differs(String),
    /// Whether the number is at least this one.
    AtLeast(f64),
    /// Whether the number is less than this one.
    Below(f64),
    /// Whether there is no value.
    Missing,
}

impl Feature {
    /// A question about a column without missing values.
    pub fn new(column: impl Into<String>, test: Test) -> Self {
        Self { column: column.into(), test, opposite: None, complete: true }
    }

    /// Whether the negation is as short: without missing values, `!=` and `<` need no `!`.
    pub(crate) fn has_short_negation(&self) -> bool {
        self.complete && matches!(self.test, Test::Equals(_) | Test::AtLeast(_))
    }

    /// The answer for a value as it stands in a file, or `None` for a value that is missing. It is an error
    /// if the value cannot be read as the question needs it.
    pub(crate) fn answer(&self, value: Option<&str>) -> Result<bool, String> {
        let Some(value) = value else { return Ok(self.test == Test::Missing) };
        match &self.test {
            Test::True => truth(value).ok_or_else(|| format!("`{value}` is neither 0 nor 1")),
            Test::Equals(text) => Ok(value == text),
            Test::Differs(text) => Ok(value != text),
            Test::AtLeast(_) | Test::Below(_) => {
                let found = number(value).ok_or_else(|| format!("`{value}` is not a number"))?;
                Ok(self.test.holds(found))
            }
            Test::Missing => Ok(false),
        }
    }

    /// The text of the feature or its negation.
    pub(crate) fn text(&self, negated: bool) -> String {
        let column = quoted(&self.column);
        match (&self.test, negated) {
            (Test::True, false) => column,
            (Test::True, true) => format!("!{column}"),
            (Test::Equals(value), false) => format!("{column} = {}", quoted_value(value)),
            (Test::Differs(value), false) => format!("{column} != {}", quoted_value(value)),
            (Test::AtLeast(least), false) => {
                let (sign, limit) = if is_after(*least) { (">", least.next_down()) } else { (">=", *least) };
                format!("{column} {sign} {limit}")
            }
            (Test::Below(least), false) => {
                let (sign, limit) = if is_after(*least) { ("<=", least.next_down()) } else { ("<", *least) };
                format!("{column} {sign} {limit}")
            }
            (Test::Missing, false) => format!("{column} is missing"),
            (_, true) => match self.negated_test() {
                Some(test) => Self { test, ..self.clone() }.text(false),
                None => format!("!({})", self.text(false)),
            },
        }
    }

    /// The question that has the opposite answer for every value, if there is one that is as short.
    pub(crate) fn negated_test(&self) -> Option<Test> {
        if !self.has_short_negation() {
            return None;
        }
        match (&self.opposite, &self.test) {
            (Some(other), _) => Some(Test::Equals(other.clone())),
            (None, Test::Equals(value)) => Some(Test::Differs(value.clone())),
            (None, Test::AtLeast(least)) => Some(Test::Below(*least)),
            _ => None,
        }
    }
}

impl Test {
    /// Whether a value is of the kind that the question is about: a number, or true or false.
    pub(crate) fn can_read(&self, value: &str) -> bool {
        match self {
            Self::True => truth(value).is_some(),
            Self::AtLeast(_) | Self::Below(_) => number(value).is_some(),
            Self::Equals(_) | Self::Differs(_) | Self::Missing => true,
        }
    }

    /// The answer for a number; `false` for questions that are not about numbers.
    pub(crate) fn holds(&self, found: f64) -> bool {
        match self {
            Self::AtLeast(least) => found >= *least,
            Self::Below(limit) => found < *limit,
            _ => false,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(false))
    }
}

/// Whether a limit is the number after a shorter one: `speed > 3` is a question about the next number.
fn is_after(limit: f64) -> bool {
    limit.to_string().len() > limit.next_down().to_string().len() + 4
}

/// Words that mean true and false.
pub(crate) fn truth(value: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    if is(&["1", "true", "yes", "t", "y", "1.0"]) {
        return Some(true);
    }
    is(&["0", "false", "no", "f", "n", "0.0"]).then_some(false)
}

/// A finite number.
pub(crate) fn number(value: &str) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Words that formulae use for operators.
const RESERVED: [&str; 13] =
    ["and", "or", "not", "xor", "implies", "at", "least", "of", "is", "missing", "iff", "true", "false"];

/// A name that needs no quotes: letters, digits and underscores, not starting with a digit.
pub(crate) fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && !RESERVED.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// A column's name, in quotes if it is not a plain word.
pub(crate) fn quoted(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quote(name) }
}

fn quoted_value(value: &str) -> String {
    let plain = is_plain(value) || number(value).is_some_and(|n| n.to_string() == value);
    if plain { value.to_owned() } else { quote(value) }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_answers_and_texts() {
        let speed = Feature::new("speed", Test::AtLeast(30.5));
        assert_eq!(speed.answer(Some("31")), Ok(true));
        assert_eq!(speed.answer(None), Ok(false));
        assert!(speed.answer(Some("fast")).is_err());
        assert_eq!(speed.text(true), "speed < 30.5");
        let above = Feature::new("speed", Test::AtLeast(3.0f64.next_up()));
        assert_eq!([above.text(false), above.text(true)], ["speed > 3", "speed <= 3"]);
        // With missing values, the negation is another question than the opposite comparison.
        let open = Feature { complete: false, ..speed };
        assert_eq!(open.text(true), "!(speed >= 30.5)");
        let below = Feature::new("speed", Test::Below(30.5));
        assert_eq!((below.answer(None), below.answer(Some("30"))), (Ok(false), Ok(true)));
        let colour = Feature::new("body colour", Test::Equals("dark red".into()));
        assert_eq!(colour.text(false), "\"body colour\" = \"dark red\"");
    }
}
