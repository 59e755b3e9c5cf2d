//! The schedules of the learning rate and of β.

use crate::config::{Decay, TrainingConfig};

fn cosine(share: f64) -> f64 {
    0.5 * (1.0 + (std::f64::consts::PI * share).cos())
}

/// The learning rate after `done` steps, where an epoch has `steps` steps.
pub(super) fn learning_rate(training: &TrainingConfig, done: u64, steps: u64) -> f64 {
    let all = (training.epochs - training.fine_tune_epochs) as u64 * steps;
    if training.fine_tune_epochs > 0 && done >= all {
        let share = (done - all) as f64 / (training.fine_tune_epochs as u64 * steps).max(1) as f64;
        return training.fine_tune_learning_rate * cosine(share.min(1.0));
    }
    let share = (done as f64 / all.max(1) as f64).min(1.0);
    let falling = match training.decay {
        Decay::None => 1.0,
        Decay::Half => (2.0 * (1.0 - share)).min(1.0),
        Decay::Cosine => cosine(share),
        Decay::Cyclic => {
            let cycle = (training.cycle_epochs as u64 * steps).max(1);
            // 0 at the ends of a cycle, 1 in its middle.
            let height = 1.0 - (2.0 * (done % cycle) as f64 / cycle as f64 - 1.0).abs();
            1.0 + (training.cycle_peak / training.learning_rate - 1.0) * height
        }
    };
    let rising = ((done + 1) as f64 / (training.warm_up + 1) as f64).min(1.0);
    training.learning_rate * falling * rising
}

/// β in an epoch, counted from 0.
pub(super) fn beta(training: &TrainingConfig, epoch: usize) -> f64 {
    if training.fine_tune_epochs > 0 && epoch >= training.epochs - training.fine_tune_epochs {
        training.fine_tune_beta
    } else {
        training.beta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn a_cycle_rises_and_falls() {
        let training = Config::preset("gcn-3")
            .unwrap()
            .with(&["training.decay=cyclic", "training.cycle_epochs=30", "training.cycle_peak=3e-3"])
            .unwrap()
            .training;
        let rate = |epoch: u64| learning_rate(&training, epoch * 10, 10);
        for (epoch, wanted) in [(0, 1e-3), (15, 3e-3), (30, 1e-3), (45, 3e-3), (6, 1.8e-3), (24, 1.8e-3)] {
            assert!((rate(epoch) - wanted).abs() < 1e-9, "{} in epoch {epoch}", rate(epoch));
        }
    }

    #[test]
    fn fine_tuning_follows_a_whole_training() {
        let without = Config::preset("best-4")
            .unwrap()
            .with(&["training.epochs=10", "training.fine_tune_epochs=0"])
            .unwrap()
            .training;
        let with = TrainingConfig {
            epochs: 14,
            fine_tune_epochs: 4,
            fine_tune_learning_rate: 2e-4,
            fine_tune_beta: 1e-4,
            ..without.clone()
        };
        for done in 0..1000 {
            assert_eq!(learning_rate(&with, done, 100), learning_rate(&without, done, 100));
        }
        assert_eq!((learning_rate(&with, 1000, 100), learning_rate(&with, 1200, 100)), (2e-4, 1e-4));
        assert!(learning_rate(&with, 1399, 100) < 1e-8 && learning_rate(&with, 1400, 100) == 0.0);
        assert_eq!((beta(&with, 9), beta(&with, 10), beta(&without, 9)), (1e-3, 1e-4, 1e-3));
    }
}
