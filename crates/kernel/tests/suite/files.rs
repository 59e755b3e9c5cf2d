//! Saving and loading embeddings, and writing `.npy` files.

use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form, KernelError, Method, NpyWriter, Precision};
use logicvae_logic::{BinaryWriter, ContainerReader, ContainerWriter};
use ndarray::Array2;
use ndarray_npy::ReadNpyExt;

use crate::support::pool;

fn saved(embedding: &Embedding) -> Vec<u8> {
    let mut bytes = Vec::new();
    embedding.save(&mut bytes).expect("writing to memory");
    bytes
}

fn embeddings() -> Vec<Embedding> {
    let formulae = pool(4, 80, 1);
    let weights: Vec<f64> = (1..=30).map(f64::from).collect();
    let domains = [
        Domain::exact(4).expect("few variables"),
        Domain::monte_carlo(4, 70, 5).expect("not empty"),
        Domain::monte_carlo(4, 30, 5).expect("not empty").weighted(&weights).expect("valid settings"),
    ];
    let forms = [Form::Plain, Form::Gaussian { sigma2: 0.44 }];
    let all = domains.iter().flat_map(|m| forms.map(|form| (m.clone(), form)));
    all.map(|(domain, form)| {
        let params = EmbeddingParams { form, method: Method::KernelPca, ..EmbeddingParams::new(5) };
        Embedding::fit(domain, &formulae, &params).expect("variables in range")
    })
    .collect()
}

#[test]
fn a_loaded_embedding_gives_the_same_bits() {
    let new = pool(4, 20, 9);
    for embedding in embeddings() {
        let loaded = Embedding::load(&saved(&embedding)[..]).expect("its own file");
        assert_eq!(loaded, embedding);
        assert_eq!(
            loaded.transform(&new).expect("variables in range"),
            embedding.transform(&new).expect("variables in range")
        );
    }
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let whole = saved(&embeddings()[1]);
    for cut in (0..whole.len()).step_by(101) {
        assert!(Embedding::load(&whole[..cut]).is_err(), "cut at {cut}");
    }
    for bit in (0..8 * whole.len()).step_by(1009) {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Embedding::load(&changed[..]).is_err(), "bit {bit}");
    }
    let mut later = whole;
    later[12] = 7;
    let text = |e: KernelError| e.to_string();
    assert!(text(Embedding::load(&later[..]).expect_err("version 7")).contains("version 7"));
    let formulae = BinaryWriter::new(Vec::new()).and_then(BinaryWriter::finish).expect("writing to memory");
    assert!(text(Embedding::load(&formulae[..]).expect_err("formulae")).contains("`form`"));
}

/// A file in which one frame is changed, with checksums that are right again.
fn changed(file: &[u8], frame: usize, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut reader = ContainerReader::new(file, *b"embd", 1).expect("a header");
    let mut writer = ContainerWriter::new(Vec::new(), *b"embd", 1).expect("writing to memory");
    let mut number = 0;
    while let Some(mut payload) = reader.next_frame().expect("valid") {
        if number == frame {
            change(&mut payload);
        }
        writer.frame(&payload).expect("writing to memory");
        number += 1;
    }
    writer.finish().expect("writing to memory")
}

#[test]
fn numbers_that_are_not_finite_and_negative_weights_are_refused() {
    let whole = saved(&embeddings()[4]);
    // After the description: assignments, weights, mean, projection, variances.
    let with = |frame: usize, number: f64| {
        let bytes = changed(&whole, frame, |payload| payload[8..16].copy_from_slice(&number.to_le_bytes()));
        Embedding::load(&bytes[..]).map_err(|e| e.to_string())
    };
    assert!(with(2, 0.5).is_ok(), "the second frame has weights");
    assert!(with(2, -0.5).expect_err("negative").contains("negative"));
    for frame in 2..=5 {
        for number in [f64::NAN, f64::INFINITY] {
            assert!(with(frame, number).expect_err("not finite").contains("not a finite number"), "{frame}");
        }
    }
}

#[test]
fn npy_files_are_read_back() {
    let matrix = Array2::from_shape_fn((7, 3), |(i, j)| (i * 10 + j) as f64 + 0.25);
    let mut writer = NpyWriter::new(Vec::new(), (7, 3), Precision::F64).expect("writing to memory");
    writer.rows(matrix.slice(ndarray::s![..4, ..])).expect("rows");
    writer.rows(matrix.slice(ndarray::s![4.., ..])).expect("rows");
    let bytes = writer.finish().expect("all rows");
    assert_eq!(Array2::<f64>::read_npy(&bytes[..]).expect("npy"), matrix);

    let mut writer = NpyWriter::new(Vec::new(), (7, 3), Precision::F32).expect("writing to memory");
    writer.rows(matrix.view()).expect("rows");
    let bytes = writer.finish().expect("all rows");
    assert_eq!(Array2::<f32>::read_npy(&bytes[..]).expect("npy"), matrix.mapv(|v| v as f32));

    let mut writer = NpyWriter::new(Vec::new(), (7, 3), Precision::F64).expect("writing to memory");
    assert!(writer.rows(Array2::zeros((2, 4)).view()).is_err(), "four columns of three");
    assert!(writer.finish().is_err(), "rows are missing");
}
