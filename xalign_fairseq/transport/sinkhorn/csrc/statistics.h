// Hidden Markov models of bitext, both directions of one kind of unit: pair by pair what
// aligner/statistical/reference.py computes in batches. Sums over pairs follow the order of the pairs, so they do not
// depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "group.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace xalign {

// Arguments from Python (aligner/statistical/compiled.py). The index of an array of two is the side (source, target) or
// the direction (states are source positions, states are target positions).
struct TextPass {
  int64_t pairs;
  const int32_t* units[2];   // of all sentences, concatenated; sizes[side] is the unknown unit
  const int64_t* starts[2];  // (pairs + 1): the first unit of each
  int64_t sizes[2];
  const uint8_t* fits;  // (pairs): 0 if the pair is skipped
  // Unit pairs: source unit u pairs with targets[rows[u]] up to targets[rows[u + 1]], ascending.
  const int64_t* rows;
  const int32_t* targets;
  const float* table;     // (FIRST + number of targets, 2)
  const float* null[2];   // of target units, of source units
  const float* jumps[2];  // (2 * REACH + 1) or null: IBM Model 1
  // Words: the word of each unit within its sentence, the number of words of each sentence, the first cell (source
  // word, target word) of each pair, and factors of the cells' probabilities or null. Null while learning without
  // factors.
  const int32_t* owners[2];
  const int32_t* words[2];
  const int64_t* cells;
  const float* factors;
  // Expected counts to add to; or, if not null, scores of the cells, times share.
  double *links, *alone[2], *counts[2];
  float* scores;
  double no_partner, share;
  int64_t reach, threads;
};

namespace statistics {

constexpr int UNSEEN = 3, FIRST = 4;            // rows of the table, as in tables.py
using G = SerialGroup;
using Lanes = G::Lanes;
constexpr int W = G::LANES;
constexpr int64_t CHUNK = 1 << 21, BLOCK = 16;  // cells in memory at once; pairs whose jumps are summed together

inline int64_t round_up(int64_t count) { return (count + W - 1) / W * W; }

// Source units of the pairs from `first` to `last`, grouped: unit u has the entries from begin[u] to begin[u + 1].
struct Occurrences {
  std::vector<int64_t> begin;
  std::vector<int64_t> units, owner;  // position of each unit in the text, and its pair

  Occurrences(const TextPass& text, int64_t first, int64_t last) : begin(text.sizes[0] + 2) {
    visit(text, first, last, [&](int64_t, int64_t place) { ++begin[text.units[0][place] + 1]; });
    for (size_t u = 1; u < begin.size(); ++u) begin[u] += begin[u - 1];
    units.resize(begin.back()), owner.resize(begin.back());
    std::vector<int64_t> next(begin.begin(), begin.end() - 1);
    visit(text, first, last, [&](int64_t pair, int64_t place) {
      const int64_t at = next[text.units[0][place]]++;
      units[at] = place, owner[at] = pair;
    });
  }

  template <class Function>
  static void visit(const TextPass& text, int64_t first, int64_t last, Function function) {
    for (int64_t pair = first; pair < last; ++pair)
      if (text.fits[pair])
        for (int64_t place = text.starts[0][pair]; place < text.starts[0][pair + 1]; ++place) function(pair, place);
  }
};

// Finds the unit pairs that co-occur, as `rows` and `targets`. If targets is null, it only counts them.
inline int64_t seen_pairs(const TextPass& text, int64_t* rows, int32_t* targets) {
  const Occurrences found(text, 0, text.pairs);
  std::vector<int32_t> marks(text.sizes[1], -1);
  std::vector<int32_t> here;
  int64_t count = 0;
  for (int32_t u = 0; u < text.sizes[0]; ++u) {
    rows[u] = count;
    here.clear();
    for (int64_t at = found.begin[u]; at < found.begin[u + 1]; ++at) {
      const int64_t pair = found.owner[at];
      for (int64_t place = text.starts[1][pair]; place < text.starts[1][pair + 1]; ++place) {
        const int32_t v = text.units[1][place];
        if (marks[v] != u) marks[v] = u, here.push_back(v);
      }
    }
    if (targets) {
      std::sort(here.begin(), here.end());
      std::copy(here.begin(), here.end(), targets + count);
    }
    count += here.size();
  }
  rows[text.sizes[0]] = count;
  return count;
}

struct Part {
  int64_t first, last;             // pairs
  std::vector<int64_t> begin;      // first cell (source unit, target unit) of each pair
  std::vector<int32_t> rows;       // per cell
  std::vector<float> agreed;       // per cell
  std::vector<float> alone[2];     // per unit of the target, of the source
  std::vector<double> counts[2];   // per block of pairs
};

inline int64_t length(const TextPass& text, int side, int64_t pair) {
  return text.starts[side][pair + 1] - text.starts[side][pair];
}

// Finds the table row of each cell.
inline void find_rows(const TextPass& text, Part& part) {
  const Occurrences found(text, part.first, part.last);
  std::vector<int32_t> row_of(text.sizes[1] + 1, UNSEEN);
  for (int64_t u = 0; u <= text.sizes[0]; ++u) {
    if (found.begin[u] == found.begin[u + 1]) continue;
    const int64_t begin = u < text.sizes[0] ? text.rows[u] : 0, end = u < text.sizes[0] ? text.rows[u + 1] : 0;
    for (int64_t row = begin; row < end; ++row) row_of[text.targets[row]] = int32_t(FIRST + row);
    for (int64_t at = found.begin[u]; at < found.begin[u + 1]; ++at) {
      const int64_t pair = found.owner[at], m = length(text, 1, pair);
      const int32_t* units = text.units[1] + text.starts[1][pair];
      int32_t* out = part.rows.data() + part.begin[pair - part.first] + (found.units[at] - text.starts[0][pair]) * m;
      for (int64_t j = 0; j < m; ++j) out[j] = row_of[units[j]];
    }
    for (int64_t row = begin; row < end; ++row) row_of[text.targets[row]] = UNSEEN;
  }
}

// Adds to COLUMNS vectors of sums: values[k * step] times the vectors at window + k * stride, k < count.
template <int COLUMNS>
inline void add_products(Lanes (&sums)[COLUMNS], const float* values, int64_t step, const float* window, int64_t stride,
                         int64_t count) {
  Lanes odd[COLUMNS] = {};  // a second chain of sums hides latency
  int64_t k = 0;
  for (; k + 2 <= count; k += 2, values += 2 * step, window += 2 * stride)
    for (int c = 0; c < COLUMNS; ++c) {
      sums[c] += values[0] * G::load(window + c * W);
      odd[c] += values[step] * G::load(window + stride + c * W);
    }
  for (int c = 0; c < COLUMNS; ++c) {
    if (k < count) sums[c] += values[0] * G::load(window + c * W);
    sums[c] += odd[c];
  }
}

// Calls function(t, sums) for each multiple t of W below size, with the sums of values times windows. W divides size.
template <class Function>
inline void products(int64_t size, const float* values, int64_t step, const float* window, int64_t stride,
                     int64_t count, Function function) {
  int64_t t = 0;
  const auto columns = [&](auto constant) {
    constexpr int C = decltype(constant)::value;
    Lanes sums[C] = {};
    add_products<C>(sums, values, step, window + t, stride, count);
    for (int c = 0; c < C; ++c) function(t + c * W, sums[c]);
    t += C * W;
  };
  while (t + 4 * W <= size) columns(std::integral_constant<int, 4>());
  if (t + 2 * W <= size) columns(std::integral_constant<int, 2>());
  if (t < size) columns(std::integral_constant<int, 1>());
}

// out[t] = the sum over k < count of values[k] * window[t - k], for t < size.
inline void convolve(float* out, int64_t size, const float* values, int64_t count, const float* window) {
  products(size, values, 1, window, -1, count, [&](int64_t t, Lanes sums) { G::store(out + t, sums); });
}

inline float total(const float* lanes) { return G::sum(G::load(lanes)); }

// Jump weights ahead and back. Longer jumps than `reach` have the weight of `reach`.
struct Jumps {
  int64_t most;
  std::vector<float> ahead, back;

  Jumps(const float* weights, int64_t reach, int64_t longest)
      : most(round_up(longest + 1) + W), ahead(2 * most + 1), back(2 * most + 1) {
    for (int64_t jump = -most; jump <= most; ++jump) {
      ahead[most + jump] = weights[std::clamp(jump, -reach, reach) + reach];
      back[most - jump] = ahead[most + jump];
    }
  }
};

// Forward-backward of one pair and direction. The states are position 0, before the sentence, and 1 to n.
class Chain {
 public:
  int64_t n, m, stride;
  std::vector<float> emitted, alone;  // (m, stride): 0 at position 0 and beyond n; (m), of the null first

  void resize(int64_t places, int64_t observed) {
    n = places, m = observed, stride = round_up(places + 1);
    emitted.assign(m * stride, 0.0f);
    alone.resize(m);
  }

  // Overwrites the emissions with posteriors.
  void lexical(float no_partner) {
    for (int64_t j = 0; j < m; ++j) {
      float* row = emitted.data() + j * stride;
      float lanes[W] = {};
      for (int64_t t = 0; t < stride; t += W)
        for (int lane = 0; lane < W; ++lane) row[t + lane] *= (1 - no_partner) / n, lanes[lane] += row[t + lane];
      const float none = no_partner * alone[j], scale = 1 / (total(lanes) + none);
      for (int64_t t = 0; t < stride; ++t) row[t] *= scale;
      alone[j] = none * scale;
    }
  }

  void ordered(float no_partner, const Jumps& jumps, double* counts, int64_t reach) {
    const float* ahead = jumps.ahead.data() + jumps.most;
    const float* back = jumps.back.data() + jumps.most;
    norm_.assign(stride, 1.0f), ones_.assign(stride, 0.0f), at_.assign(stride, 0.0f), moved_.resize(stride);
    left_.resize(m * stride), before_.resize(m * stride), moves_.resize(m * stride), scales_.resize(m);
    std::fill_n(ones_.begin() + 1, n, 1.0f);
    convolve(moved_.data(), stride, ones_.data(), n + 1, back);
    for (int64_t t = 0; t <= n; ++t) norm_[t] = 1 / std::max(moved_[t], 1e-30f);
    at_[0] = 1;
    for (int64_t j = 0; j < m; ++j) {
      float *left = left_.data() + j * stride, *before = before_.data() + j * stride;
      float* row = emitted.data() + j * stride;
      for (int64_t t = 0; t < stride; ++t) before[t] = at_[t], left[t] = at_[t] * norm_[t];
      float* moved = moves_.data() + j * stride;
      convolve(moved, stride, left, n + 1, ahead);
      const float none = no_partner * alone[j];
      float lanes[W] = {};
      for (int64_t t = 0; t < stride; t += W)
        for (int lane = 0; lane < W; ++lane) {
          at_[t + lane] = moved[t + lane] * row[t + lane] * (1 - no_partner) + before[t + lane] * none;
          lanes[lane] += at_[t + lane];
        }
      scales_[j] = 1 / total(lanes);
      for (int64_t t = 0; t < stride; ++t) at_[t] *= scales_[j];
    }
    std::fill_n(at_.begin(), n + 1, 1.0f);  // backward values now
    std::fill(at_.begin() + n + 1, at_.end(), 0.0f);
    for (int64_t j = m - 1; j >= 0; --j) {
      float *row = emitted.data() + j * stride, *before = before_.data() + j * stride;
      const float* moved = moves_.data() + j * stride;
      const float none = no_partner * alone[j] * scales_[j], some = (1 - no_partner) * scales_[j];
      float lanes[W] = {};
      for (int64_t t = 0; t < stride; t += W)
        for (int lane = 0; lane < W; ++lane) {
          lanes[lane] += before[t + lane] * none * at_[t + lane];
          const float arrival = row[t + lane] * at_[t + lane] * some;  // emission times backward
          row[t + lane] = moved[t + lane] * arrival;
          before[t + lane] = arrival;
        }
      alone[j] = total(lanes);
      convolve(moved_.data(), stride, before, n + 1, back);
      for (int64_t t = 0; t < stride; ++t) at_[t] = moved_[t] * norm_[t] + at_[t] * none;
    }
    if (counts) count(ahead, counts, reach);
  }

 private:
  std::vector<float> norm_, ones_, at_, moved_, left_, before_, moves_, scales_, pairs_;

  // Adds expected jumps: the weight times the sum over j of left[j][from] * arrival[j][from + jump].
  void count(const float* ahead, double* counts, int64_t reach) {
    pairs_.assign(2 * stride + W, 0.0f);  // jump d is at stride + d
    for (int64_t from = 0; from <= n; ++from) {
      float* out = pairs_.data() + stride - from;
      products(stride, left_.data() + from, stride, before_.data(), stride, m,
               [&](int64_t t, Lanes sums) { G::store(out + t, G::load(out + t) + sums); });
    }
    for (int64_t jump = -n; jump <= n; ++jump)
      counts[std::clamp(jump, -reach, reach) + reach] += double(ahead[jump]) * pairs_[stride + jump];
  }
};

// Word scores: unit posteriors, summed over the units of one word and averaged over those of the other.
inline void score_words(const TextPass& text, int64_t pair, const Chain& forward, const Chain& backward) {
  const int32_t *src = text.owners[0] + text.starts[0][pair], *tgt = text.owners[1] + text.starts[1][pair];
  const int64_t width = text.words[1][pair];
  float* scores = text.scores + text.cells[pair];
  static thread_local std::vector<float> parts[2];
  for (int side = 0; side < 2; ++side) {
    parts[side].assign(text.words[side][pair], 0.0f);
    const int32_t* owner = side ? tgt : src;
    for (int64_t k = 0; k < length(text, side, pair); ++k) parts[side][owner[k]] += 1;
    for (float& each : parts[side]) each = float(text.share) / 2 / std::max(each, 1.0f);
  }
  for (int64_t i = 0; i < backward.m; ++i)
    for (int64_t j = 0; j < forward.m; ++j)
      scores[src[i] * width + tgt[j]] += forward.emitted[j * forward.stride + i + 1] * parts[1][tgt[j]] +
                                         backward.emitted[i * backward.stride + j + 1] * parts[0][src[i]];
}

inline void align_pair(const TextPass& text, Part& part, int64_t pair, const Jumps* const jumps[2], double* const counts[2]) {
  static thread_local Chain chains[2];
  Chain &forward = chains[0], &backward = chains[1];
  const int64_t n = length(text, 0, pair), m = length(text, 1, pair);
  forward.resize(n, m), backward.resize(m, n);
  const int32_t *src = text.units[0] + text.starts[0][pair], *tgt = text.units[1] + text.starts[1][pair];
  for (int64_t j = 0; j < m; ++j) forward.alone[j] = text.null[0][tgt[j]];
  for (int64_t i = 0; i < n; ++i) backward.alone[i] = text.null[1][src[i]];
  const int32_t* rows = part.rows.data() + part.begin[pair - part.first];
  for (int64_t i = 0; i < n; ++i) {
    const float* factors =
        text.factors ? text.factors + text.cells[pair] +
                           int64_t(text.owners[0][text.starts[0][pair] + i]) * text.words[1][pair]
                     : nullptr;
    for (int64_t j = 0; j < m; ++j) {
      const float factor = factors ? factors[text.owners[1][text.starts[1][pair] + j]] : 1.0f;
      const float* row = text.table + 2 * int64_t(rows[i * m + j]);
      forward.emitted[j * forward.stride + i + 1] = row[0] * factor;
      backward.emitted[i * backward.stride + j + 1] = row[1] * factor;
    }
  }
  for (int direction = 0; direction < 2; ++direction)
    if (jumps[direction])
      chains[direction].ordered(float(text.no_partner), *jumps[direction], counts[direction], text.reach);
    else
      chains[direction].lexical(float(text.no_partner));
  if (text.scores) return score_words(text, pair, forward, backward);
  float* agreed = part.agreed.data() + part.begin[pair - part.first];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j)
      agreed[i * m + j] =
          forward.emitted[j * forward.stride + i + 1] * backward.emitted[i * backward.stride + j + 1];
  for (int direction = 0; direction < 2; ++direction) {  // alone: units of the other side
    const int side = 1 - direction;
    const int64_t first = text.starts[side][pair] - text.starts[side][part.first];
    std::copy(chains[direction].alone.begin(), chains[direction].alone.end(), part.alone[direction].begin() + first);
  }
}

inline void add_counts(const TextPass& text, const Part& part) {
  for (size_t cell = 0; cell < part.rows.size(); ++cell) text.links[part.rows[cell]] += part.agreed[cell];
  for (int64_t pair = part.first; pair < part.last; ++pair)
    for (int direction = 0; direction < 2 && text.fits[pair]; ++direction) {
      const int side = 1 - direction;
      const int64_t first = text.starts[side][part.first];
      for (int64_t k = text.starts[side][pair]; k < text.starts[side][pair + 1]; ++k)
        text.alone[direction][text.units[side][k]] += part.alone[direction][k - first];
    }
  const int64_t jumps = 2 * text.reach + 1;
  for (int direction = 0; direction < 2; ++direction)
    for (size_t k = 0; k < part.counts[direction].size(); ++k)
      text.counts[direction][k % jumps] += part.counts[direction][k];
}

#if defined(__SSE2__)
// Flushes subnormal numbers to 0, since CPUs are slow with them.
struct NoSubnormals {
  unsigned before = _mm_getcsr();
  NoSubnormals() { _mm_setcsr(before | 0x8040); }
  ~NoSubnormals() { _mm_setcsr(before); }
};
#else
struct NoSubnormals {
  NoSubnormals() {}
};
#endif

inline bool align_part(const TextPass& text, Part& part, const Jumps* const jumps[2]) {
  find_rows(text, part);
  const int64_t blocks = (part.last - part.first + BLOCK - 1) / BLOCK, size = 2 * text.reach + 1;
  if (!text.scores) {
    part.agreed.resize(part.rows.size());
    for (int direction = 0; direction < 2; ++direction) {
      const int64_t* starts = text.starts[1 - direction];
      part.alone[direction].resize(starts[part.last] - starts[part.first]);
      part.counts[direction].assign(jumps[direction] ? blocks * size : 0, 0.0);
    }
  }
  bool enough = true;
#pragma omp parallel for schedule(dynamic) num_threads(static_cast<int>(text.threads)) reduction(&& : enough)
  for (int64_t block = 0; block < blocks; ++block) {
    const NoSubnormals exact;
    try {
      double* counts[2] = {};
      for (int direction = 0; direction < 2 && !text.scores; ++direction)
        if (jumps[direction]) counts[direction] = part.counts[direction].data() + block * size;
      const int64_t first = part.first + block * BLOCK, last = std::min(first + BLOCK, part.last);
      for (int64_t pair = first; pair < last; ++pair)
        if (text.fits[pair]) align_pair(text, part, pair, jumps, counts);
    } catch (const std::bad_alloc&) {
      enough = false;
    }
  }
  if (enough && !text.scores) add_counts(text, part);
  return enough;
}

inline bool align(const TextPass& text) {
  int64_t longest = 0;
  for (int64_t pair = 0; pair < text.pairs; ++pair)
    if (text.fits[pair]) longest = std::max({longest, length(text, 0, pair), length(text, 1, pair)});
  std::vector<Jumps> made;
  made.reserve(2);
  const Jumps* jumps[2] = {};
  for (int direction = 0; direction < 2; ++direction)
    if (text.jumps[direction]) {
      made.emplace_back(text.jumps[direction], text.reach, longest);
      jumps[direction] = &made.back();
    }
  Part part;
  for (part.first = 0; part.first < text.pairs; part.first = part.last) {
    part.begin.clear();
    int64_t cells = 0;
    for (part.last = part.first; part.last < text.pairs && cells < CHUNK; ++part.last) {
      part.begin.push_back(cells);
      if (text.fits[part.last]) cells += length(text, 0, part.last) * length(text, 1, part.last);
    }
    part.rows.resize(cells);
    if (!align_part(text, part, jumps)) return false;
  }
  return true;
}

}  // namespace statistics
}  // namespace xalign

// Returns the number of unit pairs, or -1 if memory runs out.
extern "C" int64_t xalign_seen_pairs(const xalign::TextPass* text, int64_t* rows, int32_t* targets) try {
  return xalign::statistics::seen_pairs(*text, rows, targets);
} catch (const std::bad_alloc&) {
  return -1;
}

// Returns 0, or 1 if memory runs out.
extern "C" int64_t xalign_statistics(const xalign::TextPass* text) try {
  return xalign::statistics::align(*text) ? 0 : 1;
} catch (const std::bad_alloc&) {
  return 1;
}
