//! The report as one HTML file that needs nothing else.

use crate::reproduce::report::{Cell, Report, Section, Table};

const STYLE: &str = include_str!("report.css");

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
    out += "<li><a href=\"#machine\">Where and how</a></li></ul></nav>\n<main>\n";
    report.sections.iter().for_each(|s| out += &section(s));
    out += "<section id=\"machine\"><h2>Where and how</h2><table class=\"facts\">\n";
    for (name, value) in &report.facts {
        out += &format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(name), escape(value));
    }
    out + "</table></section>\n</main></body></html>\n"
}

fn section(section: &Section) -> String {
    let mut out = format!("<section id=\"{}\"><h2>{}</h2>\n", section.id, escape(&section.title));
    let label = if section.id.starts_with("ours:") {
        "not in the paper".to_owned()
    } else {
        format!("the paper's {}", section.id)
    };
    out += &format!("<p class=\"label\">{}</p>\n", escape(&label));
    if !section.about.is_empty() {
        out += &format!("<p>{}</p>\n", inline(section.about.trim()));
    }
    section.tables.iter().for_each(|t| out += &table(t));
    for figure in &section.figures {
        out += &format!(
            "<figure>{}<figcaption>{}</figcaption></figure>\n",
            drawing(&figure.svg),
            escape(&figure.caption)
        );
    }
    for missing in &section.missing {
        out += &format!("<p class=\"missing\">{}</p>\n", escape(missing));
    }
    out + "</section>\n"
}

fn table(table: &Table) -> String {
    let mut out = String::from("<div class=\"wide\"><table><thead><tr>");
    table.head.iter().for_each(|name| out += &format!("<th>{}</th>", escape(name)));
    out += "</tr></thead><tbody>\n";
    for row in &table.rows {
        out += "<tr>";
        for (number, found) in row.iter().enumerate() {
            out += &if number == 0 { format!("<th>{}</th>", escape(&found.main)) } else { cell(found) };
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}

fn cell(cell: &Cell) -> String {
    let quiet = if cell.main == "not run" { " class=\"quiet\"" } else { "" };
    let mut out = format!("<td{quiet}><span class=\"main\">{}</span>", escape(&cell.main));
    if let Some(interval) = &cell.interval {
        out += &format!("<small>{}</small>", escape(interval));
    }
    match (&cell.paper, &cell.difference) {
        (Some(paper), Some(difference)) => {
            out += &format!("<small>paper {} <b>{}</b></small>", escape(paper), escape(difference))
        }
        (Some(paper), None) => out += &format!("<small>paper {}</small>", escape(paper)),
        _ => {}
    }
    out + "</td>"
}

/// A drawing without what stands before it in a file of its own.
fn drawing(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |at| &svg[at..])
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text with `code` and **strong** parts.
fn inline(text: &str) -> String {
    let mut out = escape(text);
    for (mark, open, close) in [("**", "<strong>", "</strong>"), ("`", "<code>", "</code>")] {
        let parts: Vec<&str> = out.split(mark).collect();
        // A mark without its partner stays what it is.
        if parts.len() % 2 == 1 {
            let joined = parts.iter().enumerate().map(|(n, part)| {
                if n % 2 == 1 { format!("{open}{part}{close}") } else { (*part).to_owned() }
            });
            out = joined.collect();
        }
    }
    out
}
