//! Clusters of formulae with similar meanings.

use kodama::{Method, linkage};
use logicvae_logic::Formula;
use ndarray::Array2;
use rayon::prelude::*;

use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;

/// The largest number of formulae. Memory grows with its square: this many need 1.2 GB.
const MOST_FORMULAE: usize = 10_000;
/// The largest number of clusters that is tried if none is given.
const MOST_TRIED: usize = 40;

/// Formulae grouped by meaning.
#[derive(Clone, Debug)]
pub struct Clustering {
    /// The clusters, largest first. The members are in the order of the list.
    pub clusters: Vec<Cluster>,
    /// How well the formulae fit into their clusters: the mean silhouette, between -1 and 1.
    pub silhouette: f64,
    /// The correlation of the truth values of every pair of formulae.
    pub correlations: Array2<f64>,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The members, as positions in the list.
    pub members: Vec<usize>,
    /// The member with the smallest mean distance to the others.
    pub representative: usize,
    /// The mean distance of two members; 0 for a single one.
    pub mean_distance: f64,
}

impl Clustering {
    /// Groups formulae by average linkage, with the distance 1 - r for two formulae whose truth values have
    /// the correlation r. Without a number of clusters, the one with the best mean silhouette is chosen.
    ///
    /// ```
    /// use logicvae_kernel::{Clustering, Domain};
    /// let list = ["x1 & x2", "x3 | x4", "x2 & x1 & x1", "x4 | x3 & x3"].map(|t| t.parse().unwrap());
    /// let found = Clustering::new(Domain::exact(4)?, &list, None)?;
    /// assert_eq!(found.clusters[0].members, [0, 2]);
    /// assert_eq!(found.clusters[1].members, [1, 3]);
    /// # Ok::<(), logicvae_kernel::KernelError>(())
    /// ```
    pub fn new(domain: Domain, formulae: &[Formula], count: Option<usize>) -> Result<Self, KernelError> {
        let size = formulae.len();
        if size == 0 {
            return Err(KernelError::NoFormulae { needed: "at least one is needed" });
        }
        if size > MOST_FORMULAE {
            return Err(KernelError::TooManyFormulae { formulae: size, most: MOST_FORMULAE });
        }
        let correlations = correlations(domain, formulae)?;
        let distance = |a: usize, b: usize| 1.0 - correlations[[a, b]];
        let mut condensed: Vec<f64> =
            (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b))).map(|(a, b)| distance(a, b)).collect();
        let merges: Vec<(usize, usize)> = linkage(&mut condensed, size, Method::Average)
            .steps()
            .iter()
            .map(|step| (step.cluster1, step.cluster2))
            .collect();
        let tried: Vec<usize> = match count {
            Some(count) => vec![count.clamp(1, size)],
            None => (2..=MOST_TRIED.min(size.saturating_sub(1))).collect(),
        };
        let scored = tried.into_par_iter().map(|count| {
            let labels = cut(&merges, size, count);
            (silhouette(&labels, count, &distance), labels, count)
        });
        let best = scored.collect::<Vec<_>>().into_iter().reduce(|best, other| match other.0 > best.0 {
            true => other,
            false => best,
        });
        // With one or two formulae there is nothing to choose.
        let (silhouette, labels, count) = best.unwrap_or_else(|| (0.0, cut(&merges, size, 1), 1));
        let members = |label: usize| (0..size).filter(|&at| labels[at] == label).collect::<Vec<usize>>();
        let mut clusters: Vec<Cluster> = (0..count).map(|label| cluster(members(label), &distance)).collect();
        clusters.sort_by_key(|cluster| (usize::MAX - cluster.members.len(), cluster.members[0]));
        Ok(Self { clusters, silhouette, correlations })
    }
}

/// The correlations of the values of all pairs; 0 where a formula is constant, and 1 with itself.
fn correlations(domain: Domain, formulae: &[Formula]) -> Result<Array2<f64>, KernelError> {
    let kernel = Kernel::new(domain, Form::Plain)?;
    let mut gram = kernel.gram(formulae)?;
    let means = kernel.cross(formulae, &[Formula::truth()])?;
    let mean = |at: usize| means[[at, 0]];
    for ((a, b), value) in gram.indexed_iter_mut() {
        let spread = ((1.0 - mean(a).powi(2)) * (1.0 - mean(b).powi(2))).sqrt();
        let r = if spread > 1e-12 { (*value - mean(a) * mean(b)) / spread } else { 0.0 };
        *value = if a == b { 1.0 } else { r.clamp(-1.0, 1.0) };
    }
    Ok(gram)
}

/// The cluster of each formula after merging until `count` clusters are left.
fn cut(merges: &[(usize, usize)], size: usize, count: usize) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..2 * size).collect();
    for (step, &(a, b)) in merges.iter().take(size - count).enumerate() {
        parent[a] = size + step;
        parent[b] = size + step;
    }
    let mut roots = Vec::new();
    (0..size)
        .map(|mut at| {
            while parent[at] != at {
                at = parent[at];
            }
            roots.iter().position(|&root| root == at).unwrap_or_else(|| {
                roots.push(at);
                roots.len() - 1
            })
        })
        .collect()
}

/// The mean over all formulae of (b - a) / max(a, b), where a is the mean distance to the other members of
/// its cluster and b the smallest mean distance to another cluster; 0 for the only member of a cluster.
fn silhouette(labels: &[usize], count: usize, distance: &dyn Fn(usize, usize) -> f64) -> f64 {
    let mut sizes = vec![0usize; count];
    labels.iter().for_each(|&label| sizes[label] += 1);
    let mut total = 0.0;
    for (at, &own) in labels.iter().enumerate() {
        let mut sums = vec![0.0; count];
        for (other, &label) in labels.iter().enumerate() {
            sums[label] += if other == at { 0.0 } else { distance(at, other) };
        }
        let others = (0..count).filter(|&label| label != own);
        let b = others.map(|label| sums[label] / sizes[label] as f64).fold(f64::INFINITY, f64::min);
        if sizes[own] > 1 && b.is_finite() {
            let a = sums[own] / (sizes[own] - 1) as f64;
            total += if a.max(b) > 0.0 { (b - a) / a.max(b) } else { 0.0 };
        }
    }
    total / labels.len() as f64
}

fn cluster(members: Vec<usize>, distance: &dyn Fn(usize, usize) -> f64) -> Cluster {
    let total =
        |&at: &usize| members.iter().map(|&other| if other == at { 0.0 } else { distance(at, other) }).sum();
    let totals: Vec<f64> = members.iter().map(total).collect();
    let best = (0..members.len()).min_by(|&a, &b| totals[a].total_cmp(&totals[b])).unwrap_or(0);
    let pairs = (members.len() * (members.len() - 1)) as f64;
    let mean_distance = if pairs > 0.0 { totals.iter().sum::<f64>() / pairs } else { 0.0 };
    Cluster { representative: members[best], members, mean_distance }
}
