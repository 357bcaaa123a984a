// The tile instructions of AMX in plain C++, in the place of the intrinsics.
#pragma once

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#define __AMX_TILE__ 1
#define __AMX_BF16__ 1
#define _tile_loadconfig(from) emulator::unit.configure(from)
#define _tile_release() emulator::unit.release()
#define _tile_zero(tile) emulator::unit.zero(tile)
#define _tile_loadd(tile, from, stride) emulator::unit.load(tile, from, stride)
#define _tile_stored(tile, to, stride) emulator::unit.store(tile, to, stride)
#define _tile_dpbf16ps(sums, a, b) emulator::unit.multiply(sums, a, b)
#define syscall(number, request, feature) emulator::ask(number, request, feature)

namespace emulator {

// The hidden states, of which only bytes inside may be read; whether the system permits tiles; what has been done.
static const char *readable, *readable_end;
static bool refuses;
static int64_t products;

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "AMX emulator: %s\n", what);
  std::abort();
}

inline long ask(long number, long request, long feature) {
  expect(number == SYS_arch_prctl && request == 0x1023 && feature == 18, "another system call than that for tiles");
  return refuses ? -1 : 0;
}

class Unit {
 public:
  void configure(const void* from) {
    struct {
      uint8_t palette, start, reserved[14];
      uint16_t bytes[16];
      uint8_t rows[16];
    } shape;
    static_assert(sizeof shape == 64);
    std::memcpy(&shape, from, sizeof shape);
    expect(shape.palette == 1 && shape.start == 0, "a palette that is not there");
    for (const uint8_t zero : shape.reserved) expect(zero == 0, "a reserved byte that is not 0");
    for (int tile = 0; tile < 16; ++tile) {
      const int rows = shape.rows[tile], bytes = shape.bytes[tile];
      expect(tile < 8 ? rows <= 16 && bytes <= 64 : rows == 0 && bytes == 0, "a tile that is not there");
      if (tile < 8) tiles_[tile] = {rows, bytes, {}};
    }
    configured_ = true;
  }
  void release() { configured_ = false; }

  void zero(int tile) { std::memset(used(tile).data, 0, sizeof(Tile::data)); }

  void load(int tile, const void* from, int64_t stride) {
    Tile& to = used(tile);
    const bool hidden = from >= readable && from < readable_end;
    for (int row = 0; row < to.rows; ++row) {
      const char* at = static_cast<const char*>(from) + row * stride;
      expect(!hidden || at + to.bytes <= readable_end, "a tile that is read from behind the hidden states");
      std::memcpy(to.data[row], at, to.bytes);
    }
  }
  void store(int tile, void* to, int64_t stride) {
    const Tile& from = used(tile);
    for (int row = 0; row < from.rows; ++row)
      std::memcpy(static_cast<char*>(to) + row * stride, from.data[row], from.bytes);
  }

  void multiply(int sums, int left, int right) {
    Tile &c = used(sums), &a = used(left), &b = used(right);
    expect(c.rows == a.rows && c.bytes == b.bytes && a.bytes == 4 * b.rows, "tiles that do not fit");
    for (int row = 0; row < c.rows; ++row)
      for (int column = 0; column < c.bytes / 4; ++column) {
        float sum;
        std::memcpy(&sum, c.data[row] + 4 * column, 4);
        for (int pair = 0; pair < b.rows; ++pair)
          for (int half = 0; half < 2; ++half)
            sum += number(a, row, 2 * pair + half) * number(b, pair, 2 * column + half);
        std::memcpy(c.data[row] + 4 * column, &sum, 4);
      }
    __atomic_add_fetch(&products, 1, __ATOMIC_RELAXED);
  }

 private:
  struct Tile {
    int rows, bytes;
    char data[16][64];
  };
  Tile& used(int tile) {
    expect(configured_, "a tile before they are configured, or after they are released");
    expect(tile >= 0 && tile < 8, "a tile that is not there");
    return tiles_[tile];
  }
  static float number(const Tile& tile, int row, int at) {
    uint32_t wide = 0;
    std::memcpy(reinterpret_cast<char*>(&wide) + 2, tile.data[row] + 2 * at, 2);
    float x;
    std::memcpy(&x, &wide, sizeof x);
    return x;
  }
  Tile tiles_[8];
  bool configured_ = false;
};

static thread_local Unit unit;

}  // namespace emulator
