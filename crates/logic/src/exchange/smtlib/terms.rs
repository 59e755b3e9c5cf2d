//! Reads terms of SMT-LIB without recursion, as postorder: every operator follows its operands. Operators of
//! any number of operands are written while their operands are read, so that deep and long terms take no more
//! time than others. `xor`, `=` and `ite` use operands several times; all nodes together have a limit.

use std::rc::Rc;

use super::original;
use super::read::{Reader, Token};
use crate::io::ReadError;
use crate::node::{AND, NOT, OR, TRUE};
use crate::parse::{IFF, XOR, joined, joined_length};

/// The nodes of a term, every operator behind its operands.
pub(super) type Postorder = Vec<u32>;

/// A term that is not complete yet.
enum Frame {
    /// An operator, and how many of its operands are complete.
    Apply(String, usize),
    /// `(let (` with the bindings so far.
    Bindings(Vec<(String, Postorder)>),
    /// One binding, and whether its value is complete.
    Binding(String, bool),
    /// The body of a `let` with these names, and whether it is complete.
    Body(Vec<String>, bool),
    /// `(! term :named label)`, and whether the term is complete.
    Annotated(bool),
}

/// The complete parts of a term.
#[derive(Default)]
struct Parts {
    codes: Postorder,
    /// Where each part starts that no operator has used yet.
    starts: Vec<usize>,
}

impl Parts {
    fn push(&mut self, part: &[u32]) {
        self.starts.push(self.codes.len());
        self.codes.extend_from_slice(part);
    }

    /// Makes the last parts one by writing operators behind them.
    fn join(&mut self, parts: usize, operators: &[u32]) {
        self.codes.extend_from_slice(operators);
        self.starts.truncate(self.starts.len() + 1 - parts);
    }

    /// The last parts.
    fn last(&self, count: usize) -> Vec<&[u32]> {
        let starts = &self.starts[self.starts.len() - count..];
        let ends = starts[1..].iter().copied().chain([self.codes.len()]);
        starts.iter().zip(ends).map(|(&start, end)| &self.codes[start..end]).collect()
    }

    /// Replaces the last parts by one.
    fn replace(&mut self, count: usize, part: &[u32]) {
        let first = self.starts.len() - count;
        self.codes.truncate(self.starts[first]);
        self.starts.truncate(first);
        self.push(part);
    }

    /// Takes the last part away.
    fn pop(&mut self) -> Postorder {
        self.starts.pop().map_or_else(Vec::new, |start| self.codes.split_off(start))
    }
}

impl Reader {
    /// Reads one term.
    pub fn term(&mut self) -> Result<Postorder, ReadError> {
        let (mut frames, mut parts) = (Vec::new(), Parts::default());
        loop {
            let token = self.next()?;
            if token != Token::Close {
                self.begin(frames.last(), &mut parts)?;
            }
            let complete = match token {
                Token::Word(word) => match frames.last() {
                    // Attributes after an annotated term.
                    Some(Frame::Annotated(true)) => {
                        if word == ":named" {
                            let label = self.word()?;
                            self.named = Some(original(&label).to_owned());
                        }
                        false
                    }
                    _ => {
                        let value = self.value(&word)?;
                        self.count(value.len())?;
                        parts.push(&value);
                        true
                    }
                },
                Token::Open => {
                    self.open(&mut frames)?;
                    false
                }
                Token::Close => self.close(&mut frames, &mut parts)?,
            };
            if !complete {
                continue;
            }
            match frames.last_mut() {
                None => return Ok(parts.pop()),
                Some(Frame::Apply(operator, operands)) => {
                    *operands += 1;
                    let (operator, operands) = (operator.clone(), *operands);
                    self.add_operand(&operator, operands, &mut parts)?;
                }
                Some(Frame::Binding(_, done) | Frame::Body(_, done) | Frame::Annotated(done)) if !*done => {
                    *done = true;
                }
                Some(_) => return Err(self.wrong("there is a term too many here")),
            }
        }
    }

    /// Counts nodes that are written.
    fn count(&mut self, nodes: usize) -> Result<(), ReadError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > self.limit {
            return Err(self.wrong(format!("the terms have more than {} nodes as trees", self.limit)));
        }
        Ok(())
    }

    fn value(&self, word: &str) -> Result<Rc<Postorder>, ReadError> {
        match (word, self.values.get(word).and_then(|list| list.last())) {
            (_, Some(value)) => Ok(value.clone()),
            ("true", None) => Ok(Rc::new(vec![TRUE])),
            ("false", None) => Ok(Rc::new(vec![TRUE, NOT])),
            _ => Err(self.wrong(format!("`{word}` is not declared: only Boolean constants are supported"))),
        }
    }

    fn open(&mut self, frames: &mut Vec<Frame>) -> Result<(), ReadError> {
        if let Some(Frame::Bindings(_)) = frames.last() {
            let name = self.word()?;
            frames.push(Frame::Binding(name, false));
            return Ok(());
        }
        frames.push(match self.word()?.as_str() {
            "let" => {
                self.expect(Token::Open)?;
                Frame::Bindings(Vec::new())
            }
            "!" => Frame::Annotated(false),
            operator => Frame::Apply(operator.to_owned(), 0),
        });
        Ok(())
    }

    /// Before another operand: the one before it was not the last, so it is a premise of `=>`.
    fn begin(&mut self, frame: Option<&Frame>, parts: &mut Parts) -> Result<(), ReadError> {
        if let Some(Frame::Apply(operator, 1..)) = frame
            && operator == "=>"
        {
            self.count(1)?;
            parts.join(1, &[NOT]);
        }
        Ok(())
    }

    /// After an operand.
    fn add_operand(&mut self, operator: &str, operands: usize, parts: &mut Parts) -> Result<(), ReadError> {
        match (operator, operands) {
            ("and" | "or", 2..) => {
                self.count(1)?;
                parts.join(2, &[if operator == "and" { AND } else { OR }]);
            }
            // condition & a, and then !condition for the other case.
            ("ite", 2) => {
                let condition = parts.last(2)[0].to_vec();
                self.count(condition.len() + 2)?;
                parts.join(2, &[AND]);
                parts.push(&condition);
                parts.join(1, &[NOT]);
            }
            _ => {}
        }
        Ok(())
    }

    /// A `)`: whether it completes a term.
    fn close(&mut self, frames: &mut Vec<Frame>, parts: &mut Parts) -> Result<bool, ReadError> {
        match frames.pop() {
            Some(Frame::Apply(operator, operands)) => {
                self.apply(&operator, operands, parts)?;
                return Ok(true);
            }
            Some(Frame::Binding(name, true)) => {
                if let Some(Frame::Bindings(list)) = frames.last_mut() {
                    list.push((name, parts.pop()));
                }
            }
            Some(Frame::Bindings(list)) => {
                let names = list.iter().map(|(name, _)| name.clone()).collect();
                for (name, value) in list {
                    self.values.entry(name).or_default().push(Rc::new(value));
                }
                frames.push(Frame::Body(names, false));
            }
            Some(Frame::Body(names, true)) => {
                for name in names {
                    self.values.get_mut(&name).map(Vec::pop);
                }
                return Ok(true);
            }
            Some(Frame::Annotated(true)) => return Ok(true),
            _ => return Err(self.wrong("this `)` comes too early")),
        }
        Ok(false)
    }

    /// Completes an operator, behind its last operand.
    fn apply(&mut self, operator: &str, operands: usize, parts: &mut Parts) -> Result<(), ReadError> {
        match (operator, operands) {
            ("not", 1) => {
                self.count(1)?;
                parts.join(1, &[NOT]);
            }
            ("and" | "or", 1..) => {}
            ("=>", 1..) => {
                self.count(operands - 1)?;
                parts.join(operands, &vec![OR; operands - 1]);
            }
            ("ite", 3) => {
                self.count(2)?;
                parts.join(3, &[AND, OR]);
            }
            ("xor", 2..) | ("distinct", 2) => self.chain(operands, &XOR, parts)?,
            ("=", 2..) => self.equal(operands, parts)?,
            _ => return Err(self.wrong(format!("`{operator}` with {operands} operands is not Boolean"))),
        }
        Ok(())
    }

    /// Joins the last parts by an associative operator that uses both of its operands twice.
    fn chain(&mut self, operands: usize, between: &[&[u32]; 3], parts: &mut Parts) -> Result<(), ReadError> {
        let list = parts.last(operands);
        let lengths: Vec<usize> = list.iter().map(|part| part.len()).collect();
        self.count(joined_length(&lengths, between.iter().map(|codes| codes.len()).sum()))?;
        let whole = joined(&list, between);
        parts.replace(operands, &whole);
        Ok(())
    }

    /// Joins the last parts by `=`: neighbours are equal.
    fn equal(&mut self, operands: usize, parts: &mut Parts) -> Result<(), ReadError> {
        let list = parts.last(operands);
        let nodes: usize = list.windows(2).map(|pair| 2 * (pair[0].len() + pair[1].len()) + 6).sum();
        self.count(nodes)?;
        let mut whole = Vec::with_capacity(nodes);
        for (at, pair) in list.windows(2).enumerate() {
            whole.extend(joined(pair, &IFF));
            whole.extend((at > 0).then_some(AND));
        }
        parts.replace(operands, &whole);
        Ok(())
    }
}
