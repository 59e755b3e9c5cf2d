//! The report as a document, before it becomes HTML or Markdown.

/// The whole report.
pub struct Report {
    /// Its title.
    pub title: String,
    /// Paragraphs at the top.
    pub summary: Vec<String>,
    /// One section per exhibit.
    pub sections: Vec<Section>,
    /// Facts about the machine and the run: name and value.
    pub facts: Vec<(String, String)>,
}

/// One exhibit.
pub struct Section {
    /// The label in the paper, or `ours:` and a name.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Paragraphs below the heading.
    pub about: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// Notes about what is missing or outdated.
    pub notes: Vec<String>,
}

/// A table.
pub struct Table {
    /// The headings of its columns.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table: text, or a number with its context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The text or our number.
    pub main: String,
    /// The confidence interval.
    pub interval: Option<String>,
    /// The paper's number.
    pub paper: Option<String>,
    /// Our number minus the paper's.
    pub difference: Option<String>,
}

impl Cell {
    /// A cell with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { main: text.into(), ..Self::default() }
    }
}

/// A picture in the folder of figures.
pub struct Figure {
    /// The name of the file.
    pub file: String,
    /// Its content.
    pub svg: String,
    /// The caption.
    pub caption: String,
}
