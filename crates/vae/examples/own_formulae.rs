//! Trains a small model on a list of formulae, saves it, exports it, and loads it again.
//!
//! ```sh
//! cargo run -p logicvae-vae --example own_formulae
//! ```

use std::error::Error;

use candle_core::Device;
use logicvae_logic::{Dataset, Formula};
use logicvae_vae::{
    Checkpoint, Config, Decoding, EpochReport, Model, Observer, Run, Trainer, VaeError, Weights,
};

const FORMULAE: [&str; 8] = [
    "x1 | !x3",
    "!(x1 & x3)",
    "x2 & (x1 | x3)",
    "x3 | x2 & !x1",
    "x1 & x2 & x3",
    "(x1 | x2) & (x2 | x3)",
    "!(x2 | x3) | x1",
    "x2 | x1 & !x3",
];

/// Prints progress, and saves what the trainer wants to be saved.
struct Progress<'a> {
    run: &'a Run,
}

impl Observer for Progress<'_> {
    fn epoch(&mut self, report: &EpochReport) -> Result<(), VaeError> {
        if let Some(validation) = &report.validation {
            let accuracy = 100.0 * validation.accuracy;
            println!("epoch {:>3}  loss {:7.4}  reconstructed {accuracy:3.0} %", report.epoch, report.loss);
        }
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.run.save(checkpoint, best)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let formulae: Vec<Formula> = FORMULAE.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    // So few formulae can only be memorised, so the model is validated on the ones that it is trained on.
    let data = Dataset { train: formulae.clone(), valid: formulae.clone(), ..Dataset::default() };
    let changes = ["training.epochs=120", "training.batch=6", "training.validate_every=20"];
    let config = Config::preset("tiny").ok_or("unknown preset")?.with(&changes)?;

    let folder = tempfile::tempdir()?;
    let (run, _lock) =
        Run::create(&folder.path().join("run"), &config, (&data, "my list"), None, false, None)?;
    let outcome = Trainer::new(&config, &data, &Device::Cpu)?.run(&mut Progress { run: &run })?;
    println!("trained for {} epochs: {}\n", outcome.epochs, outcome.stop_reason);

    // An export is a small folder with weights in half precision. It is loaded like a run.
    let exported = folder.path().join("model");
    let export = run.export(Weights::Last, &exported, false)?;
    println!("exported {} KiB of weights", export.bytes / 1024);
    let model = Model::load(&exported)?;
    let decoded = model.decode(&model.encode(&formulae)?, Decoding::Greedy)?;
    for (formula, results) in formulae.iter().zip(&decoded) {
        let found = results[0].formula.as_ref().ok_or("not a formula")?;
        println!("{:<24} -> {found}", formula.to_string());
    }
    Ok(())
}
