//! The report as Markdown.

use super::document::{Cell, Report, Section, Table};

/// The whole report.
pub fn render(report: &Report) -> String {
    let mut out = format!("# {}\n\n", report.title);
    for paragraph in &report.summary {
        out += &format!("{paragraph}\n\n");
    }
    report.sections.iter().for_each(|section| out += &render_section(section));
    out += "## Environment\n\n| | |\n|---|---|\n";
    for (name, value) in &report.facts {
        out += &format!("| {name} | {value} |\n");
    }
    out
}

fn render_section(section: &Section) -> String {
    let mut out = format!("## {}\n\n`{}`\n\n", section.title, section.id);
    for paragraph in &section.about {
        out += &format!("{paragraph}\n\n");
    }
    for table in &section.tables {
        out += &render_table(table);
        out.push('\n');
    }
    for figure in &section.figures {
        out += &format!("![{}](figures/{})\n\n", figure.caption, figure.file);
    }
    for note in &section.notes {
        out += &format!("*{note}*\n\n");
    }
    out
}

/// Columns are padded to their widest cell, so that the text is aligned too.
fn render_table(table: &Table) -> String {
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(render_cell).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([table.head[column].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(number, (cell, &width))| {
            let padding = " ".repeat(width - cell.chars().count());
            if number == 0 { format!(" {cell}{padding} ") } else { format!(" {padding}{cell} ") }
        });
        format!("|{}|\n", padded.collect::<Vec<String>>().join("|"))
    };
    let mut out = line(&table.head);
    let rule = widths.iter().enumerate().map(|(number, width)| match number {
        0 => format!("{}-", "-".repeat(width + 1)),
        _ => format!("{}:", "-".repeat(width + 1)),
    });
    out += &format!("|{}|\n", rule.collect::<Vec<String>>().join("|"));
    rows.iter().for_each(|row| out += &line(row));
    out
}

fn render_cell(cell: &Cell) -> String {
    let mut out = cell.main.replace('|', "\\|");
    if let Some(interval) = &cell.interval {
        out += &format!(" ({interval})");
    }
    if let Some(paper) = &cell.paper {
        out += &format!("<br>paper {paper}");
    }
    if let Some(difference) = &cell.difference {
        out += &format!(", {difference}");
    }
    out
}
