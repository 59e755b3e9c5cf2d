// Runs a kernel on the host. The threads of a block are fibers of one OS thread. Each runs until it waits or
// ends, in an order that the caller chooses. A run is therefore deterministic, and a kernel whose result
// depends on the order has a race.
#include "cuda_host.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <ucontext.h>
#include <vector>

thread_local Index threadIdx, blockIdx, blockDim, gridDim;
thread_local void* cuda_host_shared;

namespace {

constexpr size_t WARP = 32;
constexpr size_t STACK = 64 * 1024;

enum class State { Ready, AtBarrier, InWarp, Ended };

// The same values as in src/fibers.rs.
enum Fault { NONE = 0, SKIPPED_BARRIER = 1, SKIPPED_SHUFFLE = 2 };

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[STACK]};
    State state;
    Index index;
    // The values that a lane offers to the others. There are two, used alternately: a lane may offer its next
    // value while others still read the previous one.
    float offered[2];
    unsigned int turn;
};

struct Block {
    std::vector<Fiber> fibers;
    ucontext_t scheduler;
    size_t running;
    void (*body)(void*);
    void* data;
};

thread_local Block* block;

Fiber& running() { return block->fibers[block->running]; }

void wait(State state) {
    running().state = state;
    swapcontext(&running().context, &block->scheduler);
}

void start() {
    block->body(block->data);
    wait(State::Ended);
}

bool all(size_t begin, size_t end, State state) {
    const auto is = [=](const Fiber& fiber) { return fiber.state == state; };
    return std::all_of(block->fibers.begin() + begin, block->fibers.begin() + end, is);
}

void release(size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        block->fibers[i].state = State::Ready;
    }
}

// Runs every ready fiber until it waits or ends.
void run_ready(bool descending) {
    const size_t count = block->fibers.size();
    for (size_t i = 0; i < count; i++) {
        block->running = descending ? count - 1 - i : i;
        if (running().state == State::Ready) {
            threadIdx = running().index;
            swapcontext(&block->scheduler, &running().context);
        }
    }
}

// Releases the warps whose lanes are all waiting. Returns whether there were any.
bool release_warps() {
    bool released = false;
    const size_t count = block->fibers.size();
    for (size_t begin = 0; begin < count; begin += WARP) {
        const size_t end = std::min(begin + WARP, count);
        if (all(begin, end, State::InWarp)) {
            release(begin, end);
            released = true;
        }
    }
    return released;
}

Fault run_block(bool descending) {
    const size_t count = block->fibers.size();
    for (size_t i = 0; i < count; i++) {
        Fiber& fiber = block->fibers[i];
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = STACK;
        fiber.context.uc_link = nullptr; // a fiber that has ended is never resumed
        makecontext(&fiber.context, start, 0);
        fiber.state = State::Ready;
        fiber.index = Index{unsigned(i % blockDim.x), unsigned(i / blockDim.x), 0};
        fiber.turn = 0;
    }
    for (;;) {
        run_ready(descending);
        if (release_warps()) {
            continue;
        }
        if (all(0, count, State::Ended)) {
            return NONE;
        }
        if (all(0, count, State::AtBarrier)) {
            release(0, count);
            continue;
        }
        // Deadlock: some fibers wait for others that have ended or wait elsewhere.
        const auto in_warp = [](const Fiber& fiber) { return fiber.state == State::InWarp; };
        const bool shuffle = std::any_of(block->fibers.begin(), block->fibers.end(), in_warp);
        return shuffle ? SKIPPED_SHUFFLE : SKIPPED_BARRIER;
    }
}

} // namespace

void __syncthreads() { wait(State::AtBarrier); }

void __syncwarp() { wait(State::InWarp); }

float __shfl_xor_sync(unsigned int, float value, unsigned int mask) {
    Fiber& fiber = running();
    const size_t turn = fiber.turn++ % 2;
    const size_t other = block->running ^ mask;
    fiber.offered[turn] = value;
    wait(State::InWarp);
    return other < block->fibers.size() ? block->fibers[other].offered[turn] : value;
}

// Runs body(data) for every thread of every block. Returns a Fault.
extern "C" int cuda_host_run(
    unsigned int blocks,
    unsigned int block_x,
    unsigned int block_y,
    size_t shared_bytes,
    int descending,
    void (*body)(void*),
    void* data
) {
    Block here{std::vector<Fiber>(size_t(block_x) * block_y), {}, 0, body, data};
    std::unique_ptr<char[]> shared{new char[shared_bytes]};
    block = &here;
    cuda_host_shared = shared.get();
    gridDim = Index{blocks, 1, 1};
    blockDim = Index{block_x, block_y, 1};
    Fault fault = NONE;
    for (unsigned int i = 0; i < blocks && fault == NONE; i++) {
        blockIdx = Index{descending ? blocks - 1 - i : i, 0, 0};
        // All bits set is NaN, so that reading uninitialised memory shows in the result.
        std::memset(shared.get(), 0xff, shared_bytes);
        fault = run_block(descending != 0);
    }
    block = nullptr;
    return fault;
}
