//! A path through latent space as a grid of small trees, read line by line (the paper's figure 3).

use logicvae_logic::Formula;

use super::scheme::{ACCENT, QUIET, TEXT, hex};
use super::svg::{Anchor, Area, document, text};
use super::{bars, legend, tree};

/// One decoded point of the path.
pub struct Step {
    /// `None` if what was decoded is no formula.
    pub formula: Option<Formula>,
    /// Nodes that differ from the step before; `None` where there is nothing to compare with.
    pub changed: Option<usize>,
}

/// Around the figure.
const MARGIN: f64 = 16.0;
/// Between panels.
const GAP: f64 = 7.0;
/// The most that a unit of a tree becomes.
const UNIT: (f64, f64) = (25.0, 28.0);
/// Room for the legend and the bars, even if there are few panels.
const MIN_WIDTH: f64 = 520.0;

/// The whole figure: a legend, a panel for each step and a bar for each change.
pub fn strip(steps: &[Step]) -> String {
    let grid = Grid::of(steps.len());
    let most = steps.iter().filter_map(|s| s.changed).max().unwrap_or(0);
    let width = (grid.width() + 2.0 * MARGIN).max(MIN_WIDTH);
    let mut body = String::new();
    let place = Area { x: MARGIN, y: MARGIN, width: width - 2.0 * MARGIN, height: 0.0 };
    let nodes = legend::nodes(steps.iter().filter_map(|s| s.formula.as_ref()));
    let top = legend::draw(&mut body, &nodes, most > 0, place);
    let left = (width - grid.width()) / 2.0;
    for (i, step) in steps.iter().enumerate() {
        panel(&mut body, i, step, most, grid.area(i, left, top));
    }
    let bottom = bars::draw(&mut body, steps, Area { y: top + grid.height(), ..place });
    document(width, bottom + MARGIN, &format!("Formulae along a path of {} steps", steps.len()), &body)
}

/// Where panels stand.
struct Grid {
    /// Panels in a row.
    columns: usize,
    /// Rows; the last may have room left.
    rows: usize,
    /// A panel's width and height.
    size: (f64, f64),
}

impl Grid {
    /// Seven columns for 35 steps; more steps get more columns and smaller panels, so that the whole can still be viewed.
    fn of(steps: usize) -> Self {
        let columns =
            if steps <= 7 { steps.max(1) } else { ((1.3 * steps as f64).sqrt().ceil() as usize).max(5) };
        let width = match steps {
            0..=56 => 158.0,
            57..=150 => 126.0,
            _ => 104.0,
        };
        Self { columns, rows: steps.div_ceil(columns), size: (width, 1.12 * width) }
    }

    /// Of all columns.
    fn width(&self) -> f64 {
        self.columns as f64 * (self.size.0 + GAP) - GAP
    }

    /// Of all rows, with a gap below.
    fn height(&self) -> f64 {
        self.rows as f64 * (self.size.1 + GAP)
    }

    /// Panel number `i`, in a grid that begins at this corner.
    fn area(&self, i: usize, left: f64, top: f64) -> Area {
        let (row, column) = (i / self.columns, i % self.columns);
        let (width, height) = self.size;
        Area { x: left + column as f64 * (width + GAP), y: top + row as f64 * (height + GAP), width, height }
    }
}

/// How strongly a change shows, from 0 to 1, beside the largest of its figure.
pub fn strength(step: &Step, most: usize) -> f64 {
    step.changed.unwrap_or(0) as f64 / most.max(1) as f64
}

/// Attributes of a panel's ground: strong where much has changed, faint and without a rim where nothing has.
pub fn ground(strength: f64) -> String {
    if strength == 0.0 {
        return format!("fill=\"{}\" fill-opacity=\".08\"", hex(QUIET));
    }
    let (colour, inside, rim) = (hex(ACCENT), 0.06 + 0.26 * strength, 0.4 + 0.6 * strength);
    format!("fill=\"{colour}\" fill-opacity=\"{inside:.2}\" stroke=\"{colour}\" stroke-opacity=\"{rim:.2}\"")
}

/// One step: its number, what changed, the tree and its text.
fn panel(svg: &mut String, index: usize, step: &Step, most: usize, area: Area) {
    let quiet = hex(QUIET);
    let ink = if step.formula.is_none() || step.changed == Some(0) { quiet.clone() } else { hex(TEXT) };
    let signs = step.formula.as_ref().map_or_else(|| "no formula".into(), |f| signs(f).replace(' ', ""));
    // The title shows the text under the pointer, where it may be longer.
    svg.push_str(&format!("<g class=\"panel\"><title>{}</title>", shorten(&signs, 500.0)));
    let look = match (&step.formula, step.changed) {
        (None, _) => format!("fill=\"none\" stroke=\"{quiet}\" stroke-dasharray=\"4 3\""),
        (_, None) => format!("fill=\"none\" stroke=\"{quiet}\" stroke-opacity=\".7\""),
        _ => ground(strength(step, most)),
    };
    area.rectangle(svg, &format!("rx=\"6\" {look}"));
    let (left, right, head) = (area.x + 7.0, area.x + area.width - 7.0, area.y + 14.0);
    text(svg, (left, head), 9.0, Anchor::Start, &ink, &(index + 1).to_string());
    if let Some(changed) = step.changed {
        let mark = if changed == 0 { "=".to_string() } else { format!("Δ {changed}") };
        text(svg, (right, head), 9.0, Anchor::End, &ink, &mark);
    }
    let middle = area.x + area.width / 2.0;
    if let Some(formula) = &step.formula {
        let room = Area { x: left, y: area.y + 20.0, width: right - left, height: area.height - 43.0 };
        tree::draw(svg, formula, room, UNIT);
        let below = (middle, area.y + area.height - 7.0);
        text(svg, below, 8.0, Anchor::Middle, &ink, &shorten(&signs, (right - left) / 8.0));
    } else {
        text(svg, (middle, area.y + area.height / 2.0), 11.0, Anchor::Middle, &ink, "invalid");
    }
    svg.push_str("</g>");
}

/// The text with the signs that stand in the nodes; `logicvae` reads it back, and XML needs no escapes.
pub fn signs(formula: &Formula) -> String {
    formula.to_string().replace('&', "∧").replace('|', "∨").replace('!', "¬")
}

/// As much of the text as fits into a width in units of the letters' size, with an ellipsis if that is not all.
pub fn shorten(text: &str, room: f64) -> String {
    // Widths of DejaVu Sans; most other fonts are narrower.
    let width = |c: char| match c {
        ' ' => 0.32,
        '(' | ')' => 0.39,
        '∧' | '∨' => 0.74,
        '¬' => 0.84,
        _ => 0.64,
    };
    let mut used = 0.0;
    let mut cut = 0; // where an ellipsis, of width 1, still fits
    for (at, c) in text.char_indices() {
        if used + 1.0 <= room {
            cut = at;
        }
        used += width(c);
        if used > room {
            return format!("{}…", &text[..cut]);
        }
    }
    text.to_string()
}

#[cfg(test)]
mod tests {
    use logicvae_logic::{SamplerParams, edit_distance, x};
    use resvg::usvg::roxmltree::Document;

    use super::*;

    /// Formulae as they fall, each shown a few times, with some that are invalid.
    fn path(length: usize) -> Vec<Step> {
        let sampler = SamplerParams { max_nodes: 14, ..SamplerParams::new(5) }.check().expect("good");
        let mut steps: Vec<Step> = Vec::new();
        let mut last: Option<Formula> = None;
        for i in 0..length as u64 {
            let formula = sampler.sample(3, i / 3).expect("one");
            let changed = last.as_ref().map(|last| edit_distance(last, &formula));
            let invalid = i % 11 == 10;
            steps.push(Step {
                formula: (!invalid).then(|| formula.clone()),
                changed: changed.filter(|_| !invalid),
            });
            last = Some(formula);
        }
        steps
    }

    fn count(svg: &str, what: &str) -> usize {
        svg.matches(what).count()
    }

    #[test]
    fn every_step_has_a_panel_and_every_change_a_bar() {
        for length in [0, 1, 2, 7, 8, 35, 120, 400] {
            let steps = path(length);
            let svg = strip(&steps);
            Document::parse(&svg).unwrap_or_else(|e| panic!("{length} steps: {e}"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{length} steps");
            assert_eq!(count(&svg, "class=\"panel\""), length);
            assert_eq!(count(&svg, ">invalid<"), steps.iter().filter(|s| s.formula.is_none()).count());
            let changes = steps.iter().filter(|s| s.changed.is_some_and(|c| c > 0)).count();
            assert_eq!((count(&svg, ">Δ "), count(&svg, "class=\"bar\"")), (changes, changes));
            crate::figure::png::render(&svg).unwrap_or_else(|e| panic!("{length} steps: {e}"));
        }
    }

    #[test]
    fn text_that_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(shorten("x1∧x2", 10.0), "x1∧x2");
        assert_eq!(shorten("x1∧x2∧x3∧x4", 5.0), "x1∧x2…");
        assert_eq!(shorten("x1", 0.5), "…");
        assert_eq!(signs(&(x(1) & !x(2) | x(3))), "x1 ∧ ¬x2 ∨ x3");
    }
}
