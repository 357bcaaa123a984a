// Transport plan and links of one pair from its similarities, as ../reference.py and ../../extraction.py define them. The
// code is written once over a thread group (group.h) and compiled for the CPU and for CUDA.
//
// Each worker owns some rows, so workers exchange only sums over rows. A worker adds its rows into its part of
// `partial`; after a barrier the parts are added in worker order. The result does not depend on timing: the same input
// gives the same bits.
#pragma once

#include "call.h"
#include "group.h"

namespace xalign {

constexpr float NOTHING = -1e30f;  // the logarithm of 0; finite, because inf - inf is NaN
// Entries that underflow are below 1.2e-38. Per entry, a sum of at least this loses less than its rounding.
constexpr float LEAST_SUM = 1.2e-32f, LARGEST_FACTOR = 1e38f;

// The matrix and the vectors of one pair. The matrix holds the similarities, then K or log K, then the plan.
struct Pair {
  int n, m;
  int stride;  // floats between rows; a multiple of LANES, at least m
  float* matrix;
  float *u, *v;                          // row and column factors; their logarithms in the log domain
  float *row_sum, *column_sum;           // of the plan, for probabilities
  float *row_linked, *column_linked;     // 1 once the token has a link
  float *row_weight, *column_weight;     // discounts in a round
  float *linked_weight;                  // discounts of columns in linked rows
  float *forward, *backward;             // argmax of each row and of each column, -1 if none
  float *partial, *partial_more;         // (workers, stride) each: results over a worker's rows
  const float *row_mass, *column_mass;   // null: all 1

  // The vectors' size in floats for sides of at most `rows` and `columns`, both multiples of LANES.
  XALIGN_DEVICE static constexpr int64_t vectors(int rows, int columns, int workers) {
    return 5 * int64_t(rows) + (6 + 2 * int64_t(workers)) * columns;
  }
  XALIGN_DEVICE void place_vectors(float* memory, int rows, int columns, int workers) {
    u = memory, row_sum = u + rows, row_linked = row_sum + rows, row_weight = row_linked + rows;
    forward = row_weight + rows, v = forward + rows, column_sum = v + columns, column_linked = column_sum + columns;
    column_weight = column_linked + columns, linked_weight = column_weight + columns;
    backward = linked_weight + columns, partial = backward + columns;
    partial_more = partial + int64_t(workers) * columns;
  }

  XALIGN_DEVICE float* row(int i) const { return matrix + int64_t(i) * stride; }
};

// The sides of one pair, clipped to the sequence and to the longest allowed sides.
struct Span {
  int src, n, tgt, m;

  XALIGN_DEVICE Span(const Call& call, int64_t index) {
    const int64_t* at = call.spans + 4 * index;
    place(call, at[0], at[1], call.n, src, n);
    place(call, at[2], at[3], call.m, tgt, m);
  }

 private:
  XALIGN_DEVICE static void place(const Call& call, int64_t start, int64_t end, int64_t most, int& first, int& size) {
    start = start < 0 ? 0 : start;
    end = end > call.length ? call.length : end;
    first = static_cast<int>(start);
    size = end <= start ? 0 : static_cast<int>(end - start < most ? end - start : most);
  }
};

// Where to write a pair's links.
struct Output {
  void* partners;      // int16 or int32; consecutive rounds are `round_stride` elements apart
  float* probability;  // likewise, or null
  int64_t round_stride;
  bool narrow, highest;
  int length, src_start, tgt_start;

  XALIGN_DEVICE Output(const Call& call, int64_t index, const Span& span)
      : partners(static_cast<char*>(call.partners) + index * call.length * call.partner_bytes),
        probability(call.probability ? call.probability + index * call.length : nullptr),
        round_stride(call.batch * call.length),
        narrow(call.partner_bytes == 2),
        highest(call.highest),
        length(static_cast<int>(call.length)),
        src_start(span.src),
        tgt_start(span.tgt) {}

  // Records that a token has no partner in a round.
  XALIGN_DEVICE void clear(int round, int at) const { write(round * round_stride + at, -1, 0.0f); }

  // With `highest`, all rounds share one output: keep the highest.
  XALIGN_DEVICE void put(int round, int at, int partner, float p) const {
    if (!highest)
      write(round * round_stride + at, partner, p);
    else if (partner > (narrow ? static_cast<int16_t*>(partners)[at] : static_cast<int32_t*>(partners)[at]))
      write(at, partner, p);
  }

 private:
  XALIGN_DEVICE void write(int64_t place, int partner, float p) const {
    if (narrow)
      static_cast<int16_t*>(partners)[place] = static_cast<int16_t>(partner);
    else
      static_cast<int32_t*>(partners)[place] = partner;
    if (probability) probability[place] = p;
  }
};

// C: the maximum number of LANES-wide column chunks, or 0 for no maximum. With a maximum, the compiler unrolls loops
// over chunks and keeps a worker's values per column in registers.
template <class G, int C = 0>
class Transport {
  using Lanes = typename G::Lanes;
  static constexpr int L = G::LANES;

 public:
  XALIGN_DEVICE Transport(G& group, const Pair& pair, const Call& call, bool log_domain)
      : g(group), p(pair), o(call), log_domain_(log_domain) {}

  // Overwrites the similarities with the plan. Returns false, without a plan, if a similarity is not finite or a mass
  // is invalid.
  XALIGN_DEVICE bool plan() {
    const bool single = o.iterations > 0 && (p.n == 1 || p.m == 1);
    const bool logarithms = o.iterations > 0 && (log_domain_ || o.mu != 1);
    if (!(logarithms ? floor_similarities<true>(single) : floor_similarities<false>(single))) return false;
    if (!masses_usable()) return false;
    start();
    if (o.iterations == 0)
      normalise_by_peak();
    else if (logarithms && !log_domain_)
      scale();
    if (!o.rows_first && o.iterations > 0) sweep(false, true);
    for (int iteration = 1; iteration <= o.iterations; ++iteration)
      sweep(true, o.rows_first || iteration < o.iterations);
    apply_factors();
    return true;
  }

  // Whether values too small for the linear domain were lost: the plan must be recomputed in the log domain.
  XALIGN_DEVICE bool lost() { return g.any(lost_); }

  // Writes the links of the plan round by round. Writes every output position, even without a plan.
  XALIGN_DEVICE void links(const Output& out, bool has_plan) {
    for (int round = 0; round < (o.highest ? 1 : o.rounds); ++round)
      XALIGN_FOR (int at = g.thread(); at < out.length; at += g.threads()) out.clear(round, at);
    XALIGN_FOR (int i = g.thread(); i < p.n; i += g.threads()) p.row_linked[i] = 0, p.row_weight[i] = 1;
    XALIGN_FOR (int j = g.thread(); j < p.stride; j += g.threads())
      p.column_linked[j] = 0, p.column_weight[j] = 1, p.linked_weight[j] = 0;
    g.sync();
    if (!has_plan) return;
    if (out.probability) sum_plan();
    argmax(false);
    if (o.filter == UNION) return write_union(out);
    write_mutual(out, 0);
    for (int round = 1; round < o.rounds; ++round) {
      if (!discount()) return;
      argmax(true);
      write_mutual(out, round);
    }
  }

 private:
  G& g;
  const Pair& p;
  const Call& o;
  float v_unit_ = 1;  // v times this matches u; a power of two, the same in all threads
  const bool log_domain_;
  bool lost_ = false;

  // Calls f(k, j) for each chunk k of LANES columns, starting at column j.
  template <class F>
  XALIGN_DEVICE void columns(F f) const {
    if constexpr (C > 0) {
      XALIGN_UNROLLED for (int k = 0; k < C; ++k)
        if (k * L < p.stride) f(k, k * L);
    } else {
      XALIGN_FOR (int j = 0; j < p.stride; j += L) f(0, j);
    }
  }

  // One number per column: in memory, or in registers from load() or set() to store().
  class Strip {
   public:
    XALIGN_DEVICE explicit Strip(float* memory) : memory_(memory) {}
    XALIGN_DEVICE Lanes get(int k, int j) const {
      if constexpr (C > 0)
        return kept_[k];
      else
        return G::load(memory_ + j);
    }
    XALIGN_DEVICE void set(int k, int j, Lanes x) {
      if constexpr (C > 0)
        kept_[k] = x;
      else
        G::store(memory_ + j, x);
    }
    XALIGN_DEVICE void load(const Transport& t) {
      if constexpr (C > 0) t.columns([&](int k, int j) { kept_[k] = G::load(memory_ + j); });
    }
    XALIGN_DEVICE void store(const Transport& t) const {
      if constexpr (C > 0) t.columns([&](int k, int j) { G::store(memory_ + j, kept_[k]); });
    }

   private:
    float* memory_;
    Lanes kept_[C > 0 ? C : 1];
  };

  XALIGN_DEVICE float row_mass(int i) const { return p.row_mass ? p.row_mass[i] : 1.0f; }
  XALIGN_DEVICE Lanes column_mass(int j) const {
    if (!p.column_mass) return G::splat(1.0f);
    return g.load_inside(p.column_mass, j, p.m);
  }
  XALIGN_DEVICE static float quotient(float mass, float sum) { return sum > 0 ? mass / sum : 0.0f; }
  XALIGN_DEVICE float* part(float* parts, int worker) const { return parts + int64_t(worker) * p.stride; }

  // The workers' results for columns j, j + 1, ..., always combined in worker order.
  XALIGN_DEVICE Lanes sum_of_parts(int j) const {
    Lanes sum = G::splat(0.0f);
    XALIGN_FOR (int worker = 0; worker < g.size(); ++worker) sum = sum + G::load(part(p.partial, worker) + j);
    return sum;
  }
  XALIGN_DEVICE Lanes peak_of_parts(int j, float least) const {
    Lanes peak = G::splat(least);
    XALIGN_FOR (int worker = 0; worker < g.size(); ++worker) {
      const Lanes x = G::load(part(p.partial, worker) + j);
      peak = x > peak ? x : peak;
    }
    return peak;
  }

  // max(eps, S), or log(max(eps, S)) / mu. The padding gets 0, or NOTHING.
  template <bool LOGARITHMS>
  XALIGN_DEVICE bool floor_similarities(bool single) {
    const float eps = static_cast<float>(o.eps), mu = static_cast<float>(o.mu), end = static_cast<float>(p.m);
    const Lanes zero = G::splat(0.0f), one = G::splat(1.0f), outside = G::splat(LOGARITHMS ? NOTHING : 0.0f);
    const Lanes least = G::splat(eps);
    Lanes strange = zero;  // x - x is NaN unless x is finite
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      float* row = p.row(i);
      columns([&](int, int j) {
        const auto inside = G::places(j) < end;
        const Lanes x = inside ? G::load(row + j) : zero;
        strange = strange + (x - x);
        // If a side has one token, all entries of the plan are equal. Rounding must not break the tie.
        Lanes value = single ? one : (x < least ? least : x);
        if (LOGARITHMS) value = G::log(value) / mu;
        G::store(row + j, inside ? value : outside);
      });
    }
    return !g.any(!(G::sum(strange) == 0));
  }

  XALIGN_DEVICE bool masses_usable() {
    if (!p.row_mass && !p.column_mass) return true;
    bool strange = false;
    XALIGN_FOR (int i = g.thread(); i < p.n; i += g.threads())
      strange |= !(row_mass(i) >= 0 && row_mass(i) - row_mass(i) == 0);
    XALIGN_FOR (int j = g.thread(); p.column_mass && j < p.m; j += g.threads())
      strange |= !(p.column_mass[j] >= 0 && p.column_mass[j] - p.column_mass[j] == 0);
    return !g.any(strange);
  }

  // Initial factors: 1, or its logarithm 0.
  XALIGN_DEVICE void start() {
    const float one = log_domain_ && o.iterations > 0 ? 0.0f : 1.0f;
    XALIGN_FOR (int i = g.thread(); i < p.n; i += g.threads()) p.u[i] = one;
    XALIGN_FOR (int j = g.thread(); j < p.stride; j += g.threads()) p.v[j] = one;
    g.sync();
  }

  // (S / max(S))^(1 / mu), which cannot overflow.
  XALIGN_DEVICE void normalise_by_peak() {
    column_peaks(0.0f);
    Lanes peaks = G::splat(0.0f);
    XALIGN_FOR (int j = 0; j < p.stride; j += L) {
      const Lanes x = G::load(p.column_sum + j);
      peaks = x > peaks ? x : peaks;
    }
    const float peak = G::max(peaks), mu = static_cast<float>(o.mu);
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      XALIGN_FOR (int j = 0; j < p.stride; j += L) {
        const Lanes x = G::load(p.row(i) + j) / peak;
        // The padding is 0 and has no finite logarithm.
        const Lanes power = o.mu == 1 ? x : G::exp(G::log(x > 0.0f ? x : G::splat(1.0f)) / mu);
        G::store(p.row(i) + j, x > 0.0f ? power : G::splat(0.0f));
      }
    }
  }

  // column_sum = the largest entry of each column, `least` for padding columns.
  XALIGN_DEVICE void column_peaks(float least) {
    float* own = part(p.partial, g.rank());
    XALIGN_FOR (int j = 0; j < p.stride; j += L) G::store(own + j, G::splat(least));
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size())
      XALIGN_FOR (int j = 0; j < p.stride; j += L) {
        const Lanes x = G::load(p.row(i) + j), peak = G::load(own + j);
        G::store(own + j, x > peak ? x : peak);
      }
    g.sync();
    XALIGN_FOR (int j = g.rank() * L; j < p.stride; j += g.size() * L) {
      G::store(p.column_sum + j, peak_of_parts(j, least));
    }
    g.sync();
  }

  // Turns log K into K divided by its row and column maxima. Each row and column then holds a 1, so no sum overflows or
  // vanishes. The first half-step cancels the first divisors and starts from the second.
  XALIGN_DEVICE void scale() {
    if (o.rows_first) divide_rows(false);
    column_peaks(NOTHING);
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size())
      XALIGN_FOR (int j = 0; j < p.stride; j += L) {
        const Lanes peak = G::load(p.column_sum + j);
        G::store(p.row(i) + j, peak > NOTHING ? G::load(p.row(i) + j) - peak : G::splat(NOTHING));
      }
    if (o.rows_first)
      XALIGN_FOR (int j = g.rank() * L; j < p.stride; j += g.size() * L)
        G::store(p.v + j, G::exp(G::load(p.column_sum + j)));
    else
      divide_rows(true);
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size())
      XALIGN_FOR (int j = 0; j < p.stride; j += L) G::store(p.row(i) + j, G::exp(G::load(p.row(i) + j)));
    g.sync();
  }

  XALIGN_DEVICE void divide_rows(bool keep) {
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      Lanes peaks = G::splat(NOTHING);
      XALIGN_FOR (int j = 0; j < p.stride; j += L) {
        const Lanes x = G::load(p.row(i) + j);
        peaks = x > peaks ? x : peaks;
      }
      const float peak = G::max(peaks);
      XALIGN_FOR (int j = 0; j < p.stride; j += L) G::store(p.row(i) + j, G::load(p.row(i) + j) - peak);
      if (keep && g.leads()) p.u[i] = G::scalar_exp(peak);
    }
  }

  // One or both half-steps in one pass over the matrix: u = a / (K v), then v = b / (K^T u).
  XALIGN_DEVICE void sweep(bool rows, bool columns) {
    if (log_domain_)
      log_sweep(rows, columns);
    else
      linear_sweep(rows, columns);
  }

  // If n != m, u would grow by n / m per iteration and v would shrink, until both leave float32's range. So u is
  // computed for v over a power of two, which is exact.
  XALIGN_DEVICE void linear_sweep(bool rows, bool of_columns) {
    Strip own(part(p.partial, g.rank())), v(p.v);
    if (rows) v_unit_ = unit(p.v), v.load(*this);
    const float least_row = LEAST_SUM * 2 * static_cast<float>(p.m);  // v * v_unit_ is below 2
    columns([&](int k, int j) { own.set(k, j, G::splat(0.0f)); });
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      Strip row(p.row(i));
      row.load(*this);
      float factor = rows ? 0.0f : p.u[i];
      if (rows) {
        Lanes sum = G::splat(0.0f);
        columns([&](int k, int j) { sum = row.get(k, j) * v.get(k, j) + sum; });
        const float total = G::sum(sum) * v_unit_, mass = row_mass(i);
        factor = quotient(mass, total);
        lost_ |= mass > 0 && !(total >= least_row && factor <= LARGEST_FACTOR);
        if (g.leads()) p.u[i] = factor;
      }
      if (of_columns) columns([&](int k, int j) { own.set(k, j, factor * row.get(k, j) + own.get(k, j)); });
    }
    own.store(*this);
    g.sync();
    if (!of_columns) return;
    Lanes factors = G::splat(0.0f), lost = factors;
    XALIGN_FOR (int i = 0; i < p.n; i += L) factors = factors + g.load_inside(p.u, i, p.n);
    const float all = G::sum(factors), least = LEAST_SUM * (all > 1 ? all : 1.0f), end = static_cast<float>(p.m);
    XALIGN_FOR (int j = g.rank() * L; j < p.stride; j += g.size() * L) {
      const Lanes sum = sum_of_parts(j), mass = column_mass(j), zero = G::splat(0.0f);
      const Lanes factor = sum > 0.0f ? mass / sum : zero;
      const auto needed = (mass > 0.0f) & (G::places(j) < end);
      const Lanes large = sum >= least ? factor : G::splat(2 * LARGEST_FACTOR);
      const Lanes needs = needed ? large : zero;
      lost = needs > lost ? needs : lost;
      G::store(p.v + j, factor);
    }
    lost_ |= !(G::max(lost) <= LARGEST_FACTOR);
    v_unit_ = 1;
    g.sync();
  }

  // 2^-k for the largest column factor in [2^k, 2^(k + 1)); 1 if there is none.
  XALIGN_DEVICE float unit(const float* factors) const {
    Lanes peaks = G::splat(0.0f);
    XALIGN_FOR (int j = 0; j < p.stride; j += L) {
      const Lanes x = G::load(factors + j);
      peaks = x > peaks ? x : peaks;
    }
    const float peak = G::max(peaks);
    uint32_t bits;
    std::memcpy(&bits, &peak, sizeof bits);
    bits &= 0x7f800000;  // exponent only
    float power;
    std::memcpy(&power, &bits, sizeof power);
    return bits == 0 || bits == 0x7f800000 ? 1.0f : 1 / power;
  }

  // The same with f = log u and g = log v. Stores a column sum as its largest term and the sum relative to it.
  XALIGN_DEVICE void log_sweep(bool rows, bool columns) {
    float *peaks = part(p.partial, g.rank()), *sums = part(p.partial_more, g.rank());
    XALIGN_FOR (int j = 0; j < p.stride; j += L)
      G::store(peaks + j, G::splat(NOTHING)), G::store(sums + j, G::splat(0.0f));
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      const float* row = p.row(i);
      const float factor = rows ? log_quotient(row_mass(i), row) : p.u[i];
      if (rows && g.leads()) p.u[i] = factor;
      if (columns)
        XALIGN_FOR (int j = 0; j < p.stride; j += L) {
          const Lanes x = G::load(row + j) + factor, peak = G::load(peaks + j);
          const Lanes higher = x > peak ? x : peak;
          G::store(sums + j, G::load(sums + j) * G::exp(peak - higher) + G::exp(x - higher));
          G::store(peaks + j, higher);
        }
    }
    g.sync();
    if (!columns) return;
    XALIGN_FOR (int j = g.rank() * L; j < p.stride; j += g.size() * L) {
      const Lanes peak = peak_of_parts(j, NOTHING);
      Lanes sum = G::splat(0.0f);
      XALIGN_FOR (int worker = 0; worker < g.size(); ++worker)
        sum = sum + G::load(part(p.partial_more, worker) + j) * G::exp(G::load(part(p.partial, worker) + j) - peak);
      const Lanes mass = column_mass(j);
      const Lanes log_mass = mass > 0.0f ? G::log(mass > 0.0f ? mass : G::splat(1.0f)) : G::splat(NOTHING);
      const auto filled = (peak > NOTHING / 2) & (sum > 0.0f);
      G::store(p.v + j, filled ? log_mass - peak - G::log(filled ? sum : G::splat(1.0f)) : G::splat(0.0f));
    }
    g.sync();
  }

  XALIGN_DEVICE float log_quotient(float mass, const float* row) {
    if (!(mass > 0)) return NOTHING;
    Lanes peaks = G::splat(NOTHING), sum = G::splat(0.0f);
    XALIGN_FOR (int j = 0; j < p.stride; j += L) {
      const Lanes x = G::load(row + j) + G::load(p.v + j);
      peaks = x > peaks ? x : peaks;
    }
    const float peak = G::max(peaks);
    if (!(peak > NOTHING / 2)) return G::scalar_log(mass);  // no column has mass: like a column without rows
    XALIGN_FOR (int j = 0; j < p.stride; j += L) sum = sum + G::exp(G::load(row + j) + G::load(p.v + j) - peak);
    return G::scalar_log(mass) - peak - G::scalar_log(G::sum(sum));
  }

  XALIGN_DEVICE void apply_factors() {
    const bool exponents = log_domain_ && o.iterations > 0;
    Strip v(p.v);
    v.load(*this);
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      float* row = p.row(i);
      const float u = p.u[i];
      if (exponents)
        columns([&](int k, int j) { G::store(row + j, G::exp(G::load(row + j) + u + v.get(k, j))); });
      else
        columns([&](int k, int j) { G::store(row + j, G::load(row + j) * u * (v.get(k, j) * v_unit_)); });
    }
    g.sync();
  }

  XALIGN_DEVICE void sum_plan() {
    float* own = part(p.partial, g.rank());
    XALIGN_FOR (int j = 0; j < p.stride; j += L) G::store(own + j, G::splat(0.0f));
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      Lanes sum = G::splat(0.0f);
      XALIGN_FOR (int j = 0; j < p.stride; j += L) {
        const Lanes x = G::load(p.row(i) + j);
        sum = sum + x;
        G::store(own + j, G::load(own + j) + x);
      }
      const float total = G::sum(sum);
      if (g.leads()) p.row_sum[i] = total;
    }
    g.sync();
    XALIGN_FOR (int j = g.rank() * L; j < p.stride; j += g.size() * L) {
      G::store(p.column_sum + j, sum_of_parts(j));
    }
    g.sync();
  }

  // The largest positive entry of each row and column, discounted or not. Ties go to the lowest index.
  XALIGN_DEVICE void argmax(bool discounted) {
    const Lanes none = G::splat(-1.0f);
    Strip peaks(part(p.partial, g.rank())), at(part(p.partial_more, g.rank()));
    Strip unlinked(p.column_weight), linked(p.linked_weight);
    columns([&](int k, int j) { peaks.set(k, j, G::splat(0.0f)), at.set(k, j, none); });
    if (discounted) unlinked.load(*this), linked.load(*this);
    XALIGN_FOR (int i = g.rank(); i < p.n; i += g.size()) {
      const float* row = p.row(i);
      const Lanes row_weight = G::splat(p.row_weight[i]), here = G::splat(static_cast<float>(i));
      const bool beside_linked = p.row_linked[i] > 0 && o.filter == ITERMAX;
      Lanes best = G::splat(0.0f), best_at = none;
      columns([&](int k, int j) {
        Lanes x = G::load(row + j);
        if (discounted) {
          const Lanes weight = beside_linked ? linked.get(k, j) : unlinked.get(k, j);
          x = x * (weight < row_weight ? weight : row_weight);
        }
        const auto row_better = x > best;
        best = row_better ? x : best;
        best_at = row_better ? G::places(j) : best_at;
        const Lanes peak = peaks.get(k, j);
        const auto column_better = x > peak;
        peaks.set(k, j, column_better ? x : peak);
        at.set(k, j, column_better ? here : at.get(k, j));
      });
      // A lane without a positive entry must not win by its index.
      const Best found = G::best(best, best_at);
      if (g.leads()) p.forward[i] = found.value > 0 ? found.at : -1.0f;
    }
    peaks.store(*this), at.store(*this);
    g.sync();
    XALIGN_FOR (int j = g.rank() * L; j < p.stride; j += g.size() * L) {
      Lanes best = G::splat(0.0f), best_at = none;
      XALIGN_FOR (int worker = 0; worker < g.size(); ++worker) {
        const Lanes x = G::load(part(p.partial, worker) + j), its = G::load(part(p.partial_more, worker) + j);
        const auto better = (x > best) | ((x == best) & (x > 0.0f) & (its < best_at));
        best = better ? x : best;
        best_at = better ? its : best_at;
      }
      G::store(p.backward + j, best_at);
    }
    g.sync();
  }

  XALIGN_DEVICE float probability(int i, int j) const {
    const float norm = G::scalar_sqrt(p.row_sum[i]) * G::scalar_sqrt(p.column_sum[j]);
    const float ratio = norm > 0 ? p.row(i)[j] / norm : 0.0f;
    return ratio < 1 ? ratio : 1.0f;
  }

  XALIGN_DEVICE void write_union(const Output& out) const {
    XALIGN_FOR (int i = g.thread(); i < p.n; i += g.threads()) {
      const int j = static_cast<int>(p.forward[i]);
      if (j >= 0) out.put(0, out.src_start + i, out.tgt_start + j, out.probability ? probability(i, j) : 0.0f);
    }
    XALIGN_FOR (int j = g.thread(); j < p.m; j += g.threads()) {
      const int i = static_cast<int>(p.backward[j]);
      if (i >= 0) out.put(0, out.tgt_start + j, out.src_start + i, out.probability ? probability(i, j) : 0.0f);
    }
  }

  XALIGN_DEVICE void write_mutual(const Output& out, int round) const {
    XALIGN_FOR (int i = g.thread(); i < p.n; i += g.threads()) {
      const int j = static_cast<int>(p.forward[i]);
      if (j < 0 || static_cast<int>(p.backward[j]) != i) continue;
      const float share = out.probability ? probability(i, j) : 0.0f;
      out.put(round, out.src_start + i, out.tgt_start + j, share);
      out.put(round, out.tgt_start + j, out.src_start + i, share);
      p.row_linked[i] = p.column_linked[j] = 1;
      if (o.filter == ITERMAX_PAPER) p.row(i)[j] = 0;  // Eq. 9: no link is found twice
    }
    g.sync();
  }

  // Sets the next round's weights. False if the released rule has no next round here.
  XALIGN_DEVICE bool discount() {
    const float alpha = static_cast<float>(o.alpha);
    const bool paper = o.filter == ITERMAX_PAPER;
    bool free_row = false, free_column = false;
    XALIGN_FOR (int i = g.thread(); i < p.n; i += g.threads()) {
      free_row |= p.row_linked[i] == 0;
      if (paper && p.row_linked[i] > 0) p.row_weight[i] *= alpha;  // Eq. 9: discounts compound
    }
    XALIGN_FOR (int j = g.thread(); j < p.m; j += g.threads()) {
      const bool linked = p.column_linked[j] > 0;
      free_column |= !linked;
      if (paper) {
        if (linked) p.column_weight[j] *= alpha;
      } else {
        p.column_weight[j] = linked ? alpha : 1.0f;
        p.linked_weight[j] = linked ? 0.0f : alpha;
      }
    }
    const bool rows_left = g.any(free_row), columns_left = g.any(free_column);
    return paper || (rows_left && columns_left && p.n > 2 && p.m > 2);
  }
};

}  // namespace xalign
