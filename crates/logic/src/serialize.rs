//! serde support: a formula is its text in human-readable formats, and its list of node codes in binary
//! formats.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

use crate::formula::Formula;

impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.codes().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Text)
        } else {
            deserializer.deserialize_seq(Codes)
        }
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Formula;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a formula such as \"x1 & !x2\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Formula, E> {
        text.parse().map_err(E::custom)
    }
}

struct Codes;

impl<'de> Visitor<'de> for Codes {
    type Value = Formula;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the node codes of a formula in preorder")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Formula, A::Error> {
        // The declared length is not trusted: the list grows only with elements that are actually read.
        let mut codes = Vec::new();
        while let Some(code) = list.next_element()? {
            codes.push(code);
        }
        Formula::checked(codes).map_err(A::Error::custom)
    }
}
