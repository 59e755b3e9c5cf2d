//! Edges in compressed rows.

use crate::size;

/// For each row, the rows at the other end of its edges: `ends[offsets[v]..offsets[v + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a> {
    /// Where each row begins, and where the last one ends.
    pub offsets: &'a [u32],
    /// The row at the other end of each edge.
    pub ends: &'a [u32],
}

impl Csr<'_> {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Panics unless the offsets grow from 0 to the number of edges, and all edges end among `others` rows.
    #[track_caller]
    pub(crate) fn check(&self, others: usize) {
        let edges = size(self.ends.len());
        assert!(
            self.offsets.first() == Some(&0) && self.offsets.last() == Some(&edges),
            "offsets go from 0 to {edges}"
        );
        assert!(self.offsets.is_sorted(), "offsets grow");
        assert!(self.ends.iter().all(|&end| (end as usize) < others), "edges end among {others} rows");
    }
}
