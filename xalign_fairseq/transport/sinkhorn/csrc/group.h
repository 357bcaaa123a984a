// Thread groups run the algorithm on one pair of sentences.
//
// A group has size() workers with LANES lanes each: the SIMD lanes of a CPU thread, or the threads of a warp on a GPU.
// `Lanes` holds one float per lane (on a GPU it is a float, since each lane runs the code itself). A group provides
//
//   rank(), size()       this worker and the number of workers; worker r owns rows r, r + size(), ... of the matrix
//   thread(), threads()  this thread and the number of threads, for loops over single elements
//   leads()              whether this thread writes the results of its worker
//   sync()               a barrier and memory fence for all threads
//   any(flag)            whether any thread has the flag; also a barrier
//   load(p), store(p, x) LANES consecutive floats at p
//   load_inside(p, first, end)  those at p[first]; 0 from p[end] on
//   places(first)        first, first + 1, ... by lane, as floats (exact up to 2^24)
//   splat(x)             x in each lane
//   sum(x), max(x)       over the lanes; every lane has it
//   best(x, at)          the largest x of the lanes; ties go to the lowest `at`
//   exp(x), log(x)       of each lane; exp(x) is 0 for x < -104; scalar_exp, _log, _sqrt take one float
//
// `Lanes` supports + - * /, and comparisons as conditions of `? :`.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define XALIGN_DEVICE __host__ __device__ __forceinline__
// Not unrolled: rows are short, and nvcc would unroll each loop four times and spill registers.
#define XALIGN_FOR _Pragma("unroll 1") for
#define XALIGN_UNROLLED _Pragma("unroll")
#else
#define XALIGN_DEVICE inline
#define XALIGN_FOR for
#define XALIGN_UNROLLED _Pragma("GCC unroll 8")
#endif

namespace xalign {

struct Best {
  float value;
  float at;
};

#ifndef __CUDACC__

// One CPU thread. Its lanes are those of the widest vector that the compiler may use.
class SerialGroup {
 public:
#if defined(__AVX512F__)
  static constexpr int LANES = 16;
#else
  static constexpr int LANES = 8;
#endif
  typedef float Lanes __attribute__((vector_size(4 * LANES)));
  typedef int32_t Bits __attribute__((vector_size(4 * LANES)));

  int rank() const { return 0; }
  int size() const { return 1; }
  int thread() const { return 0; }
  int threads() const { return 1; }
  bool leads() const { return true; }
  void sync() const {}
  bool any(bool flag) const { return flag; }

  static Lanes load(const float* from) {
    Lanes x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(float* to, Lanes x) { std::memcpy(to, &x, sizeof x); }
  static Lanes splat(float x) { return x - Lanes{}; }
  static Lanes load_inside(const float* from, int first, int end) {
    float inside[LANES] = {};
    for (int lane = 0; lane < LANES && first + lane < end; ++lane) inside[lane] = from[first + lane];
    return load(inside);
  }
  static Lanes places(int first) {
    Lanes lane;
    for (int i = 0; i < LANES; ++i) lane[i] = static_cast<float>(i);
    return lane + static_cast<float>(first);
  }

  // Combines halves until one number is left. The order depends only on LANES.
  template <class Vector, class Combine>
  static float fold(Vector x, Combine combine) {
    if constexpr (sizeof x == 64)
      return fold(halved<Eight>(x, combine), combine);
    else if constexpr (sizeof x == 32)
      return fold(halved<Four>(x, combine), combine);
    else if constexpr (sizeof x == 16)
      return fold(halved<Two>(x, combine), combine);
    else
      return combine(x[0], x[1]);
  }
  static float sum(Lanes x) {
    return fold(x, [](auto a, auto b) { return a + b; });
  }
  static float max(Lanes x) {
    return fold(x, [](auto a, auto b) { return a > b ? a : b; });
  }
  static Best best(Lanes x, Lanes at) {
    const float peak = max(x);
    const Lanes equals = x == peak ? -at : splat(-1e9f);
    return {peak, -max(equals)};
  }

  // exp(x) = 2^k e^r with r in [-ln(2)/2, ln(2)/2] and a series for e^r (relative error below 1e-7). 2^k is applied as
  // two factors, since it may be too small for a float's exponent. Vector casts keep bits.
  static Lanes exp(Lanes x) {
    const Lanes round = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer
    const Lanes inside = x < -104.0f ? splat(-104.0f) : (x > 88.0f ? splat(88.0f) : x);
    const Lanes k = (inside * 1.44269504f + round) - round;
    const Lanes r = (inside - k * 0.693359375f) + k * 2.12194440e-4f;  // ln 2 in two parts
    Lanes y = r * (1.0f / 5040) + 1.0f / 720;
    y = y * r + 1.0f / 120;
    y = y * r + 1.0f / 24;
    y = y * r + 1.0f / 6;
    y = y * r + 0.5f;
    y = y * r + 1.0f;
    y = y * r + 1.0f;
    const Bits whole = __builtin_convertvector(k, Bits), half = whole >> 1;
    const Bits first = (half + 127) << 23, second = (whole - half + 127) << 23;
    return x < -104.0f ? splat(0.0f) : y * (Lanes)first * (Lanes)second;
  }

  // log(2^k y), y in [sqrt(1/2), sqrt(2)), with log(y) = 2 artanh((y - 1) / (y + 1)). For x > 0.
  static Lanes log(Lanes x) {
    const Bits bits = (Bits)x;
    Bits exponent = (bits >> 23) - 127;
    const Bits mantissa = (bits & 0x007fffff) | 0x3f800000;
    Lanes y = (Lanes)mantissa;
    const Bits high = y > 1.41421356f;
    y = high ? y * 0.5f : y;
    exponent -= high;  // true is -1
    const Lanes k = __builtin_convertvector(exponent, Lanes);
    const Lanes s = (y - 1.0f) / (y + 1.0f);
    const Lanes t = s * s;
    Lanes series = t * (2.0f / 9) + 2.0f / 7;
    series = series * t + 2.0f / 5;
    series = series * t + 2.0f / 3;
    series = series * t * s + 2.0f * s;
    return k * 0.693359375f + (series - k * 2.12194440e-4f);
  }

  static float scalar_exp(float x) { return std::exp(x); }
  static float scalar_log(float x) { return std::log(x); }
  static float scalar_sqrt(float x) { return std::sqrt(x); }

 private:
  typedef float Eight __attribute__((vector_size(32)));
  typedef float Four __attribute__((vector_size(16)));
  typedef float Two __attribute__((vector_size(8)));

  template <class Half, class Whole, class Combine>
  static Half halved(Whole x, Combine combine) {
    Half low, high;
    std::memcpy(&low, &x, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
    return combine(low, high);
  }
};

#endif

}  // namespace xalign
