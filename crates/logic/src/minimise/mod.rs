//! The smallest formula with the same meaning.

mod cover;
mod exact;
mod expression;
mod library;
mod parts;
mod rewrite;
mod search;
mod small;

use thiserror::Error;

use crate::budget::Budget;
use crate::formula::Formula;
use exact::ExactTable;
pub use expression::{BinaryOperator, Expression};
use search::{Found, Search, smaller};
pub use small::SmallFunctions;

/// Up to this number of variables the smallest expression is known.
const EXACT: usize = 4;
/// Up to this number of variables the whole function is searched.
const SEARCHED: usize = 6;
/// Up to this number of variables, two-level minimisation is tried.
const TWO_LEVEL: usize = 12;

/// The operators that an expression may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operators {
    /// Negation.
    pub not: bool,
    /// Conjunction.
    pub and: bool,
    /// Disjunction.
    pub or: bool,
    /// Exclusive or.
    pub xor: bool,
}

impl Operators {
    /// The operators of formulae: `!`, `&` and `|`.
    pub const BASIC: Self = Self { not: true, and: true, or: true, xor: false };
    /// The operators of formulae, and `^`.
    pub const WITH_XOR: Self = Self { xor: true, ..Self::BASIC };

    fn include_basic(self) -> bool {
        self.not && self.and && self.or
    }
}

/// The result of [`minimise`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimised {
    /// The smallest expression found. It is never larger than the formula, if that has only operators that
    /// are allowed.
    pub expression: Expression,
    /// Whether it is proven that no smaller expression exists.
    pub optimal: bool,
}

/// A function that cannot be expressed with the operators that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("these operators cannot express the formula: allow more, such as not, and, or")]
pub struct NotExpressible;

/// Finds the smallest expression with the same meaning. Its size is the number of its nodes.
///
/// Up to four variables, it is the smallest one there is. For five and six, it is the best one found until
/// the budget is spent; it is `optimal` if all smaller expressions are known to have other meanings. For more
/// variables, the formula is minimised by two-level minimisation and factoring (up to twelve variables), and
/// by minimising its parts.
///
/// ```
/// use logicvae_logic::{Budget, Formula, Operators, minimise};
/// let formula: Formula = "x1 & x2 | x1 & !x2".parse()?;
/// let found = minimise(&formula, Operators::BASIC, &Budget::seconds(1.0))?;
/// assert_eq!((found.expression.to_string().as_str(), found.optimal), ("x1", true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimise(
    formula: &Formula,
    operators: Operators,
    budget: &Budget,
) -> Result<Minimised, NotExpressible> {
    let (compact, names) = formula.compact();
    // Variables that make no difference are left out first: fewer variables are easier.
    let (compact, names) = essential(&compact, names);
    let found = match names.len() {
        few if few <= EXACT => {
            let table = compact.truth_table(EXACT).map_or(0, |table| table.words()[0] as u16);
            let exact = ExactTable::shared(operators).expression(table);
            exact.map(|expression| Minimised { expression, optimal: true })
        }
        _ if !operators.include_basic() => {
            let known = Operators { xor: operators.xor, ..Operators::BASIC };
            let basic = beyond_exact(&compact, names.len(), known, budget);
            basic
                .and_then(|found| rewrite::with_operators(&found.expression, operators))
                .map(|expression| Minimised { expression, optimal: false })
        }
        many => beyond_exact(&compact, many, operators, budget),
    };
    let found = found.ok_or(NotExpressible)?;
    Ok(Minimised { expression: found.expression.renamed(&names).ordered(), optimal: found.optimal })
}

/// Finds the smallest expression of a function that is known in part: it is true at `on`, false at `off`, and
/// anything elsewhere. Bit i of a table is the value at the assignment that sets x(b+1) to bit b of i. There
/// are at most six variables. Where both tables are set, the value is false.
///
/// Up to four variables, the result is the smallest one there is. `effort` limits the search for five and six
/// variables: 1 is quick, 7 is the most there is. Unlike the budget, it gives the same result on every
/// machine.
///
/// ```
/// use logicvae_logic::{Budget, Operators, minimise_table};
/// // Of two variables, only the values at 11 and 00 were observed.
/// let found = minimise_table(0b1000, 0b0001, 2, Operators::BASIC, 3, &Budget::unlimited()).unwrap();
/// assert_eq!(found.expression.to_string(), "x1");
/// ```
pub fn minimise_table(
    on: u64,
    off: u64,
    variables: usize,
    operators: Operators,
    effort: usize,
    budget: &Budget,
) -> Result<Minimised, NotExpressible> {
    let variables = variables.min(SEARCHED);
    let on = on & !off;
    let found = if variables <= EXACT {
        // Fewer variables are repeated up to four.
        let spread = |table: u64| {
            let own = 1 << variables;
            (0..16).fold(0u16, |all, bit| all | ((table >> (bit % own) & 1) as u16) << bit)
        };
        let exact = ExactTable::shared(operators);
        let expression = exact.smallest_between(spread(on), spread(off));
        expression
            .and_then(|function| exact.expression(function))
            .map(|expression| Minimised { expression, optimal: true })
    } else {
        let found = Search::new(variables, operators, budget).run_with_gaps(on, off, effort);
        found.map(|Found { expression, optimal }| Minimised { expression, optimal })
    };
    let found = found.ok_or(NotExpressible)?;
    Ok(Minimised { expression: found.expression.ordered(), optimal: found.optimal })
}

/// The best expression for five or more variables.
fn beyond_exact(
    formula: &Formula,
    variables: usize,
    operators: Operators,
    budget: &Budget,
) -> Option<Minimised> {
    let start = Expression::from_formula(&formula.simplify());
    let start = smaller(Some(Expression::from_formula(formula)), Some(start))?;
    if variables <= SEARCHED {
        let table = formula.truth_table(variables).ok()?.words()[0];
        let Found { expression, optimal } =
            Search::new(variables, operators, budget).run(table, Some(start))?;
        return Some(Minimised { expression, optimal });
    }
    let mut best = parts::minimised(start, operators, budget);
    if variables <= TWO_LEVEL {
        let table = formula.truth_table(variables).ok()?.words().to_vec();
        let inverse: Vec<u64> = table.iter().map(|word| !word).collect();
        for (function, negated) in [(table, false), (inverse, true)] {
            if budget.is_spent() {
                break;
            }
            let factored = cover::factored(&cover::cover(&function, variables));
            let factored = if negated { factored.negated() } else { factored };
            let found = parts::minimised(factored, operators, budget);
            best = if found.size() < best.size() { found } else { best };
        }
    }
    Some(Minimised { expression: best, optimal: false })
}

/// The formula without variables that make no difference, if truth tables can tell.
fn essential(formula: &Formula, names: Vec<crate::Var>) -> (Formula, Vec<crate::Var>) {
    if names.len() > TWO_LEVEL {
        return (formula.clone(), names);
    }
    let Ok(table) = formula.truth_table(names.len()) else { return (formula.clone(), names) };
    let matters = |position: usize| {
        (0..table.len())
            .any(|index| index >> position & 1 == 0 && table.get(index) != table.get(index | 1 << position))
    };
    let kept: Vec<bool> = (0..names.len()).map(matters).collect();
    if kept.iter().all(|&kept| kept) {
        return (formula.clone(), names);
    }
    let fixed = formula.substitute(|var| (!kept[var.position()]).then(Formula::truth)).without_constants();
    let (compact, left) = fixed.compact();
    let left = left.into_iter().map(|var| names[var.position()]).collect();
    (compact, left)
}
