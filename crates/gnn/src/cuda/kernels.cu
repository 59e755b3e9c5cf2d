// Message passing on the GPU: sums over neighbours, GRU gates, attention, and their gradients. All numbers
// are f32 and all matrices row-major.
//
// A graph is given by its incoming edges in compressed sparse rows: row v has the edges offsets[v] to
// offsets[v + 1] (exclusive), and edge e comes from row sources[e]. Gradients flow against the edges, so
// backward kernels read the transposed graph (t_...), where t_edges[i] is the index of an edge in the forward
// graph. Kernels of both directions only gather. There are no atomics, so the same input always gives the
// same bits.
//
// Launch configurations. The result does not depend on the size of the grid. An empty launch (n = 0) is
// invalid.
//   csr_gather, gated_sum_*, gru_gates_*: one thread per element, in any one-dimensional block
//   attention_scores, _forward, _backward_receivers, _backward_messages: one warp per row and head, in a
//       one-dimensional block of whole warps
//   attention_backward_att: a block of x columns by y rows, with x * y floats of dynamic shared memory; the
//       order of summation, and therefore the last bits, depend on y

// Host tests compile this file as C++, with their own definition of shared memory.
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

static const unsigned int WARP = 32;
static const unsigned int ALL_LANES = 0xffffffffu;
static const float SLOPE = 0.2f;

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__device__ inline float leaky_relu(float x) { return x > 0.0f ? x : SLOPE * x; }

__device__ inline float leaky_relu_slope(float x) { return x > 0.0f ? 1.0f : SLOPE; }

// The first element of this thread, and the distance to its next one.
__device__ inline size_t first_element() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ inline size_t element_stride() { return (size_t)gridDim.x * blockDim.x; }

// The same for warps. All lanes of a warp get the same index, so they run the same iterations and may
// shuffle.
__device__ inline size_t first_item() { return first_element() / WARP; }

__device__ inline size_t item_stride() { return element_stride() / WARP; }

__device__ inline unsigned int lane() { return threadIdx.x % WARP; }

// Reductions whose result every lane receives. Lanes are combined in a fixed order.
__device__ inline float warp_sum(float x) {
    for (unsigned int other = WARP / 2; other > 0; other /= 2) {
        x += __shfl_xor_sync(ALL_LANES, x, other);
    }
    return x;
}

__device__ inline float warp_max(float x) {
    for (unsigned int other = WARP / 2; other > 0; other /= 2) {
        x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, other));
    }
    return x;
}

__device__ inline float warp_dot(unsigned int length, const float* a, const float* b) {
    float sum = 0.0f;
    for (unsigned int i = lane(); i < length; i += WARP) {
        sum += a[i] * b[i];
    }
    return warp_sum(sum);
}

// ---- sums over neighbours

// out[v] = sum of weights[e] * x[sources[e]]
extern "C" __global__ void csr_gather(
    unsigned int n,
    unsigned int width,
    const unsigned int* __restrict__ offsets,
    const unsigned int* __restrict__ sources,
    const float* __restrict__ weights,
    const float* __restrict__ x,
    float* __restrict__ out
) {
    for (size_t i = first_element(); i < (size_t)n * width; i += element_stride()) {
        const size_t v = i / width, j = i % width;
        float sum = 0.0f;
        for (unsigned int e = offsets[v]; e < offsets[v + 1]; e++) {
            sum += weights[e] * x[sources[e] * (size_t)width + j];
        }
        out[i] = sum;
    }
}

// Each row of gm holds a gate before its sigmoid and then a value (map), `width` numbers each.
// out[v] = sum of weights[e] * sigmoid(gate[sources[e]]) * map[sources[e]]
extern "C" __global__ void gated_sum_forward(
    unsigned int n,
    unsigned int width,
    const unsigned int* __restrict__ offsets,
    const unsigned int* __restrict__ sources,
    const float* __restrict__ weights,
    const float* __restrict__ gm,
    float* __restrict__ out
) {
    for (size_t i = first_element(); i < (size_t)n * width; i += element_stride()) {
        const size_t v = i / width, j = i % width;
        float sum = 0.0f;
        for (unsigned int e = offsets[v]; e < offsets[v + 1]; e++) {
            const float* row = gm + sources[e] * (2 * (size_t)width);
            sum += weights[e] * sigmoid(row[j]) * row[width + j];
        }
        out[i] = sum;
    }
}

// One thread per element of a *source* row, which gathers the gradients of its receivers.
extern "C" __global__ void gated_sum_backward(
    unsigned int rows,
    unsigned int width,
    const unsigned int* __restrict__ t_offsets,
    const unsigned int* __restrict__ t_targets,
    const float* __restrict__ t_weights,
    const float* __restrict__ gm,
    const float* __restrict__ grad_out,
    float* __restrict__ grad_gm
) {
    for (size_t i = first_element(); i < (size_t)rows * width; i += element_stride()) {
        const size_t w = i / width, j = i % width;
        float grad = 0.0f;
        for (unsigned int e = t_offsets[w]; e < t_offsets[w + 1]; e++) {
            grad += t_weights[e] * grad_out[t_targets[e] * (size_t)width + j];
        }
        const size_t gate = w * (2 * (size_t)width) + j, map = gate + width;
        const float s = sigmoid(gm[gate]);
        grad_gm[gate] = grad * gm[map] * s * (1.0f - s);
        grad_gm[map] = grad * s;
    }
}

// ---- GRU gates

// The three gates of one element. Rows of gi and gh hold reset, update and candidate, in PyTorch's order.
struct Gates {
    float reset, update, candidate;
};

__device__ inline Gates gru_gates(const float* gi, const float* gh, unsigned int width) {
    Gates g;
    g.reset = sigmoid(gi[0] + gh[0]);
    g.update = sigmoid(gi[width] + gh[width]);
    g.candidate = tanhf(gi[2 * (size_t)width] + g.reset * gh[2 * (size_t)width]);
    return g;
}

// out = (1 - update) * candidate + update * h
extern "C" __global__ void gru_gates_forward(
    unsigned int n,
    unsigned int width,
    const float* __restrict__ gi,
    const float* __restrict__ gh,
    const float* __restrict__ h,
    float* __restrict__ out
) {
    for (size_t i = first_element(); i < (size_t)n * width; i += element_stride()) {
        const size_t first = i / width * (3 * (size_t)width) + i % width;
        const Gates g = gru_gates(gi + first, gh + first, width);
        out[i] = (1.0f - g.update) * g.candidate + g.update * h[i];
    }
}

// The gates are recomputed: that is cheaper than storing and reading them.
extern "C" __global__ void gru_gates_backward(
    unsigned int n,
    unsigned int width,
    const float* __restrict__ gi,
    const float* __restrict__ gh,
    const float* __restrict__ h,
    const float* __restrict__ grad,
    float* __restrict__ grad_gi,
    float* __restrict__ grad_gh,
    float* __restrict__ grad_h
) {
    for (size_t i = first_element(); i < (size_t)n * width; i += element_stride()) {
        const size_t first = i / width * (3 * (size_t)width) + i % width;
        const size_t second = first + width, third = second + width;
        const Gates g = gru_gates(gi + first, gh + first, width);
        const float d_update = grad[i] * (h[i] - g.candidate) * g.update * (1.0f - g.update);
        const float d_candidate = grad[i] * (1.0f - g.update) * (1.0f - g.candidate * g.candidate);
        const float d_reset = d_candidate * gh[third] * g.reset * (1.0f - g.reset);
        grad_gi[first] = d_reset;
        grad_gi[second] = d_update;
        grad_gi[third] = d_candidate;
        grad_gh[first] = d_reset;
        grad_gh[second] = d_update;
        grad_gh[third] = d_candidate * g.reset;
        grad_h[i] = grad[i] * g.update;
    }
}

// ---- attention

// out[v, k] = <x[v, k], att[k]>
extern "C" __global__ void attention_scores(
    unsigned int n,
    unsigned int heads,
    unsigned int dim,
    const float* __restrict__ x,
    const float* __restrict__ att,
    float* __restrict__ out
) {
    for (size_t i = first_item(); i < (size_t)n * heads; i += item_stride()) {
        const float score = warp_dot(dim, x + i * dim, att + i % heads * dim);
        if (lane() == 0) {
            out[i] = score;
        }
    }
}

// A row attends to itself and to the sources of its edges, where edge e counts times[e] times:
//   p = softmax of leaky_relu(score_own[v] + score of the row attended to),
//   out[v] = p_0 * own[v] + sum of p_e * msg[sources[e]].
// The attention weights, multiplied by times[e], are stored for the gradients.
extern "C" __global__ void attention_forward(
    unsigned int n,
    unsigned int heads,
    unsigned int dim,
    const unsigned int* __restrict__ offsets,
    const unsigned int* __restrict__ sources,
    const float* __restrict__ times,
    const float* __restrict__ own,
    const float* __restrict__ msg,
    const float* __restrict__ score_own,
    const float* __restrict__ score_msg,
    float* __restrict__ alpha_own,
    float* __restrict__ alpha,
    float* __restrict__ out
) {
    for (size_t i = first_item(); i < (size_t)n * heads; i += item_stride()) {
        const size_t v = i / heads, k = i % heads;
        const unsigned int begin = offsets[v], end = offsets[v + 1];
        const float score = score_own[i];
        const float own_logit = leaky_relu(2.0f * score);

        // An edge that counts 0 times must not determine the maximum: all others could underflow.
        float top = own_logit;
        for (unsigned int e = begin + lane(); e < end; e += WARP) {
            const float logit = leaky_relu(score + score_msg[sources[e] * (size_t)heads + k]);
            alpha[e * (size_t)heads + k] = logit;
            top = times[e] > 0.0f ? fmaxf(top, logit) : top;
        }
        top = warp_max(top);

        // Each lane reads only what it wrote above, so no synchronisation is needed.
        float edges = 0.0f;
        for (unsigned int e = begin + lane(); e < end; e += WARP) {
            const size_t at = e * (size_t)heads + k;
            alpha[at] = times[e] > 0.0f ? times[e] * expf(alpha[at] - top) : 0.0f;
            edges += alpha[at];
        }
        const float own_part = expf(own_logit - top);
        const float total = own_part + warp_sum(edges);
        for (unsigned int e = begin + lane(); e < end; e += WARP) {
            alpha[e * (size_t)heads + k] /= total;
        }
        const float own_alpha = own_part / total;
        if (lane() == 0) {
            alpha_own[i] = own_alpha;
        }

        // From here on, lanes read what other lanes wrote.
        __syncwarp();
        for (unsigned int d = lane(); d < dim; d += WARP) {
            float sum = own_alpha * own[i * dim + d];
            for (unsigned int e = begin; e < end; e++) {
                sum += alpha[e * (size_t)heads + k] * msg[(sources[e] * (size_t)heads + k) * dim + d];
            }
            out[i * dim + d] = sum;
        }
    }
}

// The gradients of the receivers' own rows and scores, and each edge's contribution to the gradient of its
// source's score. With a = <grad_out, row attended to>, the gradient of a softmax input is p * (a - mean of
// a).
extern "C" __global__ void attention_backward_receivers(
    unsigned int n,
    unsigned int heads,
    unsigned int dim,
    const unsigned int* __restrict__ offsets,
    const unsigned int* __restrict__ sources,
    const float* __restrict__ own,
    const float* __restrict__ msg,
    const float* __restrict__ att,
    const float* __restrict__ score_own,
    const float* __restrict__ score_msg,
    const float* __restrict__ alpha_own,
    const float* __restrict__ alpha,
    const float* __restrict__ grad_out,
    float* __restrict__ grad_own,
    float* __restrict__ grad_score_own,
    float* __restrict__ grad_edge
) {
    for (size_t i = first_item(); i < (size_t)n * heads; i += item_stride()) {
        const size_t v = i / heads, k = i % heads;
        const unsigned int begin = offsets[v], end = offsets[v + 1];
        const float* grad = grad_out + i * dim;
        const float own_part = warp_dot(dim, grad, own + i * dim);
        float mean = alpha_own[i] * own_part;
        for (unsigned int e = begin; e < end; e++) {
            const float part = warp_dot(dim, grad, msg + (sources[e] * (size_t)heads + k) * dim);
            mean += alpha[e * (size_t)heads + k] * part;
            if (lane() == 0) {
                grad_edge[e * (size_t)heads + k] = part; // temporarily, until the mean is known
            }
        }

        // The values that lane 0 wrote are divided among all lanes.
        __syncwarp();
        const float score = score_own[i];
        float edges = 0.0f;
        for (unsigned int e = begin + lane(); e < end; e += WARP) {
            const size_t at = e * (size_t)heads + k;
            const float slope = leaky_relu_slope(score + score_msg[sources[e] * (size_t)heads + k]);
            const float g = alpha[at] * (grad_edge[at] - mean) * slope;
            grad_edge[at] = g;
            edges += g;
        }
        // The row's own logit contains its score twice.
        const float own_logit = alpha_own[i] * (own_part - mean) * leaky_relu_slope(2.0f * score);
        const float grad_score = 2.0f * own_logit + warp_sum(edges);
        if (lane() == 0) {
            grad_score_own[i] = grad_score;
        }
        for (unsigned int d = lane(); d < dim; d += WARP) {
            grad_own[i * dim + d] = alpha_own[i] * grad[d] + grad_score * att[k * dim + d];
        }
    }
}

// The gradients of the sources' messages and scores, gathered from their receivers.
extern "C" __global__ void attention_backward_messages(
    unsigned int rows,
    unsigned int heads,
    unsigned int dim,
    const unsigned int* __restrict__ t_offsets,
    const unsigned int* __restrict__ t_targets,
    const unsigned int* __restrict__ t_edges,
    const float* __restrict__ alpha,
    const float* __restrict__ grad_edge,
    const float* __restrict__ att,
    const float* __restrict__ grad_out,
    float* __restrict__ grad_score_msg,
    float* __restrict__ grad_msg
) {
    for (size_t i = first_item(); i < (size_t)rows * heads; i += item_stride()) {
        const size_t w = i / heads, k = i % heads;
        const unsigned int begin = t_offsets[w], end = t_offsets[w + 1];
        float edges = 0.0f;
        for (unsigned int e = begin + lane(); e < end; e += WARP) {
            edges += grad_edge[t_edges[e] * (size_t)heads + k];
        }
        const float grad_score = warp_sum(edges);
        if (lane() == 0) {
            grad_score_msg[i] = grad_score;
        }
        for (unsigned int d = lane(); d < dim; d += WARP) {
            float sum = 0.0f;
            for (unsigned int e = begin; e < end; e++) {
                const float p = alpha[t_edges[e] * (size_t)heads + k];
                sum += p * grad_out[(t_targets[e] * (size_t)heads + k) * dim + d];
            }
            grad_msg[i * dim + d] = sum + grad_score * att[k * dim + d];
        }
    }
}

// out[k, d] += sum over v of x[v, k, d] * grad_score[v, k]
// The threads of a block column divide the rows among themselves; the first one adds their partial sums in
// order.
extern "C" __global__ void attention_backward_att(
    unsigned int rows,
    unsigned int heads,
    unsigned int dim,
    const float* __restrict__ x,
    const float* __restrict__ grad_score,
    float* __restrict__ out
) {
    DYNAMIC_SHARED(float, parts);
    const size_t columns = (size_t)heads * dim;
    // All threads run all iterations, even beyond the last column, since every thread must reach the
    // barriers.
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t left = (size_t)blockIdx.x * blockDim.x; left < columns; left += stride) {
        const size_t column = left + threadIdx.x;
        float sum = 0.0f;
        if (column < columns) {
            for (size_t v = threadIdx.y; v < rows; v += blockDim.y) {
                sum += x[v * columns + column] * grad_score[v * heads + column / dim];
            }
        }
        parts[threadIdx.y * blockDim.x + threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.y == 0 && column < columns) {
            for (unsigned int y = 1; y < blockDim.y; y++) {
                sum += parts[y * blockDim.x + threadIdx.x];
            }
            out[column] += sum;
        }
        __syncthreads(); // before the next iteration overwrites the partial sums
    }
}
