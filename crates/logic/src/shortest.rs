//! Shortest formulae: a table from truth tables to the smallest formula that has them.
//!
//! All functions are enumerated by the size of their smallest formula. A smallest formula is a leaf, the
//! negation of a smallest formula, or two smallest formulae under `&` or `|`, so the functions of size s
//! follow from those of smaller sizes. Each function is stored once, with its root and the tables of its
//! operands, and the formula is put together on request.

use rustc_hash::FxHashMap;

use crate::eval::VARIABLE_PATTERNS;
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// The largest number of variables: a truth table is one word.
const MAX_VARIABLES: usize = 6;

/// The smallest formulae of all functions up to a size. Constants may occur.
///
/// ```
/// use logicvae_logic::{Formula, ShortestFormulae};
/// let shortest = ShortestFormulae::new(3, 9);
/// let long: Formula = "x1 & x2 | x1 & !x2 & x3".parse().unwrap();
/// assert_eq!(shortest.shorten(&long).to_string(), "x1 & (x2 | x3)");
/// ```
pub struct ShortestFormulae {
    variables: usize,
    /// By truth table: bit i is the value at assignment i.
    found: FxHashMap<u64, Found>,
}

/// The root of a smallest formula, and the truth tables of its operands.
#[derive(Clone, Copy)]
struct Found {
    size: u8,
    root: u32,
    left: u64,
    right: u64,
}

impl ShortestFormulae {
    /// Enumerates the functions of at most `variables` variables that have a formula of at most `max_size`
    /// nodes. The number of variables is limited to six.
    pub fn new(variables: usize, max_size: u8) -> Self {
        let variables = variables.min(MAX_VARIABLES);
        let mut table = Self { variables, found: FxHashMap::default() };
        let leaf = |root| Found { size: 1, root, left: 0, right: 0 };
        let mut by_size: Vec<Vec<u64>> = vec![Vec::new(), Vec::new()];
        let variable = |v: usize| (VARIABLE_PATTERNS[v], VAR + v as u32 + 1);
        for (values, root) in (0..variables).map(variable).chain([(u64::MAX, TRUE)]) {
            table.add(values, leaf(root), &mut by_size[1]);
        }
        for size in 2..=max_size {
            let mut new = Vec::new();
            for &operand in &by_size[size as usize - 1] {
                table.add(!operand, Found { size, root: NOT, left: operand, right: 0 }, &mut new);
            }
            let operands = size as usize - 1;
            for small in 1..=operands / 2 {
                let (lefts, rights) = (&by_size[small], &by_size[operands - small]);
                for (at, &left) in lefts.iter().enumerate() {
                    let from = if small == operands - small { at } else { 0 };
                    for &right in &rights[from..] {
                        table.add(left & right, Found { size, root: AND, left, right }, &mut new);
                        table.add(left | right, Found { size, root: OR, left, right }, &mut new);
                    }
                }
            }
            by_size.push(new);
        }
        table
    }

    fn add(&mut self, values: u64, found: Found, new: &mut Vec<u64>) {
        let key = values & self.mask();
        if let std::collections::hash_map::Entry::Vacant(place) = self.found.entry(key) {
            place.insert(found);
            new.push(key);
        }
    }

    /// All assignments.
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - (1 << self.variables))
    }

    /// The number of functions in the table.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether the table has no functions; it always has the variables.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All functions in the table: their truth tables, and the sizes of their smallest formulae, sorted.
    pub fn functions(&self) -> Vec<(u64, usize)> {
        #[expect(clippy::disallowed_methods, reason = "the list is sorted")]
        let mut all: Vec<(u64, usize)> =
            self.found.iter().map(|(&table, found)| (table, usize::from(found.size))).collect();
        all.sort_unstable();
        all
    }

    /// The smallest formula with this truth table, if it is in the table.
    pub fn get(&self, table: u64) -> Option<Formula> {
        let mut codes = Vec::new();
        let mut open = vec![table & self.mask()];
        while let Some(table) = open.pop() {
            let found = self.found.get(&(table & self.mask()))?;
            codes.push(found.root);
            match found.root {
                NOT => open.push(found.left),
                AND | OR => open.extend([found.right, found.left]),
                _ => {}
            }
        }
        Some(Formula::from_codes(codes))
    }

    /// An equivalent formula that is not larger: every subformula whose function is in the table is replaced
    /// by its smallest formula. A formula with more variables than the table is returned unchanged.
    pub fn shorten(&self, formula: &Formula) -> Formula {
        if formula.max_variable() as usize > self.variables {
            return formula.clone();
        }
        // The truth table and the shortened formula of each subformula whose parent is still to come.
        let mut stack: Vec<(u64, Vec<u32>)> = Vec::new();
        for &code in formula.codes().iter().rev() {
            let mut operand = || stack.pop().unwrap_or_default();
            let (values, codes) = match code {
                NOT => {
                    let (values, inner) = operand();
                    (!values, [&[NOT], &inner[..]].concat())
                }
                AND | OR => {
                    let ((left, first), (right, second)) = (operand(), operand());
                    let values = if code == AND { left & right } else { left | right };
                    (values, [&[code], &first[..], &second[..]].concat())
                }
                TRUE => (u64::MAX, vec![code]),
                variable => (VARIABLE_PATTERNS[(variable - VAR - 1) as usize], vec![code]),
            };
            let known = self.found.get(&(values & self.mask()));
            let shorter = known.filter(|found| usize::from(found.size) < codes.len());
            let shorter = shorter.and_then(|_| self.get(values));
            stack.push((values, shorter.map_or(codes, |formula| formula.codes().to_vec())));
        }
        stack.pop().map_or_else(|| formula.clone(), |(_, codes)| Formula::from_codes(codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SamplerParams;

    /// The size of the smallest formula of every function of two variables, by trying all formulae.
    fn naive(max_size: usize) -> FxHashMap<u64, usize> {
        let mut by_size: Vec<Vec<u64>> = vec![Vec::new(), vec![0b1010, 0b1100, 0b1111]];
        for size in 2..=max_size {
            let mut all: Vec<u64> = by_size[size - 1].iter().map(|f| !f & 15).collect();
            for left in 1..size - 1 {
                for &f in &by_size[left] {
                    all.extend(by_size[size - 1 - left].iter().flat_map(|g| [f & g, f | g]));
                }
            }
            by_size.push(all);
        }
        let mut smallest = FxHashMap::default();
        for (size, all) in by_size.iter().enumerate() {
            all.iter().for_each(|&f| {
                smallest.entry(f).or_insert(size);
            });
        }
        smallest
    }

    #[test]
    fn sizes_are_those_of_exhaustive_search() {
        let shortest = ShortestFormulae::new(2, 8);
        let naive = naive(8);
        assert_eq!(shortest.len(), 16);
        for (table, size) in naive {
            let formula = shortest.get(table).unwrap();
            assert_eq!(formula.size(), size, "{formula}");
            assert_eq!(formula.truth_table(2).unwrap().words()[0], table, "{formula}");
        }
    }

    #[test]
    fn shortened_formulae_are_equivalent_and_not_larger() {
        let shortest = ShortestFormulae::new(5, 9);
        for formula in SamplerParams::new(5).check().unwrap().distinct(4, 2000).unwrap() {
            let short = shortest.shorten(&formula);
            assert!(short.size() <= formula.size(), "{formula} becomes {short}");
            assert_eq!(short.truth_table(5).unwrap(), formula.truth_table(5).unwrap(), "{formula}");
        }
        let other: Formula = "x6 & x6".parse().unwrap();
        assert_eq!(shortest.shorten(&other), other);
    }
}
