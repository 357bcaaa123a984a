// Asynchronous copies into shared memory. CUDA may run them at once, or only when a thread waits for them.
#pragma once

#include "cuda_runtime.h"

inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
  using namespace emulator;
  expect(size == 16 && zeros <= size, "an asynchronous copy of a size other than 16");
  expect(uintptr_t(to) % 16 == 0 && uintptr_t(from) % 16 == 0, "a misaligned asynchronous copy");
  const char* at = static_cast<const char*>(to);
  expect(at >= machine.shared && at + size <= machine.shared + MOST_SHARED, "a copy beyond shared memory");
  const char* source = static_cast<const char*>(from);
  expect(source >= machine.readable && source + (size - zeros) <= machine.readable_end,
         "a copy from outside the hidden states");
  Fiber& self = *machine.running;
  const Fiber::Copy made{to, from, size - zeros, self.group};
  if (machine.eager_copies)
    copy(made);
  else
    self.copies.push_back(made);
}
inline void __pipeline_commit() { ++emulator::machine.running->group; }
inline void __pipeline_wait_prior(size_t groups) {
  emulator::Fiber& self = *emulator::machine.running;
  std::vector<emulator::Fiber::Copy> left;
  for (const auto& made : self.copies)
    if (made.group + groups < self.group)
      emulator::copy(made);
    else
      left.push_back(made);
  self.copies = left;
}
