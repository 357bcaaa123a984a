// Builds the CUDA operator with emulated threads. The functions are the same.
#include "cuda_runtime.h"

#include "cuda.cu"

namespace xalign {
alignas(128) char shared_memory[emulator::MOST_SHARED];
}

extern "C" void emulator_select(int last_first, int eager_copies) {
  emulator::machine.shared = xalign::shared_memory;
  emulator::machine.last_first = last_first;
  emulator::machine.eager_copies = eager_copies;
}

extern "C" void emulator_readable(const char* from, int64_t bytes) {
  emulator::machine.readable = from;
  emulator::machine.readable_end = from + bytes;
}
