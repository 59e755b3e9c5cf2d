//! Crafted tables for `mine` and `predict`.

use std::fs;

use anyhow::Result;

use super::bench::Bench;

/// Tables that are no tables, are cut off, or ask for too much.
fn contents() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        "",
        "\n",
        "y",
        "a,y\n",
        "a,y\n1,1\n",
        "a,y\n1,1\n0,1\n",
        "a,a,y\n1,0,1\n0,1,0\n",
        "a,,y\n1,0,1\n0,1,0\n",
        "y,y\n1,0\n0,1\n",
        "a,y\n1\n0,0,0\n",
        "a;y\n1;1\n0;0\n",
        "a\ty\r\n1\t1\r\n0\t0\r\n",
        "\u{feff}a,y\r1,1\r0,0\r",
        "a,y\n\"1,1\n0,0\n",
        "\"a,y\n1,1\n0,0\n",
        "a,y\n1,maybe\n0,0\n1,1\n",
        "a,y\nx,1\n1,0\n2,1\n",
        "a,y\n1e999,1\n-1e999,0\n1e308,1\n-1e308,0\n5,1\n6,0\n",
        "a,y\nnan,1\ninf,0\n-inf,1\nNaN,0\n1,1\n2,0\n3,1\n",
        "a,w,y\n1,-1,1\n0,1,0\n",
        "a,w,y\n1,nan,1\n0,1,0\n",
        "a,w,y\n1,1e308,1\n0,1e308,0\n",
        "a,w,y\n1,0,1\n0,0,0\n",
        "a,w,y\n1,0.1,1\n0,1e-300,0\n",
        "a,w,y\n1,,1\n0,many,0\n",
        "a,w,y\n1,900000000,1\n0,900000000,0\n1,3,0\n",
        "a,y\n1,1\n1,0\n",
        "\u{0},y\n\u{0},1\n1,0\n",
        "\"{formula} | !(\",y\n1,1\n0,0\n",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    all.push(b"a,y\n\xff\xfe,1\n0,0\n".to_vec());
    all.push(b"\xff\xfea\0,\0y\0\n\0".to_vec());
    all.push([b"a,y\n".as_slice(), &[b'x'; 1 << 20], b",1\n0,0\n"].concat());
    all.push(vec![b'a'; 17 << 20]);
    all.push(vec![b'"'; 1 << 20]);
    all.push(b"\x1f\x8b\x08\x00".to_vec());
    all.push(b"\x1f\x8b".to_vec());
    let wide: Vec<String> = (0..6000).map(|column| format!("c{column}")).collect();
    let bits: Vec<&str> = (0..6000).map(|column| ["0", "1"][column % 2]).collect();
    let line = |label: &str| format!("{},{label}\n", bits.join(","));
    all.push(format!("{},y\n{}{}", wide.join(","), line("0"), line("1")).into_bytes());
    let distinct: String = (0..2000).map(|row| format!("v{row},{}\n", row % 2)).collect();
    all.push(format!("a,y\n{distinct}").into_bytes());
    all
}

/// The calls: every table is mined, with and without weights, and a formula is applied to it.
pub fn calls(bench: &Bench) -> Result<Vec<Vec<String>>> {
    let mut calls = Vec::new();
    let mut add = |args: &[&str]| calls.push(args.iter().map(|&arg| arg.to_owned()).collect());
    for (number, content) in contents().into_iter().enumerate() {
        let path = bench.text(&format!("table-{number}.csv"));
        fs::write(&path, content)?;
        add(&["mine", &path, "--target", "y", "--time-limit", "0.3"]);
        add(&["mine", &path, "--target", "y", "--weights", "w", "--time-limit", "0.3", "--json"]);
        let trust = ["--significance=2", "--bootstrap=2", "--folds", "0"];
        add(&[&["mine", &path, "--target", "y", "--weights", "w", "--time-limit", "0.3"][..], &trust]
            .concat());
        add(&["predict", "a >= 1", &path, "--target", "y"]);
    }
    let path = bench.text("table-good.csv");
    fs::write(&path, "a,b,y\n1,0,1\n0,1,0\n1,1,1\n0,0,0\n1,,1\n")?;
    for args in [
        &["--target", "z"][..],
        &["--target", "y", "--positive", "7"],
        &["--target", "y", "--time-limit", "nan"],
        &["--target", "y", "--operators", "nothing"],
        &["--target", "y", "--engines", "-exact,-two-level,-decompose,-local,-genetic,-learned"],
        &["--target", "y", "--start", "((((a"],
        &["--target", "y", "--start", "c"],
        &["--target", "y", "--must", "c"],
        &["--target", "y", "--shape", "hole1"],
        &["--target", "y", "--significance=65535", "--time-limit", "0.3"],
        &["--target", "y", "--svg", "picture.gif"],
    ] {
        add(&[&["mine", &path], args].concat());
    }
    for formula in ["", "a ^", "c", "at least 9 of (a, b)", "a = \"", "b >= 1e999", "!!!!!!!!!!a", "(a"] {
        add(&["predict", formula, &path]);
    }
    Ok(calls)
}
