//! Layout and drawing of syntax trees.

use logicvae_logic::{Formula, Node};

use super::scheme::{EDGE, hex, node_style};
use super::svg::{Anchor, Area, write_text};

/// The positions of nodes, in preorder. The units are the smallest distance between two nodes of a level, and
/// the distance between two levels.
///
/// This is the tidy layout of Reingold and Tilford: parents are centred above their children, equal subtrees
/// have equal layouts, and no tree is wider than necessary. A subtree is represented by its outline. Two
/// subtrees are placed side by side in time proportional to the depth of the shallower one, so that the whole
/// layout takes linear time. There is no recursion.
struct Layout {
    /// Distance from the left edge of the tree.
    x: Vec<f64>,
    /// Number of edges from the root.
    level: Vec<usize>,
    width: f64,
    depth: usize,
}

impl Layout {
    /// Places subtrees side by side from the leaves up, then adds up the offsets from the root down.
    fn new(formula: &Formula) -> Self {
        let ends = formula.ends();
        let mut x = vec![0.0; formula.size()]; // relative to the parent at first
        let mut finished: Vec<Outline> = Vec::new(); // subtrees without a parent yet, the leftmost last
        for (i, node) in formula.preorder().enumerate().rev() {
            let mut outline = Outline::default();
            if node.arity() > 0 {
                outline = finished.pop().unwrap_or_default();
            }
            if node.arity() == 2 {
                let right = finished.pop().unwrap_or_default();
                let distance = outline.distance_to(&right);
                (x[i + 1], x[ends[i + 1]]) = (-distance / 2.0, distance / 2.0);
                outline = outline.merge(right, distance);
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

/// The leftmost and the rightmost position in each level of a subtree.
#[derive(Default)]
struct Outline {
    /// The levels, with the deepest one first, so that a root is added at the end.
    rows: Vec<(f64, f64)>,
    /// Offset to add to all rows to get positions relative to the root. A subtree moves without a change of
    /// its rows.
    shift: f64,
}

impl Outline {
    /// Adds the root above the other levels, at position 0.
    fn add_root(&mut self) {
        self.rows.push((-self.shift, -self.shift));
    }

    /// The distance between the roots at which the subtrees are at least 1 apart on every level.
    fn distance_to(&self, right: &Outline) -> f64 {
        let levels = self.rows.iter().rev().zip(right.rows.iter().rev());
        levels.fold(1.0, |distance: f64, (l, r)| distance.max(l.1 + self.shift - r.0 - right.shift + 1.0))
    }

    /// The outline of both subtrees, centred below their parent. It reuses the rows of the deeper one.
    fn merge(mut self, mut right: Outline, distance: f64) -> Outline {
        self.shift -= distance / 2.0;
        right.shift += distance / 2.0;
        let difference = right.shift - self.shift;
        let deeper_left = self.rows.len() >= right.rows.len();
        for (l, r) in self.rows.iter_mut().rev().zip(right.rows.iter_mut().rev()) {
            (l.1, r.0) = (r.1 + difference, l.0 - difference);
        }
        if deeper_left { self } else { right }
    }
}

/// Width and height of the tree in units, including the outer halves of the outermost nodes.
pub fn size(formula: &Formula) -> (f64, f64) {
    let layout = Layout::new(formula);
    (layout.width + 0.8, layout.depth as f64 + 0.8)
}

/// Draws a tree with its root at the centre of the upper edge, as large as the area allows. `max_unit` limits
/// the size of one unit, across and down, so that all small trees have nodes of the same size.
pub fn draw(svg: &mut String, formula: &Formula, area: Area, max_unit: (f64, f64)) {
    let layout = Layout::new(formula);
    // 0.8 units are for the outer halves of the outermost nodes.
    let across = (area.width / (layout.width + 0.8)).min(max_unit.0);
    let down = (area.height / (layout.depth as f64 + 0.8)).min(max_unit.1);
    let radius = 0.4 * across.min(down);
    let left = area.x + (area.width - layout.width * across) / 2.0;
    let position = |i: usize| (left + layout.x[i] * across, area.y + radius + layout.level[i] as f64 * down);
    svg.push_str(&format!(
        "<path stroke=\"{}\" stroke-width=\"{:.2}\" fill=\"none\" d=\"",
        hex(EDGE),
        radius / 5.5
    ));
    for (i, parent) in formula.parents().into_iter().enumerate() {
        if let Some(parent) = parent {
            let ((x0, y0), (x1, y1)) = (position(parent), position(i));
            svg.push_str(&format!("M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}"));
        }
    }
    svg.push_str("\"/>");
    for (i, node) in formula.preorder().enumerate() {
        draw_node(svg, node, position(i), radius);
    }
}

/// Draws a node as a circle in the colour of its type. The label is left out if it would be too small to be
/// readable.
pub fn draw_node(svg: &mut String, node: Node, (x, y): (f64, f64), radius: f64) {
    let style = node_style(node);
    svg.push_str(&format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.2}\" fill=\"{}\" stroke=\"{}\" \
         stroke-width=\"{:.2}\"/>",
        style.fill,
        style.outline,
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
        write_text(svg, (x, y + 0.36 * size), size, Anchor::Middle, style.label, &label);
    }
}

#[cfg(test)]
mod tests {
    use logicvae_logic::SamplerParams;

    use super::*;

    fn positions(text: &str) -> Vec<(f64, usize)> {
        let layout = Layout::new(&text.parse().expect(text));
        layout.x.into_iter().zip(layout.level).collect()
    }

    #[test]
    fn small_trees_have_the_expected_layout() {
        assert_eq!(positions("x1"), [(0.0, 0)]);
        assert_eq!(positions("!x1"), [(0.0, 0), (0.0, 1)]);
        assert_eq!(positions("x1 & x2"), [(0.5, 0), (0.0, 1), (1.0, 1)]);
        // Two complete subtrees of width 1, at distance 1.
        let xs: Vec<f64> = positions("(x1 & x2) | (x3 & x4)").into_iter().map(|(x, _)| x).collect();
        assert_eq!(xs, [1.5, 0.5, 0.0, 1.0, 2.5, 2.0, 3.0]);
    }

    #[test]
    fn nodes_of_a_level_are_in_order_and_do_not_overlap() {
        let sampler = SamplerParams { max_nodes: 60, ..SamplerParams::new(5) }.check().expect("good");
        for i in 0..300 {
            let formula = sampler.sample(5, i).expect("one");
            let layout = Layout::new(&formula);
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
    fn very_deep_trees_have_a_layout() {
        let negations: Formula = format!("{}x1", "!".repeat(1_000_000)).parse().expect("deep");
        assert_eq!(Layout::new(&negations).width, 0.0);
        let comb = Formula::all((0..100_000).map(|i| logicvae_logic::x(i % 9 + 1)));
        assert_eq!(Layout::new(&comb).depth, 99_999);
    }
}
