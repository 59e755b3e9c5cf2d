//! Which partial trees continue, and how: greedily, by sampling, or along a beam.

use logicvae_compute::row;
use rand_chacha::ChaCha8Rng;

use super::choice::{Sampling, arity, greedy, sample};
use super::growth::{Choice, Growth, Partial};

impl Growth<'_> {
    /// Whether a class may be chosen. With a budget, only trees that can still be completed are allowed.
    fn allows(&self, partial: &Partial, class: usize) -> bool {
        !self.config.budget || arity(class) + partial.open <= self.config.max_nodes - partial.nodes
    }

    /// The most probable class of each tree.
    pub(super) fn choose_greedy(&self, log_probabilities: &[f32]) -> Vec<Choice> {
        let lines = log_probabilities.chunks_exact(self.weights.classes).zip(&self.partial).enumerate();
        lines
            .map(|(from, (line, partial))| {
                let class = greedy(line, |class| self.allows(partial, class));
                Choice {
                    from,
                    class,
                    log_probability: partial.log_probability + f64::from(line[class]),
                    samples: Vec::new(),
                }
            })
            .collect()
    }

    /// The classes that the samples of each tree choose.
    pub(super) fn choose_sampled(
        &self,
        log_probabilities: &[f32],
        sampling: &Sampling,
        generators: &mut [ChaCha8Rng],
    ) -> Vec<Choice> {
        let mut choices = Vec::with_capacity(self.partial.len());
        let mut weights = Vec::new();
        for (from, (line, partial)) in
            log_probabilities.chunks_exact(self.weights.classes).zip(&self.partial).enumerate()
        {
            sampling.weights(line, |class| self.allows(partial, class), &mut weights);
            let start = choices.len();
            for &number in &partial.samples {
                let class = sample(&mut generators[number as usize], &weights);
                match choices[start..].iter_mut().find(|choice: &&mut Choice| choice.class == class) {
                    Some(choice) => choice.samples.push(number),
                    None => {
                        let log_probability = partial.log_probability + f64::from(line[class]);
                        choices.push(Choice { from, class, log_probability, samples: vec![number] });
                    }
                }
            }
        }
        choices
    }

    /// For each vector, the most probable continuations that the beam has room for besides finished formulae.
    pub(super) fn choose_beam(&self, log_probabilities: &[f32], width: usize) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut from = 0;
        while from < self.partial.len() {
            let vector = self.partial[from].vector;
            let end = from + self.partial[from..].iter().take_while(|b| b.vector == vector).count();
            let mut all: Vec<Choice> = Vec::new();
            for (number, partial) in self.partial[from..end].iter().enumerate() {
                let line = row(log_probabilities, from + number, self.weights.classes);
                for (class, &p) in line.iter().enumerate().filter(|(class, _)| self.allows(partial, *class)) {
                    let log_probability = partial.log_probability + f64::from(p);
                    all.push(Choice { from: from + number, class, log_probability, samples: Vec::new() });
                }
            }
            // Finished formulae keep their place in the beam; a continuation must be more probable.
            let mut finished: Vec<f64> =
                self.finished[vector].iter().map(|d| d.decoded.log_probability).collect();
            finished.sort_by(|a, b| b.total_cmp(a));
            all.sort_by(|a, b| b.log_probability.total_cmp(&a.log_probability));
            all.truncate(width);
            let better = |at: usize, p: f64| at + finished.iter().filter(|&&f| f >= p).count() < width;
            let kept =
                all.into_iter().enumerate().filter(|(at, c)| better(*at, c.log_probability)).map(|(_, c)| c);
            choices.extend(kept);
            from = end;
        }
        choices
    }
}
