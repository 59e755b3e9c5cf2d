//! Gram matrices and embeddings, compared with NumPy and scikit-learn.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form, Kernel, Neighbours, PAPER_SIGMA2};
use logicvae_logic::{DatasetSpec, Formula, SamplerParams};

use crate::peer::Peer;
use crate::timing::{Row, compare, seconds};

const POOL: usize = 5000;

pub fn run(python: &Path) -> Result<Vec<Row>> {
    let mut peer = Peer::start(python, "kernel_peer.py")?;
    let five = pool("paper-5")?;
    peer.load(5, &five)?;
    let mut rows = gram(&five, &mut peer)?;
    rows.push(pca("PCA, n = 5, 100 components, plain", 5, &five, 100, Form::Plain, 10.0, &mut peer)?);
    let gaussian = Form::Gaussian { sigma2: PAPER_SIGMA2 };
    rows.push(pca("PCA, n = 5, 100 components, Gaussian", 5, &five, 100, gaussian, 10.0, &mut peer)?);
    let ten = pool("paper-10")?;
    peer.load(10, &ten)?;
    rows.push(pca("PCA, n = 10, 500 components, plain", 10, &ten, 500, Form::Plain, 5.0, &mut peer)?);
    rows.push(pca("PCA, n = 10, 500 components, Gaussian", 10, &ten, 500, gaussian, 5.0, &mut peer)?);
    neighbours()?;
    Ok(rows)
}

fn pool(name: &str) -> Result<Vec<Formula>> {
    Ok(DatasetSpec::preset(name).context("a preset")?.sampler.check()?.distinct(1, POOL)?)
}

/// Times the computation of the Gram matrix from formulae, including their evaluation.
fn gram(formulae: &[Formula], peer: &mut Peer) -> Result<Vec<Row>> {
    let kernel = Kernel::new(Domain::exact(5)?, Form::Plain)?;
    let mean = kernel.gram(formulae)?.mean().unwrap_or_default();
    let ours = || {
        let (time, gram) = seconds(|| kernel.gram(formulae));
        gram?;
        Ok(time)
    };
    let mut kept = kernel.gram(formulae)?;
    let reusing = || {
        let (time, gram) = seconds(|| kernel.gram_reusing(formulae, std::mem::take(&mut kept)));
        kept = gram?;
        Ok(time)
    };
    let mut theirs = |request: &str| {
        let answer = peer.ask(request)?;
        ensure!((answer.value - mean).abs() < 1e-9, "the peer's mean is {}, ours {mean}", answer.value);
        Ok(answer.seconds)
    };
    let name = "Gram matrix of 5,000 formulae, n = 5";
    let plain = "plain Python, one assignment at a time, then NumPy's product";
    Ok(vec![
        compare(&format!("{name}, in reused memory"), plain, Some(50.0), 7, reusing, || {
            theirs("plain_gram")
        })?,
        compare(name, plain, None, 7, ours, || theirs("plain_gram"))?,
        compare(name, "NumPy: evaluate and multiply", None, 7, ours, || theirs("gram"))?,
    ])
}

/// Times PCA. Our time starts from the formulae and includes the Gram matrix; the peer starts from its Gram
/// matrix.
fn pca(
    name: &str,
    n: usize,
    pool: &[Formula],
    components: usize,
    form: Form,
    target: f64,
    peer: &mut Peer,
) -> Result<Row> {
    // The plain kernel has rank 32 for n = 5. scikit-learn returns 100 components, most of them with zero
    // variance.
    let params = EmbeddingParams { form, up_to_rank: true, ..EmbeddingParams::new(components) };
    let mut explained = 0.0;
    let ours = || {
        let (time, embedding) = seconds(|| Embedding::fit(Domain::exact(n)?, pool, &params));
        explained = embedding?.explained_variance().sum();
        Ok(time)
    };
    let request = match form {
        Form::Gaussian { sigma2 } => format!("pca {components} {sigma2}"),
        _ => format!("pca {components} plain"),
    };
    let mut theirs_explained = 0.0;
    let theirs = || {
        let answer = peer.ask(&request)?;
        theirs_explained = answer.value;
        Ok(answer.seconds)
    };
    let row = compare(name, "scikit-learn PCA", Some(target), 3, ours, theirs)?;
    ensure!(
        (explained - theirs_explained).abs() < 1e-4,
        "{name}: we explain a variance of {explained}, the peer {theirs_explained}"
    );
    eprintln!("  variance explained: {explained:.6}, the peer {theirs_explained:.6}");
    Ok(row)
}

/// Times nearest-neighbour search, which has no peer. A search among a million formulae must take less than
/// 50 ms.
fn neighbours() -> Result<()> {
    for n in [5u32, 10] {
        let list = SamplerParams::new(n).check()?.distinct(1, 1_000_000)?;
        let index = Neighbours::new(Domain::exact(n as usize)?, &list)?;
        let mut times: Vec<f64> = Vec::new();
        for query in &list[..21] {
            let (time, nearest) = seconds(|| index.nearest(query, 10));
            ensure!(nearest?[0].kernel == 1.0);
            times.push(time);
        }
        times.sort_by(f64::total_cmp);
        eprintln!("nearest 10 of a million, n = {n}: {:.2} ms", 1e3 * times[10]);
    }
    Ok(())
}
