//! The kernel and its Gram matrices, computed whole or in blocks of rows.

use logicvae_logic::{BitMatrix, Formula};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::hamming::hamming_distances;
use crate::linalg::{Backend, product};
use crate::nontemporal::copy_nontemporal;

/// A similarity of formulae: a domain of assignments and a form.
///
/// ```
/// use logicvae_kernel::{Form, Kernel, Domain};
/// let kernel = Kernel::new(Domain::exact(2)?, Form::Plain)?;
/// let f = ["x1 & x2", "x1 | x2", "!(x1 & x2)"].map(|t| t.parse().unwrap());
/// let gram = kernel.gram(&f)?;
/// assert_eq!((gram[[0, 0]], gram[[0, 1]], gram[[0, 2]]), (1.0, 0.0, -1.0));
/// # Ok::<(), logicvae_kernel::KernelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    domain: Domain,
    form: Form,
}

impl Kernel {
    /// A kernel with this domain and form. Validates the width of the form.
    pub fn new(domain: Domain, form: Form) -> Result<Self, KernelError> {
        Ok(Self { domain, form: form.check()? })
    }

    /// The assignments at which formulae are compared.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The form of the kernel.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The similarity of two formulae.
    pub fn value(&self, first: &Formula, second: &Formula) -> Result<f64, KernelError> {
        Ok(self.cross(std::slice::from_ref(first), std::slice::from_ref(second))?[[0, 0]])
    }

    /// The similarities of all pairs, N × N. Computes only half of them, unless that would be slower.
    pub fn gram(&self, formulae: &[Formula]) -> Result<Array2<f64>, KernelError> {
        Ok(self.gram_of_values(&self.domain.values(formulae)?))
    }

    /// Like [`gram`](Self::gram), but reuses the memory of another matrix if it is large enough. With few
    /// assignments this is twice as fast, because getting new memory from the operating system takes longer
    /// than filling it.
    ///
    /// ```
    /// use logicvae_kernel::{Form, Kernel, Domain};
    /// let kernel = Kernel::new(Domain::exact(2)?, Form::Plain)?;
    /// let f = ["x1 & x2", "x1 | x2", "!(x1 & x2)"].map(|t| t.parse().unwrap());
    /// let old = kernel.gram(&f)?;
    /// let new = kernel.gram_reusing(&f[..2], old)?;
    /// assert_eq!(new, kernel.gram(&f[..2])?);
    /// # Ok::<(), logicvae_kernel::KernelError>(())
    /// ```
    pub fn gram_reusing(&self, formulae: &[Formula], old: Array2<f64>) -> Result<Array2<f64>, KernelError> {
        let values = self.domain.values(formulae)?;
        let (n, (mut memory, offset)) = (values.rows(), old.into_raw_vec_and_offset());
        let fits = memory.len() >= n * n && offset.is_none_or(|offset| offset == 0);
        if !fits || !self.is_written_in_order(&values) {
            drop(memory);
            return Ok(self.gram_of_values(&values));
        }
        memory.truncate(n * n);
        self.fill(&values, &values, &mut memory, Memory::Used);
        // The length is n², so this cannot fail.
        Ok(Array2::from_shape_vec((n, n), memory).unwrap_or_default())
    }

    /// With rows of a few words, memory writes dominate the time, and sequential writes are the fastest.
    fn is_written_in_order(&self, values: &BitMatrix) -> bool {
        self.domain.weights().is_none() && values.words_per_row() <= 4
    }

    /// The similarities of every row formula with every column formula, N × M.
    pub fn cross(&self, rows: &[Formula], columns: &[Formula]) -> Result<Array2<f64>, KernelError> {
        Ok(self.cross_of_values(&self.domain.values(rows)?, &self.domain.values(columns)?))
    }

    /// Like [`cross`](Self::cross), but passes blocks of rows of about 16 MiB to `block`, one after the
    /// other. Use it for matrices that do not fit in memory.
    pub fn cross_blocks<E: From<KernelError>>(
        &self,
        rows: &[Formula],
        columns: &[Formula],
        mut block: impl FnMut(ArrayView2<'_, f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let columns = self.domain.values(columns)?;
        let height = ((1 << 21) / columns.rows().max(1)).clamp(1, 4096);
        for part in rows.chunks(height) {
            block(self.cross_of_values(&self.domain.values(part)?, &columns).view())?;
        }
        Ok(())
    }

    /// Like [`gram`](Self::gram), for formulae given by their truth values.
    pub(crate) fn gram_of_values(&self, values: &BitMatrix) -> Array2<f64> {
        if let Some(weights) = self.domain.weights() {
            let scaled = scaled_signs(values, weights);
            return product(Backend::default(), scaled.view(), scaled.t()).mapv(|k| self.form.apply(k));
        }
        if self.is_written_in_order(values) {
            return self.cross_of_values(values, values);
        }
        let n = values.rows();
        let table = self.form.table(values.bits());
        let mut gram = Array2::zeros((n, n));
        let Some(whole) = gram.as_slice_mut() else { return gram };
        advise_huge_pages(whole);
        // Only tiles on and above the diagonal are computed; each is written twice, the second time
        // transposed.
        let tiles = n.div_ceil(TILE);
        let pairs: Vec<(usize, usize)> = (0..tiles).flat_map(|i| (i..tiles).map(move |j| (i, j))).collect();
        let target = Shared(whole.as_mut_ptr());
        pairs.into_par_iter().with_min_len(16).for_each(|(i, j)| {
            let mut tile = [[0.0; TILE]; TILE];
            let (rows, columns) = (span(i, n), span(j, n));
            fill_tile(values, rows.clone(), columns.clone(), &table, &mut tile);
            for (r, line) in rows.clone().zip(&tile) {
                // SAFETY: only this task writes tile (i, j), and its rows and columns are below n.
                unsafe { target.write(r * n + columns.start, &line[..columns.len()]) };
            }
            if i != j {
                for (k, c) in columns.clone().enumerate() {
                    let mut line = [0.0; TILE];
                    line.iter_mut().zip(&tile[..rows.len()]).for_each(|(to, from)| *to = from[k]);
                    // SAFETY: only this task writes tile (j, i), and its rows and columns are below n.
                    unsafe { target.write(c * n + rows.start, &line[..rows.len()]) };
                }
            }
        });
        gram
    }

    /// Like [`cross`](Self::cross), for formulae given by their truth values.
    pub(crate) fn cross_of_values(&self, rows: &BitMatrix, columns: &BitMatrix) -> Array2<f64> {
        assert_eq!(rows.bits(), columns.bits(), "the values are at different numbers of assignments");
        if let Some(weights) = self.domain.weights() {
            let (left, right) = (scaled_signs(rows, weights), scaled_signs(columns, weights));
            return product(Backend::default(), left.view(), right.t()).mapv(|k| self.form.apply(k));
        }
        let mut cross = Array2::zeros((rows.rows(), columns.rows()));
        let Some(whole) = cross.as_slice_mut() else { return cross };
        advise_huge_pages(whole);
        self.fill(rows, columns, whole, Memory::Fresh);
        cross
    }

    /// Fills a matrix row by row; for domains without weights.
    fn fill(&self, rows: &BitMatrix, columns: &BitMatrix, whole: &mut [f64], memory: Memory) {
        let table = self.form.table(rows.bits());
        let look_up = |line: &mut [f64], counts: &[u32]| {
            line.iter_mut().zip(counts).for_each(|(value, &differ)| *value = table[differ as usize]);
        };
        whole.par_chunks_mut(columns.rows().max(1)).enumerate().for_each_init(
            || (vec![0u32; columns.rows()], vec![0.0; columns.rows()]),
            |(counts, ready), (row, line)| {
                hamming_distances(rows.row(row), columns.words(), counts);
                match memory {
                    Memory::Fresh => look_up(line, counts),
                    Memory::Used => {
                        look_up(ready, counts);
                        copy_nontemporal(line, ready);
                    }
                }
            },
        );
    }
}

/// Whether memory has been written before. Fresh pages are in the cache on first access, since the operating
/// system has just zeroed them.
#[derive(Clone, Copy)]
enum Memory {
    Fresh,
    Used,
}

/// Requests huge pages of 2 MiB before the first access, on Linux. A large matrix is written once, and with
/// pages of 4 KiB most of the time goes into page faults.
#[cfg(target_os = "linux")]
fn advise_huge_pages(memory: &mut [f64]) {
    const HUGE: usize = 1 << 21;
    let bytes = memory.as_mut_ptr_range();
    let (start, end) = ((bytes.start as usize).next_multiple_of(HUGE), bytes.end as usize / HUGE * HUGE);
    if start < end {
        // SAFETY: the range consists of whole pages within `memory`, and this advice does not change their
        // content. The operating system may ignore it.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_memory: &mut [f64]) {}

const TILE: usize = 32;

fn span(tile: usize, n: usize) -> std::ops::Range<usize> {
    tile * TILE..n.min((tile + 1) * TILE)
}

fn fill_tile(
    values: &BitMatrix,
    row_span: std::ops::Range<usize>,
    column_span: std::ops::Range<usize>,
    table: &[f64],
    tile: &mut [[f64; TILE]; TILE],
) {
    let words = values.words_per_row();
    let others = &values.words()[column_span.start * words..column_span.end * words];
    let mut counts = [0u32; TILE];
    for (row, line) in row_span.zip(tile) {
        hamming_distances(values.row(row), others, &mut counts[..column_span.len()]);
        line.iter_mut().zip(counts).for_each(|(value, differ)| *value = table[differ as usize]);
    }
}

/// A matrix that several tasks write to, each in its own region.
struct Shared(*mut f64);

// SAFETY: the pointer is only used by `write`, whose callers guarantee that regions do not overlap.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// `start..start + line.len()` must be within the matrix, and no other task may read or write it.
    unsafe fn write(&self, start: usize, line: &[f64]) {
        // SAFETY: guaranteed by the caller.
        unsafe { std::ptr::copy_nonoverlapping(line.as_ptr(), self.0.add(start), line.len()) }
    }
}

/// ±√weight for every value, so that inner products of rows are weighted kernel values.
pub(crate) fn scaled_signs(values: &BitMatrix, weights: &[f64]) -> Array2<f64> {
    let mut signs = Array2::zeros((values.rows(), values.bits()));
    if let Some(whole) = signs.as_slice_mut() {
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        whole.par_chunks_mut(values.bits().max(1)).enumerate().for_each(|(row, line)| {
            for (bit, (value, root)) in line.iter_mut().zip(&roots).enumerate() {
                *value = if values.get(row, bit) { *root } else { -root };
            }
        });
    }
    signs
}

/// The true Jaccard index of the sets of satisfying assignments within the domain: |A ∩ B| / |A ∪ B|, and 1
/// if both sets are empty. It differs from what the paper calls 'Jaccard', which is [`Form::Agreement`].
///
/// ```
/// use logicvae_kernel::{Domain, jaccard};
/// let f = |t: &str| t.parse::<logicvae_logic::Formula>().unwrap();
/// assert_eq!(jaccard(&Domain::exact(2)?, &f("x1"), &f("x1 & x2"))?, 0.5);
/// # Ok::<(), logicvae_kernel::KernelError>(())
/// ```
pub fn jaccard(domain: &Domain, first: &Formula, second: &Formula) -> Result<f64, KernelError> {
    let values = domain.values(&[first.clone(), second.clone()])?;
    let share = |bit: usize| domain.weights().map_or(1.0, |w| w[bit]);
    let (mut both, mut any) = (0.0, 0.0);
    for bit in 0..values.bits() {
        let (a, b) = (values.get(0, bit), values.get(1, bit));
        both += if a && b { share(bit) } else { 0.0 };
        any += if a || b { share(bit) } else { 0.0 };
    }
    Ok(if any == 0.0 { 1.0 } else { both / any })
}
