//! What a file of Rust source says about modules: which it declares, what it names by `crate::` and
//! `super::`, and, at the root of a crate, which names `use` brings in.
//!
//! The source is read as tokens, so comments and texts are never mistaken for code. Whatever stands behind an
//! attribute `#[cfg(test)]` is left out.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// All that one file says.
#[derive(Debug, Default)]
pub struct Source {
    pub children: Vec<Child>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
}

/// A module that is declared by `mod name;` and so has a file of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Child {
    pub name: String,
    /// Its path in the crate.
    pub path: Vec<String>,
    /// The value of an attribute `#[path = "..."]`.
    pub file: Option<String>,
}

/// A name directly below the crate's root that code inside a module refers to; `*` for all of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Reference {
    pub name: String,
    pub line: usize,
}

/// `use first::...::name` at the root of a crate.
#[derive(Debug, PartialEq, Eq)]
pub struct Import {
    pub name: String,
    pub first: String,
}

impl Source {
    /// Reads the source of the module with this path; the path of the crate's root is empty.
    pub fn parse(text: &str, path: &[String]) -> Result<Self> {
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("not Rust source: {error}"))?;
        let mut source = Self::default();
        source.scan(tokens, path);
        Ok(source)
    }

    fn scan(&mut self, tokens: TokenStream, path: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut file = None;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let Some((attribute, length)) = attribute(&tokens[at..]) {
                at += length;
                if is_for_tests(&attribute) {
                    at += item_length(&tokens[at..]);
                }
                file = path_attribute(&attribute).or(file);
                continue;
            }
            at += 1;
            match token {
                TokenTree::Ident(word) if word == "mod" => {
                    at += self.module(&tokens[at..], path, file.take());
                }
                TokenTree::Ident(word) if word == "use" && path.is_empty() => {
                    let end =
                        tokens[at..].iter().position(|t| is_punct(t, ';')).map_or(tokens.len(), |n| at + n);
                    self.import(&tokens[at..end], None);
                    at = end;
                }
                TokenTree::Ident(word) if word == "crate" && is_separator(&tokens[at..]) => {
                    self.names(&tokens[at + 2..], 0);
                }
                TokenTree::Ident(word) if word == "super" && is_separator(&tokens[at..]) => {
                    self.names(&tokens[at - 1..], path.len());
                    // A chain of `super::super::` is read as a whole.
                    while tokens.get(at + 2).is_some_and(|t| t.to_string() == "super") {
                        at += 3;
                    }
                }
                TokenTree::Group(group) => self.scan(group.stream(), path),
                _ => {}
            }
        }
    }

    /// What follows the word `mod`; returns how many tokens it is.
    fn module(&mut self, tokens: &[TokenTree], path: &[String], file: Option<String>) -> usize {
        let Some(TokenTree::Ident(name)) = tokens.first() else { return 0 };
        let name = name.to_string();
        let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        match tokens.get(1) {
            Some(TokenTree::Group(body)) => self.scan(body.stream(), &path),
            _ => self.children.push(Child { name, path, file }),
        }
        2
    }

    /// Notes the names directly below the root that a path begins with, or each path of a list in braces.
    /// `depth` is how deep below the root the path starts.
    fn names(&mut self, tokens: &[TokenTree], depth: usize) {
        match tokens.first() {
            Some(TokenTree::Ident(word)) if word == "super" => {
                if let (Some(depth), Some(rest)) = (depth.checked_sub(1), tokens.get(3..)) {
                    self.names(rest, depth);
                }
            }
            Some(TokenTree::Ident(word)) if depth == 0 && word != "self" => {
                self.references.push(Reference { name: word.to_string(), line: word.span().start().line });
            }
            Some(TokenTree::Punct(star)) if depth == 0 && star.as_char() == '*' => {
                self.references.push(Reference { name: "*".into(), line: star.span().start().line });
            }
            Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Brace => {
                let tokens: Vec<TokenTree> = list.stream().into_iter().collect();
                tokens.split(|t| is_punct(t, ',')).for_each(|path| self.names(path, depth));
            }
            _ => {}
        }
    }

    /// Notes what one path of a `use` at the root brings in; `first` is the first name of the path before it.
    fn import(&mut self, tokens: &[TokenTree], first: Option<&str>) {
        let mut first = first.map(str::to_owned);
        let mut last = None;
        for token in tokens {
            match token {
                // `use crate::a` and `use self::a` are `use a` here.
                TokenTree::Ident(word) if word == "crate" || word == "self" => {}
                TokenTree::Ident(word) => {
                    first.get_or_insert_with(|| word.to_string());
                    last = Some(word.to_string());
                }
                TokenTree::Group(list) => {
                    let tokens: Vec<TokenTree> = list.stream().into_iter().collect();
                    tokens.split(|t| is_punct(t, ',')).for_each(|path| self.import(path, first.as_deref()));
                    return;
                }
                _ => {}
            }
        }
        if let (Some(first), Some(name)) = (first, last) {
            self.imports.push(Import { name, first });
        }
    }
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Whether `::` comes next.
fn is_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [a, b, ..] if is_punct(a, ':') && is_punct(b, ':'))
}

/// The content of an attribute that comes next, `#[...]` or `#![...]`, and how many tokens it is.
fn attribute(tokens: &[TokenTree]) -> Option<(Vec<TokenTree>, usize)> {
    let (body, length) = match tokens {
        [hash, TokenTree::Group(body), ..] if is_punct(hash, '#') => (body, 2),
        [hash, not, TokenTree::Group(body), ..] if is_punct(hash, '#') && is_punct(not, '!') => (body, 3),
        _ => return None,
    };
    let bracket = body.delimiter() == Delimiter::Bracket;
    bracket.then(|| (body.stream().into_iter().collect(), length))
}

/// Whether an attribute is `cfg(test)`, or `cfg(all(test, ...))`.
fn is_for_tests(attribute: &[TokenTree]) -> bool {
    let [TokenTree::Ident(name), TokenTree::Group(condition)] = attribute else { return false };
    let condition = condition.stream().to_string();
    let has = |word: &str| condition.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    name == "cfg" && has("test") && !has("not") && !has("any")
}

/// The file that an attribute `path = "..."` names.
fn path_attribute(attribute: &[TokenTree]) -> Option<String> {
    match attribute {
        [TokenTree::Ident(name), _, TokenTree::Literal(file)] if name == "path" => {
            Some(file.to_string().trim_matches('"').to_owned())
        }
        _ => None,
    }
}

/// How many tokens the next item has: it ends with a semicolon or a body in braces.
fn item_length(tokens: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(body) => body.delimiter() == Delimiter::Brace,
        token => is_punct(token, ';'),
    };
    tokens.iter().position(ends).map_or(tokens.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, path: &[&str]) -> Source {
        Source::parse(text, &path.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn names(text: &str, path: &[&str]) -> Vec<(String, usize)> {
        parse(text, path).references.into_iter().map(|r| (r.name, r.line)).collect()
    }

    #[test]
    fn references_to_the_root_are_found_with_their_lines() {
        let text = "use crate::{a::X, b::{self, Y}};\nfn f() { vec![crate::c::Z]; }\npub(crate) fn g() {}\n";
        let wanted = [("a", 1), ("b", 1), ("c", 2)].map(|(name, line)| (name.to_owned(), line));
        assert_eq!(names(text, &["m"]), wanted);
        assert_eq!(names("use crate::*;", &["m"]), [("*".to_owned(), 1)]);
    }

    #[test]
    fn super_counts_only_where_it_reaches_the_root() {
        assert_eq!(names("use super::a;", &["m"]), [("a".to_owned(), 1)]);
        assert_eq!(names("use super::a;", &["m", "n"]), []);
        assert_eq!(names("use super::super::a::b;", &["m", "n"]), [("a".to_owned(), 1)]);
        assert_eq!(names("use super::{super::a, b};", &["m", "n"]), [("a".to_owned(), 1)]);
        assert_eq!(names("mod n { use super::a; use super::super::b; }", &["m"]), [("b".to_owned(), 1)]);
    }

    #[test]
    fn comments_texts_and_tests_are_left_out() {
        let text = "/// See crate::a.\n// crate::b\nconst T: &str = \"crate::c\";\n\
                    #[cfg(test)]\nmod tests {\n    use crate::d;\n}\n\
                    #[cfg(test)]\nuse crate::e;\n#[cfg(not(test))]\nuse crate::f;\n";
        assert_eq!(names(text, &["m"]), [("f".to_owned(), 11)]);
    }

    #[test]
    fn the_root_declares_modules_and_brings_names_in() {
        let text =
            "mod a;\n#[path = \"../x.rs\"]\npub mod b;\npub use a::{X, inner::Y as Z};\nuse crate::b::W;\n";
        let source = parse(text, &[]);
        let files: Vec<_> = source.children.iter().map(|c| (c.name.as_str(), c.file.as_deref())).collect();
        assert_eq!(files, [("a", None), ("b", Some("../x.rs"))]);
        let imports: Vec<_> = source.imports.iter().map(|i| (i.name.as_str(), i.first.as_str())).collect();
        assert_eq!(imports, [("X", "a"), ("Z", "a"), ("W", "b")]);
    }
}
