//! A formula's syntax tree: where its nodes stand, and the picture.

use logicvae_logic::{Formula, Node};

use super::scheme::{EDGE, hex, look};
use super::svg::{Anchor, Area, text};

/// Places of nodes, in preorder. Units are the least distance of two nodes on one level, and of two levels.
///
/// Tidy, after Reingold and Tilford: parents stand in the middle above their children, equal subtrees have equal shapes,
/// and no tree is wider than these rules need. A subtree is its outline alone, so two are put side by side in the time
/// that the shallower one is deep, and all in linear time; nothing recurses.
struct Layout {
    /// From the left edge of the tree.
    x: Vec<f64>,
    /// Edges from the root.
    level: Vec<usize>,
    width: f64,
    depth: usize,
}

impl Layout {
    /// From the leaves up by outlines, then from the root down by adding distances.
    fn of(formula: &Formula) -> Self {
        let ends = formula.ends();
        let mut x = vec![0.0; formula.size()]; // from the parent at first
        let mut finished: Vec<Outline> = Vec::new(); // subtrees that wait for a parent, the leftmost on top
        for (i, node) in formula.preorder().enumerate().rev() {
            let mut outline = Outline::default();
            if node.arity() > 0 {
                outline = finished.pop().unwrap_or_default();
            }
            if node.arity() == 2 {
                let right = finished.pop().unwrap_or_default();
                let gap = outline.gap(&right);
                (x[i + 1], x[ends[i + 1]]) = (-gap / 2.0, gap / 2.0);
                outline = outline.beside(right, gap);
            }
            outline.add_root();
            finished.push(outline);
        }
        let mut level = vec![0; formula.size()];
        for (i, parent) in formula.parents().into_iter().enumerate() {
            if let Some(parent) = parent {
                x[i] += x[parent];
                level[i] = level[parent] + 1;
            }
        }
        let left = x.iter().copied().fold(0.0, f64::min);
        x.iter_mut().for_each(|x| *x -= left);
        let width = x.iter().copied().fold(0.0, f64::max);
        let depth = level.iter().copied().max().unwrap_or(0);
        Self { x, level, width, depth }
    }
}

/// The leftmost and the rightmost place of each level of a subtree.
#[derive(Default)]
struct Outline {
    /// The deepest level first, so that a root is added at the end.
    rows: Vec<(f64, f64)>,
    /// What to add to all rows to get the distance from the root: a subtree moves without a touch of its rows.
    shift: f64,
}

impl Outline {
    /// Puts the root on top, at distance 0 from itself.
    fn add_root(&mut self) {
        self.rows.push((-self.shift, -self.shift));
    }

    /// How far apart the roots must stand for the subtrees to be 1 apart on every level.
    fn gap(&self, right: &Outline) -> f64 {
        let levels = self.rows.iter().rev().zip(right.rows.iter().rev());
        levels.fold(1.0, |gap: f64, (l, r)| gap.max(l.1 + self.shift - r.0 - right.shift + 1.0))
    }

    /// Both, around a parent in the middle above. The deeper one takes in the other.
    fn beside(mut self, mut right: Outline, gap: f64) -> Outline {
        self.shift -= gap / 2.0;
        right.shift += gap / 2.0;
        let difference = right.shift - self.shift;
        let deeper_left = self.rows.len() >= right.rows.len();
        for (l, r) in self.rows.iter_mut().rev().zip(right.rows.iter_mut().rev()) {
            (l.1, r.0) = (r.1 + difference, l.0 - difference);
        }
        if deeper_left { self } else { right }
    }
}

/// Width and height of the tree in units, with room for the halves of the outermost nodes.
pub fn size(formula: &Formula) -> (f64, f64) {
    let layout = Layout::of(formula);
    (layout.width + 0.8, layout.depth as f64 + 0.8)
}

/// The tree with its root in the middle of the upper edge, as large as fits. `unit` is the most that one unit of a layout
/// becomes, across and down: small trees look alike instead of growing.
pub fn draw(svg: &mut String, formula: &Formula, area: Area, unit: (f64, f64)) {
    let layout = Layout::of(formula);
    // Beyond the middles of the outermost nodes there is room for their halves.
    let across = (area.width / (layout.width + 0.8)).min(unit.0);
    let down = (area.height / (layout.depth as f64 + 0.8)).min(unit.1);
    let radius = 0.4 * across.min(down);
    let left = area.x + (area.width - layout.width * across) / 2.0;
    let place = |i: usize| (left + layout.x[i] * across, area.y + radius + layout.level[i] as f64 * down);
    svg.push_str(&format!(
        "<path stroke=\"{}\" stroke-width=\"{:.2}\" fill=\"none\" d=\"",
        hex(EDGE),
        radius / 5.5
    ));
    for (i, parent) in formula.parents().into_iter().enumerate() {
        if let Some(parent) = parent {
            let ((x0, y0), (x1, y1)) = (place(parent), place(i));
            svg.push_str(&format!("M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}"));
        }
    }
    svg.push_str("\"/>");
    for (i, node) in formula.preorder().enumerate() {
        draw_node(svg, node, place(i), radius);
    }
}

/// A circle in the colour of its type with a short label; without one where it could not be read.
pub fn draw_node(svg: &mut String, node: Node, (x, y): (f64, f64), radius: f64) {
    let look = look(node);
    svg.push_str(&format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.2}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{:.2}\"/>",
        look.fill,
        look.rim,
        radius / 10.0
    ));
    let label = match node {
        Node::And => "∧".to_string(),
        Node::Or => "∨".into(),
        Node::Not => "¬".into(),
        Node::True => "1".into(),
        Node::Var(v) => v.to_string(),
    };
    let size = radius * (2.3 / label.chars().count() as f64).min(1.35);
    if size >= 2.0 {
        text(svg, (x, y + 0.36 * size), size, Anchor::Middle, look.ink, &label);
    }
}

#[cfg(test)]
mod tests {
    use logicvae_logic::SamplerParams;

    use super::*;

    fn places(text: &str) -> Vec<(f64, usize)> {
        let layout = Layout::of(&text.parse().expect(text));
        layout.x.into_iter().zip(layout.level).collect()
    }

    #[test]
    fn small_trees_stand_where_they_should() {
        assert_eq!(places("x1"), [(0.0, 0)]);
        assert_eq!(places("!x1"), [(0.0, 0), (0.0, 1)]);
        assert_eq!(places("x1 & x2"), [(0.5, 0), (0.0, 1), (1.0, 1)]);
        // Two full subtrees of width 1, 1 apart.
        let xs: Vec<f64> = places("(x1 & x2) | (x3 & x4)").into_iter().map(|(x, _)| x).collect();
        assert_eq!(xs, [1.5, 0.5, 0.0, 1.0, 2.5, 2.0, 3.0]);
    }

    #[test]
    fn nodes_of_a_level_keep_their_order_and_distance() {
        let sampler = SamplerParams { max_nodes: 60, ..SamplerParams::new(5) }.check().expect("good");
        for i in 0..300 {
            let formula = sampler.sample(5, i).expect("one");
            let layout = Layout::of(&formula);
            let mut last = vec![f64::NEG_INFINITY; layout.depth + 1];
            for (&x, &level) in layout.x.iter().zip(&layout.level) {
                assert!(x >= last[level] + 1.0 - 1e-9, "{formula}");
                last[level] = x;
            }
            let ends = formula.ends();
            for (i, node) in formula.preorder().enumerate().filter(|(_, n)| n.arity() == 2) {
                let middle = (layout.x[i + 1] + layout.x[ends[i + 1]]) / 2.0;
                assert!((layout.x[i] - middle).abs() < 1e-9, "{formula}: {node:?} at {i}");
            }
            assert_eq!(layout.depth, formula.depth());
        }
    }

    #[test]
    fn depth_is_no_limit() {
        let negations: Formula = format!("{}x1", "!".repeat(1_000_000)).parse().expect("deep");
        assert_eq!(Layout::of(&negations).width, 0.0);
        let comb = Formula::all((0..100_000).map(|i| logicvae_logic::x(i % 9 + 1)));
        assert_eq!(Layout::of(&comb).depth, 99_999);
    }
}
