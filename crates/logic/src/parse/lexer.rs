//! Splits text into tokens.

use super::error::ParseErrorKind;
use super::{Failure, Operator};
use crate::node::MAX_VARIABLE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    True,
    False,
    Var(u32),
    Not,
    Binary(Operator),
    Open,
    Close,
    End,
}

/// Symbolic tokens. A symbol comes before every other symbol that is a prefix of it.
const SIGNS: &[(&str, Token)] = &[
    ("<->", Token::Binary(Operator::Iff)),
    ("↔", Token::Binary(Operator::Iff)),
    ("->", Token::Binary(Operator::Implies)),
    ("→", Token::Binary(Operator::Implies)),
    ("&&", Token::Binary(Operator::And)),
    ("&", Token::Binary(Operator::And)),
    ("∧", Token::Binary(Operator::And)),
    ("||", Token::Binary(Operator::Or)),
    ("|", Token::Binary(Operator::Or)),
    ("∨", Token::Binary(Operator::Or)),
    ("^", Token::Binary(Operator::Xor)),
    ("⊕", Token::Binary(Operator::Xor)),
    ("!", Token::Not),
    ("~", Token::Not),
    ("¬", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token and its byte offset.
    pub fn next(&mut self) -> Result<(usize, Token), Failure> {
        let rest = self.text[self.at..].trim_start();
        let at = self.text.len() - rest.len();
        self.at = at;
        let Some(first) = rest.chars().next() else { return Ok((at, Token::End)) };
        if let Some(&(sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            self.at += sign.len();
            return Ok((at, token));
        }
        let word = &rest[..word_length(rest)];
        if word.is_empty() {
            return Err((at, ParseErrorKind::UnknownSymbol { symbol: first }));
        }
        self.at += word.len();
        match word {
            "1" => Ok((at, Token::True)),
            "0" => Ok((at, Token::False)),
            "not" => Ok((at, Token::Not)),
            "and" => Ok((at, Token::Binary(Operator::And))),
            "or" => Ok((at, Token::Binary(Operator::Or))),
            "xor" => Ok((at, Token::Binary(Operator::Xor))),
            _ => variable(word).map(|index| (at, Token::Var(index))).map_err(|kind| (at, kind)),
        }
    }

    /// The text of the current token, which starts at byte `at`, for error messages; empty at the end of the
    /// text.
    pub fn text_of(&self, at: usize) -> String {
        shortened(&self.text[at..self.at])
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Shortens long words for error messages.
fn shortened(word: &str) -> String {
    const SHOWN: usize = 24;
    match word.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &word[..cut]),
        None => word.to_owned(),
    }
}

fn variable(word: &str) -> Result<u32, ParseErrorKind> {
    let unknown = || ParseErrorKind::UnknownWord { word: shortened(word) };
    let digits = word.strip_prefix('x').ok_or_else(unknown)?;
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(unknown());
    }
    match digits.parse::<u32>() {
        Ok(0) => Err(ParseErrorKind::VariableZero),
        Ok(index) if index <= MAX_VARIABLE => Ok(index),
        _ => Err(ParseErrorKind::VariableTooLarge { name: shortened(word) }),
    }
}
