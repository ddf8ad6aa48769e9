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

}  // namespace apf::test
