// The names of CUDA that our kernels use, for a host compiler. One block runs at a time, its threads as fibers.
#pragma once

#include <cmath>
#include <cstddef>

struct Index {
    unsigned int x, y, z;
};

// Of the launch that this OS thread runs: tests run in parallel.
extern thread_local Index threadIdx, blockIdx, blockDim, gridDim;
extern thread_local void* cuda_host_shared;

#define __global__
#define __device__
#define __shared__ static thread_local
#define DYNAMIC_SHARED(type, name) type* name = static_cast<type*>(cuda_host_shared)

// Waits for the block.
void __syncthreads();

// Waits for the warp.
void __syncwarp();

// The value of the lane whose number differs by the bits of `mask`. All lanes must take part.
float __shfl_xor_sync(unsigned int lanes, float value, unsigned int mask);
