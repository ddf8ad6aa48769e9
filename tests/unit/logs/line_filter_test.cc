#include "logs/line_filter.h"

#include <random>
#include <string>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

LogChunk chunk_of(std::string text) {
  LogChunk chunk;
  chunk.size = text.size();
  chunk.buffer = std::move(text);
  chunk.buffer.append(64, '\0');
  return chunk;
}

std::string text_of(const LogChunk& chunk) { return chunk.buffer.substr(0, chunk.size); }

constexpr std::array<std::string_view, 2> kWords = {"watch", "_file.go:"};

}  // namespace

TEST_CASE("of a chunk those lines are kept that hold a word", "[replay][line_filter]") {
  INFO("APF_TEST_SEED=" << test::seed());
  std::mt19937_64 random(test::seed());
  const std::string_view parts[] = {"watch",    "_file.go:", "w", "h",  "wat", "watcx",
                                    "_file.go", "_",         ":", "\n", "\n",  "a long filling of some thirty bytes"};
  for (int round = 0; round < 2000; ++round) {
    std::string text, expected;
    for (std::uint64_t n = random() % 60; n > 0; --n) text += parts[random() % std::size(parts)];
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      const std::string line = text.substr(at, end - at);
      if (line.find(kWords[0]) != std::string::npos || line.find(kWords[1]) != std::string::npos) expected += line;
      at = end;
    }
    LogChunk chunk = chunk_of(text);
    keep_lines_with(kWords, chunk);
    INFO(text);
    REQUIRE(text_of(chunk) == expected);
    REQUIRE(chunk.buffer[chunk.size] == '\0');
  }
}

TEST_CASE("a word half behind the chunk's text is none", "[replay][line_filter]") {
  LogChunk chunk = chunk_of("to watch");
  chunk.size = 6;
  keep_lines_with(kWords, chunk);
  CHECK(chunk.size == 0);
}

TEST_CASE("documents over several lines stay whole", "[replay][line_filter]") {
  LogChunk chunk = chunk_of("{\n\"a\": 1\n}\n");
  chunk.whole_documents = true;
  keep_lines_with(kWords, chunk);
  CHECK(text_of(chunk) == "{\n\"a\": 1\n}\n");
}
