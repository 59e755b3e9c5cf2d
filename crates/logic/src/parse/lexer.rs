//! Splits text into tokens.

use super::error::ParseErrorKind;
use super::{Failure, Operator};
use crate::identifier::{QUOTES, index_digits, starts_name, word_length};
use crate::node::MAX_VARIABLE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    True,
    False,
    Var(u32),
    /// A word or a text in quotes that names a variable.
    Name,
    Not,
    Binary(Operator),
    Open,
    Close,
    End,
}

/// Symbolic tokens. A symbol comes before every other symbol that is a prefix of it.
const SIGNS: &[(&str, Token)] = &[
    ("<->", Token::Binary(Operator::Iff)),
    ("<=>", Token::Binary(Operator::Iff)),
    ("↔", Token::Binary(Operator::Iff)),
    ("->", Token::Binary(Operator::Implies)),
    ("=>", Token::Binary(Operator::Implies)),
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

/// The meanings of the words in `KEYWORDS`.
const WORDS: &[(&str, Token)] = &[
    ("1", Token::True),
    ("TRUE", Token::True),
    ("0", Token::False),
    ("FALSE", Token::False),
    ("NOT", Token::Not),
    ("AND", Token::Binary(Operator::And)),
    ("NAND", Token::Binary(Operator::Nand)),
    ("OR", Token::Binary(Operator::Or)),
    ("NOR", Token::Binary(Operator::Nor)),
    ("XOR", Token::Binary(Operator::Xor)),
    ("IMPLIES", Token::Binary(Operator::Implies)),
    ("IFF", Token::Binary(Operator::Iff)),
];

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Splits the text from this byte on.
    pub fn new(text: &'a str, start: usize) -> Self {
        Self { text, at: start }
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
        if let Some(quote) = QUOTES.into_iter().find(|&quote| first == quote) {
            let Some(length) =
                rest[1..].find([quote, '\n']).filter(|&end| rest[1 + end..].starts_with(quote))
            else {
                return Err((at, ParseErrorKind::UnclosedQuote));
            };
            self.at += length + 2;
            return Ok((at, Token::Name));
        }
        let word = &rest[..word_length(rest)];
        if word.is_empty() {
            return Err((at, ParseErrorKind::UnknownSymbol { symbol: first }));
        }
        self.at += word.len();
        match WORDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)) {
            Some(&(_, token)) => Ok((at, token)),
            None => variable(word).map(|token| (at, token)).map_err(|kind| (at, kind)),
        }
    }

    /// The name at a token [`Token::Name`] that starts at byte `at`, without quotes.
    pub fn name(&self, at: usize) -> &'a str {
        self.text[at..self.at].trim_matches(QUOTES)
    }

    /// The text of the current token, which starts at byte `at`, for error messages; empty at the end of the
    /// text.
    pub fn text_of(&self, at: usize) -> String {
        shortened(&self.text[at..self.at])
    }
}

/// Shortens long words for error messages.
pub(super) fn shortened(word: &str) -> String {
    const SHOWN: usize = 24;
    match word.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &word[..cut]),
        None => word.to_owned(),
    }
}

/// The variable that a word stands for: an index such as `x3`, or a name.
fn variable(word: &str) -> Result<Token, ParseErrorKind> {
    let Some(digits) = index_digits(word) else {
        return if starts_name(word) {
            Ok(Token::Name)
        } else {
            Err(ParseErrorKind::BadName { word: shortened(word) })
        };
    };
    match digits.parse::<u32>() {
        Ok(0) => Err(ParseErrorKind::VariableZero),
        Ok(index) if index <= MAX_VARIABLE => Ok(Token::Var(index)),
        _ => Err(ParseErrorKind::VariableTooLarge { name: shortened(word) }),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_keyword_has_a_meaning() {
        let words: Vec<&str> = super::WORDS.iter().map(|(word, _)| *word).collect();
        assert_eq!(words, crate::identifier::KEYWORDS);
    }
}
