//! What `train` and `evaluate` say while they work, and about data and files that are missing.

use crate::support::{Folder, SMALL, done, logicvae, refused};

fn tiny(folder: &Folder) -> String {
    let run = folder.path("run");
    done(&["train", "--preset", "tiny", "--epochs", "2", "--out", &run]);
    run
}

#[test]
fn every_phase_of_an_evaluation_has_a_line_without_a_terminal() {
    let folder = Folder::new();
    let run = folder.path("run");
    let trained = done(&[&["train", "--preset", "cvae-best-3", "--out", &run], &SMALL[..]].concat());
    let lines = ["fitting the semantic embedding on 200 formulae", "epoch 1 of 2: nll", "epoch 2 of 2: nll"];
    assert!(lines.iter().all(|line| trained.err.contains(line)), "{}", trained.err);

    let evaluated = done(&["evaluate", &run, "--quick", "--refine"]);
    let phases = [
        "reconstructing: 0 of 10",
        "decoding prior samples: 0 of 100",
        // All formulae of the two epochs are sampled again.
        "comparing with training formulae: 0 of 128",
        "decoding for conditions: 0 of 10",
        "refining: 0 of 10",
    ];
    let found: Vec<&str> = evaluated.err.lines().filter(|line| line.contains(": 0 of ")).collect();
    assert_eq!(found, phases);
}

#[test]
fn too_few_formulae_for_a_test_set_are_worth_a_warning() {
    let folder = Folder::new();
    let all = "x1\nx2\nx3\n!x1\n!x2\n!x3\nx1 & x2\nx1 & x3\nx2 & x3\nx1 | x2\nx1 | x3\n";
    let train = |count: usize| {
        let text: String = all.split_inclusive('\n').take(count).collect();
        let (file, out) = (folder.write("f.txt", text), folder.path(&format!("run-{count}")));
        done(&["train", "--preset", "tiny", "--epochs", "1", "--data", &file, "--out", &out]).err
    };
    let few = train(5);
    for words in ["warning: 5 different formulae", "a test set and a validation set", "at least 11", "--data"]
    {
        assert!(few.contains(words), "`{words}` is missing in: {few}");
    }
    assert!(train(10).contains("too few for a validation set"));
    assert!(!train(11).contains("warning"));
    refused(&logicvae(&["evaluate", &folder.path("run-5")]), &["no test formulae", "--data"]);
}

#[test]
fn a_run_without_its_test_set_can_still_be_used() {
    let folder = Folder::new();
    let run = tiny(&folder);
    std::fs::remove_file(format!("{run}/test.txt")).unwrap();
    let z = folder.path("z.npy");
    done(&["encode", "--model", &run, "x1 & x2", "--out", &z]);
    done(&["decode", "--model", &run, "--z", &z]);
    for command in [
        vec!["evaluate", &run, "--quick"],
        vec!["map", "--model", &run, "--out", &folder.path("map.svg")],
        vec!["train", "--resume", "--epochs", "3", "--out", &run],
    ] {
        let failed = logicvae(&command);
        refused(&failed, &["test.txt is missing"]);
        assert!(!failed.err.contains("checksum"), "{command:?}: {}", failed.err);
    }
}

#[test]
fn messages_about_data_have_the_lines_of_the_file() {
    let folder = Folder::new();
    let run = tiny(&folder);
    let new = folder.path("new");
    for (text, wanted) in [
        ("# a comment\nx1\n\nx2\nx3\nx1 | 1\n", "a constant"),
        ("# a comment\nx1\n\nx2\nx3\nx1 & x7\n", "x7 occurs"),
    ] {
        let file = folder.write("f.txt", text);
        for command in [
            vec!["evaluate", &run, "--data", &file],
            vec!["encode", "--model", &run, &file],
            vec!["train", "--preset", "tiny", "--data", &file, "--out", &new],
        ] {
            let failed = logicvae(&command);
            refused(&failed, &["f.txt", "line 6", wanted]);
            assert!(!failed.err.contains("vocabulary"), "{command:?}: {}", failed.err);
        }
    }
    // Constants are simplified away, since this model does not support them.
    let file = folder.write("g.txt", "x1 & 1\n!0 & x2\n");
    let found = logicvae(&["encode", "--model", &run, &file, "--json"]).json();
    assert_eq!(found["rows"], 2, "{found}");
}

#[test]
fn published_data_are_evaluated_as_published_and_on_unseen_formulae() {
    let folder = Folder::new();
    let run = folder.path("run");
    let twenty = ["train", "--preset", "published-cvae-gcn-3", "--out", &run, "--set=data.set.test=20"];
    let small = SMALL.iter().copied().filter(|setting| !setting.contains("data.set.test"));
    done(&twenty.into_iter().chain(small).collect::<Vec<&str>>());
    let ours = done(&["evaluate", &run, "--quick", "--json"]).json();
    let lengths = ["known_accuracies", "new_accuracies"].map(|key| ours[key].as_array().unwrap().len());
    assert_eq!(lengths.iter().sum::<usize>(), 20);
    assert!(lengths[0] as u64 == ours["reordered"] && ours["published"].is_null(), "{ours}");
    let published = done(&["evaluate", &run, "--quick", "--published", "--json"]).json();
    assert_eq!(published["protocol"]["posterior_noise"].as_f64(), Some(0.0));
    assert!(published["published"]["distance"].as_f64().unwrap() > 0.0);
    assert!(published["semantic_distance"].is_null(), "our own measures have other contexts");
    let unseen = done(&["evaluate", &run, "--quick", "--unseen", "--json"]).json();
    assert_eq!((unseen["formulae"].as_u64(), unseen["reordered"].as_u64()), (Some(20), Some(0)));
    refused(&logicvae(&["evaluate", &run, "--seen", "--unseen"]), &["--unseen"]);
    let known = ["stats", &folder.path("run/test.txt"), "--known", &folder.path("run/train.txt"), "--json"];
    let known = done(&known).json()["known"].as_f64().unwrap();
    assert!((known - lengths[0] as f64 / 20.0).abs() < 1e-9, "{known}");

    // Other runs have no such set, since all of their test formulae are unseen.
    let other = folder.path("other");
    done(&["train", "--preset", "tiny", "--epochs", "1", "--out", &other]);
    refused(&logicvae(&["evaluate", &other, "--unseen"]), &["leave out --unseen"]);
    let sample = ["sample", "--preset", "paper-3", "--split", "unseen", "--out", &folder.path("unseen.txt")];
    refused(&logicvae(&sample), &["--split test"]);
}
