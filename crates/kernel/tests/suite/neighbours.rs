//! Nearest neighbours compared with sorting all similarities.

use logicvae_kernel::{Domain, Form, Kernel, Neighbours};

use crate::support::{formula, pool};

#[test]
fn the_nearest_are_the_largest_similarities() {
    let list = pool(6, 40_000, 1);
    let queries = pool(6, 5, 321);
    let weights: Vec<f64> = (1..=64).map(f64::from).collect();
    let exact = Domain::exact(6).expect("few variables");
    for domain in [
        exact.clone(),
        Domain::monte_carlo(6, 200, 1).expect("not empty"),
        exact.weighted(&weights).expect("valid settings"),
    ] {
        let kernel = Kernel::new(domain.clone(), Form::Plain).expect("valid form");
        let index = Neighbours::new(domain, &list).expect("not empty");
        for query in &queries {
            let similarities = kernel.cross(std::slice::from_ref(query), &list).expect("variables in range");
            let mut order: Vec<usize> = (0..list.len()).collect();
            order.sort_by(|&a, &b| similarities[[0, b]].total_cmp(&similarities[[0, a]]).then(a.cmp(&b)));
            for count in [1, 10, 300] {
                let nearest = index.nearest(query, count).expect("variables in range");
                assert_eq!(nearest.iter().map(|n| n.index).collect::<Vec<_>>(), order[..count]);
                assert!(nearest.iter().all(|n| n.kernel == similarities[[0, n.index]]));
            }
        }
    }
}

#[test]
fn short_lists_and_bad_requests() {
    let index = Neighbours::new(Domain::exact(2).expect("few variables"), &[formula("x1"), formula("x2")])
        .expect("two");
    assert_eq!(index.nearest(&formula("x1"), 10).expect("variables in range").len(), 2);
    assert!(index.nearest(&formula("x3"), 1).is_err());
    assert!(Neighbours::new(Domain::exact(2).expect("few variables"), &[]).is_err());
}
