// One program has all fuzzers; the name that it is started by says which of them runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace apf::fuzz {

using Fuzzer = void (*)(const std::uint8_t* data, std::size_t size);

struct Entry {
  Entry(const char* name, Fuzzer fuzzer);
};

// What must hold, whatever the input is.
inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace apf::fuzz

// APF_FUZZER(audit_fuzz) { ... }: the body reads `size` bytes at `data`.
#define APF_FUZZER(name)                                              \
  static void run_##name(const std::uint8_t* data, std::size_t size); \
  static const apf::fuzz::Entry entry_of_##name(#name, run_##name);   \
  static void run_##name(const std::uint8_t* data, std::size_t size)
