// Every kernel here is incorrect on purpose, and the shim must report its fault.

// Sums the numbers of a block, with or without the necessary barrier between steps.
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

// Threads beyond the end return before a barrier.
extern "C" __global__ void faulty_barrier(unsigned int n, float* out) {
    if (threadIdx.x >= n) {
        return;
    }
    __syncthreads();
    out[threadIdx.x] = 1.0f;
}

// Lanes beyond the end return before a shuffle.
extern "C" __global__ void faulty_shuffle(unsigned int n, float* out) {
    if (threadIdx.x >= n) {
        return;
    }
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
}

// Writes one element beyond the end.
extern "C" __global__ void faulty_bounds(unsigned int n, float* out) {
    if (threadIdx.x <= n) {
        out[threadIdx.x] = 1.0f;
    }
}

// Reads what another lane writes, without synchronisation.
extern "C" __global__ void faulty_warp(float* out) {
    DYNAMIC_SHARED(float, values);
    values[threadIdx.x] = (float)threadIdx.x;
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}
