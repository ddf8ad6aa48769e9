#include <apf/unified_diff.h>

#include <random>
#include <vector>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

std::string body(std::string_view old_text, std::string_view new_text) {
  const std::string diff = unified_diff("a", "b", old_text, new_text);
  return diff.starts_with("--- a\n+++ b\n") ? diff.substr(12) : "no head: " + diff;
}

// Applies a diff to the old text; fails at context that does not fit.
std::string patched(const std::string& old_text, const std::string& diff) {
  std::vector<std::string> old_lines;
  for (std::size_t at = 0; at < old_text.size();) {
    const std::size_t end = old_text.find('\n', at) + 1;
    old_lines.push_back(old_text.substr(at, end - at));
    at = end;
  }
  std::string out;
  std::size_t next = 0, at = 0;
  while (at < diff.size()) {
    const std::size_t end = diff.find('\n', at) + 1;
    const std::string line = diff.substr(at, end - at);
    at = end;
    if (line.starts_with("---") || line.starts_with("+++")) continue;
    if (line.starts_with("@@")) {
      const int first = std::stoi(line.substr(4));
      const bool empty = line.substr(0, line.find(" +")).ends_with(",0");
      const auto begin = static_cast<std::size_t>(empty ? first : first - 1);
      while (next < begin) out += old_lines.at(next++);
      continue;
    }
    if (line[0] != '+') REQUIRE(old_lines.at(next++) == line.substr(1));
    if (line[0] != '-') out += line.substr(1);
  }
  while (next < old_lines.size()) out += old_lines[next++];
  return out;
}

}  // namespace

TEST_CASE("unified diff: what diff -u writes", "[base]") {
  CHECK(unified_diff("a", "b", "x\n", "x\n").empty());
  CHECK(body("", "x\n") == "@@ -0,0 +1 @@\n+x\n");
  CHECK(body("x\n", "") == "@@ -1 +0,0 @@\n-x\n");
  CHECK(body("a\nb\nc\n", "a\nB\nc\n") == "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  CHECK(body("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n") == "@@ -4,3 +4,4 @@\n 4\n 5\n 6\n+7\n");
  CHECK(body("a", "b\n") == "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n");
  // Six lines between two changes are one hunk, seven are two.
  CHECK(body("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n") ==
        "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  CHECK(body("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n") ==
        "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST_CASE("unified diff: applied to the old text it gives the new one", "[base]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string old_text, new_text;
    for (int i = static_cast<int>(random() % 40); i > 0; --i) {
      const std::string line = std::string(1, static_cast<char>('a' + random() % 5)) + "\n";
      if (random() % 4 != 0) old_text += line;
      if (random() % 4 != 0) new_text += line;
    }
    CHECK(patched(old_text, unified_diff("a", "b", old_text, new_text)) == new_text);
  }
  // More edits than are looked for: the middle is replaced as a whole.
  std::string old_text, new_text;
  for (int i = 0; i < 3000; ++i) {
    old_text += "o" + std::to_string(i) + "\n";
    new_text += "n" + std::to_string(i) + "\n";
  }
  CHECK(patched(old_text, unified_diff("a", "b", old_text, new_text)) == new_text);
}
