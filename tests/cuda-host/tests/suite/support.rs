//! Random inputs, graphs, and comparisons.

use logicvae_cuda_host::Csr;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Widths below and above the size of a warp, and not multiples of it.
pub const WIDTHS: [usize; 4] = [1, 7, 84, 250];

pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Numbers between -1 and 1.
    pub fn numbers(&mut self, length: usize) -> Vec<f32> {
        (0..length).map(|_| (self.0.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0.next_u32() as usize % limit
    }
}

/// A graph and its transpose.
pub struct Graph {
    pub offsets: Vec<u32>,
    pub sources: Vec<u32>,
    pub t_offsets: Vec<u32>,
    pub t_targets: Vec<u32>,
    /// The index of each transposed edge in the graph.
    pub t_edges: Vec<u32>,
}

impl Graph {
    /// Rows with the given in-degrees, whose edges come from random rows below `sources`.
    pub fn random(random: &mut Random, degrees: &[usize], sources: usize) -> Self {
        let edges: Vec<(usize, usize)> = degrees
            .iter()
            .enumerate()
            .flat_map(|(v, &degree)| vec![v; degree])
            .map(|v| (v, random.below(sources)))
            .collect();
        let offsets = |counts: &dyn Fn(usize) -> usize, rows| {
            let ends = (0..rows).scan(0, |sum, row| {
                *sum += counts(row);
                Some(*sum as u32)
            });
            std::iter::once(0).chain(ends).collect::<Vec<_>>()
        };
        let mut by_source: Vec<usize> = (0..edges.len()).collect();
        by_source.sort_by_key(|&e| edges[e].1);
        Self {
            offsets: offsets(&|v| degrees[v], degrees.len()),
            sources: edges.iter().map(|edge| edge.1 as u32).collect(),
            t_offsets: offsets(&|w| edges.iter().filter(|edge| edge.1 == w).count(), sources),
            t_targets: by_source.iter().map(|&e| edges[e].0 as u32).collect(),
            t_edges: by_source.iter().map(|&e| e as u32).collect(),
        }
    }

    /// Rows with no edges (including the first and the last), one, a few and 1,000 edges, and a source
    /// without receivers. Also returns the number of sources.
    pub fn large(random: &mut Random) -> (Self, usize) {
        let sources = 9;
        let mut graph = Self::random(random, &[0, 1, 3, 1000, 0, 40, 0], sources - 1);
        graph.t_offsets.push(graph.t_offsets[sources - 1]);
        (graph, sources)
    }

    /// A graph with few edges, for finite differences.
    pub fn small(random: &mut Random) -> (Self, usize) {
        (Self::random(random, &[0, 1, 5, 2], 4), 4)
    }

    pub fn forward(&self) -> Csr<'_> {
        Csr { offsets: &self.offsets, ends: &self.sources }
    }

    pub fn transposed(&self) -> Csr<'_> {
        Csr { offsets: &self.t_offsets, ends: &self.t_targets }
    }

    /// Reorders values of edges to the order of the transposed edges.
    pub fn transpose(&self, edges: &[f32]) -> Vec<f32> {
        self.t_edges.iter().map(|&e| edges[e as usize]).collect()
    }
}

pub fn doubles(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| x.into()).collect()
}

/// Asserts that numbers in single precision agree with numbers in double precision.
#[track_caller]
pub fn assert_close(name: &str, got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "the length of {name} is wrong");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(got) - want).abs();
        assert!(error <= 2e-5 * (1.0 + want.abs()), "{name}[{i}] is {got}, expected {want}");
    }
}

/// Asserts that a gradient agrees with central differences of `f`, at up to 60 elements spread over `x`.
#[track_caller]
pub fn assert_gradient(name: &str, got: &[f32], x: &[f32], f: impl Fn(&[f64]) -> f64) {
    assert_eq!(got.len(), x.len(), "the length of {name} is wrong");
    let mut x = doubles(x);
    let step = 1e-5;
    for i in (0..x.len()).step_by(x.len().div_ceil(60)) {
        let here = x[i];
        x[i] = here + step;
        let above = f(&x);
        x[i] = here - step;
        let below = f(&x);
        x[i] = here;
        let want = (above - below) / (2.0 * step);
        assert!(
            (f64::from(got[i]) - want).abs() <= 2e-5 * (1.0 + want.abs()),
            "{name}[{i}] is {}, expected {want}",
            got[i]
        );
    }
}

pub fn dot(a: &[f64], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, &y)| x * f64::from(y)).sum()
}
