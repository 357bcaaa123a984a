// Attention of packed sentences on the CPU without gradient: softmax(q k^T / sqrt(d)) v within each sentence and head, in
// float32. A sentence's result depends on nothing else in the batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <vector>

#include "group.h"

namespace xalign {

// Arguments from Python (transport/ops/attention.py).
struct Attention {
  const float *q, *k, *v;  // (tokens, heads, size), contiguous, as `out`
  float* out;
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

// One head of a sentence. BLOCK queries at a time lie in lanes, so that no sum is over lanes.
inline void attend(const Attention& call, int64_t first, int count, std::vector<float>& memory) {
  const int size = static_cast<int>(call.size);
  const int64_t row = call.heads * call.size;
  memory.resize((size + count) * BLOCK);
  float *queries = memory.data(), *weights = queries + size * BLOCK;
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  for (int begin = 0; begin < count; begin += BLOCK) {
    const int rows = std::min(BLOCK, count - begin), wide = (rows + W - 1) / W * W;
    const int64_t at = first + begin * row;
    for (int x = 0; x < size; ++x)
      for (int i = 0; i < wide; ++i) queries[x * BLOCK + i] = i < rows ? call.q[at + i * row + x] * scale : 0.0f;
    multiply(count, wide, size, {call.k + first, row, 1}, {queries, BLOCK, 1}, weights, BLOCK);
    for (int i = 0; i < wide; i += W) softmax(weights + i, count, BLOCK);
    multiply(rows, size, count, {weights, 1, BLOCK}, {call.v + first, row, 1}, call.out + at, row);
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
        xalign::attention::attend(*call, (begin * call->heads + head) * call->size, count, memory);
    } catch (const std::bad_alloc&) {
      enough = false;
    }
  }
  return enough ? 0 : 1;
}
