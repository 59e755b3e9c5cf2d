//! Job arrays: which experiments are submitted together, and what they wait for.
//!
//! Experiments that wait for nothing form one array. An experiment that waits for another one gets the same
//! index in an array of its own, which follows that array task by task (`aftercorr`). So no experiment waits
//! for more than it needs, and there are few arrays.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::Step;
use crate::suite::Suite;

/// A task of an array that Slurm already knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Queued {
    /// The id of the array.
    pub job: u64,
    /// The index of the task.
    pub index: usize,
}

/// What an array waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum After {
    /// Nothing.
    Nothing,
    /// The tasks of an earlier group with the same indices.
    Group(usize),
    /// One task of an earlier submission.
    Task(Queued),
}

/// One job array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What it waits for.
    pub after: After,
    /// The experiments by index.
    pub tasks: BTreeMap<usize, String>,
}

/// Divides the steps that are neither done nor queued into arrays. A group comes after the one that it waits
/// for.
pub fn groups(suite: &Suite, steps: &[Step], queued: &BTreeMap<String, Queued>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // Where each experiment of this submission is: group and index.
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for step in steps.iter().filter(|step| !step.done && !queued.contains_key(&step.name)) {
        let needed = suite.experiment(&step.name).and_then(|experiment| experiment.task.dependency());
        let (after, index) = match needed {
            Some(needed) if queued.contains_key(needed) => (After::Task(queued[needed]), Some(0)),
            // A step comes after those that it depends on, so its place is known.
            Some(needed) => match places.get(needed) {
                Some(&(group, index)) => (After::Group(group), Some(index)),
                None => (After::Nothing, None),
            },
            None => (After::Nothing, None),
        };
        let free = |group: &Group| {
            group.after == after && index.is_none_or(|index| !group.tasks.contains_key(&index))
        };
        let at = groups.iter().position(free).unwrap_or_else(|| {
            groups.push(Group { after, tasks: BTreeMap::new() });
            groups.len() - 1
        });
        let index = index.unwrap_or_else(|| groups[at].tasks.len());
        groups[at].tasks.insert(index, step.name.clone());
        places.insert(&step.name, (at, index));
    }
    groups
}

/// Indices as `sbatch --array` reads them, such as `0-3,7`.
pub fn ranges(indices: impl IntoIterator<Item = usize>) -> String {
    let all: BTreeSet<usize> = indices.into_iter().collect();
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for index in all {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => parts.push((index, index)),
        }
    }
    let text = |(first, last): (usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    parts.into_iter().map(text).collect::<Vec<String>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Layout, Scale};
    use crate::plan::plan;

    fn planned(only: &[&str]) -> (Suite, Vec<Step>) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(Scale::Quick, Some(folder.path()), Some(folder.path())).unwrap();
        let suite = Suite::committed().unwrap();
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        let steps = plan(&suite, &layout, &only).unwrap();
        (suite, steps)
    }

    fn tasks(group: &Group) -> Vec<(usize, &str)> {
        group.tasks.iter().map(|(index, name)| (*index, name.as_str())).collect()
    }

    #[test]
    fn arrays_follow_each_other_task_by_task() {
        let names = ["data-3", "gru-3-written-seen", "published-gcn-3-measures", "published-gcn-3-unseen"];
        let (suite, mut steps) = planned(&names);
        let found = groups(&suite, &steps, &BTreeMap::new());
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0].after, After::Nothing);
        assert_eq!(tasks(&found[0]), [(0, "data-3"), (1, "published-gcn-3"), (2, "gru-3-written")]);
        // Two experiments that wait for the same one cannot share an array.
        assert_eq!(found[1].after, After::Group(0));
        assert_eq!(tasks(&found[1]), [(1, "published-gcn-3-measures"), (2, "gru-3-written-seen")]);
        assert_eq!(
            (found[2].after, tasks(&found[2])),
            (After::Group(0), vec![(1, "published-gcn-3-unseen")])
        );

        // What is done is not submitted, and what waited for it waits for nothing.
        steps.iter_mut().filter(|step| step.name.starts_with("published-gcn-3")).for_each(|step| {
            step.done = step.name != "published-gcn-3-unseen";
        });
        let found = groups(&suite, &steps, &BTreeMap::new());
        let free = tasks(&found[0]).into_iter().map(|(_, name)| name).collect::<Vec<&str>>();
        assert_eq!(free, ["data-3", "published-gcn-3-unseen", "gru-3-written"]);
    }

    #[test]
    fn what_is_queued_is_not_submitted_again() {
        let (suite, steps) = planned(&["published-gcn-3-measures", "published-gcn-3-unseen"]);
        let at = Queued { job: 17, index: 4 };
        let found = groups(&suite, &steps, &[("published-gcn-3".to_owned(), at)].into());
        assert!(found.iter().all(|group| group.after == After::Task(at)), "{found:?}");
        let names: Vec<&str> = found.iter().flat_map(tasks).map(|(_, name)| name).collect();
        assert_eq!(names, ["published-gcn-3-measures", "published-gcn-3-unseen"]);
    }

    #[test]
    fn ranges_are_short() {
        assert_eq!(ranges([3, 0, 1, 2, 7]), "0-3,7");
        assert_eq!(ranges([5]), "5");
    }
}
