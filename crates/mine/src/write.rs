//! Formulae as text: in our own syntax, in LaTeX and in Python.

use crate::expr::{Expr, Join};
use crate::feature::{Feature, Test};
use crate::shown::{Shown, Style};

impl Style<'_> {
    /// The text of a formula.
    pub fn text(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write(&self.arrange(expr, false), 0, &Syntax::PLAIN, &mut out);
        out
    }

    /// The formula in LaTeX, with the names of columns as upright text.
    pub fn latex(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write(&self.arrange(expr, false), 0, &Syntax::LATEX, &mut out);
        out
    }

    /// The formula as an expression of Python over a dictionary `row`.
    pub fn python(&self, expr: &Expr) -> String {
        let mut out = String::new();
        let style = Style { implies: false, ..*self };
        style.write(&style.arrange(expr, false), 0, &Syntax::PYTHON, &mut out);
        out
    }

    fn write(&self, shown: &Shown, required: u8, syntax: &Syntax, out: &mut String) {
        let own = syntax.precedence(shown);
        let open = own < required;
        if open {
            out.push('(');
        }
        match shown {
            Shown::Const(value) => out.push_str(syntax.constants[usize::from(*value)]),
            Shown::Leaf(feature, negated) => match self.features.get(*feature as usize) {
                Some(feature) => out.push_str(&(syntax.leaf)(feature, *negated)),
                None => out.push_str(&format!("x{}", feature + 1)),
            },
            Shown::Not(inner) => {
                out.push_str(syntax.not);
                // A comparison is not a single word.
                let alone = matches!(&**inner, Shown::Leaf(f, _) if self.features.get(*f as usize)
                    .is_some_and(|f| f.text(false).contains(' ')));
                let required = if alone { u8::MAX } else { syntax.not_precedence + 1 };
                if alone && required > syntax.precedence(inner) {
                    out.push('(');
                    self.write(inner, 0, syntax, out);
                    out.push(')');
                } else {
                    self.write(inner, required, syntax, out);
                }
            }
            Shown::Join(Join::AtLeast(least), parts) => {
                out.push_str(&syntax.at_least[0].replace("{}", &least.to_string()));
                for (number, part) in parts.iter().enumerate() {
                    if number > 0 {
                        out.push_str(", ");
                    }
                    self.write(part, 0, syntax, out);
                }
                out.push_str(&syntax.at_least[1].replace("{}", &least.to_string()));
            }
            Shown::Join(join, parts) => {
                let sign = match join {
                    Join::And => syntax.and,
                    Join::Or => syntax.or,
                    _ => syntax.xor,
                };
                for (number, part) in parts.iter().enumerate() {
                    if number > 0 {
                        out.push_str(sign);
                    }
                    self.write(part, own + 1, syntax, out);
                }
            }
            Shown::Implies(premise, conclusion) => {
                self.write(premise, own + 1, syntax, out);
                out.push_str(syntax.implies);
                self.write(conclusion, own, syntax, out);
            }
        }
        if open {
            out.push(')');
        }
    }
}

/// The signs of a language.
struct Syntax {
    constants: [&'static str; 2],
    not: &'static str,
    and: &'static str,
    or: &'static str,
    xor: &'static str,
    implies: &'static str,
    at_least: [&'static str; 2],
    leaf: fn(&Feature, bool) -> String,
    not_precedence: u8,
    /// The precedence of `^`: between `|` and `&`, or above both.
    xor_precedence: u8,
}

impl Syntax {
    const PLAIN: Self = Self {
        constants: ["0", "1"],
        not: "!",
        and: " & ",
        or: " | ",
        xor: " ^ ",
        implies: " -> ",
        at_least: ["at least {} of (", ")"],
        leaf: Feature::text,
        not_precedence: 8,
        xor_precedence: 4,
    };
    const LATEX: Self = Self {
        constants: ["\\bot", "\\top"],
        not: "\\neg ",
        and: " \\land ",
        or: " \\lor ",
        xor: " \\oplus ",
        implies: " \\rightarrow ",
        at_least: ["{\\geq}{}\\,\\text{of}\\,\\{", "\\}"],
        leaf: latex_leaf,
        ..Self::PLAIN
    };
    const PYTHON: Self = Self {
        constants: ["False", "True"],
        not: "not ",
        and: " and ",
        or: " or ",
        xor: " ^ ",
        at_least: ["sum((", ",)) >= {}"],
        leaf: python_leaf,
        not_precedence: 7,
        xor_precedence: 10,
        ..Self::PLAIN
    };

    fn precedence(&self, shown: &Shown) -> u8 {
        match shown {
            Shown::Implies(..) => 0,
            Shown::Join(Join::Or, _) => 2,
            Shown::Join(Join::Xor(_), _) => self.xor_precedence,
            Shown::Join(Join::And, _) => 6,
            Shown::Not(_) => self.not_precedence,
            // In Python this is a comparison.
            Shown::Join(Join::AtLeast(_), _) if self.not_precedence == 7 => 9,
            _ => 20,
        }
    }
}

fn latex_leaf(feature: &Feature, negated: bool) -> String {
    let mut text = String::from("\\text{");
    for c in feature.text(negated && feature.has_short_negation()).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => text.extend(['\\', c]),
            '\\' => text.push_str("\\textbackslash{}"),
            '~' => text.push_str("\\textasciitilde{}"),
            '^' => text.push_str("\\textasciicircum{}"),
            '<' => text.push_str("$<$"),
            '>' => text.push_str("$>$"),
            other => text.push(other),
        }
    }
    text.replace("$>$=", "$\\geq$").replace("!=", "$\\neq$") + "}"
}

fn python_leaf(feature: &Feature, negated: bool) -> String {
    // Texts of JSON are texts of Python.
    let name = |text: &str| serde_json::Value::from(text).to_string();
    let column = name(&feature.column);
    if let (true, Some(test)) = (negated, feature.negated_test()) {
        return python_leaf(&Feature { test, ..feature.clone() }, false);
    }
    let question = match &feature.test {
        Test::True => format!("is_true(row, {column})"),
        Test::Equals(value) => format!("equals(row, {column}, {})", name(value)),
        Test::Differs(value) => format!("differs(row, {column}, {})", name(value)),
        Test::AtLeast(least) => format!("at_least(row, {column}, {least:?})"),
        Test::Below(limit) => format!("below(row, {column}, {limit:?})"),
        Test::Missing => format!("is_missing(row, {column})"),
    };
    if negated { format!("(not {question})") } else { question }
}
