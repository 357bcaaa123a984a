// Emulates the part of CUDA that xalign_fairseq/transport/sinkhorn/csrc uses, so that tests run the same kernels
// without a GPU. Each thread of a block is a fiber, which runs until it has to wait for others. Tests choose the order
// of fibers, so that a missing barrier gives wrong results. What CUDA forbids (misaligned vectors, too much shared
// memory, threads that wait at different barriers) aborts the process with a message.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#define __CUDACC__
#define __global__
#define __device__
#define __host__
#define __shared__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

using std::max;
using std::min;

struct alignas(16) float4 {
  float x, y, z, w;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1) : x(x_), y(1), z(1) {}
};

namespace emulator {

constexpr int WARP = 32;
constexpr int MOST_SHARED = 99 * 1024;  // per block, on the smallest GPU
constexpr size_t STACK = 128 * 1024;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "emulated CUDA: %s\n", what);
  std::abort();
}
inline void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

enum Wait { NOTHING, BLOCK, WARPS, DONE };

struct Fiber {
  ucontext_t entry;
  jmp_buf place;  // where it waits; longjmp is much faster than swapcontext
  bool started = false;
  std::vector<char> stack = std::vector<char>(STACK);
  int index = 0;
  Wait wait = NOTHING;
  int flag = 0;      // passed to the barrier
  float given = 0;   // passed to a shuffle
  struct Copy {
    void* to;
    const void* from;
    size_t filled, group;
  };
  std::vector<Copy> copies;
  size_t group = 0;
};

struct Machine {
  std::vector<Fiber> fibers;
  jmp_buf scheduler;
  Fiber* running = nullptr;
  int threads = 0, any = 0;
  unsigned block = 0;
  std::vector<float> shuffled;
  std::function<void()> kernel;
  char* shared = nullptr;
  // Set by tests: whether the last fibers run first, and whether asynchronous copies run at once or when awaited.
  bool last_first = false, eager_copies = false;
  // The hidden states: kernels copy nothing else.
  const char *readable = nullptr, *readable_end = nullptr;
};
inline Machine machine;

__attribute__((noinline)) inline void wait_for(Wait what) {
  Fiber* self = machine.running;
  self->wait = what;
  if (_setjmp(self->place) == 0) _longjmp(machine.scheduler, 1);
}

inline void run_fiber() {
  machine.kernel();
  machine.running->wait = DONE;
  _longjmp(machine.scheduler, 1);
}

// Runs a fiber until it waits or ends.
__attribute__((noinline)) inline void resume(Fiber& fiber) {
  machine.running = &fiber;
  if (_setjmp(machine.scheduler) != 0) return;
  if (fiber.started) _longjmp(fiber.place, 1);
  fiber.started = true;
  setcontext(&fiber.entry);
}

// Releases a warp or the block once all its threads wait.
inline bool release() {
  auto& fibers = machine.fibers;
  const int threads = machine.threads;
  bool released = false;
  for (int warp = 0; warp < threads; warp += WARP) {
    const auto waits = [&](int thread) { return fibers[thread].wait == WARPS; };
    int waiting = 0;
    for (int lane = 0; lane < WARP; ++lane) waiting += waits(warp + lane);
    if (waiting < WARP) continue;
    for (int lane = 0; lane < WARP; ++lane) machine.shuffled[warp + lane] = fibers[warp + lane].given;
    for (int lane = 0; lane < WARP; ++lane) fibers[warp + lane].wait = NOTHING;
    released = true;
  }
  int waiting = 0, any = 0;
  for (int thread = 0; thread < threads; ++thread) waiting += fibers[thread].wait == BLOCK, any |= fibers[thread].flag;
  if (waiting == threads) {
    machine.any = any;
    for (int thread = 0; thread < threads; ++thread) fibers[thread].wait = NOTHING, fibers[thread].flag = 0;
    released = true;
  }
  return released;
}

inline void run_block(unsigned block, int threads, const std::function<void()>& kernel) {
  machine.block = block, machine.threads = threads, machine.kernel = kernel;
  if (int(machine.fibers.size()) < threads) machine.fibers.resize(threads);
  machine.shuffled.assign(threads, 0);
  for (int thread = 0; thread < threads; ++thread) {
    Fiber& fiber = machine.fibers[thread];
    fiber.index = thread, fiber.wait = NOTHING, fiber.flag = 0, fiber.started = false;
    fiber.copies.clear(), fiber.group = 0;
    getcontext(&fiber.entry);
    fiber.entry.uc_stack.ss_sp = fiber.stack.data(), fiber.entry.uc_stack.ss_size = STACK;
    makecontext(&fiber.entry, run_fiber, 0);
  }
  // A warp runs as far as it can before the next one starts.
  for (;;) {
    int done = 0;
    bool moved = false;
    for (int at = 0; at < threads && !moved; at += WARP) {
      const int warp = machine.last_first ? threads - WARP - at : at;
      for (int lane = 0; lane < WARP; ++lane) {
        Fiber& fiber = machine.fibers[machine.last_first ? warp + WARP - 1 - lane : warp + lane];
        done += fiber.wait == DONE;
        if (fiber.wait != NOTHING) continue;
        resume(fiber);
        moved = true;
      }
      moved = release() || moved;
    }
    if (done == threads) return;
    expect(moved, "threads of a block wait at different barriers");
  }
}

inline void copy(const Fiber::Copy& copy) {
  std::memset(copy.to, 0, 16);
  std::memcpy(copy.to, copy.from, copy.filled);
}

struct ThreadIndex {
  struct X {
    operator int() const { return machine.running->index; }
  } x;
};
struct BlockIndex {
  struct X {
    operator unsigned() const { return machine.block; }
  } x;
};

}  // namespace emulator

inline emulator::ThreadIndex threadIdx;
inline emulator::BlockIndex blockIdx;

inline int __syncthreads_or(int flag) {
  emulator::machine.running->flag = flag != 0;
  emulator::wait_for(emulator::BLOCK);
  return emulator::machine.any;
}
inline void __syncthreads() { __syncthreads_or(0); }
inline float __shfl_xor_sync(unsigned mask, float x, int other) {
  emulator::expect(mask == 0xffffffffu, "a shuffle of part of a warp");
  emulator::Fiber* self = emulator::machine.running;
  self->given = x;
  emulator::wait_for(emulator::WARPS);
  return emulator::machine.shuffled[self->index ^ other];
}

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidDevice = 101 };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum { cudaSharedmemCarveoutMaxShared = 100 };
struct cudaFuncAttributes {};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
};

inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "an emulated error"; }
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, Kernel) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, int, int value) {
  emulator::expect(value <= emulator::MOST_SHARED, "more shared memory than a block may have");
  return cudaSuccess;
}

// Runs blocks one by one, with shared memory full of NaN. A block must not write beyond its own part.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const size_t own = config->dynamicSmemBytes;
  const auto is_untouched = [](char byte) { return byte == char(0xff); };
  for (unsigned block = 0; block < config->gridDim.x; ++block) {
    char* shared = emulator::machine.shared;
    std::memset(shared, 0xff, emulator::MOST_SHARED);
    emulator::run_block(block, config->blockDim.x, [&] { kernel(arguments...); });
    emulator::expect(std::all_of(shared + own, shared + emulator::MOST_SHARED, is_untouched),
                     "a write beyond the block's shared memory");
  }
  return cudaSuccess;
}
