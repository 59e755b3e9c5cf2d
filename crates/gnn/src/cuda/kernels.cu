// Message passing on the GPU: sums over neighbours, gates of a GRU, attention, and their gradients. All numbers are f32,
// all matrices row-major.
//
// A graph is its incoming edges in compressed rows: the edges of row v are offsets[v] .. offsets[v + 1], and sources[e] is
// the row an edge comes from. Gradients flow against the edges, so they take the transposed rows (t_…), whose t_edges[i] is
// the edge's number in the forward rows. Both ways only gather: no atomics, so the same input gives the same bits.
//
// How to launch. No kernel depends on the size of its grid, and none may be launched on nothing (n = 0).
//   one thread an element:  csr_gather, gated_sum_*, gru_gates_*; any block of one dimension
//   one warp a row and head: attention_*; a block of one dimension, of whole warps
//   attention_backward_att: a block of x columns by y rows, with x * y floats of dynamic shared memory; the sum's order,
//                           and so its last bits, depend on y

// The tests compile this file for the host, where shared memory is another thing.
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

static const unsigned int WARP = 32;
static const unsigned int ALL_LANES = 0xffffffffu;
static const float SLOPE = 0.2f;

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__device__ inline float leaky_relu(float x) { return x > 0.0f ? x : SLOPE * x; }

__device__ inline float leaky_relu_slope(float x) { return x > 0.0f ? 1.0f : SLOPE; }

// This thread's first element, and how far it is to its next.
__device__ inline size_t first_element() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ inline size_t element_stride() { return (size_t)gridDim.x * blockDim.x; }

// The same for warps: all lanes of a warp get the same number, so they take the same turns and may shuffle.
__device__ inline size_t first_item() { return first_element() / WARP; }

__device__ inline size_t item_stride() { return element_stride() / WARP; }

__device__ inline unsigned int lane() { return threadIdx.x % WARP; }

// Every lane gets the sum, or the largest; by pairs of lanes, always the same ones.
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

// A row of gm is a gate before its sigmoid, then a map, each of `width`.
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

// One thread an element of a *source* row: it gathers what its receivers got.
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

// ---- gates of a GRU

// The three gates of one element: rows of gi and gh are reset, update, candidate, as PyTorch has them.
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

// The gates are computed again rather than kept: that costs less than reading them.
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

// A row listens to itself and to its edges, edge e counting times[e] times:
//   p = softmax of leaky_relu(score_own[v] + score of the other), out[v] = p_0 * own[v] + sum of p_e * msg[sources[e]]
// The probabilities, multiplicity included, are kept for the gradients.
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

        // An edge that counts 0 times must not set the maximum: the others could then all underflow.
        float top = own_logit;
        for (unsigned int e = begin + lane(); e < end; e += WARP) {
            const float logit = leaky_relu(score + score_msg[sources[e] * (size_t)heads + k]);
            alpha[e * (size_t)heads + k] = logit;
            top = times[e] > 0.0f ? fmaxf(top, logit) : top;
        }
        top = warp_max(top);

        // Each lane reads here what it wrote above.
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

        // From here on a lane reads what the others wrote.
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

// Gradients of what belongs to the receivers: their own rows and scores, and each edge's part of its source's score.
// With a = <grad_out, what is listened to>, the softmax gives p * (a - mean of a).
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
                grad_edge[e * (size_t)heads + k] = part; // until the mean is known
            }
        }

        // The lanes share out the edges that lane 0 wrote.
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
        // The row's own score counts twice in its own logit.
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

// Gradients of what belongs to the sources, gathered from their receivers.
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
// Threads below each other share out the rows of a column; the first adds their parts from top to bottom.
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
    // Every thread takes every turn, past the last column too: a barrier is for the whole block.
    for (size_t left = (size_t)blockIdx.x * blockDim.x; left < columns; left += (size_t)gridDim.x * blockDim.x) {
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
        __syncthreads(); // before the next turn writes over the parts
    }
}
