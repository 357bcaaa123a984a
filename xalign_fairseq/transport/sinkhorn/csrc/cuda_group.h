// A CUDA thread block as a thread group (group.h). Its workers are warps.
#pragma once

#include "group.h"

namespace xalign {

template <int WARPS>
class BlockGroup {
 public:
  static constexpr int LANES = 32;
  using Lanes = float;

  __device__ static int lane() { return threadIdx.x % LANES; }
  __device__ int rank() const { return threadIdx.x / LANES; }
  __device__ int size() const { return WARPS; }
  __device__ int thread() const { return threadIdx.x; }
  __device__ int threads() const { return WARPS * LANES; }
  __device__ bool leads() const { return lane() == 0; }
  __device__ void sync() const { __syncthreads(); }
  __device__ bool any(bool flag) const { return __syncthreads_or(flag); }

  __device__ static Lanes load(const float* from) { return from[lane()]; }
  __device__ static void store(float* to, Lanes x) { to[lane()] = x; }
  __device__ static Lanes load_inside(const float* from, int first, int end) {
    return first + lane() < end ? from[first + lane()] : 0.0f;
  }
  __device__ static Lanes places(int first) { return static_cast<float>(first + lane()); }
  __device__ static Lanes splat(float x) { return x; }

  // A butterfly reduction: a + b equals b + a, so all lanes end with the same bits.
  __device__ static float sum(Lanes x) {
#pragma unroll
    for (int other = LANES / 2; other > 0; other /= 2) x += __shfl_xor_sync(ALL, x, other);
    return x;
  }
  __device__ static float max(Lanes x) {
#pragma unroll
    for (int other = LANES / 2; other > 0; other /= 2) {
      const float its = __shfl_xor_sync(ALL, x, other);
      x = its > x ? its : x;
    }
    return x;
  }
  __device__ static Best best(Lanes x, Lanes at) {
#pragma unroll
    for (int other = LANES / 2; other > 0; other /= 2) {
      const float its = __shfl_xor_sync(ALL, x, other), its_at = __shfl_xor_sync(ALL, at, other);
      const bool better = its > x || (its == x && its_at < at);
      x = better ? its : x;
      at = better ? its_at : at;
    }
    return {x, at};
  }

  __device__ static Lanes exp(Lanes x) { return expf(x); }
  __device__ static Lanes log(Lanes x) { return logf(x); }
  __device__ static float scalar_exp(float x) { return expf(x); }
  __device__ static float scalar_log(float x) { return logf(x); }
  __device__ static float scalar_sqrt(float x) { return sqrtf(x); }

 private:
  static constexpr unsigned ALL = 0xffffffffu;
};

}  // namespace xalign
