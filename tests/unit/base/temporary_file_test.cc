// Bytes that go to a file when they are many.
#include "base/temporary_file.h"

#include <string>

#include "catch.h"

using namespace apf;

namespace {

std::string text_of(TemporaryFile& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  file.read(offset, text.data(), size);
  return text;
}

}  // namespace

TEST_CASE("few bytes stay in memory", "[base][temporary-file]") {
  TemporaryFile file;
  CHECK(file.size() == 0);
  file.append("hello, ", 7);
  file.append("world", 5);
  CHECK(file.size() == 12);
  CHECK(text_of(file, 0, 12) == "hello, world");
  CHECK(text_of(file, 7, 5) == "world");
}

TEST_CASE("many bytes come back as they were, in order and out of order, while more are written",
          "[base][temporary-file]") {
  TemporaryFile file;
  constexpr std::uint64_t kNumbers = 3'000'000;
  for (std::uint64_t i = 0; i < kNumbers; ++i) file.append(&i, sizeof i);
  const auto at = [&](std::uint64_t n) {
    std::uint64_t number = 0;
    file.read(n * sizeof number, &number, sizeof number);
    return number;
  };
  bool same = true;
  for (std::uint64_t i = 0; i < kNumbers; ++i) same = same && at(i) == i;
  CHECK(same);
  CHECK(at(7) == 7);
  CHECK(at(kNumbers - 1) == kNumbers - 1);
  const std::uint64_t last = 42;
  file.append(&last, sizeof last);
  CHECK(at(kNumbers) == 42);
  CHECK(at(kNumbers / 2) == kNumbers / 2);
  CHECK(file.size() == (kNumbers + 1) * sizeof last);
}
