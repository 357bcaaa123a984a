// One tile of a pair's similarities on CUDA. Hidden states are read in place, one slice of all rows at a time, while
// the slice before it is multiplied. float32 uses fused multiply-adds. 16-bit types use tensor cores with float32 sums.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "group.h"

namespace xalign {

constexpr int VECTOR = 16;         // bytes per copy by one thread
constexpr int SLICE = 128;         // bytes of a row in one stage
constexpr int PITCH = SLICE + 16;  // bytes between rows of a stage; puts eight rows in different banks

// T x T tiles, each for a block of 4 T threads.
template <int T>
struct Tile {
  static constexpr int THREADS = 4 * T, WARPS = T / 8;
  static constexpr int BLOCKS = T == 32 ? 8 : T == 64 ? 4 : 2;  // per multiprocessor
  // 128 x 128 fits into the 99 KiB per block of every GPU since compute capability 8.0.
  static constexpr int STAGES = T == 128 ? 2 : 3;
  static constexpr int STAGE = 2 * T * PITCH;
};

// Consecutive tokens of one side.
struct Tokens {
  const char* first;
  int64_t stride;  // bytes
  int count;
};

struct Sides {
  Tokens src, tgt;
  int bytes;     // per row
  bool aligned;  // every row starts at a multiple of VECTOR
};

// Copies VECTOR bytes to shared memory asynchronously: `filled` bytes, then zeros. Addresses are multiples of VECTOR.
__device__ __forceinline__ void copy_async(char* to, const char* from, int filled) {
#ifdef __CUDA_ARCH__
  // The intrinsic needs a constant number of zeros: it compiles a variable to one branch per value.
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "r"(filled)
               : "memory");
#else
  __pipeline_memcpy_async(to, from, VECTOR, VECTOR - filled);
#endif
}

// Copies bytes [begin, begin + SLICE) of each row to a stage: T source rows, then T target rows. Pads with 0.
template <int T, class Element>
__device__ __forceinline__ void fetch(char* stage, const Sides& sides, int begin) {
  // A thread copies the same bytes of every DOWN-th row.
  constexpr int ACROSS = SLICE / VECTOR, DOWN = Tile<T>::THREADS / ACROSS;
  static_assert(T % DOWN == 0);
  const int row = threadIdx.x / ACROSS, within = threadIdx.x % ACROSS * VECTOR, byte = begin + within;
  const int left = sides.bytes - byte, most = left < 0 ? 0 : left < VECTOR ? left : VECTOR;
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const Tokens& tokens = side == 0 ? sides.src : sides.tgt;
#pragma unroll 1
    for (int token = row; token < row + T; token += DOWN) {
      const int filled = token < tokens.count ? most : 0;
      const char* from = tokens.first + (filled > 0 ? token * tokens.stride + byte : 0);
      char* to = stage + (side * T + token) * PITCH + within;
      if (sides.aligned) {
        copy_async(to, from, filled);
      } else {
        for (int at = 0; at < VECTOR; at += int(sizeof(Element)))
          *reinterpret_cast<Element*>(to + at) =
              at < filled ? *reinterpret_cast<const Element*>(from + at) : Element(0.0f);
      }
    }
  }
}

// The sums of one tile, spread over the threads of its block.
template <int T, class Element>
class Product {
  static constexpr int EDGE = 16;  // of a tensor core tile
  static constexpr int WARPS_ACROSS = T == 128 ? 4 : 2, WARPS_DOWN = Tile<T>::WARPS / WARPS_ACROSS;
  static constexpr int DOWN = T / EDGE / WARPS_DOWN, ACROSS = T / EDGE / WARPS_ACROSS;  // tiles per warp
  static constexpr int STEP = PITCH / int(sizeof(Element));

 public:
  __device__ Product() : row_(warp() / WARPS_ACROSS * DOWN * EDGE), column_(warp() % WARPS_ACROSS * ACROSS * EDGE) {
    for (auto& row : sums_)
      for (auto& sum : row) nvcuda::wmma::fill_fragment(sum, 0.0f);
  }

  __device__ void add(const char* stage) {
    using namespace nvcuda::wmma;
    const Element* src = reinterpret_cast<const Element*>(stage) + row_ * STEP;
    const Element* tgt = reinterpret_cast<const Element*>(stage) + (T + column_) * STEP;
#pragma unroll 2
    for (int k = 0; k < SLICE / int(sizeof(Element)); k += EDGE) {
      fragment<matrix_a, EDGE, EDGE, EDGE, Element, row_major> a[DOWN];
#pragma unroll
      for (int r = 0; r < DOWN; ++r) load_matrix_sync(a[r], src + r * EDGE * STEP + k, STEP);
#pragma unroll
      for (int c = 0; c < ACROSS; ++c) {
        fragment<matrix_b, EDGE, EDGE, EDGE, Element, col_major> b;
        load_matrix_sync(b, tgt + c * EDGE * STEP + k, STEP);
#pragma unroll
        for (int r = 0; r < DOWN; ++r) mma_sync(sums_[r][c], a[r], b, sums_[r][c]);
      }
    }
  }

  // Skips columns from `stride` on. It is a multiple of 32.
  __device__ void write(float* matrix, int stride) const {
#pragma unroll
    for (int r = 0; r < DOWN; ++r)
#pragma unroll
      for (int c = 0; c < ACROSS; ++c)
        if (column_ + c * EDGE < stride)
          nvcuda::wmma::store_matrix_sync(matrix + (row_ + r * EDGE) * stride + column_ + c * EDGE, sums_[r][c], stride,
                                          nvcuda::wmma::mem_row_major);
  }

 private:
  __device__ static int warp() { return threadIdx.x / 32; }
  const int row_, column_;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, EDGE, EDGE, EDGE, float> sums_[DOWN][ACROSS];
};

template <int T>
class Product<T, float> {
  static constexpr int THREADS_DOWN = 16, THREADS_ACROSS = Tile<T>::THREADS / THREADS_DOWN;
  static constexpr int DOWN = T / THREADS_DOWN, ACROSS = T / THREADS_ACROSS;
  static constexpr int STEP = PITCH / int(sizeof(float));

 public:
  __device__ Product() : row_(threadIdx.x / THREADS_ACROSS), column_(threadIdx.x % THREADS_ACROSS), sums_{} {}

  __device__ void add(const char* stage) {
    const float* src = reinterpret_cast<const float*>(stage) + row_ * STEP;
    const float* tgt = reinterpret_cast<const float*>(stage) + (T + column_) * STEP;
#pragma unroll 1
    for (int k = 0; k < SLICE / int(sizeof(float)); k += 4) {
      float4 y[ACROSS];
#pragma unroll
      for (int c = 0; c < ACROSS; ++c) y[c] = four(tgt + c * THREADS_ACROSS * STEP + k);
#pragma unroll
      for (int r = 0; r < DOWN; ++r) {
        const float4 x = four(src + r * THREADS_DOWN * STEP + k);
#pragma unroll
        for (int c = 0; c < ACROSS; ++c) {
          float& sum = sums_[r][c];
          sum = fmaf(x.x, y[c].x, sum);
          sum = fmaf(x.y, y[c].y, sum);
          sum = fmaf(x.z, y[c].z, sum);
          sum = fmaf(x.w, y[c].w, sum);
        }
      }
    }
  }

  __device__ void write(float* matrix, int stride) const {
#pragma unroll
    for (int r = 0; r < DOWN; ++r)
#pragma unroll
      for (int c = 0; c < ACROSS; ++c) {
        const int column = column_ + c * THREADS_ACROSS;
        if (column < stride) matrix[(row_ + r * THREADS_DOWN) * stride + column] = sums_[r][c];
      }
  }

 private:
  __device__ static float4 four(const float* from) { return *reinterpret_cast<const float4*>(from); }
  const int row_, column_;
  float sums_[DOWN][ACROSS];
};

// matrix (T, stride) = src tgt^T. The matrix may overlap the stages. All threads of the block take part, and may read
// the matrix afterwards.
template <int T, class Element>
__device__ __forceinline__ void multiply(const Sides& sides, char* stages, float* matrix, int stride) {
  constexpr int STAGES = Tile<T>::STAGES, STAGE = Tile<T>::STAGE;
  const int slices = (sides.bytes + SLICE - 1) / SLICE;
  Product<T, Element> product;
  // Commits one copy group per slice, even past the last slice, so that group and slice numbers match.
  for (int slice = 0; slice < STAGES - 1; ++slice) {
    if (slice < slices) fetch<T, Element>(stages + slice * STAGE, sides, slice * SLICE);
    __pipeline_commit();
  }
  for (int slice = 0; slice < slices; ++slice) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();  // all threads see the slice, and none still reads the one before it
    const int next = slice + STAGES - 1;
    if (next < slices) fetch<T, Element>(stages + next % STAGES * STAGE, sides, next * SLICE);
    __pipeline_commit();
    product.add(stages + slice % STAGES * STAGE);
  }
  __syncthreads();
  product.write(matrix, stride);
  __syncthreads();
}

}  // namespace xalign
