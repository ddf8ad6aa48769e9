// What the tests share: the conformance vectors and the seed of property tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apf::test {

// Lines of tests/conformance/vectors/NAME.zst ("queueset.jsonl"), without newlines. Throws when the file is
// missing, damaged or empty, so that no test passes for want of cases.
std::vector<std::string> read_vectors(const std::string& name);

// Seed of a property test: APF_TEST_SEED if set, else a fixed one. Print it with INFO.
std::uint64_t seed();

// How often a property test tries, and how much of it must have come to something: `n`, and a fifth of it with
// sanitizers, which take five to fifteen times as long.
template <class Count>
constexpr Count rounds(Count n) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return (n + 4) / 5;
#endif
#endif
  return n;
}

}  // namespace apf::test
