//! A naive reference implementation: boxed trees, recursion, one assignment at a time. The crate's algorithms
//! are compared with it.

use logicvae_logic::{Formula, Node};
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    True,
    Var(u32),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
}

impl Tree {
    pub fn new(formula: &Formula) -> Tree {
        fn build(nodes: &mut impl Iterator<Item = Node>) -> Tree {
            match nodes.next().expect("a whole tree") {
                Node::True => Tree::True,
                Node::Var(v) => Tree::Var(v.index()),
                Node::Not => Tree::Not(build(nodes).into()),
                Node::And => {
                    let left = build(nodes);
                    Tree::And(left.into(), build(nodes).into())
                }
                Node::Or => {
                    let left = build(nodes);
                    Tree::Or(left.into(), build(nodes).into())
                }
            }
        }
        build(&mut formula.preorder())
    }

    /// Evaluates at the assignment that sets x_(b+1) to bit b of `assignment`.
    pub fn value(&self, assignment: u64) -> bool {
        match self {
            Tree::True => true,
            Tree::Var(i) => assignment >> (i - 1) & 1 == 1,
            Tree::Not(a) => !a.value(assignment),
            Tree::And(a, b) => a.value(assignment) && b.value(assignment),
            Tree::Or(a, b) => a.value(assignment) || b.value(assignment),
        }
    }

    /// The text with all parentheses, so that it does not depend on precedence.
    pub fn text(&self) -> String {
        match self {
            Tree::True => "1".into(),
            Tree::Var(i) => format!("x{i}"),
            Tree::Not(a) => format!("(!{})", a.text()),
            Tree::And(a, b) => format!("({} & {})", a.text(), b.text()),
            Tree::Or(a, b) => format!("({} | {})", a.text(), b.text()),
        }
    }

    pub fn depth(&self) -> usize {
        match self {
            Tree::True | Tree::Var(_) => 0,
            Tree::Not(a) => 1 + a.depth(),
            Tree::And(a, b) | Tree::Or(a, b) => 1 + a.depth().max(b.depth()),
        }
    }

    pub fn postorder(&self) -> Vec<String> {
        match self {
            Tree::True | Tree::Var(_) => vec![self.text()],
            Tree::Not(a) => [a.postorder(), vec!["!".into()]].concat(),
            Tree::And(a, b) => [a.postorder(), b.postorder(), vec!["&".into()]].concat(),
            Tree::Or(a, b) => [a.postorder(), b.postorder(), vec!["|".into()]].concat(),
        }
    }
}

/// A strategy for formulae over `x1..=x_variables` with up to about twice `nodes` nodes. Shrinks to small
/// formulae.
pub fn formulae(variables: u32, nodes: usize) -> impl Strategy<Value = Formula> {
    prop::collection::vec(0..variables + 7, 1..nodes).prop_map(move |choices| {
        let (mut nodes, mut open) = (Vec::new(), 1usize);
        for choice in choices {
            if open == 0 {
                break;
            }
            let node = match choice {
                0 | 1 => Node::And,
                2 | 3 => Node::Or,
                4 | 5 => Node::Not,
                6 => Node::True,
                v => Node::Var((v - 6).try_into().expect("small")),
            };
            open = open - 1 + node.arity();
            nodes.push(node);
        }
        nodes.extend((0..open).map(|i| Node::Var((i as u32 % variables + 1).try_into().expect("small"))));
        Formula::from_preorder(nodes).expect("filled up")
    })
}
