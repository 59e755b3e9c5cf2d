//! All functions of five or six variables with a small expression, in the order of their sizes.

use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Operators;
use super::expression::{Expression, XOR};
use crate::eval::VARIABLE_PATTERNS;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// Whole sizes are added as long as there are fewer functions than this.
const ENOUGH: usize = 300_000;

/// How a function is made: its root, and the positions of its operands.
#[derive(Clone, Copy)]
struct Made {
    code: u32,
    left: u32,
    right: u32,
}

/// The functions with an expression of at most [`complete`](Self::complete) nodes, smallest first.
pub(super) struct Library {
    /// The truth tables, in the low bits.
    pub functions: Vec<u64>,
    made: Vec<Made>,
    /// The position at which each size starts.
    starts: Vec<usize>,
    positions: FxHashMap<u64, u32>,
    /// All assignments.
    pub full: u64,
}

impl Library {
    /// The library for this number of variables and these operators, which is computed once.
    pub fn shared(variables: usize, operators: Operators) -> &'static Self {
        type Known = Vec<(usize, Operators, &'static Library)>;
        static LIBRARIES: Mutex<Known> = Mutex::new(Vec::new());
        let mut known = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(count, own, _)| (*count, *own) == (variables, operators));
        if let Some((_, _, library)) = found {
            return library;
        }
        let library: &'static Library = Box::leak(Box::new(Self::new(variables, operators)));
        known.push((variables, operators, library));
        library
    }

    fn new(variables: usize, operators: Operators) -> Self {
        let full = if variables == 6 { u64::MAX } else { (1 << (1 << variables)) - 1 };
        let mut library = Self {
            functions: Vec::new(),
            made: Vec::new(),
            starts: vec![0, 0],
            positions: FxHashMap::default(),
            full,
        };
        library.add(full, Made { code: TRUE, left: 0, right: 0 });
        for (code, pattern) in (VAR + 1..).zip(&VARIABLE_PATTERNS[..variables]) {
            library.add(pattern & full, Made { code, left: 0, right: 0 });
        }
        let binary = [(operators.and, AND), (operators.or, OR), (operators.xor, XOR)];
        while library.functions.len() < ENOUGH {
            let size = library.starts.len();
            library.starts.push(library.functions.len());
            let before = library.functions.len();
            if operators.not {
                for at in library.range(size - 1) {
                    let function = !library.functions[at] & full;
                    library.add(function, Made { code: NOT, left: at as u32, right: 0 });
                }
            }
            for first in 1..=(size - 1) / 2 {
                let second = size - 1 - first;
                for a in library.range(first) {
                    for b in library.range(second) {
                        let (x, y) = (library.functions[a], library.functions[b]);
                        for (_, code) in binary.iter().filter(|(allowed, _)| *allowed) {
                            let function = match *code {
                                AND => x & y,
                                OR => x | y,
                                _ => x ^ y,
                            };
                            library.add(function, Made { code: *code, left: a as u32, right: b as u32 });
                        }
                    }
                }
            }
            if library.functions.len() == before && size > 8 {
                break; // the operators express nothing else
            }
        }
        library
    }

    fn add(&mut self, function: u64, made: Made) {
        let at = self.functions.len() as u32;
        if let Entry::Vacant(place) = self.positions.entry(function) {
            place.insert(at);
            self.functions.push(function);
            self.made.push(made);
        }
    }

    /// The positions of the functions of this size, which is complete or the last one.
    pub fn range(&self, size: usize) -> std::ops::Range<usize> {
        self.starts[size]..self.starts.get(size + 1).copied().unwrap_or(self.functions.len())
    }

    /// Every function with an expression of at most this many nodes is in the library.
    pub fn complete(&self) -> usize {
        self.starts.len() - 1
    }

    /// The size of the function at a position.
    pub fn size(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at) - 1
    }

    pub fn position(&self, function: u64) -> Option<usize> {
        self.positions.get(&function).map(|&at| at as usize)
    }

    /// The expression of the function at a position.
    pub fn expression(&self, at: usize) -> Expression {
        let mut codes = Vec::new();
        let mut todo = vec![at as u32];
        while let Some(at) = todo.pop() {
            let Made { code, left, right } = self.made[at as usize];
            codes.push(code);
            match code {
                NOT => todo.push(left),
                AND | OR | XOR => todo.extend([right, left]),
                _ => {}
            }
        }
        Expression::from_codes(codes)
    }
}
