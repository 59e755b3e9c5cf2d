//! Memory that is reused from step to step. The buffers of a training step are as large as its batch. If they
//! were returned to the system after every step, it would clear their pages each time, which took a quarter
//! of a step.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Buffers that are free for reuse.
pub struct FreeList<T> {
    free: Mutex<Vec<Vec<T>>>,
}

/// The most memory that a list keeps. It is enough for a few steps of the paper's size; larger batches spend
/// their time elsewhere.
const KEPT_BYTES: usize = 256 << 20;

/// A number type with a list of free buffers.
pub trait Reusable: Copy + Default + Send + 'static {
    /// The list of this type, shared by all threads.
    fn free_list() -> &'static FreeList<Self>;
}

macro_rules! pooled {
    ($($number:ty),*) => {$(
        impl Reusable for $number {
            fn free_list() -> &'static FreeList<Self> {
                static LIST: FreeList<$number> = FreeList { free: Mutex::new(Vec::new()) };
                &LIST
            }
        }
    )*};
}
pooled!(f32, f64);

/// A list of numbers of fixed length. Its memory comes from a list of free buffers and returns there when it
/// is dropped.
pub struct Buffer<T: Reusable> {
    memory: Vec<T>,
    length: usize,
}

impl<T: Reusable> Buffer<T> {
    /// A buffer with unspecified content: write it before you read it.
    pub fn unset(length: usize) -> Self {
        let mut free = T::free_list().free.lock().unwrap_or_else(PoisonError::into_inner);
        // The smallest one that fits, so that large ones are left for those who need them.
        let fitting = free.iter().enumerate().filter(|(_, m)| m.len() >= length).min_by_key(|(_, m)| m.len());
        let memory = match fitting.map(|(index, _)| index) {
            Some(index) => free.swap_remove(index),
            // Rounded up, so that the buffer also fits a slightly larger batch.
            None => vec![T::default(); length.next_multiple_of(1 << 14)],
        };
        Self { memory, length }
    }

    /// A buffer of zeros.
    pub fn zeros(length: usize) -> Self {
        let mut buffer = Self::unset(length);
        buffer.fill(T::default());
        buffer
    }
}

impl<T: Reusable> Drop for Buffer<T> {
    fn drop(&mut self) {
        let mut free = T::free_list().free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = free.iter().map(Vec::len).sum();
        if (kept + self.memory.len()) * size_of::<T>() <= KEPT_BYTES {
            free.push(std::mem::take(&mut self.memory));
        }
    }
}

impl<T: Reusable> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[..self.length]
    }
}

impl<T: Reusable> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[..self.length]
    }
}
