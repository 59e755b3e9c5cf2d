//! What the colours of nodes and the grounds of panels mean.

use std::cmp::Reverse;

use logicvae_logic::{Formula, Node};

use super::scheme::{TEXT, hex};
use super::strip::ground;
use super::svg::{Anchor, Area, text};
use super::tree::draw_node;

/// Variables that are listed; the others are an ellipsis.
const VARIABLES: usize = 20;
/// Of a node.
const RADIUS: f64 = 9.0;
/// The size of words.
const LETTERS: f64 = 11.0;
/// From a sign to what follows it.
const NEXT: f64 = 2.0 * RADIUS + 6.0;
/// From line to line.
const LINE: f64 = 26.0;

/// What stands in front of a word.
enum Sign {
    /// A node as in the trees.
    Node(Node),
    /// A panel in miniature; how much has changed, from 0 to 1.
    Panel(f64),
}

/// Every kind of node that occurs, once: operators, the constant, variables.
pub fn nodes<'a>(formulae: impl Iterator<Item = &'a Formula>) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    for formula in formulae {
        found.extend(formula.preorder());
        found.sort_unstable_by_key(|node| (Reverse(node.arity()), *node));
        found.dedup();
    }
    found
}

/// Lines of signs and words from the area's upper edge on, broken at its width. Returns where they end.
pub fn draw(svg: &mut String, nodes: &[Node], changes: bool, area: Area) -> f64 {
    let (mut x, mut y) = (area.x, area.y + RADIUS);
    for (signs, word) in entries(nodes, changes) {
        // A letter is about 0.6 of its size wide.
        let word_width =
            if word.is_empty() { 0.0 } else { 0.6 * LETTERS * word.chars().count() as f64 + 14.0 };
        let width = NEXT * signs.len() as f64 + word_width;
        if x > area.x && x + width > area.x + area.width {
            (x, y) = (area.x, y + LINE);
        }
        for (i, sign) in signs.iter().enumerate() {
            let left = x + NEXT * i as f64;
            match sign {
                Sign::Node(node) => draw_node(svg, *node, (left + RADIUS, y), RADIUS),
                Sign::Panel(share) => {
                    let panel = Area {
                        x: left,
                        y: y - RADIUS + 1.0,
                        width: 2.0 * RADIUS,
                        height: 2.0 * RADIUS - 2.0,
                    };
                    panel.rectangle(svg, &format!("rx=\"3\" {}", ground(*share)));
                }
            }
        }
        text(svg, (x + width - word_width, y + 4.0), LETTERS, Anchor::Start, &hex(TEXT), word);
        x += width;
    }
    y + RADIUS + 12.0
}

/// Operators by name, then the variables one by one, then the grounds of panels if something changes at all.
fn entries(nodes: &[Node], changes: bool) -> Vec<(Vec<Sign>, &'static str)> {
    let (variables, others): (Vec<Node>, Vec<Node>) =
        nodes.iter().partition(|node| matches!(node, Node::Var(_)));
    let name = |node: Node| match node {
        Node::And => "and",
        Node::Or => "or",
        Node::Not => "not",
        Node::True => "true",
        Node::Var(_) => "",
    };
    let mut entries: Vec<_> = others.into_iter().map(|node| (vec![Sign::Node(node)], name(node))).collect();
    entries.extend(variables.iter().take(VARIABLES).map(|&node| (vec![Sign::Node(node)], "")));
    if !variables.is_empty() {
        entries.push((vec![], if variables.len() > VARIABLES { "… variables" } else { "variables" }));
    }
    if changes {
        entries.push((vec![Sign::Panel(0.0)], "unchanged"));
        entries.push((vec![Sign::Panel(0.1), Sign::Panel(0.5), Sign::Panel(1.0)], "more nodes changed (Δ)"));
    }
    entries
}
