//! How long experiments take, as far as it can be known beforehand.

use logicvae_gnn::Kind;
use logicvae_vae::{Config, Task as Learns};

use crate::layout::Scale;
use crate::suite::{Cost, KernelExperiment, Task};

/// Seconds for a task that does not train.
pub fn task_seconds(task: &Task, scale: Scale) -> f64 {
    match task {
        Task::Kernel { experiment: KernelExperiment::Classification | KernelExperiment::Variance } => {
            match scale {
                Scale::Quick => 10.0,
                Scale::Paper => 60.0,
            }
        }
        Task::Walk { formulae, .. } => *formulae as f64,
        Task::Evaluate { .. } if scale == Scale::Quick => 3.0,
        Task::Evaluate { .. } | Task::Export { .. } => 10.0,
        Task::Dataset { .. } | Task::Kernel { .. } | Task::Draw { .. } | Task::Train(_) => 3.0,
    }
}

/// Seconds of a training, of which some epochs may be done already, and of its evaluation.
pub fn training_seconds(cost: &Cost, config: &Config, epochs_done: u64, scale: Scale) -> f64 {
    let evaluation = match scale {
        Scale::Quick => 3.0,
        Scale::Paper => 15.0,
    };
    let epochs = (config.training.epochs as f64 - epochs_done as f64).max(0.0);
    let formulae = config.data.set.train as f64 * epochs;
    // With hard-example mining, most formulae only pass forward through the model.
    let hardest_of = config.training.hardest_of.max(1) as f64;
    let learned = 0.25 + 0.75 / hardest_of;
    let width = config.model.hidden as f64 / 250.0;
    let size = config.data.set.sampler.max_nodes as f64 / 22.0;
    let milliseconds = milliseconds_per_formula(cost, config) * size * (0.15 + 0.85 * width * width);
    evaluation + formulae * learned * milliseconds * 1e-3
}

fn milliseconds_per_formula(cost: &Cost, config: &Config) -> f64 {
    match (config.model.task, config.model.encoder.kind) {
        (Learns::Leaves, _) => cost.leaves,
        (Learns::Autoencoder, Kind::Gru) => cost.gru,
        (Learns::Autoencoder, Kind::Gcn) => cost.gcn,
        (Learns::Autoencoder, Kind::Gat) => cost.gat,
    }
}
