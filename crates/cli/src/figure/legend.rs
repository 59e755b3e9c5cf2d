//! The legend of node types and panel backgrounds.

use std::cmp::Reverse;

use logicvae_logic::{Formula, Names, Node};

use super::scheme::{TEXT, hex};
use super::strip::panel_background;
use super::svg::{Anchor, Area, write_text};
use super::tree::draw_node;

/// Largest number of variables in the legend. An ellipsis stands for the others.
const MAX_VARIABLES: usize = 20;
/// Radius of a node.
const RADIUS: f64 = 9.0;
/// Font size of the words.
const FONT_SIZE: f64 = 11.0;
/// Distance from a symbol to what follows it.
const SYMBOL_ADVANCE: f64 = 2.0 * RADIUS + 6.0;
/// Distance between two lines.
const LINE_HEIGHT: f64 = 26.0;

/// A symbol in front of a word.
enum Symbol {
    /// A node, as in the trees.
    Node(Node),
    /// A small panel with the background of a relative change between 0 and 1.
    Panel(f64),
}

/// The distinct nodes of the formulae: operators first, then the constant and the variables.
pub fn distinct_nodes<'a>(formulae: impl Iterator<Item = &'a Formula>) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    for formula in formulae {
        found.extend(formula.preorder());
        found.sort_unstable_by_key(|node| (Reverse(node.arity()), *node));
        found.dedup();
    }
    found
}

/// Draws the legend, starting at the upper edge of the area and wrapped at its width. Returns the lower edge.
/// With `changes`, the panel backgrounds are explained too.
pub fn draw(svg: &mut String, nodes: &[Node], names: &Names, changes: bool, area: Area) -> f64 {
    let (mut x, mut y) = (area.x, area.y + RADIUS);
    for (symbols, word) in entries(nodes, names, changes) {
        // The average width of a character is about 0.6 of the font size.
        let word_width =
            if word.is_empty() { 0.0 } else { 0.6 * FONT_SIZE * word.chars().count() as f64 + 14.0 };
        let width = SYMBOL_ADVANCE * symbols.len() as f64 + word_width;
        if x > area.x && x + width > area.x + area.width {
            (x, y) = (area.x, y + LINE_HEIGHT);
        }
        for (i, symbol) in symbols.iter().enumerate() {
            let left = x + SYMBOL_ADVANCE * i as f64;
            match symbol {
                Symbol::Node(node) => draw_node(svg, *node, (left + RADIUS, y), RADIUS),
                Symbol::Panel(share) => {
                    let panel = Area {
                        x: left,
                        y: y - RADIUS + 1.0,
                        width: 2.0 * RADIUS,
                        height: 2.0 * RADIUS - 2.0,
                    };
                    panel.rectangle(svg, &format!("rx=\"3\" {}", panel_background(*share)));
                }
            }
        }
        write_text(svg, (x + width - word_width, y + 4.0), FONT_SIZE, Anchor::Start, &hex(TEXT), &word);
        x += width;
    }
    y + RADIUS + 12.0
}

/// The entries of the legend, each with its symbols and a word: operators, variables, and panel backgrounds
/// with `changes`.
fn entries(nodes: &[Node], names: &Names, changes: bool) -> Vec<(Vec<Symbol>, String)> {
    let (variables, others): (Vec<Node>, Vec<Node>) =
        nodes.iter().partition(|node| matches!(node, Node::Var(_)));
    let name = |node: Node| match node {
        Node::And => "and",
        Node::Or => "or",
        Node::Not => "not",
        Node::True => "true",
        Node::Var(_) => "",
    };
    let variable = |node: Node| match node {
        Node::Var(var) => names.name(var).unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let mut entries: Vec<_> =
        others.into_iter().map(|node| (vec![Symbol::Node(node)], name(node).to_owned())).collect();
    entries
        .extend(variables.iter().take(MAX_VARIABLES).map(|&node| (vec![Symbol::Node(node)], variable(node))));
    // Names say what the symbols are.
    let unnamed = variables.iter().all(|&node| variable(node).is_empty());
    let word = match (variables.len() > MAX_VARIABLES, unnamed) {
        (true, true) => "… variables",
        (true, false) => "…",
        (false, true) => "variables",
        (false, false) => "",
    };
    if !variables.is_empty() && !word.is_empty() {
        entries.push((vec![], word.to_owned()));
    }
    if changes {
        entries.push((vec![Symbol::Panel(0.0)], "unchanged".to_owned()));
        entries.push((
            vec![Symbol::Panel(0.1), Symbol::Panel(0.5), Symbol::Panel(1.0)],
            "more nodes changed (Δ)".to_owned(),
        ));
    }
    entries
}
