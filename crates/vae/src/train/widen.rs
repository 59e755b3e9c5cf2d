//! Weights of a smaller model as the start of a larger one.
//!
//! A model may have inputs and classes that its predecessor lacks: a semantic vector, goals, the state of
//! START, or the constant 1. What both have is copied. New inputs get the weight zero, so that training
//! starts from the function that was learned before.

use candle_core::{DType, Device, Tensor};
use logicvae_compute::Parameters;

use crate::config::Config;
use crate::error::VaeError;

/// A part of a weight's rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The types of nodes but the constant, or the classes but the constant.
    Types,
    Constant,
    /// The mark of right children, or of parents' indices.
    Mark,
    /// What all models of the same width have in common.
    Common,
    /// The semantic vector.
    Condition,
    Goal,
    Start,
    /// The class 'stop' of an unconstrained decoder.
    Stop,
}

/// The axis of a weight that depends on the vocabulary or the inputs, and the widths of its parts.
fn layout(config: &Config, name: &str) -> Option<(usize, Vec<(Part, usize)>)> {
    let model = &config.model;
    let (hidden, vocabulary) = (model.hidden, model.vocabulary());
    let constant = usize::from(model.constant);
    let types = vocabulary.types() - constant;
    let condition = config.context_width();
    Some(match name {
        "up.stack.0.cell.weight_ih" | "down.stack.0.cell.weight_ih" => {
            let mark = usize::from(model.positional);
            (1, vec![(Part::Types, types), (Part::Constant, constant), (Part::Mark, mark)])
        }
        "dec.weight_ih" => {
            let parts = [(Part::Types, types), (Part::Constant, constant), (Part::Mark, model.marks())];
            (1, [&parts[..], &[(Part::Common, hidden)]].concat())
        }
        "mean.weight" | "logvar.weight" => {
            let encoded = model.encoder_config().output();
            (1, vec![(Part::Common, encoded), (Part::Condition, condition)])
        }
        "from_latent.weight" => (1, vec![(Part::Common, model.latent), (Part::Condition, condition)]),
        "score.0.weight" => {
            let start = if model.reads_start { hidden } else { 0 };
            let common = (Part::Common, 2 * hidden);
            (1, vec![common, (Part::Goal, model.goal_width()), (Part::Start, start)])
        }
        "score.2.weight" | "score.2.bias" => {
            let stop = (Part::Stop, usize::from(!model.constrained));
            (0, vec![(Part::Types, types - 2), (Part::Constant, constant), stop])
        }
        _ => return None,
    })
}

/// Parts that begin at zero if the smaller model lacks them. Others keep their initial values.
fn begins_at_zero(part: Part) -> bool {
    matches!(part, Part::Condition | Part::Goal | Part::Start)
}

/// Loads the weights of another model, a safetensors file, into the initial weights of a model that may have
/// more inputs and classes. On an error nothing changes.
pub(super) fn load(
    from: &Config,
    weights: &[u8],
    to: &Config,
    parameters: &Parameters,
) -> Result<(), VaeError> {
    let file = candle_core::safetensors::load_buffer(weights, &Device::Cpu)?;
    // Semantic vectors of another embedding mean something else.
    let same_conditions = from.context == to.context;
    let mut changed = Vec::new();
    for (name, var) in parameters.vars() {
        let Some(old) = file.get(&name) else {
            // A prior network and a table probe belong to the conditions.
            let new = name.starts_with("prior.") || name.starts_with("readout.");
            if new && !same_conditions {
                continue;
            }
            return Err(mismatch(from, to, &name, "the other model does not have it"));
        };
        if !same_conditions && (name.starts_with("prior.") || name.starts_with("readout.")) {
            continue;
        }
        let old = old.to_dtype(DType::F32)?;
        let widened = match (layout(from, &name), layout(to, &name)) {
            (Some((axis, before)), Some((_, after))) => {
                let initial = var.as_tensor().to_dtype(DType::F32)?.to_device(&Device::Cpu)?;
                let usable = |part: Part| part != Part::Condition || same_conditions;
                let kept = |&(part, width): &(Part, usize)| width == 0 || after.contains(&(part, width));
                if !before.iter().all(|part| kept(part) || !usable(part.0)) {
                    let reason = "the other model has other variables, or inputs that this one lacks";
                    return Err(mismatch(from, to, &name, reason));
                }
                if !fits(&old, &before, &initial, axis) {
                    let reason =
                        format!("its shape is {:?}, which does not fit {:?}", old.dims(), initial.dims());
                    return Err(mismatch(from, to, &name, &reason));
                }
                widen(&old, &before, &initial, &after, axis, usable)?
            }
            _ => old,
        };
        if widened.shape() != var.shape() {
            let reason = format!("its shape is {:?}, but {:?} is expected", widened.dims(), var.dims());
            return Err(mismatch(from, to, &name, &reason));
        }
        changed.push((var.clone(), widened));
    }
    for (var, value) in changed {
        var.set(&value.to_dtype(var.dtype())?.to_device(var.device())?)?;
    }
    Ok(())
}

/// Whether a weight has the width that its parts add up to and, along other axes, the shape of the new one.
fn fits(old: &Tensor, before: &[(Part, usize)], initial: &Tensor, axis: usize) -> bool {
    let width: usize = before.iter().map(|(_, width)| width).sum();
    let mut wanted = initial.dims().to_vec();
    match wanted.get_mut(axis) {
        Some(at) => *at = width,
        None => return false,
    }
    old.dims() == wanted
}

fn widen(
    old: &Tensor,
    before: &[(Part, usize)],
    initial: &Tensor,
    after: &[(Part, usize)],
    axis: usize,
    usable: impl Fn(Part) -> bool,
) -> Result<Tensor, VaeError> {
    let mut parts = Vec::new();
    let mut at = 0;
    for &(part, width) in after {
        let mut start = 0;
        let mut source = None;
        for &(other, other_width) in before {
            if other == part && other_width == width && usable(part) {
                source = Some(start);
            }
            start += other_width;
        }
        let here = initial.narrow(axis, at, width)?;
        parts.push(match source {
            _ if width == 0 => here,
            Some(start) if start + width <= old.dim(axis)? => old.narrow(axis, start, width)?,
            _ if begins_at_zero(part) => here.zeros_like()?,
            _ => here,
        });
        at += width;
    }
    let parts: Vec<&Tensor> = parts.iter().filter(|part| part.dims()[axis] > 0).collect();
    Ok(Tensor::cat(&parts, axis)?)
}

/// The settings that shapes of weights depend on, with the values that they have if they are left out.
const SHAPING: [(&str, &str); 18] = [
    ("task", "autoencoder"),
    ("variables", ""),
    ("hidden", ""),
    ("latent", ""),
    ("parent_index", "false"),
    ("max_nodes", ""),
    ("prior", ""),
    ("encoder.kind", ""),
    ("encoder.layers", ""),
    ("encoder.heads", "none"),
    ("encoder.head_dim", "none"),
    ("encoder.bidirectional", ""),
    ("encoder.one_pass", "false"),
    ("encoder.readout", ""),
    ("constant", "false"),
    ("positional", "false"),
    ("goal_conditioned", "false"),
    ("reads_start", "false"),
];

/// The settings that give two models different weights, such as `model.hidden is 32, but 16 there`.
fn differences(from: &Config, to: &Config) -> Vec<String> {
    let table = |config: &Config| toml::Value::try_from(&config.model).ok();
    let value = |table: &Option<toml::Value>, key: &str, default: &str| {
        let found = key.split('.').try_fold(table.as_ref()?, |value, key| value.get(key));
        Some(match found {
            Some(toml::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => default.to_owned(),
        })
    };
    let (here, there) = (table(to), table(from));
    let indexed = from.model.parent_index || to.model.parent_index;
    let mut found = Vec::new();
    for (key, default) in SHAPING.into_iter().filter(|(key, _)| *key != "max_nodes" || indexed) {
        let (Some(here), Some(there)) = (value(&here, key, default), value(&there, key, default)) else {
            continue;
        };
        // A model may have more inputs than the other one.
        let widened = default == "false" && key != "parent_index" && here == "true";
        if here != there && !widened {
            found.push(format!("model.{key} is {here}, but {there} there"));
        }
    }
    if to.model.constrained && !from.model.constrained {
        found.push("model.constrained is true, but false there".to_owned());
    }
    found
}

fn mismatch(from: &Config, to: &Config, name: &str, reason: &str) -> VaeError {
    let found = differences(from, to);
    VaeError::Input(match found.is_empty() {
        true => format!("the weight `{name}` cannot be used as a start: {reason}"),
        false => format!("they do not fit these settings: {}", found.join("; ")),
    })
}
