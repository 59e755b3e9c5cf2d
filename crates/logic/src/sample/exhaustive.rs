//! All formulae up to a size.

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// All formulae over `x1` to `x_variables` with at most `max_nodes` nodes, as ordered trees and by size; with
/// the constant 1 as one more leaf if `constants` is true. Their number grows exponentially with the size.
///
/// ```
/// use logicvae_logic::all_formulae;
/// let texts: Vec<String> = all_formulae(1, 3, false).iter().map(ToString::to_string).collect();
/// assert_eq!(texts, ["x1", "!x1", "!!x1", "x1 & x1", "x1 | x1"]);
/// assert_eq!(all_formulae(5, 5, false).len(), 1525);
/// ```
pub fn all_formulae(variables: u32, max_nodes: usize, constants: bool) -> Vec<Formula> {
    let leaves = (1..=variables).map(|v| VAR + v).chain(constants.then_some(TRUE));
    let mut by_size: Vec<Vec<Vec<u32>>> = vec![Vec::new(), leaves.map(|leaf| vec![leaf]).collect()];
    for size in 2..=max_nodes {
        let mut all: Vec<Vec<u32>> = by_size[size - 1].iter().map(|f| [&[NOT], &f[..]].concat()).collect();
        for left in 1..size - 1 {
            for first in &by_size[left] {
                for second in &by_size[size - 1 - left] {
                    all.extend([AND, OR].map(|root| [&[root], &first[..], &second[..]].concat()));
                }
            }
        }
        by_size.push(all);
    }
    by_size.into_iter().take(max_nodes + 1).flatten().map(Formula::from_codes).collect()
}
