//! Reading formulae over columns: what [`Style::text`](crate::shown) writes, and what people type.
//!
//! Operators: `!`, `&`, `^`, `|`, `->` (also as words), and `at least K of (...)`. A column is a word or a
//! text in double quotes, alone or with `= value`, `!= value`, `>= number`, `< number`, `> number`,
//! `<= number` or `is missing`. In templates, `_` stands for any literal.

use crate::error::MineError;
use crate::expr::{Expr, Join};
use crate::feature::{Feature, Test, number, truth};

/// How deep parentheses may be nested.
const DEPTH: usize = 200;

/// A formula that was read, with the questions it asks.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedFormula {
    /// The formula over `features`.
    pub expr: Expr,
    /// The questions, each once.
    pub features: Vec<Feature>,
}

/// Reads a formula over columns.
///
/// ```
/// let parsed = logicvae_mine::parse("alarm & speed >= 30 | colour = red")?;
/// assert_eq!(parsed.features.len(), 3);
/// assert_eq!(parsed.to_string(), "colour = red | alarm & speed >= 30");
/// # Ok::<(), logicvae_mine::MineError>(())
/// ```
pub fn parse(text: &str) -> Result<ParsedFormula, MineError> {
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, features: Vec::new(), depth: 0 };
    let expr = parser.implication()?;
    match parser.tokens.get(parser.next) {
        None => Ok(ParsedFormula { expr, features: parser.features }),
        Some((at, token)) => Err(parser.error(format!("unexpected {token:?} after the formula"), *at)),
    }
}

impl std::fmt::Display for ParsedFormula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let style = crate::shown::Style { features: &self.features, implies: false };
        f.write_str(&style.text(&self.expr))
    }
}

impl ParsedFormula {
    /// The same formula over another list of features. Questions that are not in the list are an error.
    pub(crate) fn over(&self, features: &[Feature]) -> Result<Expr, MineError> {
        let mut new = Vec::new();
        for feature in &self.features {
            let same = |known: &Feature| known.column == feature.column && known.test == feature.test;
            // `<` is the negation of `>=` if no value is missing, and so is the other one of two values.
            let opposite = |known: &Feature| {
                let plain = Feature { opposite: None, ..known.clone() };
                let tests = [known.negated_test(), plain.negated_test()];
                known.column == feature.column && tests.into_iter().flatten().any(|t| t == feature.test)
            };
            if let Some(at) = features.iter().position(opposite) {
                new.push((at as u32, true));
                continue;
            }
            let at = features.iter().position(same).ok_or_else(|| {
                let same = features.iter().filter(|known| known.column == feature.column);
                let known: Vec<String> = same.map(|f| format!("`{f}`")).take(8).collect();
                MineError::Settings(match known.is_empty() {
                    true => format!("`{feature}` is not about a column of the table"),
                    false => format!(
                        "`{feature}` is not one of the questions about this column: use {}",
                        known.join(", ")
                    ),
                })
            })?;
            new.push((at as u32, false));
        }
        Ok(self.expr.renamed(&|feature| new[feature as usize]))
    }
}

impl Expr {
    /// The same formula over other features; each may be negated.
    #[must_use]
    fn renamed(&self, new: &impl Fn(u32) -> (u32, bool)) -> Self {
        match self {
            Self::Const(_) => self.clone(),
            Self::Literal(feature, negated) => {
                let (feature, opposite) = new(*feature);
                Self::Literal(feature, *negated != opposite)
            }
            Self::Join(join, children) => {
                Self::join(*join, children.iter().map(|child| child.renamed(new)).collect())
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Sign(&'static str),
}

/// Signs, the longest first.
const SIGNS: [&str; 22] = [
    "<->", "->", "=>", ">=", "<=", "!=", "==", "&&", "||", "≥", "≤", "≠", "&", "|", "^", "!", "~", "(", ")",
    ",", "=", ">",
];
const MORE_SIGNS: [&str; 4] = ["<", "∧", "∨", "¬"];

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, MineError> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if let Some(sign) = SIGNS.iter().chain(&MORE_SIGNS).find(|sign| text[at..].starts_with(**sign))
        {
            at += sign.len();
            list.push((start, Token::Sign(sign)));
        } else if c == '"' {
            let mut content = String::new();
            let mut escaped = false;
            let mut closed = false;
            for (offset, c) in text[at + 1..].char_indices() {
                match (escaped, c) {
                    (false, '\\') => escaped = true,
                    (false, '"') => {
                        at += 1 + offset + 1;
                        closed = true;
                        break;
                    }
                    _ => {
                        content.push(c);
                        escaped = false;
                    }
                }
            }
            if !closed {
                return Err(MineError::parse("the quotes that open here are not closed", text, start));
            }
            list.push((start, Token::Quoted(content)));
        } else if c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+') {
            let rest = &text[at..];
            let inside = |(offset, c): (usize, char)| {
                // A minus belongs to a word at its start only (a number) or after an exponent.
                let minus = matches!(c, '-' | '+')
                    && (offset == 0
                        || (number(&rest[..offset + 1].replace(['-', '+'], "0")).is_some()
                            && rest[..offset].ends_with(['e', 'E'])));
                !(c.is_alphanumeric() || matches!(c, '_' | '.') || minus)
            };
            let length = rest.char_indices().find(|&pair| inside(pair)).map_or(rest.len(), |(end, _)| end);
            at += length;
            list.push((start, Token::Word(rest[..length].to_owned())));
        } else {
            return Err(MineError::parse(format!("`{c}` has no meaning in a formula"), text, start));
        }
    }
    Ok(list)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token)>,
    next: usize,
    features: Vec<Feature>,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, message: impl Into<String>, at: usize) -> MineError {
        MineError::parse(message, self.text, at)
    }

    fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |(at, _)| *at)
    }

    /// Whether the next token is one of these signs or words; it is consumed.
    fn take(&mut self, names: &[&str]) -> bool {
        let found = match self.tokens.get(self.next) {
            Some((_, Token::Sign(sign))) => names.contains(sign),
            Some((_, Token::Word(word))) => names.iter().any(|name| word.eq_ignore_ascii_case(name)),
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, name: &str, why: &str) -> Result<(), MineError> {
        if self.take(&[name]) {
            return Ok(());
        }
        Err(self.error(format!("`{name}` is missing here: {why}"), self.position()))
    }

    fn implication(&mut self) -> Result<Expr, MineError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(
                self.error(format!("parentheses are nested deeper than {DEPTH} levels"), self.position())
            );
        }
        let left = self.chain(Join::Or, &["|", "||", "∨", "or"])?;
        let result = if self.take(&["->", "=>", "implies"]) {
            let right = self.implication()?;
            Expr::join(Join::Or, vec![left.negated(), right])
        } else if self.take(&["<->", "iff"]) {
            let right = self.implication()?;
            Expr::join(Join::Xor(true), vec![left, right])
        } else {
            left
        };
        self.depth -= 1;
        Ok(result)
    }

    fn chain(&mut self, join: Join, signs: &[&str]) -> Result<Expr, MineError> {
        let mut parts = vec![self.operand(join)?];
        while self.take(signs) {
            parts.push(self.operand(join)?);
        }
        Ok(Expr::join(join, parts))
    }

    fn operand(&mut self, join: Join) -> Result<Expr, MineError> {
        match join {
            Join::Or => self.chain(Join::Xor(false), &["^", "xor"]),
            Join::Xor(_) => self.chain(Join::And, &["&", "&&", "∧", "and"]),
            _ => self.unary(),
        }
    }

    fn unary(&mut self) -> Result<Expr, MineError> {
        let mut negated = false;
        while self.take(&["!", "~", "¬", "not"]) {
            negated = !negated;
        }
        let expr = self.atom()?;
        Ok(if negated { expr.negated() } else { expr })
    }

    fn atom(&mut self) -> Result<Expr, MineError> {
        let at = self.position();
        if self.take(&["("]) {
            let inner = self.implication()?;
            self.expect(")", "a parenthesis is open")?;
            return Ok(inner);
        }
        let is_word = |token: Option<&(usize, Token)>, word: &str| match token {
            Some((_, Token::Word(found))) => found.eq_ignore_ascii_case(word),
            _ => false,
        };
        if is_word(self.tokens.get(self.next), "at") && is_word(self.tokens.get(self.next + 1), "least") {
            self.next += 2;
            return self.at_least();
        }
        let (column, quoted) = match self.tokens.get(self.next) {
            Some((_, Token::Word(word))) => (word.clone(), false),
            Some((_, Token::Quoted(text))) => (text.clone(), true),
            Some((_, Token::Sign(sign))) => {
                return Err(self.error(format!("a column is missing before `{sign}`"), at));
            }
            None => return Err(self.error("a column is missing at the end", at)),
        };
        self.next += 1;
        if let Some((test, negated)) = self.comparison()? {
            let literal = self.literal(column, test);
            return Ok(if negated { literal.negated() } else { literal });
        }
        if !quoted && let "0" | "1" | "true" | "false" = column.to_ascii_lowercase().as_str() {
            return Ok(Expr::Const(truth(&column) == Some(true)));
        }
        Ok(self.literal(column, Test::True))
    }

    fn at_least(&mut self) -> Result<Expr, MineError> {
        let at = self.position();
        let count = match self.tokens.get(self.next) {
            Some((_, Token::Word(word))) => word.parse().ok(),
            _ => None,
        };
        let Some(count) = count else { return Err(self.error("a number must follow `at least`", at)) };
        self.next += 1;
        self.expect("of", "write `at least 2 of (a, b, c)`")?;
        self.expect("(", "write `at least 2 of (a, b, c)`")?;
        let mut parts = vec![self.implication()?];
        while self.take(&[","]) {
            parts.push(self.implication()?);
        }
        self.expect(")", "the list of `at least` is open")?;
        Ok(Expr::join(Join::AtLeast(count), parts))
    }

    /// The question after a column, and whether it is negated.
    fn comparison(&mut self) -> Result<Option<(Test, bool)>, MineError> {
        if self.take(&["is"]) {
            let negated = self.take(&["not"]);
            self.expect("missing", "write `column is missing`")?;
            return Ok(Some((Test::Missing, negated)));
        }
        let sign = match self.tokens.get(self.next) {
            Some((
                _,
                Token::Sign(sign @ ("=" | "==" | "!=" | "≠" | ">=" | "≥" | "<" | ">" | "<=" | "≤")),
            )) => *sign,
            _ => return Ok(None),
        };
        self.next += 1;
        let at = self.position();
        let value = match self.tokens.get(self.next) {
            Some((_, Token::Word(text) | Token::Quoted(text))) => text.clone(),
            _ => return Err(self.error(format!("a value must follow `{sign}`"), at)),
        };
        self.next += 1;
        if let "=" | "==" | "!=" | "≠" = sign {
            let differs = matches!(sign, "!=" | "≠");
            return Ok(Some((if differs { Test::Differs(value) } else { Test::Equals(value) }, false)));
        }
        let Some(limit) = number(&value) else {
            return Err(self.error(format!("`{value}` is not a number"), at));
        };
        Ok(Some(match sign {
            ">=" | "≥" => (Test::AtLeast(limit), false),
            "<" => (Test::Below(limit), false),
            // The next larger number.
            ">" => (Test::AtLeast(limit.next_up()), false),
            _ => (Test::Below(limit.next_up()), false),
        }))
    }

    fn literal(&mut self, column: String, test: Test) -> Expr {
        // Whether values are missing is not known here.
        let feature = Feature { complete: false, ..Feature::new(column, test) };
        let at = self.features.iter().position(|known| *known == feature).unwrap_or_else(|| {
            self.features.push(feature);
            self.features.len() - 1
        });
        Expr::positive(at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_formulae_are_read_back() {
        for text in [
            "a & b | !c",
            "at least 2 of (a, b & c, speed >= 30)",
            "\"two words\" = \"dark red\" | speed < -1.5",
            "a ^ b ^ c",
            "!(a & b & c)",
            "x is missing & y",
            "!(speed >= 3) | colour != red",
        ] {
            let parsed = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let again = parse(&parsed.to_string()).unwrap_or_else(|e| panic!("{parsed}: {e}"));
            assert_eq!(again.to_string(), parsed.to_string(), "{text}");
            assert_eq!(again.over(&parsed.features).expect("the same questions"), parsed.expr, "{text}");
        }
    }

    #[test]
    fn errors_show_the_place() {
        for (text, message) in [
            ("a & ", "a column is missing at the end"),
            ("(a", "`)` is missing here"),
            ("a b", "after the formula"),
            ("speed >= fast", "`fast` is not a number"),
            ("at least two of (a, b)", "a number must follow"),
            ("a $ b", "`$` has no meaning"),
            ("\"a", "not closed"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&"!".repeat(100_001)).is_err());
    }
}
