//! A bit matrix.

/// A matrix of bits, with each row packed into 64-bit words: bit j of a row is bit `j % 64` of its word
/// `j / 64`, and unused bits at the end are 0. Values of formulae are stored this way, so that they can be
/// compared by XOR and population count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitMatrix {
    rows: usize,
    bits: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, bits: usize) -> Self {
        Self { rows, bits, words: vec![0; rows * bits.div_ceil(64)] }
    }

    /// A matrix from its words, row by row. Unused bits at the end of each row are set to 0.
    ///
    /// # Panics
    /// Panics if the number of words is not `rows` times the number of words per row.
    pub fn from_words(rows: usize, bits: usize, words: Vec<u64>) -> Self {
        assert_eq!(
            words.len(),
            rows * bits.div_ceil(64),
            "wrong number of words for {rows} rows of {bits} bits"
        );
        let mut matrix = Self { rows, bits, words };
        (0..rows).for_each(|row| matrix.clear_unused(row));
        matrix
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        let mut result = Self::zeros(self.bits, self.rows);
        let (from, to) = (self.words_per_row(), result.words_per_row());
        let mut block = [0u64; 64];
        for down in 0..to {
            for across in 0..from {
                let (height, width) = ((self.rows - 64 * down).min(64), (self.bits - 64 * across).min(64));
                block.fill(0);
                for (i, word) in block[..height].iter_mut().enumerate() {
                    *word = self.words[(64 * down + i) * from + across];
                }
                transpose(&mut block);
                for (i, word) in block[..width].iter().enumerate() {
                    result.words[(64 * across + i) * to + down] = *word;
                }
            }
        }
        result
    }

    /// Changes the shape. The content is unspecified afterwards.
    pub(super) fn reshape(&mut self, rows: usize, bits: usize) {
        (self.rows, self.bits) = (rows, bits);
        self.words.resize(rows * bits.div_ceil(64), 0);
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of bits in a row.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The number of words in a row.
    pub fn words_per_row(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// All words, row by row.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The words of one row.
    pub fn row(&self, row: usize) -> &[u64] {
        let words = self.words_per_row();
        &self.words[row * words..][..words]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        let words = self.words_per_row();
        &mut self.words[row * words..][..words]
    }

    /// The value of one bit.
    pub fn get(&self, row: usize, bit: usize) -> bool {
        assert!(bit < self.bits, "there is no bit {bit}: rows have {} bits", self.bits);
        self.row(row)[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Sets one bit to 1.
    pub fn set(&mut self, row: usize, bit: usize) {
        assert!(bit < self.bits, "there is no bit {bit}: rows have {} bits", self.bits);
        self.row_mut(row)[bit / 64] |= 1 << (bit % 64);
    }

    /// The number of ones in a row.
    pub fn count_ones(&self, row: usize) -> u64 {
        self.row(row).iter().map(|w| u64::from(w.count_ones())).sum()
    }

    pub(super) fn clear_unused(&mut self, row: usize) {
        let unused = self.words_per_row() * 64 - self.bits;
        if let Some(last) = self.row_mut(row).last_mut() {
            *last &= !0 >> unused;
        }
    }
}

/// Transposes a block of 64 × 64 bits: swaps its off-diagonal halves, then quarters within them, down to
/// single bits.
fn transpose(block: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while width > 0 {
        for i in (0..64).filter(|i| i & width == 0) {
            let swapped = (block[i] >> width ^ block[i + width]) & mask;
            block[i] ^= swapped << width;
            block[i + width] ^= swapped;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
