//! Merging formulae that have the same truth values.

use logicvae_logic::BitMatrix;
use rustc_hash::FxHashMap;

/// The distinct rows, in the order of their first occurrence, and the number of occurrences of each.
pub(crate) fn distinct_rows(values: &BitMatrix) -> (BitMatrix, Vec<usize>) {
    let mut places: FxHashMap<&[u64], usize> = FxHashMap::default();
    let (mut words, mut counts) = (Vec::new(), Vec::new());
    for row in 0..values.rows() {
        let row = values.row(row);
        let place = *places.entry(row).or_insert(counts.len());
        if place == counts.len() {
            words.extend_from_slice(row);
            counts.push(0);
        }
        counts[place] += 1;
    }
    (BitMatrix::from_words(counts.len(), values.bits(), words), counts)
}
