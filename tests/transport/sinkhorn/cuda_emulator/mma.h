// The 16 x 16 x 16 products of tensor cores. Each lane holds whole operands and half a row of the sums.
#pragma once

#include "cuda_runtime.h"

struct __nv_bfloat16 {
  uint16_t bits;
  __nv_bfloat16() = default;
  explicit __nv_bfloat16(float) : bits(0) {}  // only for 0
  explicit operator float() const {
    const uint32_t wide = uint32_t(bits) << 16;
    float x;
    std::memcpy(&x, &wide, sizeof x);
    return x;
  }
};
using __half = _Float16;

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major };

constexpr int EDGE = 16, EACH = EDGE * EDGE / emulator::WARP;

template <class Use, int M, int N, int K, class Element, class Layout = void>
struct fragment {
  static_assert(M == EDGE && N == EDGE && K == EDGE);
  float x[EDGE][EDGE];
};

inline int lane() { return threadIdx.x % emulator::WARP; }
inline int own_row() { return lane() * EACH / EDGE; }
inline int own_column() { return lane() * EACH % EDGE; }

inline void check(const void* at, unsigned step, int unit) {
  emulator::expect(uintptr_t(at) % 32 == 0, "a tensor core operand that is not aligned to 32 bytes");
  emulator::expect(step % unit == 0, "a tensor core operand with a stride that is not a multiple of 16 bytes");
}

template <class Fragment>
void fill_fragment(Fragment& to, float x) {
  for (auto& row : to.x) std::fill_n(row, EDGE, x);
}

// Operand rows are rows of a and columns of b.
template <class Use, class Element, class Layout>
void load_matrix_sync(fragment<Use, EDGE, EDGE, EDGE, Element, Layout>& to, const Element* from, unsigned step) {
  check(from, step, 16 / sizeof(Element));
  for (int row = 0; row < EDGE; ++row)
    for (int k = 0; k < EDGE; ++k) to.x[row][k] = static_cast<float>(from[row * step + k]);
}

template <class Element>
void mma_sync(fragment<accumulator, EDGE, EDGE, EDGE, float>& to,
              const fragment<matrix_a, EDGE, EDGE, EDGE, Element, row_major>& a,
              const fragment<matrix_b, EDGE, EDGE, EDGE, Element, col_major>& b,
              const fragment<accumulator, EDGE, EDGE, EDGE, float>& sums) {
  const int row = own_row();
  for (int column = own_column(); column < own_column() + EACH; ++column) {
    float sum = sums.x[row][column];
    for (int k = 0; k < EDGE; ++k) sum += a.x[row][k] * b.x[column][k];
    to.x[row][column] = sum;
  }
}

inline void store_matrix_sync(float* to, const fragment<accumulator, EDGE, EDGE, EDGE, float>& from, unsigned step,
                              layout_t) {
  check(to, step, 4);
  std::copy_n(&from.x[own_row()][own_column()], EACH, to + own_row() * step + own_column());
}

}  // namespace nvcuda::wmma
