//! Memory limits while reading: streams hold one formula at a time, and no text or file makes the reader
//! allocate more than a constant times the input's size. This is a separate test binary, because it counts
//! every allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use logicvae_logic::{BinaryWriter, ContainerWriter, Formula, FormulaReader, SamplerParams, x};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded to the system's allocator unchanged; the wrapper only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak of memory in use, beyond what was in use before.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    PEAK.load(Relaxed) - before
}

/// Generates lines on demand, so that there is no file in memory.
struct Lines {
    left: usize,
}

const LINE: &[u8] = b"x1 & !x2 | x3 & (x4 | !x5) & x1 | x2 & x3\n";

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let lines = (buffer.len() / LINE.len()).min(self.left);
        buffer.chunks_exact_mut(LINE.len()).take(lines).for_each(|place| place.copy_from_slice(LINE));
        self.left -= lines;
        Ok(lines * LINE.len())
    }
}

fn streams_hold_one_formula_at_a_time() {
    let mut nodes = 0;
    let peak = peak_of(|| {
        let source = BufReader::with_capacity(1 << 16, Lines { left: 1_000_000 });
        nodes = FormulaReader::new(source).expect("text").map(|f| f.expect("a formula").size()).sum();
    });
    assert_eq!(nodes, 17_000_000);
    assert!(peak < 1 << 18, "{peak} bytes for a million formulae of text");

    let formula = x(1) & !x(2);
    let mut writer = BinaryWriter::new(Vec::new()).expect("writing to memory");
    (0..1_000_000).for_each(|_| writer.write(&formula).expect("writing to memory"));
    let file = writer.finish().expect("writing to memory");
    let peak = peak_of(|| assert_eq!(FormulaReader::new(&file[..]).expect("a container").count(), 1_000_000));
    assert!(peak < 1 << 20, "{peak} bytes for a million formulae of a container");
}

/// A million formulae in memory take the space of their nodes, a header each, and a hash table for the
/// duplicates.
fn a_million_formulae_take_what_they_take() {
    let sampler = SamplerParams::new(5).check().expect("valid settings");
    let mut kept = Vec::new();
    let peak = peak_of(|| kept = sampler.distinct(1, 1_000_000).expect("enough formulae"));
    let bytes: usize = kept.iter().map(|f| 4 * f.size() + 16 + 16).sum();
    assert!(peak < 3 * bytes, "{peak} bytes at the peak for {bytes} bytes of formulae");
}

fn strange_input_takes_a_constant_times_its_size() {
    let mut lengths = b"LOGICVAEform\x01\0\0\0".to_vec();
    lengths.extend([0xff; 40]); // declares a length of four gigabytes
    let mut container = ContainerWriter::new(Vec::new(), *b"form", 1).expect("writing to memory");
    container.frame(&[2; 100_000]).expect("writing to memory"); // a tree without leaves
    let endless = container.finish().expect("writing to memory");
    let inputs: Vec<Vec<u8>> = vec![
        "(".repeat(200_000).into(),
        "!".repeat(200_000).into(),
        vec!["x1"; 50_000].join(" <-> ").into(),
        vec!["x1"; 30].join(" ^ ").into(),
        vec!["(x1"; 50_000].join(" ^ ").into(),
        "x9".repeat(100_000).into(),
        "x16777216 & ".repeat(10_000).into(),
        "x1\n".repeat(100_000).into(),
        vec![0xff; 100_000],
        lengths,
        endless,
    ];
    for input in inputs {
        let start = String::from_utf8_lossy(&input[..20]).into_owned();
        let peak = peak_of(|| {
            let _ = FormulaReader::new(&input[..])
                .map(|reader| reader.map(|f| f.map(|f: Formula| f.size())).collect::<Vec<_>>());
        });
        assert!(peak < (2 << 20) + 1100 * input.len(), "{peak} bytes for {} of `{start}…`", input.len());
    }
}

/// A single test, so that no other test allocates at the same time.
#[test]
fn memory_stays_within_what_the_input_takes() {
    streams_hold_one_formula_at_a_time();
    strange_input_takes_a_constant_times_its_size();
    a_million_formulae_take_what_they_take();
}
