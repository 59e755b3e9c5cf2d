//! All functions of a few variables that have a small expression, in the order of their sizes.

use super::exact::ExactTable;
use super::expression::Expression;
use super::library::Library;
use super::{EXACT, Operators};

/// The functions of up to four variables (all of them) or five variables (those with a small expression),
/// each with the size of its smallest expression.
///
/// ```
/// use logicvae_logic::{Operators, SmallFunctions};
/// let small = SmallFunctions::new(4, Operators::BASIC);
/// assert_eq!(small.tables().len(), 65_536);
/// // x1 & x2 is true at four of the 16 assignments.
/// let at = small.tables().iter().position(|&table| table == 0x8888).unwrap();
/// assert_eq!((small.size(at), small.expression(at).to_string().as_str()), (3, "x1 & x2"));
/// ```
pub struct SmallFunctions {
    tables: Vec<u32>,
    sizes: Vec<u8>,
    source: Source,
}

enum Source {
    Exact(&'static ExactTable),
    Library(&'static Library),
}

impl SmallFunctions {
    /// The functions of this many variables, four or five, with these operators.
    pub fn new(variables: usize, operators: Operators) -> Self {
        if variables <= EXACT {
            let exact = ExactTable::shared(operators);
            let tables: Vec<u32> = exact.by_size().iter().map(|&table| table.into()).collect();
            let size = |&table: &u16| exact.size(table).unwrap_or(usize::MAX).min(255) as u8;
            let sizes = exact.by_size().iter().map(size).collect();
            return Self { tables, sizes, source: Source::Exact(exact) };
        }
        let library = Library::shared(5, operators);
        let tables = library.functions.iter().map(|&table| table as u32).collect();
        let sizes = (0..library.functions.len()).map(|at| library.size(at).min(255) as u8).collect();
        Self { tables, sizes, source: Source::Library(library) }
    }

    /// The truth tables, those with the smallest expressions first. Bit i is the value at the assignment that
    /// sets x(b+1) to bit b of i; functions of four variables use 16 bits.
    pub fn tables(&self) -> &[u32] {
        &self.tables
    }

    /// The number of nodes of the smallest expression of the function at a position.
    pub fn size(&self, at: usize) -> usize {
        self.sizes[at].into()
    }

    /// The smallest expression of the function at a position.
    pub fn expression(&self, at: usize) -> Expression {
        let expression = match self.source {
            Source::Exact(exact) => {
                exact.expression(self.tables[at] as u16).unwrap_or_else(|| Expression::constant(true))
            }
            Source::Library(library) => library.expression(at),
        };
        expression.ordered()
    }
}
