//! The report as one HTML file without external resources.

use super::document::{Cell, Report, Section, Table};
use super::tables::NOT_RUN;

const STYLE: &str = include_str!("report.css");

/// The whole report.
pub fn render(report: &Report) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>{0}</title><style>{STYLE}</style></head>\n<body><header><h1>{0}</h1>\n",
        escape(&report.title)
    );
    for paragraph in &report.summary {
        out += &format!("<p>{}</p>\n", inline(paragraph));
    }
    out += "</header>\n<nav><ul>\n";
    for section in &report.sections {
        out += &format!("<li><a href=\"#{}\">{}</a></li>\n", section.id, escape(&section.title));
    }
    out += "<li><a href=\"#environment\">Environment</a></li></ul></nav>\n<main>\n";
    report.sections.iter().for_each(|section| out += &render_section(section));
    out += "<section id=\"environment\"><h2>Environment</h2><div class=\"wide\"><table class=\"facts\">\n";
    for (name, value) in &report.facts {
        out += &format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(name), escape(value));
    }
    out + "</table></div></section>\n</main></body></html>\n"
}

fn render_section(section: &Section) -> String {
    let mut out = format!("<section id=\"{}\"><h2>{}</h2>\n", section.id, escape(&section.title));
    let label = if section.id.starts_with("ours:") {
        "Not in the paper".to_owned()
    } else {
        format!("In the paper: {}", section.id)
    };
    out += &format!("<p class=\"label\">{}</p>\n", escape(&label));
    for paragraph in &section.about {
        out += &format!("<p>{}</p>\n", inline(paragraph));
    }
    section.tables.iter().for_each(|table| out += &render_table(table));
    for figure in &section.figures {
        out += &format!(
            "<figure><div class=\"picture{}\">{}</div><figcaption>{}</figcaption></figure>\n",
            // Walks consist of many small panels.
            if figure.svg.contains("class=\"panel\"") { " walk" } else { "" },
            svg_element(&figure.svg),
            escape(&figure.caption)
        );
    }
    for note in &section.notes {
        out += &format!("<p class=\"note\">{}</p>\n", escape(note));
    }
    out + "</section>\n"
}

fn render_table(table: &Table) -> String {
    let mut out = String::from("<div class=\"wide\"><table><thead><tr>");
    table.head.iter().for_each(|name| out += &format!("<th>{}</th>", escape(name)));
    out += "</tr></thead><tbody>\n";
    for row in &table.rows {
        out += "<tr>";
        for (number, cell) in row.iter().enumerate() {
            let label = table.head.get(number).map_or("", String::as_str);
            out += &match number {
                0 => format!("<th>{}</th>", escape(&cell.main)),
                _ => render_cell(cell, label),
            };
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}

/// A cell. Narrow screens show the heading of the column, `label`, beside it.
fn render_cell(cell: &Cell, label: &str) -> String {
    let class = if cell.main == NOT_RUN { " class=\"quiet\"" } else { "" };
    let label = escape(label);
    let mut out =
        format!("<td{class} data-label=\"{label}\"><span class=\"main\">{}</span>", escape(&cell.main));
    if let Some(interval) = &cell.interval {
        out += &format!("<small>{}</small>", escape(interval));
    }
    match (&cell.paper, &cell.difference) {
        (Some(paper), Some(difference)) => {
            out += &format!("<small>paper {} <b>{}</b></small>", escape(paper), escape(difference));
        }
        (Some(paper), None) => out += &format!("<small>paper {}</small>", escape(paper)),
        _ => {}
    }
    out + "</td>"
}

/// The `svg` element of a file, without the declarations before it.
fn svg_element(file: &str) -> &str {
    file.find("<svg").map_or(file, |at| &file[at..])
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text with `code`, **strong** and *emphasised* parts.
fn inline(text: &str) -> String {
    let mut out = escape(text);
    let marks = [("**", "<strong>", "</strong>"), ("*", "<em>", "</em>"), ("`", "<code>", "</code>")];
    for (mark, open, close) in marks {
        let parts: Vec<&str> = out.split(mark).collect();
        // An unpaired mark is left as it is.
        if parts.len() % 2 == 1 {
            let joined = parts.iter().enumerate().map(|(n, part)| {
                if n % 2 == 1 { format!("{open}{part}{close}") } else { (*part).to_owned() }
            });
            out = joined.collect();
        }
    }
    out
}
