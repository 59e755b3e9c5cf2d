//! Relative links and pictures in Markdown files lead somewhere: to a file or folder of the repository and,
//! behind a `#`, to a heading of a Markdown file. Links to other sites are not followed.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Problem;
use super::tree::{Tree, folder_of, join, line_at};

/// What is of interest in one page.
#[derive(Default)]
struct Page {
    /// Where links and pictures lead, each with its line.
    links: Vec<(String, usize)>,
    /// What can stand behind `#`.
    anchors: BTreeSet<String>,
}

pub fn check(tree: &Tree) -> Result<Vec<Problem>> {
    let mut pages = BTreeMap::new();
    for file in tree.files_ending(".md") {
        pages.insert(file, Page::read(&tree.read(file)?));
    }
    let mut problems = Vec::new();
    for (file, page) in &pages {
        for (link, line) in &page.links {
            if let Some(message) = fault(tree, &pages, file, link) {
                problems.push(Problem::new(file, *line, message));
            }
        }
    }
    Ok(problems)
}

/// What is wrong with a link, if anything.
fn fault(tree: &Tree, pages: &BTreeMap<&str, Page>, file: &str, link: &str) -> Option<String> {
    if is_external(link) {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let path = path.split('?').next().unwrap_or_default().replace("%20", " ");
    let target = if path.is_empty() {
        file.to_owned()
    } else {
        // GitHub takes a path that begins with a slash from the root of the repository.
        let folder = if path.starts_with('/') { "" } else { folder_of(file) };
        match join(folder, &path) {
            Some(target) if tree.is_file(&target) || tree.is_folder(&target) => target,
            _ => return Some(format!("the link `{link}` leads to no file of the repository")),
        }
    };
    let page = pages.get(target.as_str())?;
    let anchor = anchor.filter(|anchor| !anchor.is_empty() && !page.anchors.contains(*anchor))?;
    Some(format!("the link `{link}` leads to no heading: {target} has no anchor `{anchor}`"))
}

fn is_external(link: &str) -> bool {
    let scheme = link.split_once(':').map_or("", |(scheme, _)| scheme);
    link.starts_with("//") || (!scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric()))
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            let line = line_at(text, range.start);
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((dest_url.into_string(), line));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    // Headings of the same text are numbered.
                    let count = seen.entry(anchor.clone()).or_default();
                    let numbered = if *count == 0 { anchor } else { format!("{anchor}-{count}") };
                    *count += 1;
                    page.anchors.insert(numbered);
                }
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let links = ["src", "href"].into_iter().flat_map(|name| attributes(&html, name));
                    page.links.extend(links.map(|link| (link.to_owned(), line)));
                    let names = ["id", "name"].into_iter().flat_map(|name| attributes(&html, name));
                    page.anchors.extend(names.map(str::to_owned));
                }
                _ => {}
            }
        }
        page
    }
}

/// The anchor that GitHub gives a heading: small letters, hyphens for spaces, and no punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// The values of an attribute in a piece of HTML.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let mut values = Vec::new();
    for (at, _) in html.match_indices(name) {
        let separate = html[..at].ends_with(|c: char| c.is_whitespace());
        let value = html[at + name.len()..].trim_start().strip_prefix('=').map(str::trim_start);
        let quoted = value.and_then(|value| value.strip_prefix('"')?.split_once('"'));
        let single = value.and_then(|value| value.strip_prefix('\'')?.split_once('\''));
        if let (true, Some((value, _))) = (separate, quoted.or(single)) {
            values.push(value);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tree::tests::tree_of;

    fn found(page: &str) -> Vec<Problem> {
        let files = [
            ("docs/page.md", page),
            ("docs/figure.svg", ""),
            ("crates/logic/Cargo.toml", ""),
            ("GUIDE.md", "# The guide\n\n## First steps, again!\n\n## The guide\n\n<a id=\"mark\"></a>\n"),
        ];
        let (_folder, tree) = tree_of(&files);
        check(&tree).unwrap()
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let page = "# Top\n[a](figure.svg) ![b](../docs/figure.svg)\n\
                    [c](../crates/logic) [d](https://example.org/x)\n\
                    [e](#top) [f](../GUIDE.md#first-steps-again)\n\
                    [g](/GUIDE.md#the-guide-1) [h](../GUIDE.md#mark)\n\
                    <p><img src=\"figure.svg\" width='9'></p> <a href='mailto:a@example.org'>m</a>\n\n\
                    `[code](none.md)`\n\n```\n[code](none.md)\n```\n";
        assert_eq!(found(page), []);
    }

    #[test]
    fn links_that_lead_nowhere_are_named_with_their_line() {
        let page = "[a](none.md)\n![b](Figure.svg)\n\n<img src=\"none.svg\">\n\n[c](#none)\n\n\
                    [d](../GUIDE.md#steps)\n\n[e]\n\n[e]: ../../outside.md\n";
        let problems = found(page);
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 2, 4, 6, 8, 10]);
        let wanted = "docs/page.md:1: the link `none.md` leads to no file of the repository";
        assert_eq!(problems[0].to_string(), wanted);
        assert!(problems[4].message.contains("GUIDE.md has no anchor `steps`"), "{}", problems[4]);
    }

    #[test]
    fn anchors_follow_the_rule_of_github() {
        assert_eq!(anchor("Bird's-eye view"), "birds-eye-view");
        assert_eq!(anchor("VAE abilities, 5 variables"), "vae-abilities-5-variables");
        assert_eq!(anchor("`snake_case` & Größe"), "snake_case--größe");
    }
}
