//! Reads SMT-LIB: tokens, commands, and the names that they declare.

use std::collections::HashMap;
use std::rc::Rc;

use super::original;
use super::terms::Postorder;
use crate::exchange::FormulaFile;
use crate::formula::MAX_NODES;
use crate::io::{Entry, ReadError};
use crate::names::Names;
use crate::node::{VAR, Var};
use crate::parse::from_postorder;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    Word(String),
}

/// The tokens of a text with their lines.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ReadError> {
    let mut list = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            ';' => (None, rest.find('\n').unwrap_or(rest.len())),
            '|' | '"' => {
                let Some(end) = rest[1..].find(first) else {
                    return Err(ReadError::Format { line, what: format!("`{first}` is never closed") });
                };
                (Some(Token::Word(rest[1..=end].to_owned())), end + 2)
            }
            c if c.is_whitespace() => (None, c.len_utf8()),
            _ => {
                let end =
                    rest.find(|c: char| c.is_whitespace() || "();|\"".contains(c)).unwrap_or(rest.len());
                (Some(Token::Word(rest[..end].to_owned())), end)
            }
        };
        list.extend(token.map(|token| (line, token)));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    Ok(list)
}

pub(in crate::exchange) fn read(text: &str) -> Result<FormulaFile, ReadError> {
    let list = tokens(text)?;
    let limit = ((1 << 16) + 64 * text.len()).min(MAX_NODES);
    let mut reader = Reader {
        tokens: list,
        at: 0,
        names: Names::default(),
        values: HashMap::new(),
        named: None,
        limit,
        nodes: 0,
    };
    // Names must not take an index that the file uses as x1, x2, …
    for (_, token) in &reader.tokens {
        let Token::Word(word) = token else { continue };
        if let Some(var) = crate::identifier::index(word).and_then(|index| Var::new(index).ok()) {
            drop(reader.names.reserve(var));
        }
    }
    let mut entries = Vec::new();
    while reader.at < reader.tokens.len() {
        let line = reader.line();
        reader.expect(Token::Open)?;
        match reader.word()?.as_str() {
            "assert" => {
                let formula = from_postorder(&reader.term()?);
                reader.expect(Token::Close)?;
                entries.push(Entry { formula, label: reader.named.take(), line });
            }
            "declare-const" => reader.declare(false)?,
            "declare-fun" => reader.declare(true)?,
            "define-fun" | "define-const" => reader.define()?,
            "push" | "pop" | "reset" | "declare-datatypes" | "define-fun-rec" => {
                return Err(
                    reader.wrong("only the Boolean part of SMT-LIB without push and pop is supported")
                );
            }
            _ => reader.skip()?, // set-logic, check-sat, get-model, …
        }
    }
    Ok(FormulaFile { names: reader.names, entries })
}

pub(super) struct Reader {
    tokens: Vec<(usize, Token)>,
    at: usize,
    names: Names,
    /// The values of names; the last one is visible.
    pub values: HashMap<String, Vec<Rc<Postorder>>>,
    pub named: Option<String>,
    /// The largest number of nodes that all terms may have together.
    pub limit: usize,
    /// Their number so far.
    pub nodes: usize,
}

impl Reader {
    fn line(&self) -> usize {
        let last = self.tokens.last().map_or(1, |(line, _)| *line);
        self.tokens.get(self.at).map_or(last, |(line, _)| *line)
    }

    pub fn wrong(&self, what: impl Into<String>) -> ReadError {
        ReadError::Format { line: self.line(), what: what.into() }
    }

    pub fn next(&mut self) -> Result<Token, ReadError> {
        let token = self.tokens.get(self.at).map(|(_, token)| token.clone());
        let token = token.ok_or_else(|| self.wrong("the file ends within a command: a `)` is missing"))?;
        self.at += 1;
        Ok(token)
    }

    pub fn expect(&mut self, wanted: Token) -> Result<(), ReadError> {
        let found = self.next()?;
        if found == wanted {
            return Ok(());
        }
        self.at -= 1;
        Err(self.wrong(format!("expected {wanted:?}, found {found:?}")))
    }

    pub fn word(&mut self) -> Result<String, ReadError> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            other => {
                self.at -= 1;
                Err(self.wrong(format!("expected a word, found {other:?}")))
            }
        }
    }

    /// Skips to the end of the command.
    fn skip(&mut self) -> Result<(), ReadError> {
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                Token::Open => open += 1,
                Token::Close => open -= 1,
                Token::Word(_) => {}
            }
        }
        Ok(())
    }

    fn declare(&mut self, function: bool) -> Result<(), ReadError> {
        let name = self.word()?;
        if function {
            self.expect(Token::Open)?;
            self.expect(Token::Close)
                .map_err(|_| self.wrong("functions with arguments are not supported"))?;
        }
        self.bool_sort()?;
        self.expect(Token::Close)?;
        let index = crate::identifier::index(&name).and_then(|index| Var::new(index).ok());
        let var = match index {
            Some(var) => self.names.reserve(var).map(|()| var),
            None => self.names.declare(original(&name)),
        };
        let var = var.map_err(|e| self.wrong(e.to_string()))?;
        self.values.insert(name, vec![Rc::new(vec![VAR + var.index()])]);
        Ok(())
    }

    fn define(&mut self) -> Result<(), ReadError> {
        let name = self.word()?;
        if self.tokens.get(self.at).is_some_and(|(_, token)| *token == Token::Open) {
            self.at += 1;
            self.expect(Token::Close)
                .map_err(|_| self.wrong("functions with arguments are not supported"))?;
        }
        self.bool_sort()?;
        let value = self.term()?;
        self.expect(Token::Close)?;
        self.values.insert(name, vec![Rc::new(value)]);
        Ok(())
    }

    fn bool_sort(&mut self) -> Result<(), ReadError> {
        match self.word()?.as_str() {
            "Bool" => Ok(()),
            other => Err(self.wrong(format!("only the sort Bool is supported, not {other}"))),
        }
    }
}
