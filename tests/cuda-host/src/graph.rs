//! Edges in compressed sparse rows.

use crate::size;

/// The other ends of each row's edges: row `v` has `ends[offsets[v]..offsets[v + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a> {
    /// The start of each row, and the end of the last.
    pub offsets: &'a [u32],
    /// The row at the other end of each edge.
    pub ends: &'a [u32],
}

impl Csr<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Panics unless offsets increase from 0 to the number of edges and all ends are below `others`.
    #[track_caller]
    pub(crate) fn check(&self, others: usize) {
        let edges = size(self.ends.len());
        assert!(
            self.offsets.first() == Some(&0) && self.offsets.last() == Some(&edges),
            "offsets must go from 0 to {edges}"
        );
        assert!(self.offsets.is_sorted(), "offsets must be sorted");
        assert!(
            self.ends.iter().all(|&end| (end as usize) < others),
            "edges must end at one of {others} rows"
        );
    }
}
