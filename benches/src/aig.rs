//! And-inverter graphs, which ABC works on: counted as graphs, and as the formulae that they stand for.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use logicvae_logic::{Formula, Node};

/// A graph of conjunctions. A literal is twice the number of its node, plus one if it is negated; node 0 is
/// the constant 0, the inputs come next, and then the conjunctions, each after its operands.
#[derive(Debug, PartialEq)]
pub struct Aig {
    inputs: usize,
    ands: Vec<[usize; 2]>,
    output: usize,
}

impl Aig {
    /// The graph of a formula, in which equal parts are shared.
    pub fn from_formula(formula: &Formula, inputs: usize) -> Self {
        let mut graph = Self { inputs, ands: Vec::new(), output: 0 };
        let mut known: HashMap<[usize; 2], usize> = HashMap::new();
        let mut stack: Vec<usize> = Vec::new();
        for node in formula.preorder().rev() {
            let mut next = || stack.pop().unwrap_or(0);
            let literal = match node {
                Node::True => 1,
                Node::Var(var) => 2 * (1 + var.position()),
                Node::Not => next() ^ 1,
                Node::And => graph.and([next(), next()], &mut known),
                Node::Or => graph.and([next() ^ 1, next() ^ 1], &mut known) ^ 1,
            };
            stack.push(literal);
        }
        graph.output = stack.pop().unwrap_or(0);
        graph
    }

    fn and(&mut self, mut operands: [usize; 2], known: &mut HashMap<[usize; 2], usize>) -> usize {
        operands.sort_unstable();
        *known.entry(operands).or_insert_with(|| {
            self.ands.push(operands);
            2 * (self.inputs + self.ands.len())
        })
    }

    /// The graph in the binary AIGER format.
    pub fn bytes(&self) -> Vec<u8> {
        let (inputs, ands) = (self.inputs, self.ands.len());
        let mut bytes = format!("aig {} {inputs} 0 1 {ands}\n{}\n", inputs + ands, self.output).into_bytes();
        for (at, operands) in self.ands.iter().enumerate() {
            let own = 2 * (1 + inputs + at);
            let (first, second) = (operands[0].max(operands[1]), operands[0].min(operands[1]));
            for mut difference in [own - first, first - second] {
                while difference >= 128 {
                    bytes.push((difference & 127) as u8 | 128);
                    difference >>= 7;
                }
                bytes.push(difference as u8);
            }
        }
        bytes
    }

    /// Reads the binary AIGER format, with one output and no latches.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut rest = bytes;
        let mut line = || -> Result<String> {
            let end = rest.iter().position(|&byte| byte == b'\n').context("a line is incomplete")?;
            let line = String::from_utf8(rest[..end].to_vec())?;
            rest = &rest[end + 1..];
            Ok(line)
        };
        let head = line()?;
        let numbers = head.strip_prefix("aig ").context("no AIGER file")?;
        let numbers: Vec<usize> = numbers.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let &[_, inputs, 0, 1, count] = &numbers[..] else { bail!("unexpected header: {head}") };
        let output = line()?.parse()?;
        let mut bytes = rest.iter();
        let mut difference = || -> Result<usize> {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = *bytes.next().context("a conjunction is missing")?;
                value |= usize::from(byte & 127) << shift;
                if byte < 128 {
                    return Ok(value);
                }
                shift += 7;
                ensure!(shift < 56, "a number is too large");
            }
        };
        let mut ands = Vec::new();
        for own in (0..count).map(|at| 2 * (1 + inputs + at)) {
            let first = own.checked_sub(difference()?).context("an operand is negative")?;
            let second = first.checked_sub(difference()?).context("an operand is negative")?;
            ands.push([first, second]);
        }
        Ok(Self { inputs, ands, output })
    }

    /// The number of conjunctions that the output depends on.
    pub fn ands(&self) -> usize {
        let mut used = vec![false; 1 + self.inputs + self.ands.len()];
        used[self.output / 2] = true;
        for at in (0..self.ands.len()).rev() {
            if used[1 + self.inputs + at] {
                self.ands[at].iter().for_each(|operand| used[operand / 2] = true);
            }
        }
        used[1 + self.inputs..].iter().filter(|&&used| used).count()
    }

    /// The number of nodes of the smallest formula over not, and, or that has the structure of the graph. A
    /// shared part is counted wherever it is used. Negations are pushed inwards or outwards, whichever is
    /// shorter, and become nodes of the formula where they remain.
    pub fn formula_size(&self) -> usize {
        // The sizes of the formulae for a node and for its negation. That of the constant 0 is !1.
        let mut sizes = vec![[2, 1]];
        sizes.extend(vec![[1, 2]; self.inputs]);
        for operands in &self.ands {
            let [and, or] = [0, 1].map(|negated| {
                1 + operands.iter().map(|operand| sizes[operand / 2][(operand & 1) ^ negated]).sum::<usize>()
            });
            sizes.push([and.min(or + 1), or.min(and + 1)]);
        }
        sizes[self.output / 2][self.output & 1]
    }

    /// The truth table, for up to six inputs.
    pub fn truth_table(&self) -> u64 {
        let mut values = vec![0];
        values.extend((0..self.inputs).map(|input| {
            (0..64u64).filter(|index| index >> input & 1 == 1).fold(0u64, |table, index| table | 1 << index)
        }));
        let value =
            |values: &[u64], literal: usize| values[literal / 2] ^ 0u64.wrapping_sub(literal as u64 & 1);
        for &[a, b] in &self.ands {
            values.push(value(&values, a) & value(&values, b));
        }
        let bits = 1u32 << self.inputs;
        value(&values, self.output) & u64::MAX.checked_shr(64 - bits).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_tables_of_graphs() {
        for (text, ands, size) in [
            ("x1", 0, 1),
            ("!x1", 0, 2),
            ("1", 0, 1),
            ("x1 | x2", 1, 3),
            ("!(x1 & x2)", 1, 4),
            ("!x1 & !x2", 1, 4),
            // The shared part is counted twice in the formula.
            ("x1 & (x2 | x3) | x4 & (x2 | x3)", 4, 11),
        ] {
            let formula: Formula = text.parse().expect(text);
            let graph = Aig::from_formula(&formula, 5);
            assert_eq!((graph.ands(), graph.formula_size()), (ands, size), "{text}");
            let back = Aig::read(&graph.bytes()).expect("a graph");
            assert_eq!((back.ands(), back.truth_table()), (ands, graph.truth_table()), "{text}");
            assert_eq!(graph.truth_table(), formula.truth_table(5).expect("few").words()[0], "{text}");
        }
    }

    #[test]
    fn binary_files_are_read() {
        // x1 & !x2: node 3 with the literals 5 and 2.
        let graph = Aig::read(b"aig 3 2 0 1 1\n6\n\x01\x03").expect("a graph");
        assert_eq!(graph, Aig { inputs: 2, ands: vec![[5, 2]], output: 6 });
        assert_eq!((graph.ands(), graph.formula_size(), graph.truth_table()), (1, 4, 0b0010));
        for bad in [&b"aig 3 2 0 1 1\n6\n\x01"[..], b"aag 1 1 0 1 0\n2\n", b"aig 3 2 1 1 0\n6\n", b""] {
            assert!(Aig::read(bad).is_err());
        }
    }
}
