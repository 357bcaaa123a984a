// The CPU operator as on a machine with AMX, whose instructions are emulated.
#include "tiles.h"

#include "cpu.cpp"

extern "C" void emulator_select(const char* from, int64_t bytes, int refuses) {
  emulator::readable = from, emulator::readable_end = from + bytes, emulator::refuses = refuses;
}
extern "C" int64_t emulator_products() { return emulator::products; }
