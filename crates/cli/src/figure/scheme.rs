//! Colours that figures share, and how they change in the dark.

use logicvae_logic::Node;
use plotters::style::{Color, HSLColor, RGBColor, WHITE};

/// Text and axes.
pub const TEXT: RGBColor = RGBColor(0x24, 0x29, 0x2f);
/// Lines behind the data.
pub const GRID: RGBColor = RGBColor(0xd8, 0xde, 0xe4);
/// What is of second rank.
pub const QUIET: RGBColor = RGBColor(0x6e, 0x77, 0x81);
/// Lines of trees, which cross grounds of all strengths.
pub const EDGE: RGBColor = RGBColor(0x84, 0x8d, 0x97);
/// What the reader should look at: changes.
pub const ACCENT: RGBColor = COLOURS[1];
/// Names among marks. A shade of its own beside [`TEXT`], by which [`STYLE`] knows it and puts a rim of the ground around it.
pub const LABEL: RGBColor = RGBColor(0x24, 0x29, 0x30);

/// Colours that stay apart for the colour-blind too (after Okabe and Ito), for up to eight series.
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

/// In the dark, text and grid change; all other colours are readable on both grounds.
pub const STYLE: &str = "<style>text{font-family:'DejaVu Sans',system-ui,sans-serif}\
    [fill=\"#242930\"]{stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}\
    @media (prefers-color-scheme:dark){[fill=\"#24292F\"]{fill:#e6edf3}[stroke=\"#24292F\"]{stroke:#8b949e}\
    [stroke=\"#D8DEE4\"]{stroke:#30363d}[fill=\"#6E7781\"]{fill:#8b949e}[stroke=\"#6E7781\"]{stroke:#8b949e}\
    [stroke=\"#242930\"]{stroke:#e6edf3}[fill=\"#242930\"]{fill:#e6edf3;stroke:#0d1117}}</style>";

/// Puts the style right behind the opening `<svg …>` of a whole document.
pub fn with_style(mut svg: String) -> String {
    let end = svg.find("<svg").and_then(|at| svg[at..].find('>').map(|end| at + end + 1));
    svg.insert_str(end.unwrap_or(0), STYLE);
    svg
}

/// A colour as SVG writes it, in the capitals that [`STYLE`] looks for.
pub fn hex(colour: impl Color) -> String {
    let (r, g, b) = colour.to_backend_color().rgb;
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// How a node of a tree looks.
pub struct Look {
    /// The colour of its type.
    pub fill: String,
    /// The line around it, which keeps pale colours apart from a white ground.
    pub rim: String,
    /// The label's colour.
    pub ink: &'static str,
}

/// Operators are strong colours with white signs, leaves pale ones with dark signs. Hues of variables follow the golden
/// angle, so that each has its own and those with close numbers are far apart.
pub fn look(node: Node) -> Look {
    let strong = |fill: RGBColor| Look { fill: hex(fill), rim: hex(fill), ink: "#FFFFFF" };
    match node {
        Node::And => strong(RGBColor(0x00, 0x62, 0xa3)),
        Node::Or => strong(RGBColor(0xc4, 0x4a, 0x0c)),
        Node::Not => strong(RGBColor(0x57, 0x5f, 0x69)),
        Node::True => Look { fill: hex(WHITE), rim: hex(QUIET), ink: "#1B1F24" },
        Node::Var(v) => {
            let hue = (0.13 + 0.381_966 * v.position() as f64).fract();
            // After a round of eight, hues come close to earlier ones: the next round is lighter or darker.
            let light = [0.74, 0.62, 0.85][v.position() / 8 % 3];
            Look {
                fill: hex(HSLColor(hue, 0.66, light)),
                rim: hex(HSLColor(hue, 0.45, light - 0.3)),
                ink: "#1B1F24",
            }
        }
    }
}
