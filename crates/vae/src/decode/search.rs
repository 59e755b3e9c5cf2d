//! Which beginnings of trees go on, and how: greedily, by drawing, or along a beam.

use logicvae_gnn::fused::row;
use rand_chacha::ChaCha8Rng;

use crate::decode::choice::{Drawing, arity, draw, greedy};
use crate::decode::growth::{Beginning, Choice, Growth};

impl Growth<'_> {
    /// Whether a class may be chosen. With a budget, only what can still be completed.
    fn offers(&self, beginning: &Beginning, class: usize) -> bool {
        !self.config.budget || arity(class) + beginning.open <= self.config.max_nodes - beginning.nodes
    }

    pub(super) fn most_probable(&self, chances: &[f32]) -> Vec<Choice> {
        let lines = chances.chunks_exact(self.weights.classes).zip(&self.beginnings).enumerate();
        lines
            .map(|(from, (line, beginning))| {
                let class = greedy(line, |class| self.offers(beginning, class));
                Choice {
                    from,
                    class,
                    log_probability: beginning.log_probability + f64::from(line[class]),
                    draws: Vec::new(),
                }
            })
            .collect()
    }

    pub(super) fn drawn(
        &self,
        chances: &[f32],
        drawing: &Drawing,
        generators: &mut [ChaCha8Rng],
    ) -> Vec<Choice> {
        let mut choices = Vec::with_capacity(self.beginnings.len());
        let mut weights = Vec::new();
        for (from, (line, beginning)) in
            chances.chunks_exact(self.weights.classes).zip(&self.beginnings).enumerate()
        {
            drawing.weights(line, |class| self.offers(beginning, class), &mut weights);
            let start = choices.len();
            for &sample in &beginning.draws {
                let class = draw(&mut generators[sample as usize], &weights);
                match choices[start..].iter_mut().find(|choice: &&mut Choice| choice.class == class) {
                    Some(choice) => choice.draws.push(sample),
                    None => {
                        let log_probability = beginning.log_probability + f64::from(line[class]);
                        choices.push(Choice { from, class, log_probability, draws: vec![sample] });
                    }
                }
            }
        }
        choices
    }

    /// For each vector the most probable ways on, as many as the beam has room for beside what is done.
    pub(super) fn widest(&self, chances: &[f32], width: usize) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut from = 0;
        while from < self.beginnings.len() {
            let vector = self.beginnings[from].vector;
            let end = from + self.beginnings[from..].iter().take_while(|b| b.vector == vector).count();
            let mut all: Vec<Choice> = Vec::new();
            for (number, beginning) in self.beginnings[from..end].iter().enumerate() {
                let line = row(chances, from + number, self.weights.classes);
                for (class, &chance) in
                    line.iter().enumerate().filter(|(class, _)| self.offers(beginning, *class))
                {
                    let log_probability = beginning.log_probability + f64::from(chance);
                    all.push(Choice { from: from + number, class, log_probability, draws: Vec::new() });
                }
            }
            // What is done keeps its place; a way on must beat it.
            let mut finished: Vec<f64> =
                self.done[vector].iter().map(|d| d.decoded.log_probability).collect();
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
