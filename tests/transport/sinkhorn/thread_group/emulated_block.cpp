// algorithm.h run as on a GPU, each lane of each worker a thread of its own, beside the group of one thread. Prints
// where the two differ. Compiled with -fsanitize=thread it also says whether the barriers of the algorithm suffice.
#include <pthread.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "algorithm.h"

namespace {

using namespace xalign;

constexpr int WORKERS = 3, WIDTH = 4, THREADS = WORKERS * WIDTH;

struct Barrier {
  explicit Barrier(int threads) { pthread_barrier_init(&barrier, nullptr, threads); }
  void wait() { pthread_barrier_wait(&barrier); }
  pthread_barrier_t barrier;
};

Barrier block(THREADS), warps[WORKERS] = {Barrier(WIDTH), Barrier(WIDTH), Barrier(WIDTH)};
float given[THREADS], given_at[THREADS];
bool flags[THREADS];
thread_local int self;

class EmulatedGroup {
 public:
  static constexpr int LANES = WIDTH;
  using Lanes = float;

  static int lane() { return self % WIDTH; }
  int rank() const { return self / WIDTH; }
  int size() const { return WORKERS; }
  int thread() const { return self; }
  int threads() const { return THREADS; }
  bool leads() const { return lane() == 0; }
  void sync() const { block.wait(); }
  bool any(bool flag) const {
    flags[self] = flag;
    block.wait();
    bool found = false;
    for (const bool its : flags) found |= its;
    block.wait();
    return found;
  }

  static Lanes load(const float* from) { return from[lane()]; }
  static void store(float* to, Lanes x) { to[lane()] = x; }
  static Lanes load_inside(const float* from, int first, int end) {
    return first + lane() < end ? from[first + lane()] : 0.0f;
  }
  static Lanes places(int first) { return static_cast<float>(first + lane()); }
  static Lanes splat(float x) { return x; }
  static float sum(Lanes x) {
    return fold({x, 0}, [](Best a, Best b) { return Best{a.value + b.value, 0}; }).value;
  }
  static float max(Lanes x) { return best(x, 0).value; }
  static Best best(Lanes x, Lanes at) {
    return fold({x, at}, [](Best a, Best b) {
      return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
    });
  }
  static Lanes exp(Lanes x) { return std::exp(x); }
  static Lanes log(Lanes x) { return std::log(x); }
  static float scalar_exp(float x) { return std::exp(x); }
  static float scalar_log(float x) { return std::log(x); }
  static float scalar_sqrt(float x) { return std::sqrt(x); }

 private:
  // What a warp's lanes exchange, pair by pair.
  template <class Combine>
  static Best fold(Best own, Combine combine) {
    Barrier& warp = warps[self / WIDTH];
    for (int other = WIDTH / 2; other > 0; other /= 2) {
      given[self] = own.value, given_at[self] = own.at;
      warp.wait();
      own = combine(own, {given[self ^ other], given_at[self ^ other]});
      warp.wait();
    }
    return own;
  }
};

// One pair under some options, and what comes out.
struct Case {
  Call call{};
  int64_t spans[4];
  std::vector<float> similarity, row_mass, column_mass;
  bool masses, probabilities;
};

struct Result {
  std::vector<float> plan, probability;
  std::vector<int32_t> partners;
  std::vector<float> matrix, vectors;
  bool has_plan = false;
};

// C: as Transport's.
template <class G, int C = 0>
struct Run {
  static int round_up(int64_t count) { return (int(count) + G::LANES - 1) / G::LANES * G::LANES; }

  // Memory that the group shares, full of NaN.
  static Result memory(const Case& one) {
    const Call& call = one.call;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const int rows = round_up(call.n), columns = round_up(call.m);
    Result result;
    result.matrix.assign(rows * columns, nan);
    result.vectors.assign(Pair::vectors(rows, columns, G{}.size()), nan);
    result.plan.assign(call.n * call.m, nan);
    result.partners.assign((call.highest ? 1 : call.rounds) * call.length, -7);
    result.probability.assign(result.partners.size(), nan);
    for (int i = 0; i < call.n; ++i)
      for (int j = 0; j < call.m; ++j) result.matrix[i * columns + j] = one.similarity[i * call.m + j];
    return result;
  }

  static void run(const Case& one, Result& result) {
    Call call = one.call;
    call.partners = result.partners.data();
    if (one.probabilities) call.probability = result.probability.data();
    const Span span(call, 0);
    Pair pair{};
    pair.n = span.n, pair.m = span.m, pair.stride = round_up(span.m);
    pair.matrix = result.matrix.data();
    G group;
    pair.place_vectors(result.vectors.data(), round_up(span.n), pair.stride, group.size());
    if (one.masses) pair.row_mass = one.row_mass.data(), pair.column_mass = one.column_mass.data();
    Transport<G, C> transport(group, pair, call);
    const bool has_plan = transport.plan();
    if (group.thread() == 0) result.has_plan = has_plan;
    // Links of Eq. 9 are taken out of the plan.
    for (int at = group.thread(); has_plan && at < pair.n * pair.m; at += group.threads())
      result.plan[at] = pair.row(at / pair.m)[at % pair.m];
    group.sync();
    transport.links(Output(call, 0, span), has_plan);
  }
};

std::vector<Case> all_cases() {
  const int sides[][2] = {{1, 1}, {1, 7}, {6, 1}, {2, 2}, {5, 9}, {9, 4}, {14, 13}};
  std::mt19937 draw(1);
  std::uniform_real_distribution<float> uniform(-1, 4), mass(0.1f, 1);
  std::vector<Case> cases;
  for (int number = 0; number < 7 * 48; ++number) {
    Case one;
    Call& call = one.call;
    call.n = sides[number % 7][0], call.m = sides[number % 7][1];
    const int kind = number / 7;
    call.log_domain = kind % 2, call.rows_first = kind / 2 % 2, call.mu = kind / 4 % 2 ? 1 : 0.4;
    call.iterations = kind / 8 % 3 == 0 ? 0 : kind / 8 % 3 == 1 ? 1 : 3;
    one.masses = kind / 24;
    call.filter = draw() % 4, call.rounds = call.filter == ARGMAX || call.filter == UNION ? 1 : 3;
    call.highest = call.filter != UNION && draw() % 2;
    call.eps = 1e-6, call.alpha = 0.9, call.batch = 1, call.partner_bytes = 4;
    one.spans[0] = 1, one.spans[1] = 1 + call.n, one.spans[2] = 2 + call.n, one.spans[3] = 2 + call.n + call.m;
    call.length = 3 + call.n + call.m;
    const bool tied = draw() % 8 == 0;
    one.probabilities = draw() % 2;
    for (int at = 0; at < call.n * call.m; ++at) one.similarity.push_back(tied ? 2.0f : uniform(draw));
    if (draw() % 16 == 0) one.similarity.back() = std::numeric_limits<float>::quiet_NaN();
    for (int i = 0; i < call.n; ++i) one.row_mass.push_back(i == 2 ? 0 : mass(draw));
    for (int j = 0; j < call.m; ++j) one.column_mass.push_back(j == 3 ? 0 : mass(draw));
    cases.push_back(one);
  }
  for (Case& one : cases) one.call.spans = one.spans;
  return cases;
}

bool near(const std::vector<float>& found, const std::vector<float>& expected) {
  for (size_t at = 0; at < found.size(); ++at)
    if (!(std::fabs(found[at] - expected[at]) <= 1e-6f + 1e-4f * std::fabs(expected[at]))) return false;
  return true;
}

// How many cases differ from what the group of one thread finds.
template <int C>
int differing(const std::vector<Case>& cases) {
  std::vector<Result> results;
  for (const Case& one : cases) results.push_back(Run<EmulatedGroup, C>::memory(one));
  std::vector<std::thread> threads;
  for (int number = 0; number < THREADS; ++number)
    threads.emplace_back([&, number] {
      self = number;
      for (size_t at = 0; at < cases.size(); ++at) Run<EmulatedGroup, C>::run(cases[at], results[at]);
    });
  for (std::thread& thread : threads) thread.join();
  int different = 0, links = 0, without = 0;
  for (size_t at = 0; at < cases.size(); ++at) {
    Result expected = Run<SerialGroup>::memory(cases[at]);
    Run<SerialGroup>::run(cases[at], expected);
    const Result& found = results[at];
    const bool same = found.has_plan == expected.has_plan && found.partners == expected.partners &&
                      (!cases[at].probabilities || near(found.probability, expected.probability)) &&
                      (!expected.has_plan || near(found.plan, expected.plan));
    for (const int partner : found.partners) links += partner >= 0;
    without += !found.has_plan;
    if (same) continue;
    ++different;
    const Call& call = cases[at].call;
    std::printf("case %zu differs, C %d: %d x %d, iterations %d, rows first %d, log %d, mu %g, filter %d, masses %d\n", at, C,
                int(call.n), int(call.m), int(call.iterations), int(call.rows_first), int(call.log_domain), call.mu,
                int(call.filter), cases[at].masses);
  }
  std::printf("%zu cases, %d links, %d without a plan, %d differ\n", cases.size(), links, without, different);
  return different;
}

}  // namespace

int main() {
  const std::vector<Case> cases = all_cases();
  return differing<0>(cases) + differing<4>(cases) != 0;
}
