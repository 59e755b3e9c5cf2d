//! Paths through the latent space, and maps of it.

use candle_core::{DType, Device, Tensor};
use logicvae_vae::{arc, great_circle, line, nearest, plane};

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    length(&a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<f64>>())
}

#[test]
fn points_on_a_great_circle_are_evenly_spaced() {
    let from = [0.3, -1.2, 2.0, 0.7];
    let circle = great_circle(&from, 35, 1).unwrap();
    assert_eq!((circle.len(), &circle[0][..]), (35, &from[..]));
    let step = distance(&circle[0], &circle[1]);
    for (at, point) in circle.iter().enumerate() {
        assert!((length(point) - length(&from)).abs() < 1e-9);
        assert!((distance(point, &circle[(at + 1) % 35]) - step).abs() < 1e-9);
    }
    assert_ne!(circle, great_circle(&from, 35, 2).unwrap());
    assert!(great_circle(&[0.0; 4], 35, 1).is_err());
}

#[test]
fn points_on_an_arc_are_evenly_spaced() {
    let (from, to) = ([1.0, 2.0, 0.0], [-1.0, 1.5, 3.0]);
    let points = arc(&from, &to, 9);
    assert_eq!((&points[0][..], &points[8][..]), (&from[..], &to[..]));
    let angle = |a: &[f64], b: &[f64]| {
        (a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / (length(a) * length(b))).acos()
    };
    let first = angle(&points[0], &points[1]);
    assert!(points.windows(2).all(|w| (angle(&w[0], &w[1]) - first).abs() < 1e-9));
    // Without a unique arc, the result is the straight line.
    assert_eq!(arc(&[1.0, 0.0], &[-1.0, 0.0], 3), line(&[1.0, 0.0], &[-1.0, 0.0], 3));
    assert_eq!(arc(&[0.0, 0.0], &[1.0, 0.0], 2), [[0.0, 0.0], [1.0, 0.0]]);
}

#[test]
fn a_map_preserves_the_distances_of_points_in_a_plane() {
    let points: Vec<f64> = (0..20).flat_map(|i| [f64::from(i), f64::from(i * i % 7), 3.0, -1.0]).collect();
    let z = Tensor::from_vec(points, (20, 4), &Device::Cpu).unwrap().to_dtype(DType::F32).unwrap();
    let rows: Vec<Vec<f64>> = z.to_dtype(DType::F64).unwrap().to_vec2().unwrap();
    let flat = plane(&z).unwrap();
    for a in 0..20 {
        for b in 0..20 {
            let mapped = ((flat[a].0 - flat[b].0).powi(2) + (flat[a].1 - flat[b].1).powi(2)).sqrt();
            assert!((mapped - distance(&rows[a], &rows[b])).abs() < 1e-6);
        }
    }
    let found = nearest(&z, &rows[3], 2).unwrap();
    assert_eq!(found[0], (3, 0.0));
    assert_eq!(found.len(), 2);
}
