// Dot products of bfloat16 rows by AMX, the matrix unit of some CPUs: sums of 16 x 16 in float32, of products of 32
// numbers at a time. Its second operand has pairs of numbers of a column side by side, so that the target side is
// interleaved beforehand; the source side is read where it is, but for what is no whole tile.
#pragma once

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "products.h"

namespace xalign {
namespace {

class MatrixUnit {
  using Rows = Side<uint16_t>;

 public:
  using Element = uint16_t;

  // Whether this process may use tiles: Linux keeps their state for those that ask.
  static bool permitted() {
    constexpr int REQUEST = 0x1023, TILE_DATA = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    static const bool granted = syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
    return granted;
  }

  // out[i * stride + j] = src_i . tgt_j; `out` has room for whole tiles, and what is in them beside it means nothing.
  static void write(const Rows& src, const Rows& tgt, int width, float* out, int stride) {
    static thread_local std::vector<Tile> memory;
    const int steps = (width + DEPTH - 1) / DEPTH, across = (tgt.size + EDGE - 1) / EDGE;
    const size_t needed = size_t(across + 2) * steps;
    if (memory.size() < needed || memory.size() > std::max(needed, KEPT)) memory = std::vector<Tile>(needed);
    Tile *columns = memory.data(), *copies = columns + int64_t(across) * steps;
    for (int j = 0; j < across; ++j) interleave(tgt, j * EDGE, width, columns + int64_t(j) * steps);
    _tile_loadconfig(&SHAPES);
    for (int i = 0; i < src.size; i += 2 * EDGE) {
      const Group first = group(src, i, width, copies), second = group(src, i + EDGE, width, copies + steps);
      __asm__ volatile("" ::: "memory");  // GCC is not told that tiles are read from memory
      const auto block = i + EDGE < src.size ? rows<2> : rows<1>;
      block(first, second, columns, across, steps, out + int64_t(i) * stride, stride);
    }
    _tile_release();
  }

 private:
  static constexpr int EDGE = 16, DEPTH = 32;
  static constexpr size_t KEPT = 1 << 12;  // tiles, 1 KiB each, that a thread keeps from pair to pair at most
  struct alignas(64) Tile {
    uint16_t numbers[EDGE * DEPTH];
  };

  // 16 rows, of which a tile's next one begins `advance` elements later.
  struct Group {
    const uint16_t* rows;
    int64_t stride, advance;
  };

  // 32 numbers of a row from its k-th on; 0 where there are none.
  static __m512i piece(const Rows& side, int row, int k, int width) {
    const int count = row < side.size ? std::min(width - k, DEPTH) : 0;
    const __mmask32 there = count == DEPTH ? ~__mmask32(0) : (__mmask32(1) << count) - 1;
    return _mm512_maskz_loadu_epi16(there, count ? side.row(row) + k : nullptr);
  }

  // Rows that fill a tile stay where they are; others are copied, with zeros beside and below them.
  static Group group(const Rows& side, int first, int width, Tile* copy) {
    if (first + EDGE <= side.size && width % DEPTH == 0) return {side.row(first), side.stride, DEPTH};
    for (int k = 0; first < side.size && k < width; k += DEPTH)
      for (int row = 0; row < EDGE; ++row)
        _mm512_store_si512(copy[k / DEPTH].numbers + row * DEPTH, piece(side, first + row, k, width));
    return {copy->numbers, DEPTH, EDGE * DEPTH};
  }

  // Tiles whose row p has the numbers 2p and 2p + 1 of each of 16 rows of the side.
  static void interleave(const Rows& side, int first, int width, Tile* to) {
    for (int k = 0; k < width; k += DEPTH) {
      __m512i rows[EDGE];
      for (int row = 0; row < EDGE; ++row) rows[row] = piece(side, first + row, k, width);
      exchange<1>(rows), exchange<2>(rows), exchange<4>(rows), exchange<8>(rows);
      for (int row = 0; row < EDGE; ++row) _mm512_store_si512(to[k / DEPTH].numbers + row * DEPTH, rows[row]);
    }
  }

  // A step of transposing 16 x 16 pairs: the blocks of D x D beside the diagonal of each 2D x 2D change their places.
  template <int D>
  static void exchange(__m512i (&rows)[EDGE]) {
    alignas(64) int32_t upper[EDGE], lower[EDGE];  // places in two rows, one behind the other
    for (int at = 0; at < EDGE; ++at) {
      upper[at] = at & D ? EDGE + at - D : at;
      lower[at] = at & D ? EDGE + at : at + D;
    }
    const __m512i above = _mm512_load_si512(upper), below = _mm512_load_si512(lower);
    for (int row = 0; row < EDGE; ++row) {
      if (row & D) continue;
      const __m512i x = rows[row], y = rows[row + D];
      rows[row] = _mm512_permutex2var_epi32(x, above, y);
      rows[row + D] = _mm512_permutex2var_epi32(x, below, y);
    }
  }

  struct alignas(64) Shapes {
    uint8_t palette, start, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
  };
  static constexpr Shapes SHAPES{1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};

  template <int DOWN>
  static void rows(const Group& first, const Group& second, const Tile* columns, int across, int steps, float* out,
                   int stride) {
    int j = 0;
    for (; j + 1 < across; j += 2)
      tiles<DOWN, 2>(first, second, columns + int64_t(j) * steps, steps, out + j * EDGE, stride);
    if (j < across) tiles<DOWN, 1>(first, second, columns + int64_t(j) * steps, steps, out + j * EDGE, stride);
  }

  // DOWN x ACROSS tiles of sums (0 to 3) from as many of either side (4, 5 and 6, 7).
  template <int DOWN, int ACROSS>
  static void tiles(const Group& first, const Group& second, const Tile* columns, int steps, float* out, int stride) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int step = 0; step < steps; ++step) {
      _tile_loadd(4, first.rows + step * first.advance, 2 * first.stride);
      _tile_loadd(6, columns + step, 2 * DEPTH);
      _tile_dpbf16ps(0, 4, 6);
      if constexpr (ACROSS == 2) {
        _tile_loadd(7, columns + steps + step, 2 * DEPTH);
        _tile_dpbf16ps(1, 4, 7);
      }
      if constexpr (DOWN == 2) {
        _tile_loadd(5, second.rows + step * second.advance, 2 * second.stride);
        _tile_dpbf16ps(2, 5, 6);
      }
      if constexpr (DOWN == 2 && ACROSS == 2) _tile_dpbf16ps(3, 5, 7);
    }
    const int64_t bytes = int64_t(sizeof(float)) * stride;
    _tile_stored(0, out, bytes);
    if constexpr (ACROSS == 2) _tile_stored(1, out + EDGE, bytes);
    if constexpr (DOWN == 2) _tile_stored(2, out + int64_t(EDGE) * stride, bytes);
    if constexpr (DOWN == 2 && ACROSS == 2) _tile_stored(3, out + int64_t(EDGE) * stride + EDGE, bytes);
  }
};

}  // namespace
}  // namespace xalign
