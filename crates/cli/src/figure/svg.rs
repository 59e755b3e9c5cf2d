//! Pieces of SVG that are written by hand: what is no chart is none of plotters' business.

use super::scheme::STYLE;

/// Which part of a text stands at its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text on a base line. It must need no escapes, as all text of the figures.
pub fn text(out: &mut String, (x, y): (f64, f64), size: f64, anchor: Anchor, ink: &str, line: &str) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\"{anchor} fill=\"{ink}\">{line}</text>"
    ));
}

/// A rectangle to draw in.
#[derive(Clone, Copy)]
pub struct Area {
    /// The left edge.
    pub x: f64,
    /// The upper edge; numbers grow downwards.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    /// The area as an element; `look` is its further attributes.
    pub fn rectangle(&self, out: &mut String, look: &str) {
        let Self { x, y, width, height } = self;
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {look}/>"
        ));
    }
}

/// A whole file. The title is for those who cannot see the figure.
pub fn document(width: f64, height: f64, title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">{STYLE}<title>{title}</title>{body}</svg>\n"
    )
}
