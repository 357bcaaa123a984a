// Attention of packed sentences on the CPU without gradient: softmax(q k^T / sqrt(d)) v within each sentence and head, in
// float32. A sentence's result depends on nothing else in the batch. Inputs and output are float32 or bfloat16.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "group.h"

namespace xalign {

// Arguments from Python (transport/ops/attention.py).
struct Attention {
  const void *q, *k, *v;  // (tokens, heads, size), contiguous, as `out`
  void* out;
  int64_t bfloat16;  // whether they are bfloat16 instead of float32
  int64_t heads, size, sentences;
  const int64_t* offsets;  // (sentences + 1): where the sentences begin, and the end
  int64_t threads;
};

namespace attention {

using G = SerialGroup;
using Lanes = G::Lanes;
constexpr int W = G::LANES, ROWS = W == 16 ? 8 : 4, BLOCK = 4 * W;

// The element (i, j) of a matrix is at[i * down + j * right].
struct Matrix {
  const float* at;
  int64_t down, right;
};

// out = a b for `rows` (up to R) and C vectors of columns, whose sums stay in registers.
template <int R, int C>
void tile(int rows, int count, const Matrix& a, const Matrix& b, float* out, int64_t stride) {
  if constexpr (R > 1)
    if (rows < R) return tile<R - 1, C>(rows, count, a, b, out, stride);
  Lanes sums[R][C] = {};
  for (int i = 0; i < count; ++i) {
    Lanes values[C];
    for (int c = 0; c < C; ++c) values[c] = G::load(b.at + i * b.down + c * W);
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) sums[r][c] += a.at[r * a.down + i * a.right] * values[c];
  }
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c) G::store(out + r * stride + c * W, sums[r][c]);
}

// out (rows, columns) = a b, with `count` products for each; columns is a multiple of W.
inline void multiply(int rows, int columns, int count, const Matrix& a, const Matrix& b, float* out, int64_t stride) {
  for (int i = 0; i < rows; i += ROWS)
    for (int j = 0; j < columns; j += 2 * W)
      (j + W < columns ? tile<ROWS, 2> : tile<ROWS, 1>)(std::min(ROWS, rows - i), count,
                                                        {a.at + i * a.down, a.down, a.right}, {b.at + j, b.down, 1},
                                                        out + i * stride + j, stride);
}

// Softmax of each column of x (count, W).
inline void softmax(float* x, int count, int64_t stride) {
  Lanes highest = G::load(x), sums = {};
  for (int j = 1; j < count; ++j) {
    const Lanes other = G::load(x + j * stride);
    highest = other > highest ? other : highest;
  }
  for (int j = 0; j < count; ++j) {
    const Lanes weight = G::exp(G::load(x + j * stride) - highest);
    G::store(x + j * stride, weight), sums += weight;
  }
  const Lanes factor = 1.0f / sums;
  for (int j = 0; j < count; ++j) G::store(x + j * stride, G::load(x + j * stride) * factor);
}

inline float widened(float x) { return x; }
inline float widened(uint16_t x) {
  const uint32_t bits = uint32_t(x) << 16;
  float wide;
  std::memcpy(&wide, &bits, sizeof wide);
  return wide;
}

inline void narrow(float x, float* to) { *to = x; }
inline void narrow(float x, uint16_t* to) {  // to the nearest, ties to even
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  *to = static_cast<uint16_t>(x == x ? (bits + 0x7fff + ((bits >> 16) & 1)) >> 16 : 0x7fc0);
}

// `count` rows of one head, which are `row` apart: in place, or widened in `memory`.
inline Matrix rows_of(const float* from, int64_t row, int, int, float*) { return {from, row, 1}; }
inline Matrix rows_of(const uint16_t* from, int64_t row, int count, int size, float* memory) {
  for (int i = 0; i < count; ++i)
    for (int x = 0; x < size; ++x) memory[i * size + x] = widened(from[i * row + x]);
  return {memory, size, 1};
}

// One head of a sentence. BLOCK queries at a time lie in lanes, so that no sum is over lanes.
template <class Number>
void attend(const Attention& call, int64_t first, int count, std::vector<float>& memory) {
  const int size = static_cast<int>(call.size);
  const int64_t row = call.heads * call.size;
  memory.resize(2 * size * (count + BLOCK) + count * BLOCK);
  float *scratch = memory.data() + 2 * size * count, *queries = scratch + size * BLOCK, *weights = queries + size * BLOCK;
  const auto read = [&](const void* of, int begin, int many, float* to) {
    return rows_of(static_cast<const Number*>(of) + first + begin * row, row, many, size, to);
  };
  const Matrix keys = read(call.k, 0, count, memory.data());
  const Matrix values = read(call.v, 0, count, memory.data() + size * count);
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  for (int begin = 0; begin < count; begin += BLOCK) {
    const int here = std::min(BLOCK, count - begin), wide = (here + W - 1) / W * W;
    const Matrix own = read(call.q, begin, here, scratch);
    for (int i = 0; i < wide; ++i)
      for (int x = 0; x < size; ++x) queries[x * BLOCK + i] = i < here ? own.at[i * own.down + x] * scale : 0.0f;
    multiply(count, wide, size, keys, {queries, BLOCK, 1}, weights, BLOCK);
    for (int i = 0; i < wide; i += W) softmax(weights + i, count, BLOCK);
    multiply(here, size, count, {weights, 1, BLOCK}, values, scratch, size);
    Number* out = static_cast<Number*>(call.out) + first + begin * row;
    for (int i = 0; i < here; ++i)
      for (int x = 0; x < size; ++x) narrow(scratch[i * size + x], out + i * row + x);
  }
}

}  // namespace attention
}  // namespace xalign

// Returns 0, or 1 if memory runs out.
extern "C" int64_t xalign_attention(const xalign::Attention* call) {
  bool enough = true;
#pragma omp parallel for schedule(dynamic) num_threads(static_cast<int>(call->threads)) reduction(&& : enough)
  for (int64_t sentence = 0; sentence < call->sentences; ++sentence) {
    static thread_local std::vector<float> memory;
    const int64_t begin = call->offsets[sentence];
    const int count = static_cast<int>(call->offsets[sentence + 1] - begin);
    try {
      for (int64_t head = 0; head < call->heads; ++head)
        (call->bfloat16 ? xalign::attention::attend<uint16_t> : xalign::attention::attend<float>)(
            *call, (begin * call->heads + head) * call->size, count, memory);
    } catch (const std::bad_alloc&) {
      enough = false;
    }
  }
  return enough ? 0 : 1;
}
