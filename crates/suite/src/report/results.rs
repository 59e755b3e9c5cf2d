//! The results that a report is made from.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::layout::Layout;
use crate::plan::plan;
use crate::record::{Record, read_result};
use crate::suite::Suite;

/// Results by the name of the experiment.
#[derive(Default)]
pub struct Results {
    /// All results that exist.
    pub records: BTreeMap<String, Record>,
    /// The names of those whose settings or code differ from what the suite now declares.
    pub outdated: Vec<String>,
}

impl Results {
    /// Reads all results of a suite.
    pub fn read(suite: &Suite, layout: &Layout) -> Result<Self> {
        let mut results = Self::default();
        for step in plan(suite, layout, &[])? {
            let path = suite.experiment(&step.name).map(|experiment| layout.result(experiment));
            let Some(record) = path.and_then(|path| read_result(&path)) else { continue };
            if !step.up_to_date {
                results.outdated.push(step.name.clone());
            }
            results.records.insert(step.name, record);
        }
        Ok(results)
    }

    /// The result of an experiment.
    pub fn get(&self, name: &str) -> Option<&Record> {
        self.records.get(name)
    }

    /// Whether an experiment has an outdated result.
    pub fn is_outdated(&self, name: &str) -> bool {
        self.outdated.iter().any(|outdated| outdated == name)
    }
}
