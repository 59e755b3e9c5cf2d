//! SVG elements of the figures that are not charts and therefore not drawn by plotters.

use super::scheme::STYLE;

/// The part of a text that is at its position.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A text with the characters that XML escapes. Control characters, which XML does not allow, are left out.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            _ => out.push(c),
        }
    }
    out
}

/// A picture without the control characters that XML does not allow, such as those of a name in a chart.
pub fn without_controls(svg: &str) -> String {
    let is_allowed =
        |c: &char| (!c.is_control() || "\t\n\r".contains(*c)) && !"\u{fffe}\u{ffff}".contains(*c);
    svg.chars().filter(is_allowed).collect()
}

/// Writes a line of text at a position on its baseline.
pub fn write_text(out: &mut String, (x, y): (f64, f64), size: f64, anchor: Anchor, colour: &str, line: &str) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\"{anchor} fill=\"{colour}\">{}</text>",
        escaped(line)
    ));
}

/// A rectangle to draw in.
#[derive(Clone, Copy)]
pub struct Area {
    /// The left edge.
    pub x: f64,
    /// The upper edge; y increases downwards.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    /// Writes the area as a rectangle with these further attributes.
    pub fn rectangle(&self, out: &mut String, attributes: &str) {
        let Self { x, y, width, height } = self;
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {attributes}/>"
        ));
    }
}

/// A complete SVG file. The title describes the figure for screen readers.
pub fn document(width: f64, height: f64, title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">{STYLE}<title>{}</title>{body}</svg>\n",
        escaped(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_does_not_allow_are_left_out() {
        assert_eq!(
            without_controls("<text>a\u{1}\u{1b}[31m\tb\n∧\u{ffff}</text>"),
            "<text>a[31m\tb\n∧</text>"
        );
    }
}
