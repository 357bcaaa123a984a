// The arguments of the native operators: one plain structure for all backends (see ../fused.py).
#pragma once

#include <cstdint>

namespace xalign {

enum Dtype : int64_t { FLOAT32 = 0, BFLOAT16 = 1, FLOAT16 = 2 };
enum Filter : int64_t { ITERMAX = 0, ARGMAX = 1, UNION = 2, ITERMAX_PAPER = 3 };  // the order of names.FILTERS

struct Call {
  // Hidden states (batch, length, width) with a dense last dimension and strides in elements; or dense float32
  // similarities (batch, n, m).
  const void* hidden;
  const float* similarity;
  int64_t dtype, batch, length, width, batch_stride, token_stride;
  const int64_t* spans;  // (batch, 4): [src start, src end, tgt start, tgt end)
  int64_t n, m;          // the longest sides; tokens beyond them are not read
  const float* row_mass;     // (batch, n) or null: all 1
  const float* column_mass;  // (batch, m) or null: all 1
  // Sinkhorn and filter; log_domain and rows_first are 0 or 1.
  int64_t iterations, rows_first, log_domain, filter, rounds;
  double mu, eps, alpha;
  // Outputs: partners (rounds, batch, length) of partner_bytes each, and link probabilities of the same shape unless
  // null. If plan is not null, only the plan (batch, n, m) is written. If `highest` is 1, partners has one round, with
  // the highest partner of each token. `highest` is 0 for the union, which stores each link at one of its tokens.
  void* partners;
  int64_t partner_bytes;  // 2 or 4
  int64_t highest;
  float* probability;
  float* plan;
  // How to run: threads on the CPU; device, stream and workspace on CUDA.
  int64_t threads, device;
  void* stream;
  float* workspace;
};

}  // namespace xalign
