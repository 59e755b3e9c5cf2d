//! How many nodes change at each step of a path, as bars under its trees.

use super::scheme::{ACCENT, QUIET, TEXT, hex};
use super::strip::{Step, strength};
use super::svg::{Anchor, Area, text};

/// From the highest bar to the base.
const HEIGHT: f64 = 64.0;
/// Room for the caption.
const ABOVE: f64 = 40.0;
/// Room for the numbers of steps.
const BELOW: f64 = 14.0;

/// A bar a step from the area's upper edge on, each in the strength of its panel. Returns where it ends; a path without
/// changes has no bars.
pub fn draw(svg: &mut String, steps: &[Step], area: Area) -> f64 {
    let most = steps.iter().filter_map(|s| s.changed).max().unwrap_or(0);
    if most == 0 {
        return area.y;
    }
    let (ink, quiet, accent) = (hex(TEXT), hex(QUIET), hex(ACCENT));
    let total: usize = steps.iter().filter_map(|s| s.changed).sum();
    let caption = format!("Nodes changed at each step, {total} in all");
    text(svg, (area.x, area.y + ABOVE - 14.0), 11.0, Anchor::Start, &ink, &caption);
    let (top, base) = (area.y + ABOVE, area.y + ABOVE + HEIGHT);
    let (left, right) = (area.x + 22.0, area.x + area.width);
    for (value, y) in [(most, top), (0, base)] {
        svg.push_str(&format!(
            "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"{quiet}\" stroke-opacity=\".4\"/>"
        ));
        text(svg, (left - 5.0, y + 3.0), 9.0, Anchor::End, &quiet, &value.to_string());
    }
    let slot = (right - left) / steps.len() as f64;
    let width = (0.72 * slot).min(30.0);
    // Numbers that would run into each other are left out.
    let every =
        [1, 5, 10, 20, 50, 100].into_iter().find(|&n| slot * f64::from(n) >= 20.0).unwrap_or(500) as usize;
    for (i, step) in steps.iter().enumerate() {
        let middle = left + (i as f64 + 0.5) * slot;
        let share = strength(step, most);
        if share > 0.0 {
            let bar =
                Area { x: middle - width / 2.0, y: base - share * HEIGHT, width, height: share * HEIGHT };
            bar.rectangle(
                svg,
                &format!("class=\"bar\" fill=\"{accent}\" fill-opacity=\"{:.2}\"", 0.4 + 0.6 * share),
            );
        }
        if step.formula.is_none() {
            text(svg, (middle, base - 3.0), slot.clamp(3.0, 12.0), Anchor::Middle, &quiet, "×");
        }
        if (i + 1) % every == 0 || i == 0 {
            text(svg, (middle, base + BELOW - 2.0), 9.0, Anchor::Middle, &quiet, &(i + 1).to_string());
        }
    }
    base + BELOW
}
