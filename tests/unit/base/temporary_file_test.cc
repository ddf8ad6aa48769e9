// Bytes that go to a file when they are many.
#include "base/temporary_file.h"

#include <apf/error.h>
#include <apf/output.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "support/folder.h"

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

TEST_CASE("a temporary file has no name in its directory, and names the directory when it cannot be made",
          "[base][temporary-file]") {
  const std::string bytes(9u << 20, 'x');  // more than the memory that is kept
  const test::Folder folder("apf-temporary-file-");
  {
    set_temporary_directory(folder.path);
    TemporaryFile file;
    file.append(bytes.data(), bytes.size());
    file.append("y", 1);
    CHECK(std::filesystem::is_empty(folder.path));
    CHECK(text_of(file, bytes.size() - 1, 2) == "xy");
    OutputFile output("/dev/null"), scratch = OutputFile::scratch_for(output);
    scratch.write(bytes);
    CHECK(std::filesystem::is_empty(folder.path));
  }
  set_temporary_directory(folder.path + "/none");
  CHECK_THROWS_WITH(OutputFile::scratch_for(OutputFile("/dev/null")),
                    "cannot make a temporary file in " + folder.path +
                        "/none: No such file or directory; set TMPDIR to a directory with more space");
  TemporaryFile file;
  CHECK_THROWS_WITH((file.append(bytes.data(), bytes.size()), file.append(bytes.data(), bytes.size())),
                    "cannot make a temporary file in " + folder.path +
                        "/none: No such file or directory; set TMPDIR to a directory with more space");
  set_temporary_directory("/tmp");
}

TEST_CASE("bytes become others where they are, in the file and in memory", "[base][temporary-file]") {
  TemporaryFile file;
  constexpr std::uint64_t kNumbers = 1'500'000;  // more than the memory that is kept
  for (std::uint64_t i = 0; i < kNumbers; ++i) file.append(&i, sizeof i);
  const auto apart = [&](std::uint64_t n) {
    std::uint64_t number = 0;
    file.read_apart(n * sizeof number, &number, sizeof number);
    return number;
  };
  CHECK(text_of(file, 0, 1).front() == 0);  // read ahead
  for (const std::uint64_t n : {std::uint64_t(0), kNumbers / 3, kNumbers - 1}) {
    CHECK(apart(n) == n);
    const std::uint64_t other = n + 7;
    file.overwrite(n * sizeof n, &other, sizeof other);
    CHECK(apart(n) == other);
    std::uint64_t read = 0;
    file.read(n * sizeof n, &read, sizeof read);
    CHECK(read == other);
  }
  // Across the end of what is in the file.
  bool same = true;
  for (std::uint64_t n = 0; n + 64 < kNumbers; n += 32) {
    const std::vector<std::uint64_t> some(32, n);
    file.overwrite(n * sizeof n, some.data(), some.size() * sizeof n);
    same = same && apart(n) == n && apart(n + 31) == n;
  }
  CHECK(same);
}
