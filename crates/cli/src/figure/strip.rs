//! A path through latent space as a grid of small trees, row by row, as in figure 3 of the paper.

use logicvae_logic::{Formula, Names};

use super::scheme::{ACCENT, MUTED, TEXT, hex};
use super::svg::{Anchor, Area, document, escaped, write_text};
use super::{change_bars, legend, tree};

/// One decoded point of a path.
pub struct Step {
    /// `None` if the decoded sequence is not a valid formula.
    pub formula: Option<Formula>,
    /// Number of nodes that differ from the previous step. `None` if one of the two is not a formula.
    pub changed: Option<usize>,
}

/// Margin around the figure.
const MARGIN: f64 = 16.0;
/// Gap between two panels.
const GAP: f64 = 7.0;
/// Font sizes of the step numbers and of the formulae, which are written in at most two lines.
const NUMBER_SIZE: f64 = 11.0;
const FORMULA_SIZE: f64 = 10.5;
const LINES: usize = 2;
/// Largest size of one unit of the tree layout, across and down.
const MAX_UNIT: (f64, f64) = (25.0, 28.0);
/// Smallest width of the figure, so that the legend and the bars fit.
const MIN_WIDTH: f64 = 520.0;

/// Draws the whole figure: a legend, one panel per step and one bar per change.
pub fn strip(steps: &[Step], names: &Names) -> String {
    let grid = Grid::for_steps(steps.len());
    let largest_change = steps.iter().filter_map(|s| s.changed).max().unwrap_or(0);
    let width = (grid.width() + 2.0 * MARGIN).max(MIN_WIDTH);
    let mut body = String::new();
    let inner = Area { x: MARGIN, y: MARGIN, width: width - 2.0 * MARGIN, height: 0.0 };
    let nodes = legend::distinct_nodes(steps.iter().filter_map(|s| s.formula.as_ref()));
    let top = legend::draw(&mut body, &nodes, names, largest_change > 0, inner);
    let left = (width - grid.width()) / 2.0;
    for (i, step) in steps.iter().enumerate() {
        draw_panel(&mut body, i, (step, names), largest_change, grid.area(i, left, top));
    }
    let bottom = change_bars::draw(&mut body, steps, Area { y: top + grid.height(), ..inner });
    document(width, bottom + MARGIN, &format!("Formulae along a path of {} steps", steps.len()), &body)
}

/// The layout of the panels.
struct Grid {
    /// Number of panels in a row.
    columns: usize,
    /// Number of rows; the last one may be incomplete.
    rows: usize,
    /// Width and height of a panel.
    size: (f64, f64),
}

impl Grid {
    /// Chooses seven columns for 35 steps. More steps have more columns and smaller panels, so that the
    /// figure stays viewable.
    fn for_steps(steps: usize) -> Self {
        let columns =
            if steps <= 7 { steps.max(1) } else { ((1.3 * steps as f64).sqrt().ceil() as usize).max(5) };
        let width = match steps {
            0..=56 => 158.0,
            57..=150 => 126.0,
            _ => 104.0,
        };
        Self { columns, rows: steps.div_ceil(columns), size: (width, 1.22 * width) }
    }

    /// Width of all columns.
    fn width(&self) -> f64 {
        self.columns as f64 * (self.size.0 + GAP) - GAP
    }

    /// Height of all rows, with a gap below.
    fn height(&self) -> f64 {
        self.rows as f64 * (self.size.1 + GAP)
    }

    /// The area of panel `i`, in a grid whose upper left corner is at `left` and `top`.
    fn area(&self, i: usize, left: f64, top: f64) -> Area {
        let (row, column) = (i / self.columns, i % self.columns);
        let (width, height) = self.size;
        Area { x: left + column as f64 * (width + GAP), y: top + row as f64 * (height + GAP), width, height }
    }
}

/// The change at a step relative to the largest change of the figure, between 0 and 1.
pub fn relative_change(step: &Step, largest_change: usize) -> f64 {
    step.changed.unwrap_or(0) as f64 / largest_change.max(1) as f64
}

/// Attributes of the background of a panel: stronger for larger changes, faint and without an outline for no
/// change.
pub fn panel_background(relative_change: f64) -> String {
    if relative_change == 0.0 {
        return format!("fill=\"{}\" fill-opacity=\".08\"", hex(MUTED));
    }
    let colour = hex(ACCENT);
    let (fill, stroke) = (0.06 + 0.26 * relative_change, 0.4 + 0.6 * relative_change);
    format!("fill=\"{colour}\" fill-opacity=\"{fill:.2}\" stroke=\"{colour}\" stroke-opacity=\"{stroke:.2}\"")
}

/// Draws one step: its number, the number of changed nodes, the tree and the text of the formula.
fn draw_panel(
    svg: &mut String,
    index: usize,
    (step, names): (&Step, &Names),
    largest_change: usize,
    area: Area,
) {
    let muted = hex(MUTED);
    let colour = if step.formula.is_none() || step.changed == Some(0) { muted.clone() } else { hex(TEXT) };
    let formula_text = step
        .formula
        .as_ref()
        .map_or_else(|| "no formula".into(), |f| with_symbols(f, names).replace(' ', ""));
    // Viewers show the title as a tooltip, so that it can be longer than the visible text.
    svg.push_str(&format!("<g class=\"panel\"><title>{}</title>", escaped(&shorten(&formula_text, 500.0))));
    let background = match (&step.formula, step.changed) {
        (None, _) => format!("fill=\"none\" stroke=\"{muted}\" stroke-dasharray=\"4 3\""),
        (_, None) => format!("fill=\"none\" stroke=\"{muted}\" stroke-opacity=\".7\""),
        _ => panel_background(relative_change(step, largest_change)),
    };
    area.rectangle(svg, &format!("rx=\"6\" {background}"));
    let (left, right, head) = (area.x + 7.0, area.x + area.width - 7.0, area.y + 14.0);
    write_text(svg, (left, head), NUMBER_SIZE, Anchor::Start, &colour, &(index + 1).to_string());
    if let Some(changed) = step.changed {
        let mark = if changed == 0 { "=".to_string() } else { format!("Δ {changed}") };
        write_text(svg, (right, head), NUMBER_SIZE, Anchor::End, &colour, &mark);
    }
    let middle = area.x + area.width / 2.0;
    if let Some(formula) = &step.formula {
        let lines = wrapped(&formula_text, (right - left) / FORMULA_SIZE);
        let line_height = 1.2 * FORMULA_SIZE;
        let text_height = line_height * LINES as f64;
        let height = area.height - 32.0 - text_height;
        tree::draw(svg, formula, Area { x: left, y: area.y + 20.0, width: right - left, height }, MAX_UNIT);
        let first = area.y + area.height - 7.0 - line_height * (lines.len() - 1) as f64;
        for (number, line) in lines.iter().enumerate() {
            let below = (middle, first + line_height * number as f64);
            write_text(svg, below, FORMULA_SIZE, Anchor::Middle, &colour, line);
        }
    } else {
        write_text(svg, (middle, area.y + area.height / 2.0), 11.0, Anchor::Middle, &colour, "invalid");
    }
    svg.push_str("</g>");
}

/// The text of a formula with the same symbols as in the nodes. Formulae in this form can be parsed.
pub fn with_symbols(formula: &Formula, names: &Names) -> String {
    let text = names.display(formula).to_string();
    if names.is_empty() {
        return text.replace('&', "∧").replace('|', "∨").replace('!', "¬");
    }
    // Names may contain the operators; outside of them, `&` and `|` have spaces on both sides.
    text.replace(" & ", " ∧ ").replace(" | ", " ∨ ").replace('!', "¬")
}

/// The width of a character as a multiple of the font size, in DejaVu Sans. Most other fonts are narrower.
fn width(c: char) -> f64 {
    match c {
        ' ' => 0.32,
        '(' | ')' => 0.39,
        '∧' | '∨' => 0.74,
        '¬' => 0.84,
        _ => 0.64,
    }
}

/// A formula in at most [`LINES`] lines of a width, which is given as a multiple of the font size. Lines end
/// before an operator if possible. The last one is shortened.
fn wrapped(text: &str, max_width: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    while lines.len() + 1 < LINES && rest.chars().map(width).sum::<f64>() > max_width {
        let mut used = 0.0;
        let fitting = rest.char_indices().take_while(|&(_, c)| {
            used += width(c);
            used <= max_width
        });
        let operator = |c: char| matches!(c, '∧' | '∨');
        let fitting: Vec<(usize, char)> = fitting.collect();
        let before_operator = fitting.iter().rev().find(|&&(at, c)| at > 0 && operator(c)).map(|last| last.0);
        let Some(end) = before_operator.or(fitting.last().map(|(at, c)| at + c.len_utf8())) else { break };
        lines.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    lines.push(shorten(rest, max_width));
    lines
}

/// Shortens a text with an ellipsis to a width, which is given as a multiple of the font size.
pub fn shorten(text: &str, max_width: f64) -> String {
    let mut used = 0.0;
    let mut cut = 0; // the last position at which an ellipsis, of width 1, still fits
    for (at, c) in text.char_indices() {
        if used + 1.0 <= max_width {
            cut = at;
        }
        used += width(c);
        if used > max_width {
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

    /// Random formulae, each repeated a few times, with some invalid steps.
    fn random_path(length: usize) -> Vec<Step> {
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
            let steps = random_path(length);
            let svg = strip(&steps, &Names::default());
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
        assert_eq!(wrapped("x1∧x2", 10.0), ["x1∧x2"]);
        assert_eq!(wrapped("x1∧x2∧x3∧x4", 5.0), ["x1∧x2", "∧x3∧x4"]);
        assert_eq!(wrapped("door_open_at_night", 5.0), ["door_op", "en_at_…"]);
        assert_eq!(wrapped("x1", 0.5), ["…"]);
        assert_eq!(with_symbols(&(x(1) & !x(2) | x(3)), &Names::default()), "x1 ∧ ¬x2 ∨ x3");
    }
}
