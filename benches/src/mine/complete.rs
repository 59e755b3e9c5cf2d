//! Complete tables of random formulae of up to five variables: is the function found, and how short?

use std::time::Instant;

use anyhow::Result;
use logicvae_logic::{Budget, Formula, Operators, SamplerParams, minimise, quantiles};
use logicvae_mine::MineOptions;

use super::report::{Section, TITLES};

pub fn run(count: usize) -> Result<Section> {
    let mut formulae: Vec<Formula> = Vec::new();
    for variables in 1..=5u32 {
        let each = if variables <= 2 { 10 } else { (count - 20) / 3 + 1 };
        let sampler = SamplerParams { max_nodes: 25, ..SamplerParams::new(variables) }.check()?;
        formulae.extend(sampler.distinct(77, each * 2)?.into_iter().filter(usable).take(each));
    }
    formulae.truncate(count);
    let (mut equivalent, mut no_larger, mut optimal, mut known) = (0, 0, 0, 0);
    let mut seconds = Vec::new();
    let total = formulae.len();
    for (number, source) in formulae.iter().enumerate() {
        if number % 50 == 0 {
            eprintln!("complete tables: {number} of {total}");
        }
        let variables = source.max_variable() as usize;
        let truth = source.truth_table(variables)?;
        let rows: Vec<Vec<bool>> =
            (0..truth.len()).map(|i| (0..variables).map(|bit| i >> bit & 1 == 1).collect()).collect();
        let labels: Vec<bool> = (0..truth.len()).map(|i| truth.get(i)).collect();
        let start = Instant::now();
        let table = super::table(&rows, &labels);
        let options = MineOptions { folds: 0, ..MineOptions::default() };
        let found = logicvae_mine::mine(&table, &options, &Budget::seconds(10.0), &|_| {})?;
        seconds.push(start.elapsed().as_secs_f64());
        let Some(chosen) = found.chosen() else { continue };
        let right =
            rows.iter().zip(&labels).all(|(row, label)| chosen.expr.value(&|f| row[f as usize]) == *label);
        equivalent += usize::from(right);
        no_larger += usize::from(right && chosen.size <= source.size());
        let best = minimise(source, Operators::WITH_XOR, &Budget::seconds(2.0))?;
        if best.optimal {
            known += 1;
            optimal += usize::from(right && chosen.size <= best.expression.size());
        }
    }
    let share = |part: usize, whole: usize| {
        format!("{:.1} % ({part} of {whole})", 100.0 * part as f64 / whole as f64)
    };
    let [median] = quantiles(&mut seconds, [0.5]);
    let mut section = Section::new(
        TITLES[0],
        "Random formulae of up to five variables; the table has every assignment once. The optimum is that \
         of `logicvae minimise` with `^`, where it is proven."
            .into(),
        &["", "measured", "target"],
    );
    section.row(["equivalent to the source".into(), share(equivalent, total), "≥ 99.5 %".into()]);
    section.row(["no larger than the source".into(), share(no_larger, total), "≥ 95 %".into()]);
    section.row(["optimal, where the optimum is known".into(), share(optimal, known), "≥ 90 %".into()]);
    section.row(["median time".into(), format!("{median:.2} s"), "< 1 s".into()]);
    Ok(section)
}

/// Whether a formula is no constant.
fn usable(formula: &Formula) -> bool {
    let variables = formula.max_variable() as usize;
    formula.truth_table(variables).is_ok_and(|table| {
        let ones = (0..table.len()).filter(|&i| table.get(i)).count();
        variables > 0 && ones > 0 && ones < table.len()
    })
}
