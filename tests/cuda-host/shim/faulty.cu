// Wrong on purpose: every kernel here has a mistake that the shim must report.

// Sums a block, as it should be done or without the barrier between the steps.
extern "C" __global__ void faulty_sum(unsigned int with_barrier, const float* x, float* out) {
    DYNAMIC_SHARED(float, parts);
    parts[threadIdx.x] = x[threadIdx.x];
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (with_barrier) {
            __syncthreads();
        }
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        *out = parts[0];
    }
}

// The threads past the end leave before a barrier.
extern "C" __global__ void faulty_barrier(unsigned int n, float* out) {
    if (threadIdx.x >= n) {
        return;
    }
    __syncthreads();
    out[threadIdx.x] = 1.0f;
}

// The lanes past the end leave before a shuffle.
extern "C" __global__ void faulty_shuffle(unsigned int n, float* out) {
    if (threadIdx.x >= n) {
        return;
    }
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
}

// Writes one element too many.
extern "C" __global__ void faulty_bounds(unsigned int n, float* out) {
    if (threadIdx.x <= n) {
        out[threadIdx.x] = 1.0f;
    }
}

// Reads what another lane wrote, without waiting for it.
extern "C" __global__ void faulty_warp(float* out) {
    DYNAMIC_SHARED(float, values);
    values[threadIdx.x] = (float)threadIdx.x;
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}
