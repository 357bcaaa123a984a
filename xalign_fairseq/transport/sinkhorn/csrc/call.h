// What Python hands to the native operators: one plain structure, the same for all backends (see ../fused.py).
#pragma once

#include <cstdint>

namespace xalign {

enum Dtype : int64_t { FLOAT32 = 0, BFLOAT16 = 1, FLOAT16 = 2 };
enum Filter : int64_t { ITERMAX = 0, ARGMAX = 1, UNION = 2, ITERMAX_PAPER = 3 };  // the order of names.FILTERS

struct Call {
  // Hidden states (batch, length, width), the last dimension dense, strides in elements; or, in their place, ready-made
  // similarities (batch, n, m), dense float32.
  const void* hidden;
  const float* similarity;
  int64_t dtype, batch, length, width, batch_stride, token_stride;
  const int64_t* spans;  // (batch, 4): [src start, src end, tgt start, tgt end)
  int64_t n, m;          // the longest sides; what a side has beyond them is not read
  const float* row_mass;     // (batch, n) or null: 1 each
  const float* column_mass;  // (batch, m) or null: 1 each
  // Sinkhorn and filter; log_domain and rows_first are 0 or 1.
  int64_t iterations, rows_first, log_domain, filter, rounds;
  double mu, eps, alpha;
  // Outputs: partners (rounds, batch, length) of partner_bytes each and, unless null, the links' probabilities likewise;
  // or, if it is not null, the plan (batch, n, m) in their place. With `highest` partners have one round for all, the
  // highest position of each token's; it is 0 or 1, and 0 for the union, whose links stand at one of their tokens.
  void* partners;
  int64_t partner_bytes;  // 2 or 4
  int64_t highest;
  float* probability;
  float* plan;
  // How to run: threads of the CPU; device, stream and scratch memory of CUDA.
  int64_t threads, device;
  void* stream;
  float* workspace;
};

}  // namespace xalign
