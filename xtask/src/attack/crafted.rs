//! Crafted inputs: small files and arguments that ask for too much, contradict themselves or are cut off.

use std::fs;

use anyhow::Result;

use super::bench::{Bench, SMALL, Verdict};
use super::table::Row;
use super::tables;

/// Arguments of one call.
type Call = Vec<String>;

fn call(args: &[&str]) -> Call {
    args.iter().map(|&arg| arg.to_owned()).collect()
}

/// The calls of one kind.
struct Group {
    what: &'static str,
    calls: Vec<Call>,
}

pub fn run(bench: &Bench) -> Result<Vec<Row>> {
    eprintln!("── crafted inputs");
    let model = bench.text("crafted-run");
    bench.train(&model, 2)?;
    let groups = [
        Group { what: "formulae as arguments", calls: formulae() },
        Group { what: "formulae in files", calls: files(bench)? },
        Group { what: "formats of other tools", calls: exchange(bench)? },
        Group { what: "matrices (.npy)", calls: matrices(bench)? },
        Group { what: "settings", calls: settings(bench) },
        Group { what: "models", calls: models(bench, &model)? },
        Group { what: "binary containers", calls: containers(bench)? },
        Group { what: "tables of observations", calls: tables::calls(bench)? },
        Group { what: "charts, observed rows and arguments", calls: others(bench)? },
    ];
    let mut rows = Vec::new();
    for Group { what, calls } in groups {
        let mut row = Row::new(format!("crafted: {what}"));
        for args in &calls {
            let ran = bench.run(&args.iter().map(String::as_str).collect::<Vec<_>>())?;
            let verdict = ran.verdict();
            row.count(verdict, || {
                let shown: Vec<String> = args.iter().map(|arg| arg.chars().take(60).collect()).collect();
                format!("{shown:?}: {}", ran.describe())
            });
            if verdict == Verdict::Unharmed {
                // A new run must not be in the way of the next call.
                fs::remove_dir_all(bench.path("new")).ok();
            }
        }
        eprintln!("crafted: {what}: {}", calls.len());
        rows.push(row);
    }
    Ok(rows)
}

/// Texts that are hard to read as formulae, or hard to answer questions about.
fn texts() -> Vec<String> {
    let parity = |order: &mut dyn Iterator<Item = u32>| -> String {
        order.map(|i| format!("x{i}")).collect::<Vec<_>>().join(" ^ ")
    };
    let mut all: Vec<String> = [
        "",
        " ",
        "(",
        ")",
        "x",
        "x0",
        "x1 &",
        "& x1",
        "x1 x2",
        "x4294967296",
        "x16777216",
        "x16777217",
        "x-1",
        "0",
        "1",
        "!",
        "!!!!",
        "()",
        "x1 ^",
        "x1 <->",
        "\"",
        "\"a",
        "`a",
        "\"\"",
        "x1 & \u{0}",
        "\u{feff}x1",
        "x1 \u{202e}& x2",
        "\u{1f600}",
        "x1\r\n& x2",
        "x1 # comment",
        "REQ: x1",
        ": x1",
        "#",
        "x1 & & x2",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push("!".repeat(50_000) + "x1");
    all.push("(".repeat(50_000) + "x1");
    all.push("(".repeat(30_000) + "x1" + &")".repeat(30_000));
    all.push("x1 ^ ".repeat(20_000) + "x1");
    all.push("x1 <-> ".repeat(20_000) + "x1");
    all.push((1..=2000).map(|i| format!("x{i}")).collect::<Vec<_>>().join(" & "));
    all.push((1..=300).map(|i| format!("name_{i}")).collect::<Vec<_>>().join(" | "));
    all.push(parity(&mut (1..=30)));
    all.push(format!("({}) ^ ({})", parity(&mut (1..=30)), parity(&mut (1..=30).rev())));
    all.push("a".repeat(100_000));
    all
}

fn formulae() -> Vec<Call> {
    let mut calls = Vec::new();
    // The system passes neither zero bytes nor arguments of more than 128 KiB.
    for text in texts().into_iter().filter(|text| !text.contains('\0') && text.len() < 128 << 10) {
        calls.push(call(&["eval", &text, "--assign", "1"]));
        calls.push(call(&["check", &text, "x1"]));
        calls.push(call(&["encode", &text]));
    }
    for text in ["x6000000", "x16777216 & x1"] {
        calls.push(call(&["eval", text, "--truth-table"]));
        calls.push(call(&["minimise", text]));
    }
    calls
}

fn files(bench: &Bench) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    let good = bench.path("good.txt");
    fs::write(&good, "x1 & x2\nx1 | x3\n!x2\n")?;
    let good = good.display().to_string();
    let mut contents: Vec<Vec<u8>> = texts().into_iter().map(String::into_bytes).collect();
    contents.push(vec![0xff, 0xfe, 0x00]);
    contents.push(vec![b'\n'; 100_000]);
    contents.push("!".repeat(20_000_000).into_bytes());
    contents.push(format!("{}x1\n", "!".repeat(1_000_000)).into_bytes());
    contents.push(b"# variables: a a\na\n".to_vec());
    contents.push(b"# variables: x2 x1\nx1 & a\n".to_vec());
    for (number, content) in contents.into_iter().enumerate() {
        let path = bench.text(&format!("file-{number}.txt"));
        fs::write(&path, content)?;
        calls.push(call(&["stats", &path]));
        calls.push(call(&["similar", "x1", "--in", &path]));
        if number % 4 == 0 {
            calls.push(call(&["relate", &path, "--time-limit", "5"]));
            calls.push(call(&["kernel", &path, "--out", &bench.text("k.npy"), "--force"]));
        }
    }
    calls.push(call(&["similar", "x6000000", "--in", &good]));
    calls.push(call(&["stats", &bench.text("nowhere.txt")]));
    Ok(calls)
}

fn exchange(bench: &Bench) -> Result<Vec<Call>> {
    let nested = |n: usize| format!("(assert {}x{})", "(not ".repeat(n), ")".repeat(n));
    let doubled = {
        let lets: String = (1..60).map(|i| format!("(let ((a{i} (and a{} a{}))) ", i - 1, i - 1)).collect();
        format!("(declare-const a0 Bool)(assert {lets} a59{})", ")".repeat(60))
    };
    let json = |tree: &str| format!("{{\"variables\": [\"a\"], \"formulae\": [{{\"tree\": {tree}}}]}}");
    let contents: Vec<(&str, String)> = vec![
        ("cnf", "p cnf 1000000000000 1\n1 0\n".into()),
        ("cnf", "p cnf 2 1\n1 -2\n".into()),
        ("cnf", "p cnf 1 1\n2 0\n".into()),
        ("cnf", "p cnf -1 -1\n".into()),
        ("cnf", "1 2 0 0 0 0\n".into()),
        ("cnf", "p cnf 1 1\n9223372036854775808 0\n".into()),
        ("smt2", "(assert".into()),
        ("smt2", ")".into()),
        ("smt2", nested(100_000)),
        ("smt2", doubled),
        ("smt2", "(declare-const x Int)(assert (> x 1))".into()),
        ("smt2", "(declare-fun f (Bool) Bool)(assert (f true))".into()),
        ("smt2", "(".repeat(100_000)),
        ("smt2", format!("(declare-const a Bool)(assert (xor{}))", " a".repeat(45))),
        ("smt2", format!("(declare-const a Bool)(assert (=>{}))", " a".repeat(300_000))),
        (
            "smt2",
            format!("(declare-const a Bool)(assert {}a{})", "(ite a a ".repeat(100_000), ")".repeat(100_000)),
        ),
        ("pla", ".i 1000000000\n.o 1\n.e\n".into()),
        ("pla", ".i 2\n.o 1000000000\n11 1\n.e\n".into()),
        ("pla", ".i 2\n.o 1\n111 1\n".into()),
        ("pla", ".i -1\n".into()),
        ("csv", "formula\n\"x1".into()),
        ("csv", "id,formula\n1\n".into()),
        ("csv", format!("formula\n{}\n", "x1,".repeat(10_000))),
        ("json", "{".into()),
        ("json", "[".repeat(100_000)),
        ("json", json("[\"and\"]")),
        ("json", json(&format!("{}1{}", "[\"not\", ".repeat(5000), "]".repeat(5000)))),
        ("json", json("1e999")),
        ("bin", "LOGICVAE".into()),
        ("py", "x".into()),
        ("txt", "x1 &".into()),
    ];
    let mut calls = Vec::new();
    for (number, (extension, content)) in contents.into_iter().enumerate() {
        let path = bench.text(&format!("exchange-{number}.{extension}"));
        fs::write(&path, content)?;
        calls.push(call(&["convert", &path, "--out", &bench.text("converted.json"), "--force"]));
    }
    Ok(calls)
}

fn matrices(bench: &Bench) -> Result<Vec<Call>> {
    let shapes = [
        "(1073741824, 89)",
        "(0, 9223372036854775808)",
        "(4294967296, 4294967296)",
        "(18446744073709551615,)",
        "(18446744073709551616, 2)",
        "(-1, 89)",
        "(2, 89)",
        "(89,)",
        "()",
        "(0, 89)",
        "(0,)",
        "(1, 1, 89)",
        "(1,",
        "1, 89",
        "(two, 89)",
        "(1, 89)",
        "(9223372036854775807, 2, 2)",
        "(0, 0)",
        "(1.5, 2)",
    ];
    let mut calls = Vec::new();
    let mut number = 0;
    for kind in ["<f4", "<f8", "|O", "<i8"] {
        for shape in shapes {
            let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.bytes());
            bytes.extend([0x7f; 8 * 89]);
            let path = bench.text(&format!("matrix-{number}.npy"));
            fs::write(&path, bytes)?;
            number += 1;
            calls.push(call(&["decode", "--z", &path]));
        }
    }
    for bytes in
        [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY\x03\x00\xff\xff\xff\xff", b"no"]
    {
        let path = bench.text(&format!("matrix-{number}.npy"));
        fs::write(&path, bytes)?;
        number += 1;
        calls.push(call(&["decode", "--z", &path]));
    }
    Ok(calls)
}

fn settings(bench: &Bench) -> Vec<Call> {
    let out = bench.text("new");
    let keys = [
        "model.variables",
        "model.hidden",
        "model.latent",
        "model.max_nodes",
        "model.candidates",
        "model.encoder.layers",
        "context.pool",
        "context.components",
        "data.set.train",
        "data.set.valid",
        "data.set.test",
        "data.set.sampler.variables",
        "data.set.sampler.max_nodes",
        "data.set.sampler.p_leaf",
        "training.batch",
        "training.learning_rate",
        "training.clip",
        "training.validate_every",
        "training.checkpoint_every",
        "training.hardest_of",
    ];
    let mut calls = Vec::new();
    for key in keys {
        for value in ["0", "-1", "1000000000000", "9223372036854775807", "nan", "\"a\""] {
            let set = format!("--set={key}={value}");
            let base = ["train", "--preset", "cvae-best-3", "--out", &out, "--epochs=1"];
            calls.push(call(&[&base[..], &SMALL, &[&set]].concat()));
        }
    }
    for set in [
        "name=\"a\\u0000b\"",
        "model.hidden=16384",
        "seed=18446744073709551615",
        "a.b.c=1",
        "model=1",
        "=",
        "",
    ] {
        let set = format!("--set={set}");
        calls.push(call(&["train", "--preset", "tiny", "--out", &out, "--epochs=1", &set]));
    }
    calls
}

/// Folders of models whose files contradict each other. They are in the oldest layout, which has no manifest:
/// with one, every change would be refused at once.
fn models(bench: &Bench, model: &str) -> Result<Vec<Call>> {
    let export = bench.text("crafted-export");
    bench.done(&["export", model, "--out", &export, "--no-card", "--force"])?;
    let read = |name: &str| fs::read(format!("{export}/{name}"));
    let (config, about) = (
        String::from_utf8_lossy(&read("config.toml")?).into_owned(),
        String::from_utf8_lossy(&read("run.json")?).replace("\"format\": 2", "\"format\": 1"),
    );
    let weights = read("model.safetensors")?;
    let header = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), &[0; 64]].concat();
    let tensor = |kind: &str, shape: &str, end: &str| {
        header(&format!("{{\"a\":{{\"dtype\":\"{kind}\",\"shape\":{shape},\"data_offsets\":[0,{end}]}}}}"))
    };
    let mut infinite = weights.clone();
    let last = infinite.len() - 2;
    infinite[last..].copy_from_slice(&0x7c00u16.to_le_bytes());
    let mut variants: Vec<(String, String, Vec<u8>)> = vec![
        (config.clone(), about.clone(), Vec::new()),
        (config.clone(), about.clone(), vec![0xff; 100]),
        (config.clone(), about.clone(), header("{")),
        (config.clone(), about.clone(), tensor("F32", "[4]", "16")),
        (config.clone(), about.clone(), tensor("F32", "[4611686018427387904, 4]", "16")),
        (config.clone(), about.clone(), tensor("I64", "[2]", "16")),
        (config.clone(), about.clone(), tensor("F32", "[4]", "18446744073709551615")),
        (config.clone(), about.clone(), infinite),
        (config.clone(), about.clone(), weights[..weights.len() / 2].to_vec()),
        (config.clone(), "{}".into(), weights.clone()),
        (config.clone(), about.replace("\"format\": 1", "\"format\": 9"), weights.clone()),
        (config.clone(), "[".repeat(100_000), weights.clone()),
        (String::new(), about.clone(), weights.clone()),
        ("[".repeat(100_000), about.clone(), weights.clone()),
    ];
    for (old, new) in [
        ("hidden = 8", "hidden = 16384"),
        ("hidden = 8", "hidden = 9"),
        ("latent = 6", "latent = 60000"),
        ("components = 6", "components = 9999"),
        ("pool = 60", "pool = 1000000"),
        ("max_nodes = ", "max_nodes = 99999"),
        ("variables = 3", "variables = 9999"),
    ] {
        variants.push((config.replace(old, new), about.clone(), weights.clone()));
    }
    let mut calls = Vec::new();
    for (number, (config, about, weights)) in variants.into_iter().enumerate() {
        let folder = bench.path(&format!("model-{number}"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("context.bin"), read("context.bin")?)?;
        let sum = crc32fast::hash(&weights);
        let old =
            about.split("\"weights\": \"").nth(1).and_then(|rest| rest.get(..8)).unwrap_or("?").to_owned();
        fs::write(folder.join("run.json"), about.replace(&old, &format!("{sum:08x}")))?;
        fs::write(folder.join("config.toml"), config)?;
        fs::write(folder.join("model.safetensors"), weights)?;
        calls.push(call(&["encode", "x1 & x2", "--model", &folder.display().to_string()]));
    }
    Ok(calls)
}

fn containers(bench: &Bench) -> Result<Vec<Call>> {
    let frame = |payload: &[u8]| {
        let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
        bytes.extend(crc32fast::hash(payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    };
    let end = |frames: u64| {
        let count = frames.to_le_bytes();
        [&[0; 4][..], &crc32fast::hash(&count).to_le_bytes(), &count].concat()
    };
    let mut calls = Vec::new();
    for (kind, args) in
        [("form", &["stats"][..]), ("embd", &["embed", "@", "--out", "#", "--force", "--pool"])]
    {
        let head = |version: u32| [b"LOGICVAE", kind.as_bytes(), &version.to_le_bytes()].concat();
        let payloads: [&[u8]; 6] =
            [&[0xff; 40], &[0; 40], &[3; 5000], &[0xfd; 9], &[251, 255, 255], b"\x01\x02\x03"];
        let mut contents = vec![
            b"LOGICVAE".to_vec(),
            head(1),
            head(99),
            [head(1), vec![0xff; 8]].concat(),
            [head(1), end(0)].concat(),
            [head(1), end(7)].concat(),
            [head(1), end(0), vec![0]].concat(),
        ];
        contents.extend(payloads.map(|payload| [head(1), frame(payload), end(1)].concat()));
        contents.push([head(2), frame(b"a\na\n"), frame(&[3]), end(2)].concat());
        for (number, content) in contents.into_iter().enumerate() {
            let path = bench.text(&format!("container-{kind}-{number}.bin"));
            fs::write(&path, content)?;
            let good = bench.text("good.txt");
            let fill = |arg: &&str| arg.replace('@', &good).replace('#', &bench.text("y.npy"));
            let mut args: Call = args.iter().map(fill).collect();
            args.push(path);
            calls.push(args);
        }
    }
    Ok(calls)
}

fn others(bench: &Bench) -> Result<Vec<Call>> {
    let good = bench.text("good.txt");
    let mut calls = Vec::new();
    for (number, rows) in [
        "10 1.0\n01 2.0 3\n",
        "101\n11\n",
        "101 nan\n",
        "101 -1\n",
        "101 1e999\n",
        "2\n",
        "",
        "101 0\n",
        "\u{0}\n",
    ]
    .into_iter()
    .enumerate()
    {
        let path = bench.text(&format!("rows-{number}.txt"));
        fs::write(&path, rows)?;
        calls.push(call(&["similar", "x1", "--in", &good, "--rows", &path]));
    }
    for (number, chart) in [
        "",
        "{",
        "[]",
        "{\"kind\": \"lines\"}",
        r#"{"kind":"lines","title":"\u0007","x":"","y":"","series":[{"name":"","points":[[0,1],[1,2]]}]}"#,
        r#"{"kind":"lines","title":"","x":"","y":"","series":[{"name":"","points":[[0,1e308],[1,-1e308]]}]}"#,
        r#"{"kind":"lines","title":"a","x":"x","y":"y","series":[]}"#,
        concat!(
            r#"{"kind":"histogram","title":"","x":"","y":"","bins":1000000000000,"#,
            r#""series":[{"name":"","values":[1]}]}"#
        ),
        r#"{"kind":"histogram","title":"a","x":"x","y":"y","bins":0,"series":[{"name":"a","values":[1]}]}"#,
    ]
    .into_iter()
    .enumerate()
    {
        let path = bench.text(&format!("chart-{number}.json"));
        fs::write(&path, chart)?;
        calls.push(call(&["plot", &path, "--out", &bench.text("chart.svg"), "--force"]));
    }
    let equal = bench.text("equal.txt");
    fs::write(&equal, "x1\n".repeat(30_000))?;
    calls.push(call(&["relate", &equal, "--time-limit", "2"]));
    calls.push(call(&["cluster", &equal]));
    let huge = "1000000000000";
    calls.extend([
        call(&["sample", "--vars", "5", "--count", huge, "--max-nodes", "5", "--out", &bench.text("s.txt")]),
        call(&["sample", "--vars", "16777216", "--count", "1", "--all-vars"]),
        call(&["sample", "--vars", "1", "--count", "1000000", "--max-depth", "1"]),
        call(&["kernel", &good, "--samples", huge, "--out", &bench.text("k.npy"), "--force"]),
        call(&["kernel", &good, "--vars", "16777216", "--out", &bench.text("k.npy"), "--force"]),
        call(&["embed", &good, "--components", huge, "--out", &bench.text("y.npy"), "--force"]),
        call(&["similar", "x1", "--in", &good, "-k", huge]),
        call(&["cluster", &good, "-k", "4294967295"]),
        call(&["decode", "--context", "x1", "--draws", "0"]),
        call(&["interpolate", "x1", "x2", "--steps", "4294967295"]),
        call(&["map", "--in", &good, "--labels", huge, "--out", &bench.text("m.svg"), "--force"]),
        call(&["--threads", "0", "eval", "x1"]),
        call(&["eval"]),
        call(&["nothing"]),
    ]);
    Ok(calls)
}
