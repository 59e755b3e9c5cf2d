//! SMT-LIB 2: one assertion per formula. The Boolean part is read: constants, definitions without arguments,
//! `not`, `and`, `or`, `xor`, `=>`, `=`, `distinct`, `ite` and `let`.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::FormulaFile;
use crate::formula::{Formula, MAX_NODES};
use crate::io::{Entry, ReadError};
use crate::names::Names;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

pub(super) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "(set-logic QF_UF)")?;
    let mut used: Vec<Var> = file.entries.iter().flat_map(|entry| entry.formula.variables()).collect();
    used.sort_unstable();
    used.dedup();
    let mut symbols = Symbols::default();
    let mut names: HashMap<u32, String> = HashMap::new();
    for var in used {
        let name = symbols.add(&file.names.name(var).map_or_else(|| var.to_string(), str::to_owned));
        writeln!(writer, "(declare-const {name} Bool)")?;
        names.insert(var.index(), name);
    }
    let name = |index: u32| names.get(&index).cloned().unwrap_or_default();
    for entry in &file.entries {
        write!(writer, "(assert ")?;
        if entry.label.is_some() {
            write!(writer, "(! ")?;
        }
        term(&entry.formula, &name, writer)?;
        if let Some(label) = &entry.label {
            write!(writer, " :named {})", symbols.add(label))?;
        }
        writeln!(writer, ")")?;
    }
    writeln!(writer, "(check-sat)")
}

/// The symbols of a file. Variables and labels share them, and no two may be equal: a solver refuses the
/// second one, and goes on with the others.
#[derive(Default)]
struct Symbols(HashSet<String>);

impl Symbols {
    /// A new symbol for a name, in quotes if it needs them. A name that is taken gets a number.
    fn add(&mut self, name: &str) -> String {
        // `|` and `\` cannot occur in quoted symbols.
        let mut plain = name.replace(['|', '\\'], "_");
        if is_taken(&plain) {
            plain.push('\'');
        }
        let mut symbol = plain.clone();
        let mut number = 1;
        while !self.0.insert(symbol.clone()) {
            number += 1;
            symbol = format!("{plain} ({number})");
        }
        if is_simple(&symbol) { symbol } else { format!("|{symbol}|") }
    }
}

/// Writes a term without recursion.
fn term(formula: &Formula, name: &dyn Fn(u32) -> String, writer: &mut dyn Write) -> io::Result<()> {
    let mut open: Vec<u8> = Vec::new(); // for every open operator, the number of operands still to come
    for (at, &code) in formula.codes().iter().enumerate() {
        if at > 0 {
            write!(writer, " ")?;
        }
        match code {
            NOT => write!(writer, "(not")?,
            AND => write!(writer, "(and")?,
            OR => write!(writer, "(or")?,
            TRUE => write!(writer, "true")?,
            _ => write!(writer, "{}", name(code - VAR))?,
        }
        match code {
            NOT => open.push(1),
            AND | OR => open.push(2),
            _ => {
                while let Some(last) = open.last_mut() {
                    *last -= 1;
                    if *last > 0 {
                        break;
                    }
                    open.pop();
                    write!(writer, ")")?;
                }
            }
        }
    }
    Ok(())
}

/// Whether a name has a meaning of its own, possibly behind the marks that we add: `|true|` is `true`.
fn is_taken(name: &str) -> bool {
    const TAKEN: [&str; 14] = [
        "true", "false", "not", "and", "or", "xor", "ite", "let", "distinct", "Bool", "assert", "forall",
        "exists", "par",
    ];
    TAKEN.contains(&name.trim_end_matches('\''))
}

/// The name for which we wrote a symbol.
fn original(symbol: &str) -> &str {
    symbol.strip_suffix('\'').filter(|name| is_taken(name)).unwrap_or(symbol)
}

/// Whether a name is a symbol without quotes.
fn is_simple(name: &str) -> bool {
    let symbol = |b: u8| b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b);
    name.bytes().all(symbol) && !name.starts_with(|c: char| c.is_ascii_digit()) && !is_taken(name)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
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

pub(super) fn read(text: &str) -> Result<FormulaFile, ReadError> {
    let list = tokens(text)?;
    let limit = ((1 << 16) + 64 * text.len()).min(MAX_NODES);
    let mut reader =
        Reader { tokens: list, at: 0, names: Names::default(), values: HashMap::new(), named: None, limit };
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
                let formula = reader.term()?;
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

/// A term that is not complete yet.
enum Frame {
    /// An operator and its operands so far.
    Apply(String, Vec<Formula>),
    /// `(let (` with the bindings so far.
    Bindings(Vec<(String, Formula)>),
    /// One binding, and its value once it is known.
    Binding(String, Option<Formula>),
    /// The body of a `let` with these names, and its value once it is known.
    Body(Vec<String>, Option<Formula>),
    /// `(! term :named label)`.
    Annotated(Option<Formula>),
}

struct Reader {
    tokens: Vec<(usize, Token)>,
    at: usize,
    names: Names,
    /// The values of names; the last one is visible.
    values: HashMap<String, Vec<Formula>>,
    named: Option<String>,
    limit: usize,
}

impl Reader {
    fn line(&self) -> usize {
        let last = self.tokens.last().map_or(1, |(line, _)| *line);
        self.tokens.get(self.at).map_or(last, |(line, _)| *line)
    }

    fn wrong(&self, what: impl Into<String>) -> ReadError {
        ReadError::Format { line: self.line(), what: what.into() }
    }

    fn next(&mut self) -> Result<Token, ReadError> {
        let token = self.tokens.get(self.at).map(|(_, token)| token.clone());
        let token = token.ok_or_else(|| self.wrong("the file ends within a command: a `)` is missing"))?;
        self.at += 1;
        Ok(token)
    }

    fn expect(&mut self, wanted: Token) -> Result<(), ReadError> {
        let found = self.next()?;
        if found == wanted {
            return Ok(());
        }
        self.at -= 1;
        Err(self.wrong(format!("expected {wanted:?}, found {found:?}")))
    }

    fn word(&mut self) -> Result<String, ReadError> {
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
        self.values.insert(name, vec![Formula::var(var)]);
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
        self.values.insert(name, vec![value]);
        Ok(())
    }

    fn bool_sort(&mut self) -> Result<(), ReadError> {
        match self.word()?.as_str() {
            "Bool" => Ok(()),
            other => Err(self.wrong(format!("only the sort Bool is supported, not {other}"))),
        }
    }

    /// Reads one term without recursion.
    fn term(&mut self) -> Result<Formula, ReadError> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let mut done = match self.next()? {
                Token::Word(word) => match frames.last_mut() {
                    // Attributes after an annotated term.
                    Some(Frame::Annotated(Some(_))) => {
                        if word == ":named" {
                            let label = self.word()?;
                            self.named = Some(original(&label).to_owned());
                        }
                        None
                    }
                    _ => Some(self.value(&word)?),
                },
                Token::Open => {
                    self.open(&mut frames)?;
                    None
                }
                Token::Close => self.close(&mut frames)?,
            };
            while let Some(value) = done.take() {
                match frames.last_mut() {
                    None => return Ok(value),
                    Some(Frame::Apply(_, operands)) => operands.push(value),
                    Some(Frame::Binding(_, place) | Frame::Body(_, place) | Frame::Annotated(place))
                        if place.is_none() =>
                    {
                        *place = Some(value);
                    }
                    Some(_) => return Err(self.wrong("there is a term too many here")),
                }
            }
        }
    }

    fn value(&self, word: &str) -> Result<Formula, ReadError> {
        match (word, self.values.get(word).and_then(|list| list.last())) {
            (_, Some(value)) => Ok(value.clone()),
            ("true", None) => Ok(Formula::truth()),
            ("false", None) => Ok(Formula::falsity()),
            _ => Err(self.wrong(format!("`{word}` is not declared: only Boolean constants are supported"))),
        }
    }

    fn open(&mut self, frames: &mut Vec<Frame>) -> Result<(), ReadError> {
        if let Some(Frame::Bindings(_)) = frames.last() {
            let name = self.word()?;
            frames.push(Frame::Binding(name, None));
            return Ok(());
        }
        frames.push(match self.word()?.as_str() {
            "let" => {
                self.expect(Token::Open)?;
                Frame::Bindings(Vec::new())
            }
            "!" => Frame::Annotated(None),
            operator => Frame::Apply(operator.to_owned(), Vec::new()),
        });
        Ok(())
    }

    /// The value of the frame that a `)` ends, if it has one.
    fn close(&mut self, frames: &mut Vec<Frame>) -> Result<Option<Formula>, ReadError> {
        match frames.pop() {
            Some(Frame::Apply(operator, operands)) => self.apply(&operator, operands).map(Some),
            Some(Frame::Binding(name, Some(value))) => {
                let Some(Frame::Bindings(list)) = frames.last_mut() else { return Ok(None) };
                list.push((name, value));
                Ok(None)
            }
            Some(Frame::Bindings(list)) => {
                let names = list.iter().map(|(name, _)| name.clone()).collect();
                for (name, value) in list {
                    self.values.entry(name).or_default().push(value);
                }
                frames.push(Frame::Body(names, None));
                Ok(None)
            }
            Some(Frame::Body(names, Some(value))) => {
                for name in names {
                    self.values.get_mut(&name).map(Vec::pop);
                }
                Ok(Some(value))
            }
            Some(Frame::Annotated(Some(value))) => Ok(Some(value)),
            _ => Err(self.wrong("this `)` comes too early")),
        }
    }

    fn apply(&self, operator: &str, operands: Vec<Formula>) -> Result<Formula, ReadError> {
        let xor = |a: &Formula, b: &Formula| (a & !b) | (!a & b);
        let iff = |a: &Formula, b: &Formula| (a & b) | (!a & !b);
        let parts = &operands[..];
        let twice = matches!(operator, "xor" | "=" | "distinct" | "ite");
        let nodes: usize = parts.iter().map(Formula::size).sum::<usize>() * if twice { 2 } else { 1 };
        if nodes > self.limit {
            return Err(self.wrong(format!("the term has more than {} nodes as a tree", self.limit)));
        }
        Ok(match (operator, parts) {
            ("not", [one]) => !one,
            ("and", [_, ..]) => Formula::all(operands),
            ("or", [_, ..]) => Formula::any(operands),
            ("=>", [.., last]) => {
                parts[..parts.len() - 1].iter().rev().fold(last.clone(), |right, left| !left | right)
            }
            ("xor", [first, rest @ ..]) if !rest.is_empty() => {
                rest.iter().fold(first.clone(), |left, right| xor(&left, right))
            }
            ("=", [_, _, ..]) => Formula::all(parts.windows(2).map(|pair| iff(&pair[0], &pair[1]))),
            ("distinct", [a, b]) => xor(a, b),
            ("ite", [condition, a, b]) => (condition & a) | (!condition & b),
            _ => return Err(self.wrong(format!("`{operator}` with {} operands is not Boolean", parts.len()))),
        })
    }
}
