#include "support/vectors.h"

#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace apf::test {

std::vector<std::string> read_vectors(const std::string& name) {
  const std::string path = std::string(APF_TESTS_DIR) + "/conformance/vectors/" + name + ".zst";
  std::ifstream file(path, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (packed.empty() || size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    throw std::runtime_error("cannot read vectors " + path);
  std::string text(size, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size) throw std::runtime_error("damaged vectors " + path);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.empty()) throw std::runtime_error("no vectors in " + path);
  return lines;
}

std::uint64_t seed() {
  const char* text = std::getenv("APF_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 20261120;
}

}  // namespace apf::test
