//! Memory that outlives a step. A step's buffers are as large as its batch; given back to the system and asked for again,
//! their pages would be cleared anew each time, which took a quarter of a step.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use crate::fused::real::Real;

/// Buffers that nobody uses, at most so many bytes of them.
pub struct Pool<T> {
    free: Mutex<Vec<Vec<T>>>,
}

/// Enough for a few steps of the paper's size; larger batches spend their time elsewhere.
const KEPT_BYTES: usize = 256 << 20;

impl<T> Pool<T> {
    /// No buffers yet.
    pub const fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }
}

/// A list of numbers of fixed length whose memory comes from a pool and goes back to it.
pub struct Buffer<T: Real> {
    memory: Vec<T>,
    length: usize,
}

impl<T: Real> Buffer<T> {
    /// Numbers of any value, to be written before they are read.
    pub fn unset(length: usize) -> Self {
        let mut free = T::pool().free.lock().unwrap_or_else(PoisonError::into_inner);
        // The smallest that fits, so that large ones are left for those who need them.
        let fitting = free.iter().enumerate().filter(|(_, m)| m.len() >= length).min_by_key(|(_, m)| m.len());
        let memory = match fitting.map(|(at, _)| at) {
            Some(at) => free.swap_remove(at),
            // Rounded up: batches differ a little, and so a buffer fits the next.
            None => vec![T::of(0.0); length.next_multiple_of(1 << 14)],
        };
        Self { memory, length }
    }

    /// Zeros.
    pub fn zeros(length: usize) -> Self {
        let mut buffer = Self::unset(length);
        buffer.fill(T::of(0.0));
        buffer
    }
}

impl<T: Real> Drop for Buffer<T> {
    fn drop(&mut self) {
        let mut free = T::pool().free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = free.iter().map(Vec::len).sum();
        if (kept + self.memory.len()) * size_of::<T>() <= KEPT_BYTES {
            free.push(std::mem::take(&mut self.memory));
        }
    }
}

impl<T: Real> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[..self.length]
    }
}

impl<T: Real> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[..self.length]
    }
}
