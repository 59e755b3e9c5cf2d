//! Cut points for columns of numbers.

/// How many bits more than its place takes a cut must gain.
const MARGIN: f64 = 2.0;

/// At most `count` cut points. First come those that separate the labels, as long as they gain clearly more
/// information than their place takes: the interval whose best cut gains most is cut first, and so on. The
/// others divide the values evenly, since a number may matter only together with other columns. Each point is
/// the shortest decimal number between the two values that it separates. Values that are not a number, and
/// rows without a label, are left out.
fn cut_points(values: &[f64], labels: &[Option<bool>], count: usize) -> Vec<f64> {
    let pairs = values.iter().zip(labels);
    let mut pairs: Vec<(f64, bool)> = pairs
        .filter(|(value, _)| !value.is_nan())
        .filter_map(|(&value, label)| Some((value, (*label)?)))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut parts: Vec<&[(f64, bool)]> = vec![&pairs];
    let mut cuts = Vec::new();
    while cuts.len() < count {
        let best = parts.iter().enumerate().filter_map(|(at, part)| Some((at, best_cut(part)?)));
        // The first of equal ones.
        let best = best.reduce(|a, b| if b.1.0 > a.1.0 { b } else { a });
        let Some((at, (gain, place))) = best else { break };
        if gain <= (parts[at].len() as f64).log2() + MARGIN {
            break;
        }
        let (low, high) = parts[at].split_at(place);
        if let (Some(below), Some(above)) = (low.last(), high.first()) {
            cuts.push(between(below.0, above.0));
        }
        parts[at] = low;
        parts.insert(at + 1, high);
    }
    let left = count.saturating_sub(cuts.len());
    for place in (1..=left).map(|number| number * pairs.len() / (left + 1)).filter(|&place| place > 0) {
        // Equal values are not divided.
        let start = pairs.partition_point(|pair| pair.0 < pairs[place].0);
        if start > 0 {
            cuts.push(between(pairs[start - 1].0, pairs[start].0));
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts
}

/// The cut points that separate the labels best, and those that the user has named.
pub(crate) fn with_named(values: &[f64], labels: &[Option<bool>], count: usize, named: &[f64]) -> Vec<f64> {
    let mut points = cut_points(values, labels, count);
    points.extend(named);
    points.sort_by(f64::total_cmp);
    points.dedup();
    points
}

/// Cut points as text.
pub(crate) fn listed(points: &[f64]) -> String {
    points.iter().map(f64::to_string).collect::<Vec<String>>().join(", ")
}

/// The cut of a sorted list that gains most information, and its gain.
fn best_cut(part: &[(f64, bool)]) -> Option<(f64, usize)> {
    let (rows, positive) = (part.len() as f64, part.iter().filter(|pair| pair.1).count() as f64);
    let whole = entropy(positive, rows);
    let mut left = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for place in 1..part.len() {
        left += f64::from(u8::from(part[place - 1].1));
        if part[place - 1].0 == part[place].0 {
            continue;
        }
        let size = place as f64;
        let gain = whole - entropy(left, size) - entropy(positive - left, rows - size);
        if best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, place));
        }
    }
    best
}

/// The bits of all labels of a part.
fn entropy(positive: f64, rows: f64) -> f64 {
    let bits = |count: f64| if count > 0.0 { count * (rows / count).log2() } else { 0.0 };
    bits(positive) + bits(rows - positive)
}

/// The shortest decimal number above `low` and at most `high`.
fn between(low: f64, high: f64) -> f64 {
    for digits in -12i32..=12 {
        let unit = 10f64.powi(-digits);
        let middle = f64::midpoint(low, high);
        let rounded = (middle / unit).round() * unit;
        // Text and back, so that no digits appear from rounding.
        let short: f64 = format!("{rounded:.*}", digits.max(0) as usize).parse().unwrap_or(high);
        if short > low && short <= high {
            return short;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_cut_comes_first_and_is_short() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.37).collect();
        let labels: Vec<Option<bool>> = values.iter().map(|&v| Some((10.3..25.2).contains(&v))).collect();
        let cuts = cut_points(&values, &labels, 2);
        assert!(
            values.iter().all(|v| (10.3..25.2).contains(v) == (cuts[0]..cuts[1]).contains(v)),
            "{cuts:?}"
        );
        assert!(cuts.iter().all(|cut| cut.to_string().len() <= 4), "{cuts:?}");
        assert_eq!(between(29.0, 31.0), 30.0);
        assert_eq!(between(0.1, 0.2), 0.2);
        assert!(cut_points(&[1.0, 1.0], &[Some(true), Some(false)], 3).is_empty());
    }

    #[test]
    fn columns_that_do_not_separate_the_labels_alone_are_cut_evenly() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let labels: Vec<Option<bool>> = (0..1000).map(|i| Some(i * 7919 % 1000 < 500)).collect();
        let cuts = cut_points(&values, &labels, 4);
        assert_eq!(cuts, [200.0, 400.0, 600.0, 800.0]);
    }
}
