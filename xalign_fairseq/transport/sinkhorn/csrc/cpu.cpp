// The CPU operator. For each pair, products.h computes the similarities and reads hidden states in place; then
// algorithm.h runs with a group of one thread. Threads take pairs one by one.
#include <algorithm>
#include <new>
#include <vector>

#include "algorithm.h"
#include "attention.h"
#include "products.h"
#include "statistics.h"

namespace xalign {
namespace {

using G = SerialGroup;
constexpr int L = G::LANES;

// Memory of one thread, kept between calls unless a pair was unusually long.
struct Scratch {
  static constexpr size_t KEPT = 1 << 22;  // floats of a matrix: 2048 tokens per side
  std::vector<float> matrix, vectors;
  static float* reserve(std::vector<float>& memory, int64_t count) {
    if (int64_t(memory.size()) < count) memory.resize(count);
    return memory.data();
  }
};

template <class Products>
void multiply_by(const Call& call, int64_t index, const Span& span, const Pair& pair) {
  using Element = typename Products::Element;
  const auto side = [&](int start, int size) {
    const int64_t first = index * call.batch_stride + start * call.token_stride;
    return Side<Element>{static_cast<const Element*>(call.hidden) + first, call.token_stride, size};
  };
  const int width = static_cast<int>(call.width);
  Products::write(side(span.src, span.n), side(span.tgt, span.m), width, pair.matrix, pair.stride);
}

void multiply(const Call& call, int64_t index, const Span& span, const Pair& pair) {
  if (call.dtype == FLOAT32) return multiply_by<Products<Float32>>(call, index, span, pair);
  if (call.dtype == BFLOAT16) return multiply_by<Products<Bfloat16>>(call, index, span, pair);
  multiply_by<Products<Float16>>(call, index, span, pair);
}

int round_up(int count) { return (count + L - 1) / L * L; }

void fill(const Call& call, int64_t index, const Span& span, const Pair& pair) {
  if (!call.similarity) return multiply(call, index, span, pair);
  for (int i = 0; i < pair.n; ++i) std::copy_n(call.similarity + (index * call.n + i) * call.m, pair.m, pair.row(i));
}

// C: see Transport.
template <int C>
void link(const Call& call, int64_t index, const Span& span, const Pair& pair, bool log_domain) {
  G group;
  fill(call, index, span, pair);
  Transport<G, C> transport(group, pair, call, log_domain);
  const bool has_plan = pair.n > 0 && pair.m > 0 && transport.plan();
  if (transport.lost()) return link<C>(call, index, span, pair, true);
  if (call.plan) {
    float* plan = call.plan + index * call.n * call.m;
    std::fill_n(plan, call.n * call.m, 0.0f);
    for (int i = 0; has_plan && i < pair.n; ++i) std::copy_n(pair.row(i), pair.m, plan + i * call.m);
  } else {
    transport.links(Output(call, index, span), has_plan);
  }
}

void link_pair(const Call& call, int64_t index, Scratch& scratch) {
  const Span span(call, index);
  Pair pair{};
  pair.n = span.n, pair.m = span.m, pair.stride = round_up(span.m);
  const int rows = round_up(pair.n);
  pair.matrix = Scratch::reserve(scratch.matrix, int64_t(rows) * pair.stride);
  pair.place_vectors(Scratch::reserve(scratch.vectors, Pair::vectors(rows, pair.stride, 1)), rows, pair.stride, 1);
  if (call.row_mass) pair.row_mass = call.row_mass + index * call.n;
  if (call.column_mass) pair.column_mass = call.column_mass + index * call.m;
  if (pair.stride <= 4 * L)
    link<4>(call, index, span, pair, call.log_domain);
  else if (pair.stride <= 8 * L)
    link<8>(call, index, span, pair, call.log_domain);
  else
    link<0>(call, index, span, pair, call.log_domain);
}

// False if memory runs out: an exception must not leave an OpenMP thread.
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

// Returns 0, or 1 if memory runs out.
extern "C" int64_t xalign_cpu(const xalign::Call* call) {
  return xalign::link_all(*call) ? 0 : 1;
}
