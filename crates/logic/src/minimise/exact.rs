//! The smallest expression of every function of up to four variables.
//!
//! The functions are found in the order of their sizes: one of size s is the negation of one of size s - 1,
//! or joins two whose sizes add up to s - 1. Size does not change if variables are permuted, so of the first
//! operand only one function per permutation class is tried, and a new function is entered with all of its
//! permutations.

use std::sync::{Mutex, PoisonError};

use super::Operators;
use super::expression::{Expression, XOR};
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// The values of x1 to x4 at all assignments.
const VARIABLES: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];
const FUNCTIONS: usize = 1 << 16;

/// How the smallest expression of a function is made.
#[derive(Clone, Copy)]
struct Entry {
    /// Its number of nodes; 0 if it is not known.
    size: u8,
    code: u32,
    left: u16,
    right: u16,
}

/// The smallest expressions of all functions of four variables, with some operators.
pub(super) struct ExactTable {
    entries: Vec<Entry>,
    /// The functions that can be expressed, smallest first.
    by_size: Vec<u16>,
}

impl ExactTable {
    /// The table for these operators, which is computed once.
    pub fn shared(operators: Operators) -> &'static Self {
        static TABLES: Mutex<Vec<(Operators, &'static ExactTable)>> = Mutex::new(Vec::new());
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = tables.iter().find(|(known, _)| *known == operators) {
            return table;
        }
        let table: &'static ExactTable = Box::leak(Box::new(Self::new(operators)));
        tables.push((operators, table));
        table
    }

    fn new(operators: Operators) -> Self {
        let mut search = Search {
            entries: vec![Entry { size: 0, code: 0, left: 0, right: 0 }; FUNCTIONS],
            all: vec![Vec::new(); 2],
            classes: vec![Vec::new(); 2],
            known: 0,
        };
        search.add(u16::MAX, Entry { size: 1, code: TRUE, left: 0, right: 0 });
        for (position, &table) in (1..).zip(&VARIABLES) {
            search.enter(table, Entry { size: 1, code: VAR + position, left: 0, right: 0 });
        }
        search.classes[1] = vec![u16::MAX, VARIABLES[0]];
        let binary: Vec<u32> = [(operators.and, AND), (operators.or, OR), (operators.xor, XOR)]
            .into_iter()
            .filter_map(|(allowed, code)| allowed.then_some(code))
            .collect();
        let mut largest = 1;
        // A function is at most twice as large as the largest one before it.
        while search.known < FUNCTIONS && search.all.len() <= 2 * largest + 2 {
            let size = search.all.len();
            search.all.push(Vec::new());
            search.classes.push(Vec::new());
            let before = search.known;
            search.extend(size, operators.not, &binary);
            if search.known > before {
                largest = size;
            }
        }
        Self { entries: search.entries, by_size: search.all.concat() }
    }

    /// The size of the smallest expression; `None` if the operators cannot express the function.
    pub fn size(&self, function: u16) -> Option<usize> {
        let size = self.entries[function as usize].size;
        (size > 0).then_some(size.into())
    }

    /// The smallest expression.
    pub fn expression(&self, function: u16) -> Option<Expression> {
        self.size(function)?;
        let mut codes = Vec::new();
        let mut todo = vec![function];
        while let Some(function) = todo.pop() {
            let Entry { code, left, right, .. } = self.entries[function as usize];
            codes.push(code);
            match code {
                NOT => todo.push(left),
                AND | OR | XOR => todo.extend([right, left]),
                _ => {}
            }
        }
        Some(Expression::from_codes(codes))
    }

    /// The functions that can be expressed, smallest first.
    pub fn by_size(&self) -> &[u16] {
        &self.by_size
    }

    /// The function with the smallest expression among those that are true at `on` and false at `off`.
    pub fn smallest_between(&self, on: u16, off: u16) -> Option<u16> {
        const PART: usize = 64;
        let fits = |function: u16| (on & !function) | (off & function) == 0;
        for part in self.by_size.chunks(PART) {
            if part.iter().fold(false, |hit, &function| hit | fits(function)) {
                return part.iter().copied().find(|&function| fits(function));
            }
        }
        None
    }
}

struct Search {
    entries: Vec<Entry>,
    /// The functions of each size.
    all: Vec<Vec<u16>>,
    /// One function of each permutation class, by size.
    classes: Vec<Vec<u16>>,
    known: usize,
}

impl Search {
    fn enter(&mut self, function: u16, entry: Entry) {
        if self.entries[function as usize].size == 0 {
            self.entries[function as usize] = entry;
            self.all[entry.size as usize].push(function);
            self.known += 1;
        }
    }

    /// Enters a function and its permutations.
    fn add(&mut self, function: u16, entry: Entry) {
        if self.entries[function as usize].size > 0 {
            return;
        }
        self.classes[entry.size as usize].push(function);
        for permutation in &PERMUTATIONS {
            let permuted = |table: u16| permute(table, permutation);
            let entry = Entry { left: permuted(entry.left), right: permuted(entry.right), ..entry };
            self.enter(permuted(function), entry);
        }
    }

    /// Finds the functions of a size.
    fn extend(&mut self, size: usize, not: bool, binary: &[u32]) {
        let new = |code, left, right| Entry { size: size as u8, code, left, right };
        if not {
            for function in self.classes[size - 1].clone() {
                self.add(!function, new(NOT, function, 0));
            }
        }
        for first in 1..=(size.saturating_sub(1)) / 2 {
            let second = size - 1 - first;
            let (left, right) = (self.classes[first].clone(), self.all[second].clone());
            for &a in &left {
                for &b in &right {
                    for &code in binary {
                        let function = match code {
                            AND => a & b,
                            OR => a | b,
                            _ => a ^ b,
                        };
                        if self.entries[function as usize].size == 0 {
                            self.add(function, new(code, a, b));
                        }
                    }
                }
            }
        }
    }
}

/// The 24 permutations of four variables.
const PERMUTATIONS: [[usize; 4]; 24] = permutations();

const fn permutations() -> [[usize; 4]; 24] {
    let mut list = [[0; 4]; 24];
    let (mut count, mut code) = (0, 0);
    while code < 256 {
        let p = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3];
        if p[0] != p[1] && p[0] != p[2] && p[0] != p[3] && p[1] != p[2] && p[1] != p[3] && p[2] != p[3] {
            list[count] = p;
            count += 1;
        }
        code += 1;
    }
    list
}

/// The table of a function after its variable i is renamed to the i-th of the permutation.
fn permute(table: u16, permutation: &[usize; 4]) -> u16 {
    (0..16).fold(0, |permuted, index| {
        let source = (0..4).fold(0, |source, i| source | (index >> permutation[i] & 1) << i);
        permuted | (table >> source & 1) << index
    })
}
