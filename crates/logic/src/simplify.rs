//! Simplification by local rules that preserve the truth table.
//!
//! The tree is rebuilt bottom-up. Equal subformulae (up to the order of operands) share one identifier, so
//! comparing two subformulae is one integer comparison. Chains of one operator are lists of operands, so
//! `x1 & x2 & x1` loses its second `x1` for any placement of parentheses. The rules, each with its dual:
//!
//! - constants: `a & 1 = a`, `a & 0 = 0`, `!1 = 0`
//! - double negation: `!!a = a`
//! - idempotence: `a & a = a`; complement: `a & !a = 0`
//! - absorption: `a & (a | b) = a`, also if a is itself a disjunction: `(a | b) & (a | b | c) = a | b`

use std::collections::{HashMap, HashSet, VecDeque};

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE};

impl Formula {
    /// An equivalent formula that is not larger, by the rules for constants, double negation, idempotence,
    /// complement and absorption. Simplifying the result again does not change it.
    ///
    /// ```
    /// use logicvae_logic::Formula;
    /// let simple = |text: &str| text.parse::<Formula>().unwrap().simplify().to_string();
    /// assert_eq!(simple("!!x1 & (x1 | x2) & 1"), "x1");
    /// assert_eq!(simple("x1 | x2 | !x1"), "1");
    /// assert_eq!(simple("x1 & (x2 & (x3 & x1))"), "x1 & x2 & x3");
    /// ```
    pub fn simplify(&self) -> Formula {
        let mut arena = Arena::default();
        let mut stack: Vec<Chain> = Vec::new();
        for &code in self.codes().iter().rev() {
            let new = match code {
                NOT => {
                    let inner = stack.pop().map(|c| arena.close(c));
                    Chain::single(inner.map_or(FALSE_ID, |id| arena.not(id)))
                }
                AND | OR => match (stack.pop(), stack.pop()) {
                    (Some(left), Some(right)) => {
                        let (left, right) = (arena.as_chain(left, code), arena.as_chain(right, code));
                        left.join(right)
                    }
                    _ => unreachable!("a formula is a complete tree"),
                },
                TRUE => Chain::single(TRUE_ID),
                leaf => Chain::single(arena.intern(Term::Leaf(leaf))),
            };
            stack.push(new);
        }
        let root = stack.pop().map_or(TRUE_ID, |c| arena.close(c));
        arena.formula(root)
    }
}

type Id = u32;
const TRUE_ID: Id = 0;
const FALSE_ID: Id = 1;

/// Nested chains are compared pairwise only up to this number per operand list, since the cost is quadratic.
const MAX_COMPARED: usize = 64;

fn sorted(ids: &[Id]) -> Vec<Id> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids
}

fn is_subset(small: &[Id], large: &[Id]) -> bool {
    small.len() < large.len() && small.iter().all(|id| large.binary_search(id).is_ok())
}

/// A simplified subformula. The operands of a chain are neither constants nor chains of the same operator.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Term {
    Leaf(u32),
    Not(Id),
    Chain(u32, Vec<Id>),
}

/// The operands of a chain that may still grow towards the root. `op` is `TRUE` for a single operand.
struct Chain {
    op: u32,
    operands: VecDeque<Id>,
}

impl Chain {
    fn single(id: Id) -> Self {
        Self { op: TRUE, operands: VecDeque::from([id]) }
    }

    /// Adds the shorter list to the longer one, so chains that lean to either side take O(n log n).
    fn join(mut self, mut right: Chain) -> Chain {
        if self.operands.len() >= right.operands.len() {
            self.operands.append(&mut right.operands);
            return self;
        }
        for id in self.operands.into_iter().rev() {
            right.operands.push_front(id);
        }
        right
    }
}

struct Arena {
    terms: Vec<Term>,
    /// Identifiers by term with sorted operands, so that `a & b` and `b & a` share one.
    ids: HashMap<Term, Id>,
    /// The identifier of each term's negation, if both exist.
    negations: HashMap<Id, Id>,
}

impl Default for Arena {
    fn default() -> Self {
        let (one, zero) = (Term::Leaf(TRUE), Term::Not(TRUE_ID));
        Self {
            terms: vec![one.clone(), zero.clone()],
            ids: HashMap::from([(one, TRUE_ID), (zero, FALSE_ID)]),
            negations: HashMap::from([(TRUE_ID, FALSE_ID), (FALSE_ID, TRUE_ID)]),
        }
    }
}

impl Arena {
    fn intern(&mut self, term: Term) -> Id {
        let key = match &term {
            Term::Chain(op, operands) => Term::Chain(*op, sorted(operands)),
            other => other.clone(),
        };
        let new = self.terms.len() as Id;
        let id = *self.ids.entry(key).or_insert(new);
        if id == new {
            self.terms.push(term);
        }
        id
    }

    fn not(&mut self, id: Id) -> Id {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let negation = self.intern(Term::Not(id));
        self.negations.extend([(id, negation), (negation, id)]);
        negation
    }

    /// The value as a chain of `op`: its own operands if it is such a chain, otherwise itself as the only
    /// operand.
    fn as_chain(&mut self, value: Chain, op: u32) -> Chain {
        if value.op == op {
            return value;
        }
        let id = self.close(value);
        match &self.terms[id as usize] {
            // A chain of the other operator was simplified to a single operand, which is itself a chain of
            // `op`.
            Term::Chain(own, operands) if *own == op => {
                Chain { op, operands: operands.iter().copied().collect() }
            }
            _ => Chain { op, operands: VecDeque::from([id]) },
        }
    }

    /// Applies the rules to a complete chain and returns the identifier of the result.
    fn close(&mut self, chain: Chain) -> Id {
        let Chain { op, operands } = chain;
        if op == TRUE {
            return operands[0];
        }
        let (neutral, absorbing) = if op == AND { (TRUE_ID, FALSE_ID) } else { (FALSE_ID, TRUE_ID) };
        let mut seen = HashSet::with_capacity(operands.len());
        let mut kept: Vec<Id> = Vec::with_capacity(operands.len());
        for id in operands {
            if id == absorbing || self.negations.get(&id).is_some_and(|n| seen.contains(n)) {
                return absorbing;
            }
            if id != neutral && seen.insert(id) {
                kept.push(id);
            }
        }
        // Absorption. Operands that are chains of the other operator are compared as sorted sets: such an
        // operand is redundant if it contains another operand, or all members of another such set.
        kept.retain(|&id| {
            !self.inner_chain(id, op).is_some_and(|inner| inner.iter().any(|o| seen.contains(o)))
        });
        let sets: Vec<(Id, Vec<Id>)> =
            kept.iter().filter_map(|&id| Some((id, sorted(self.inner_chain(id, op)?)))).collect();
        if sets.len() <= MAX_COMPARED {
            let absorbed =
                |id: Id, set: &[Id]| sets.iter().any(|(other, small)| *other != id && is_subset(small, set));
            let drop: HashSet<Id> =
                sets.iter().filter(|(id, set)| absorbed(*id, set)).map(|(id, _)| *id).collect();
            kept.retain(|id| !drop.contains(id));
        }
        match kept[..] {
            [] => neutral,
            [only] => only,
            _ => self.intern(Term::Chain(op, kept)),
        }
    }

    /// The operands of a term that is a chain of the operator other than `op`.
    fn inner_chain(&self, id: Id, op: u32) -> Option<&[Id]> {
        match &self.terms[id as usize] {
            Term::Chain(other, operands) if *other != op => Some(operands),
            _ => None,
        }
    }

    /// Converts a term to a tree; chains associate to the left. Shared subterms are copied, as in the input
    /// tree.
    fn formula(&self, root: Id) -> Formula {
        let mut codes = Vec::new();
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            match &self.terms[id as usize] {
                Term::Leaf(code) => codes.push(*code),
                Term::Not(inner) => {
                    codes.push(NOT);
                    todo.push(*inner);
                }
                Term::Chain(op, operands) => {
                    codes.extend(std::iter::repeat_n(*op, operands.len() - 1));
                    todo.extend(operands.iter().rev());
                }
            }
        }
        Formula::from_codes(codes)
    }
}
