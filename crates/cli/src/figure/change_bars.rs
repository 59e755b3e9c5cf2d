//! A bar chart under the trees of a path: the number of nodes that change at each step.

use super::scheme::{ACCENT, MUTED, TEXT, hex};
use super::strip::{Step, relative_change};
use super::svg::{Anchor, Area, write_text};

/// Height of the highest bar.
const BAR_HEIGHT: f64 = 64.0;
/// Height of the caption above the bars.
const CAPTION_HEIGHT: f64 = 40.0;
/// Height of the step numbers below the bars.
const NUMBERS_HEIGHT: f64 = 14.0;

/// Draws one bar per step, starting at the upper edge of the area; larger changes have stronger colours.
/// Returns the lower edge. Nothing is drawn for a path without changes.
pub fn draw(svg: &mut String, steps: &[Step], area: Area) -> f64 {
    let largest_change = steps.iter().filter_map(|s| s.changed).max().unwrap_or(0);
    if largest_change == 0 {
        return area.y;
    }
    let (text, muted, accent) = (hex(TEXT), hex(MUTED), hex(ACCENT));
    let total: usize = steps.iter().filter_map(|s| s.changed).sum();
    let caption = format!("Nodes changed at each step, {total} in all");
    write_text(svg, (area.x, area.y + CAPTION_HEIGHT - 14.0), 11.0, Anchor::Start, &text, &caption);
    let (top, base) = (area.y + CAPTION_HEIGHT, area.y + CAPTION_HEIGHT + BAR_HEIGHT);
    let (left, right) = (area.x + 22.0, area.x + area.width);
    for (value, y) in [(largest_change, top), (0, base)] {
        svg.push_str(&format!(
            "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"{muted}\" stroke-opacity=\".4\"/>"
        ));
        write_text(svg, (left - 5.0, y + 3.0), 9.0, Anchor::End, &muted, &value.to_string());
    }
    let slot = (right - left) / steps.len() as f64;
    let width = (0.72 * slot).min(30.0);
    // Only every n-th step has a number, so that the numbers do not overlap.
    let numbered_every =
        [1, 5, 10, 20, 50, 100].into_iter().find(|&n| slot * f64::from(n) >= 20.0).unwrap_or(500) as usize;
    for (i, step) in steps.iter().enumerate() {
        let middle = left + (i as f64 + 0.5) * slot;
        let share = relative_change(step, largest_change);
        if share > 0.0 {
            let bar = Area {
                x: middle - width / 2.0,
                y: base - share * BAR_HEIGHT,
                width,
                height: share * BAR_HEIGHT,
            };
            bar.rectangle(
                svg,
                &format!("class=\"bar\" fill=\"{accent}\" fill-opacity=\"{:.2}\"", 0.4 + 0.6 * share),
            );
        }
        if step.formula.is_none() {
            write_text(svg, (middle, base - 3.0), slot.clamp(3.0, 12.0), Anchor::Middle, &muted, "×");
        }
        if (i + 1) % numbered_every == 0 || i == 0 {
            write_text(
                svg,
                (middle, base + NUMBERS_HEIGHT - 2.0),
                9.0,
                Anchor::Middle,
                &muted,
                &(i + 1).to_string(),
            );
        }
    }
    base + NUMBERS_HEIGHT
}
