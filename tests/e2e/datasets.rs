//! The presets reproduce the committed datasets byte for byte.

use std::collections::HashSet;

use crate::support::{Folder, done, repository};

#[test]
fn committed_datasets_are_reproduced() {
    let folder = Folder::new();
    for preset in ["paper-3", "paper-4", "paper-5", "paper-10"] {
        let mut seen = HashSet::new();
        for split in ["train", "valid", "test"] {
            let file = folder.path(&format!("{preset}-{split}"));
            done(&["sample", "--preset", preset, "--split", split, "--out", &file]);
            let committed = std::fs::read_to_string(repository(&format!("datasets/{preset}/{split}.txt")))
                .expect("committed");
            assert!(
                std::fs::read_to_string(&file).expect("written") == committed,
                "{preset} {split} differs from the committed file"
            );
            assert!(
                committed.lines().all(|line| seen.insert(line.to_owned())),
                "{preset} {split} repeats a formula"
            );
        }
        assert_eq!(seen.len(), 4800);
    }
}

#[test]
fn committed_published_datasets_are_reproduced() {
    let folder = Folder::new();
    for preset in ["published-3", "published-4", "published-5"] {
        for (split, count) in [("train", 4000), ("valid", 500), ("test", 300), ("unseen", 300)] {
            let file = folder.path(&format!("{preset}-{split}"));
            done(&["sample", "--preset", preset, "--split", split, "--out", &file]);
            let committed = std::fs::read_to_string(repository(&format!("datasets/{preset}/{split}.txt")))
                .expect("committed");
            assert!(
                std::fs::read_to_string(&file).expect("written") == committed,
                "{preset} {split} differs from the committed file"
            );
            assert_eq!(committed.lines().count(), count);
        }
    }
}

#[test]
fn a_preset_without_a_split_gives_all_splits_in_order() {
    let folder = Folder::new();
    let file = folder.path("all");
    assert_eq!(done(&["sample", "--preset", "paper-3", "--out", &file, "--json"]).json()["count"], 4800);
    let parts = ["train", "valid", "test"]
        .map(|s| std::fs::read(repository(&format!("datasets/paper-3/{s}.txt"))).expect("committed"));
    assert_eq!(folder.read("all"), parts.concat());
    let few = folder.path("few");
    done(&["sample", "--preset", "paper-3", "--count", "10", "--out", &few]);
    assert!(folder.read("all").starts_with(&folder.read("few")));
}
