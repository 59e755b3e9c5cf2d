//! The colours of all figures, in light and dark mode.

use logicvae_logic::Node;
use plotters::style::{Color, HSLColor, RGBColor, WHITE};

/// Text and axes.
pub const TEXT: RGBColor = RGBColor(0x24, 0x29, 0x2f);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xd8, 0xde, 0xe4);
/// Less important text and lines.
pub const MUTED: RGBColor = RGBColor(0x6e, 0x77, 0x81);
/// Edges of trees. The colour is readable on panel backgrounds of any strength.
pub const EDGE: RGBColor = RGBColor(0x84, 0x8d, 0x97);
/// Highlighted changes.
pub const ACCENT: RGBColor = COLOURS[1];
/// Labels of data points. The colour differs slightly from [`TEXT`], so that [`STYLE`] can select labels by
/// colour and outline them in the background colour.
pub const LABEL: RGBColor = RGBColor(0x24, 0x29, 0x30);

/// Colours of up to eight series, which are distinguishable with colour blindness too (after Okabe and Ito).
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x8a, 0x8a, 0x8a),
    RGBColor(0x9a, 0x6f, 0xdb),
];

/// The style sheet of every SVG. Text and grid change in dark mode; all other colours are readable on both
/// backgrounds.
pub const STYLE: &str = "<style>text{font-family:'DejaVu Sans',system-ui,sans-serif}\
    [fill=\"#242930\"]{stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}\
    @media (prefers-color-scheme:dark){[fill=\"#24292F\"]{fill:#e6edf3}[stroke=\"#24292F\"]{stroke:#8b949e}\
    [stroke=\"#D8DEE4\"]{stroke:#30363d}[fill=\"#6E7781\"]{fill:#8b949e}[stroke=\"#6E7781\"]{stroke:#8b949e}\
    [stroke=\"#242930\"]{stroke:#e6edf3}[fill=\"#242930\"]{fill:#e6edf3;stroke:#0d1117}}</style>";

/// Inserts [`STYLE`] after the opening `<svg …>` tag of a document.
pub fn with_style(mut svg: String) -> String {
    let end = svg.find("<svg").and_then(|at| svg[at..].find('>').map(|end| at + end + 1));
    svg.insert_str(end.unwrap_or(0), STYLE);
    svg
}

/// A colour in SVG notation, with capital letters as in the selectors of [`STYLE`].
pub fn hex(colour: impl Color) -> String {
    let (r, g, b) = colour.to_backend_color().rgb;
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// The colours of a tree node.
pub struct NodeStyle {
    /// The colour of the circle, which depends on the type of the node.
    pub fill: String,
    /// The outline, which separates pale colours from a white background.
    pub outline: String,
    /// The colour of the label.
    pub label: &'static str,
}

/// The colours of a node. Operators have strong colours with white labels, leaves have pale colours with dark
/// labels. The hues of variables follow the golden angle, so that variables with similar indices have clearly
/// different hues.
pub fn node_style(node: Node) -> NodeStyle {
    let strong = |fill: RGBColor| NodeStyle { fill: hex(fill), outline: hex(fill), label: "#FFFFFF" };
    match node {
        Node::And => strong(RGBColor(0x00, 0x62, 0xa3)),
        Node::Or => strong(RGBColor(0xc4, 0x4a, 0x0c)),
        Node::Not => strong(RGBColor(0x57, 0x5f, 0x69)),
        Node::True => NodeStyle { fill: hex(WHITE), outline: hex(MUTED), label: "#1B1F24" },
        Node::Var(v) => {
            let hue = (0.13 + 0.381_966 * v.position() as f64).fract();
            // After eight variables, hues are similar to earlier ones. The lightness then changes.
            let lightness = [0.74, 0.62, 0.85][v.position() / 8 % 3];
            NodeStyle {
                fill: hex(HSLColor(hue, 0.66, lightness)),
                outline: hex(HSLColor(hue, 0.45, lightness - 0.3)),
                label: "#1B1F24",
            }
        }
    }
}
