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
    out += "<section id=\"environment\"><h2>Environment</h2><table class=\"facts\">\n";
    for (name, value) in &report.facts {
        out += &format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(name), escape(value));
    }
    out + "</table></section>\n</main></body></html>\n"
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
            "<figure>{}<figcaption>{}</figcaption></figure>\n",
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
            out += &if number == 0 { format!("<th>{}</th>", escape(&cell.main)) } else { render_cell(cell) };
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}

fn render_cell(cell: &Cell) -> String {
    let class = if cell.main == NOT_RUN { " class=\"quiet\"" } else { "" };
    let mut out = format!("<td{class}><span class=\"main\">{}</span>", escape(&cell.main));
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

/// Text with `code` and **strong** parts.
fn inline(text: &str) -> String {
    let mut out = escape(text);
    for (mark, open, close) in [("**", "<strong>", "</strong>"), ("`", "<code>", "</code>")] {
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
