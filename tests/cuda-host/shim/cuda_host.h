// The parts of CUDA that our kernels use, for a host compiler. One block runs at a time, with its threads as
// fibers.
#pragma once

#include <cmath>
#include <cstddef>

struct Index {
    unsigned int x, y, z;
};

// Thread-local, because tests run in parallel: each OS thread has its own launch.
extern thread_local Index threadIdx, blockIdx, blockDim, gridDim;
extern thread_local void* cuda_host_shared;

#define __global__
#define __device__
#define __shared__ static thread_local
#define DYNAMIC_SHARED(type, name) type* name = static_cast<type*>(cuda_host_shared)

// Waits for all threads of the block.
void __syncthreads();

// Waits for all lanes of the warp.
void __syncwarp();

// Returns the value of the lane whose index differs in the bits of `mask`. All lanes of the warp must take
// part.
float __shfl_xor_sync(unsigned int lanes, float value, unsigned int mask);
