// The CPU operator: similarities of one pair after another by a register-tiled product that reads hidden states where
// they are, then algorithm.h with a group of one thread. Pairs are shared out among threads one by one.
#include <algorithm>
#include <new>
#include <vector>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "algorithm.h"

namespace xalign {
namespace {

using G = SerialGroup;
using Lanes = G::Lanes;
constexpr int L = G::LANES;
// R x C sums and R + 1 operands fit the 16 vector registers of AVX2, and 7 loads feed 12 multiply-adds.
constexpr int R = 3, C = 4;
constexpr int ROWS = 63;  // a multiple of R; these rows stay in the second-level cache while all columns pass

struct Side {
  const float* rows;
  int64_t stride;
  int size;
};

Lanes load_tail(const float* from, int count) { return G::load_inside(from, 0, count); }

// The sums over the lanes of four vectors, together a few instructions instead of some for each.
void four_sums(const Lanes x[C], float sums[C]) {
#if defined(__AVX__) && !defined(__AVX512F__)
  static_assert(C == 4 && L == 8);
  const __m256 first = _mm256_hadd_ps((__m256)x[0], (__m256)x[1]), last = _mm256_hadd_ps((__m256)x[2], (__m256)x[3]);
  const __m256 halves = _mm256_hadd_ps(first, last);
  _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
#else
  for (int c = 0; c < C; ++c) sums[c] = G::sum(x[c]);
#endif
}

// out[r][c] = a_r . b_c. Each sum has the same order of additions whatever the tile, so that an entry depends on nothing
// but its own two vectors.
template <int ROWS_, int COLUMNS_>
void tile(const float* a, int64_t a_stride, const float* b, int64_t b_stride, int width, float* out, int out_stride) {
  Lanes sums[ROWS_][COLUMNS_] = {};
  const int whole = width / L * L;
  for (int k = 0; k < whole; k += L) {
    Lanes x[ROWS_];
    for (int r = 0; r < ROWS_; ++r) x[r] = G::load(a + r * a_stride + k);
    for (int c = 0; c < COLUMNS_; ++c) {
      const Lanes y = G::load(b + c * b_stride + k);
      for (int r = 0; r < ROWS_; ++r) sums[r][c] = x[r] * y + sums[r][c];
    }
  }
  if (whole < width) {
    for (int c = 0; c < COLUMNS_; ++c) {
      const Lanes y = load_tail(b + c * b_stride + whole, width - whole);
      for (int r = 0; r < ROWS_; ++r) sums[r][c] = load_tail(a + r * a_stride + whole, width - whole) * y + sums[r][c];
    }
  }
  for (int r = 0; r < ROWS_; ++r) {
    Lanes four[C] = {};
    for (int c = 0; c < COLUMNS_; ++c) four[c] = sums[r][c];
    float found[C];
    four_sums(four, found);
    for (int c = 0; c < COLUMNS_; ++c) out[r * out_stride + c] = found[c];
  }
}

using Tile = void (*)(const float*, int64_t, const float*, int64_t, int, float*, int);
constexpr Tile TILES[R][C] = {
    {tile<1, 1>, tile<1, 2>, tile<1, 3>, tile<1, 4>},
    {tile<2, 1>, tile<2, 2>, tile<2, 3>, tile<2, 4>},
    {tile<3, 1>, tile<3, 2>, tile<3, 3>, tile<3, 4>},
};

// Asks for the beginning of the rows that come next, whose first lines the processor does not see coming.
template <int COUNT, int LINES>
void announce(const Side& side, int first) {
  constexpr int LINE = 16;  // floats
  for (int row = 0; row < COUNT; ++row)
    for (int line = 0; line < LINES; ++line) __builtin_prefetch(side.rows + (first + row) * side.stride + LINE * line);
}

void products(const Side& src, const Side& tgt, int width, float* out, int stride) {
  for (int block = 0; block < src.size; block += ROWS) {
    const int end = std::min(block + ROWS, src.size);
    for (int j = 0; j < tgt.size; j += C) {
      const int columns = std::min(C, tgt.size - j);
      announce<C, 8>(tgt, j + C);
      for (int i = block; i < end; i += R) {
        const int rows = std::min(R, end - i);
        announce<R, 4>(src, i + R);
        TILES[rows - 1][columns - 1](src.rows + i * src.stride, src.stride, tgt.rows + j * tgt.stride, tgt.stride,
                                     width, out + int64_t(i) * stride + j, stride);
      }
    }
  }
}

float widened(uint16_t bits, int64_t dtype) {
  if (dtype == BFLOAT16) {
    const uint32_t wide = uint32_t(bits) << 16;
    float x;
    std::memcpy(&x, &wide, sizeof x);
    return x;
  }
#if defined(__FLT16_MANT_DIG__)
  _Float16 x;
  std::memcpy(&x, &bits, sizeof x);
  return static_cast<float>(x);
#else
  const uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  // Shifted to float's place the exponent is too small by 112, but for infinities and NaN, where it is all ones.
  const uint32_t wide = sign | (magnitude << 13) | (magnitude >= 0x7c00 ? 0x7f800000u : 0u);
  float x;
  std::memcpy(&x, &wide, sizeof x);
  return magnitude >= 0x7c00 ? x : x * 0x1p112f;
#endif
}

// Memory of one thread, kept from call to call unless a pair has been uncommonly long.
struct Scratch {
  static constexpr size_t KEPT = 1 << 22;  // floats of a matrix: 2048 tokens on both sides
  std::vector<float> matrix, vectors, src, tgt;
  static float* reserve(std::vector<float>& memory, int64_t count) {
    if (int64_t(memory.size()) < count) memory.resize(count);
    return memory.data();
  }
};

Side side_of(const Call& call, int64_t pair, int64_t start, int size, std::vector<float>& memory) {
  const int64_t first = pair * call.batch_stride + start * call.token_stride;
  if (call.dtype == FLOAT32) return {static_cast<const float*>(call.hidden) + first, call.token_stride, size};
  const uint16_t* from = static_cast<const uint16_t*>(call.hidden) + first;
  float* rows = Scratch::reserve(memory, int64_t(size) * call.width);
  for (int row = 0; row < size; ++row)
    for (int64_t k = 0; k < call.width; ++k)
      rows[row * call.width + k] = widened(from[row * call.token_stride + k], call.dtype);
  return {rows, call.width, size};
}

int round_up(int count) { return (count + L - 1) / L * L; }

void link_pair(const Call& call, int64_t index, Scratch& scratch) {
  const Span span(call, index);
  Pair pair{};
  pair.n = span.n, pair.m = span.m, pair.stride = round_up(span.m);
  pair.matrix = Scratch::reserve(scratch.matrix, int64_t(pair.n) * pair.stride);
  const int rows = round_up(pair.n);
  pair.place_vectors(Scratch::reserve(scratch.vectors, Pair::vectors(rows, pair.stride, 1)), rows, pair.stride, 1);
  if (call.row_mass) pair.row_mass = call.row_mass + index * call.n;
  if (call.column_mass) pair.column_mass = call.column_mass + index * call.m;
  if (call.similarity) {
    for (int i = 0; i < pair.n; ++i)
      std::copy_n(call.similarity + (index * call.n + i) * call.m, pair.m, pair.row(i));
  } else {
    products(side_of(call, index, span.src, pair.n, scratch.src), side_of(call, index, span.tgt, pair.m, scratch.tgt),
             static_cast<int>(call.width), pair.matrix, pair.stride);
  }
  G group;
  Transport<G> transport(group, pair, call);
  const bool has_plan = pair.n > 0 && pair.m > 0 && transport.plan();
  if (call.plan) {
    float* plan = call.plan + index * call.n * call.m;
    std::fill_n(plan, call.n * call.m, 0.0f);
    for (int i = 0; has_plan && i < pair.n; ++i) std::copy_n(pair.row(i), pair.m, plan + i * call.m);
  } else {
    transport.links(Output(call, index, span), has_plan);
  }
}

// False if there was no memory; an exception must not leave a thread of OpenMP's.
bool link_all(const Call& call) {
  bool enough = true;
#pragma omp parallel for schedule(dynamic) num_threads(static_cast<int>(call.threads)) reduction(&& : enough)
  for (int64_t index = 0; index < call.batch; ++index) {
    static thread_local Scratch scratch;
    try {
      link_pair(call, index, scratch);
      if (scratch.matrix.size() > Scratch::KEPT) scratch = Scratch();
    } catch (const std::bad_alloc&) {
      enough = false;
    }
  }
  return enough;
}

}  // namespace
}  // namespace xalign

// 0, or 1 if there was not enough memory.
extern "C" int64_t xalign_cpu(const xalign::Call* call) {
  return xalign::link_all(*call) ? 0 : 1;
}
