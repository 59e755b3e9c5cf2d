//! Time and memory of embeddings, for growing numbers of formulae and assignments.

use std::time::Instant;

use anyhow::Result;
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form, Kernel, KernelError, PAPER_SIGMA2};
use logicvae_logic::SamplerParams;
use serde::Serialize;

/// One measurement. Each runs in a separate process, so that its peak memory is its own.
#[derive(Serialize)]
pub struct Cell {
    formulae: usize,
    variables: usize,
    assignments: usize,
    form: &'static str,
    /// The time to evaluate all formulae.
    evaluate_seconds: f64,
    /// The time to compute the kernel between all formulae and the first 5,000 of them, in blocks that are
    /// dropped.
    gram_seconds: f64,
    /// The time to fit 100 components, or as many as there are.
    fit_seconds: Option<f64>,
    /// Why the embedding was not fitted.
    not_fitted: Option<String>,
    peak_mebibytes: f64,
}

pub fn run(formulae: usize, variables: usize, gaussian: bool) -> Result<Cell> {
    let pool = SamplerParams::new(variables as u32).check()?.distinct(1, formulae)?;
    // 15 variables have only 32,768 assignments, but sampling shows the case of many variables.
    let domain =
        if variables <= 10 { Domain::exact(variables)? } else { Domain::monte_carlo(variables, 1024, 1)? };
    let (form, name) =
        if gaussian { (Form::Gaussian { sigma2: PAPER_SIGMA2 }, "gaussian") } else { (Form::Plain, "plain") };

    let start = Instant::now();
    domain.values(&pool)?;
    let evaluate_seconds = start.elapsed().as_secs_f64();

    let kernel = Kernel::new(domain.clone(), form)?;
    let start = Instant::now();
    let mut sum = 0.0;
    kernel.cross_blocks(&pool, &pool[..formulae.min(5000)], |block| {
        sum += block.first().copied().unwrap_or_default();
        Ok::<(), KernelError>(())
    })?;
    let gram_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let params = EmbeddingParams { form, up_to_rank: true, ..EmbeddingParams::new(100) };
    let fitted = Embedding::fit(domain.clone(), &pool, &params);
    let elapsed = start.elapsed().as_secs_f64();
    let (fit_seconds, not_fitted) = match fitted {
        Ok(_) => (Some(elapsed), None),
        Err(reason) => (None, Some(reason.to_string())),
    };
    let peak_mebibytes = peak_kibibytes() / 1024.0;
    let assignments = domain.len();
    Ok(Cell {
        formulae,
        variables,
        assignments,
        form: name,
        evaluate_seconds,
        gram_seconds,
        fit_seconds,
        not_fitted,
        peak_mebibytes,
    })
}

/// The peak resident memory of this process so far.
pub fn peak_kibibytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()).and_then(|v| v.parse().ok()).unwrap_or(f64::NAN)
}
