// Dot products of the rows of two sides on the CPU. Tiles of sums stay in vector registers, and rows are read in place.
// A Kind defines how numbers are multiplied:
//
//   Element                   element type of a row
//   Operand                   STEP elements, loaded by load(p)
//   add(x, y, sums)           sums plus the products of x and y, each in some lane
#pragma once

#include <algorithm>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "group.h"

namespace xalign {
namespace {  // keeps symbols local if a process loads several libraries

// Rows of one side: consecutive tokens, `stride` elements apart.
template <class Element>
struct Side {
  const Element* rows;
  int64_t stride;
  int size;

  const Element* row(int i) const { return rows + i * stride; }
};

struct Float32 {
  using Element = float;
  using Operand = SerialGroup::Lanes;
  static constexpr int STEP = SerialGroup::LANES;
  static Operand load(const float* from) { return SerialGroup::load(from); }
  static SerialGroup::Lanes add(Operand x, Operand y, SerialGroup::Lanes sums) { return x * y + sums; }
};

#if defined(__AVX512BF16__)
struct Bfloat16 {
  using Element = uint16_t;
  using Operand = __m512bh;
  static constexpr int STEP = 2 * SerialGroup::LANES;
  static Operand load(const uint16_t* from) { return (Operand)_mm512_loadu_si512(from); }
  static SerialGroup::Lanes add(Operand x, Operand y, SerialGroup::Lanes sums) {
    return (SerialGroup::Lanes)_mm512_dpbf16_ps((__m512)sums, x, y);
  }
};
#else
// A bfloat16 is the upper half of a float's bits.
struct Bfloat16 : Float32 {
  using Element = uint16_t;
  static Operand load(const uint16_t* from) {
    typedef uint16_t Short __attribute__((vector_size(2 * STEP)));
    typedef uint32_t Wide __attribute__((vector_size(4 * STEP)));
    Short bits;
    std::memcpy(&bits, from, sizeof bits);
    return (Operand)(__builtin_convertvector(bits, Wide) << 16);
  }
};
#endif

struct Float16 : Float32 {
  using Element = uint16_t;
  static Operand load(const uint16_t* from) {
#if defined(__AVX512F__)
    return (Operand)_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__)
    return (Operand)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
    Operand x;
    for (int lane = 0; lane < STEP; ++lane) x[lane] = widened(from[lane]);
    return x;
  }

 private:
  static float widened(uint16_t bits) {
    const uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    // After the shift the exponent is too small by 112, except for infinities and NaN: theirs is all ones.
    const uint32_t wide = sign | (magnitude << 13) | (magnitude >= 0x7c00 ? 0x7f800000u : 0u);
    float x;
    std::memcpy(&x, &wide, sizeof x);
    return magnitude >= 0x7c00 ? x : x * 0x1p112f;
#endif
  }
};

template <class Kind>
class Products {
  using Lanes = SerialGroup::Lanes;
  static constexpr int STEP = Kind::STEP;
  // R x C sums and R + 1 operands fit the 16 vector registers (32 with AVX-512).
  static constexpr int R = SerialGroup::LANES == 16 ? 6 : 3, C = 4;
  static constexpr int COLUMNS = 64;  // they stay in the L2 cache while all rows pass

 public:
  using Element = typename Kind::Element;

  // out[i * stride + j] = src_i . tgt_j. The order of additions is the same in every tile, so an entry depends only on
  // its two vectors.
  static void write(const Side<Element>& src, const Side<Element>& tgt, int width, float* out, int64_t stride) {
    const Shares down(src.size, R);
    for (int block = 0; block < tgt.size; block += COLUMNS) {
      const Shares across(std::min(COLUMNS, tgt.size - block), C);
      for (int r = 0; r < down.count; ++r) {
        const int i = down.first(r), rows = down.first(r + 1) - i;
        for (int c = 0; c < across.count; ++c) {
          const int j = block + across.first(c), columns = block + across.first(c + 1) - j;
          const Side<Element> next = c + 1 < across.count ? Side<Element>{tgt.row(j + columns), tgt.stride, C}
                                                          : Side<Element>{src.row(i + rows), src.stride, R};
          TILES[rows - 1][columns - 1]({src.row(i), src.stride, rows}, {tgt.row(j), tgt.stride, columns}, width, next,
                                       out + i * stride + j, stride);
        }
      }
    }
  }

 private:
  // Splits `size` into the fewest parts of at most `most`. Part sizes differ by at most 1.
  struct Shares {
    int count, each, larger;
    Shares(int size, int most)
        : count((size + most - 1) / most), each(count ? size / count : 0), larger(size - count * each) {}
    int first(int share) const { return share * each + std::min(share, larger); }
  };

  template <int ROWS, int COLUMNS_>
  using Sums = Lanes[ROWS][COLUMNS_];

  // next: the first rows of the next tile, prefetched while this tile is computed.
  template <int ROWS, int COLUMNS_>
  static void tile(const Side<Element>& a, const Side<Element>& b, int width, const Side<Element>& next, float* out,
                   int64_t stride) {
    Sums<ROWS, COLUMNS_> sums = {};
    const int whole = width / STEP * STEP;
    for (int k = 0; k < whole; k += STEP) {
      for (int row = 0; row < C; ++row) __builtin_prefetch(next.row(row) + k);
      add<ROWS, COLUMNS_>(a.rows + k, a.stride, b.rows + k, b.stride, sums);
    }
    if (whole < width) {
      Element x[ROWS][STEP] = {}, y[COLUMNS_][STEP] = {};
      for (int r = 0; r < ROWS; ++r) std::copy(a.row(r) + whole, a.row(r) + width, x[r]);
      for (int c = 0; c < COLUMNS_; ++c) std::copy(b.row(c) + whole, b.row(c) + width, y[c]);
      add<ROWS, COLUMNS_>(x[0], STEP, y[0], STEP, sums);
    }
    for (int r = 0; r < ROWS; ++r) {
      Lanes four[C] = {};
      for (int c = 0; c < COLUMNS_; ++c) four[c] = sums[r][c];
      float found[C];
      four_sums(four, found);
      for (int c = 0; c < COLUMNS_; ++c) out[r * stride + c] = found[c];
    }
  }

  template <int ROWS, int COLUMNS_>
  static void add(const Element* a, int64_t a_stride, const Element* b, int64_t b_stride, Sums<ROWS, COLUMNS_>& sums) {
    typename Kind::Operand x[ROWS];
    for (int r = 0; r < ROWS; ++r) x[r] = Kind::load(a + r * a_stride);
    for (int c = 0; c < COLUMNS_; ++c) {
      const typename Kind::Operand y = Kind::load(b + c * b_stride);
      for (int r = 0; r < ROWS; ++r) sums[r][c] = Kind::add(x[r], y, sums[r][c]);
    }
  }

  // Sums four vectors over their lanes, in fewer instructions than one after another.
  static void four_sums(const Lanes x[C], float sums[C]) {
#if defined(__AVX512F__)
    const auto halved = [](__m512 a, __m512 b) { return _mm512_unpacklo_ps(a, b) + _mm512_unpackhi_ps(a, b); };
    const __m512 even = halved((__m512)x[0], (__m512)x[2]), odd = halved((__m512)x[1], (__m512)x[3]);
    const __m512d quarters = _mm512_castps_pd(halved(even, odd));
    const __m256 halves = _mm256_castpd_ps(_mm512_extractf64x4_pd(quarters, 0)) +
                          _mm256_castpd_ps(_mm512_extractf64x4_pd(quarters, 1));
#elif defined(__AVX__)
    const __m256 first = _mm256_hadd_ps((__m256)x[0], (__m256)x[1]), last = _mm256_hadd_ps((__m256)x[2], (__m256)x[3]);
    const __m256 halves = _mm256_hadd_ps(first, last);
#endif
#if defined(__AVX__)
    _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
#else
    for (int c = 0; c < C; ++c) sums[c] = SerialGroup::sum(x[c]);
#endif
  }

  using Tile = void (*)(const Side<Element>&, const Side<Element>&, int, const Side<Element>&, float*, int64_t);
  static constexpr Tile TILES[R][C] = {
      {tile<1, 1>, tile<1, 2>, tile<1, 3>, tile<1, 4>}, {tile<2, 1>, tile<2, 2>, tile<2, 3>, tile<2, 4>},
      {tile<3, 1>, tile<3, 2>, tile<3, 3>, tile<3, 4>},
#if defined(__AVX512F__)
      {tile<4, 1>, tile<4, 2>, tile<4, 3>, tile<4, 4>}, {tile<5, 1>, tile<5, 2>, tile<5, 3>, tile<5, 4>},
      {tile<6, 1>, tile<6, 2>, tile<6, 3>, tile<6, 4>},
#endif
  };
};

}  // namespace
}  // namespace xalign
