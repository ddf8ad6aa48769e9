// Unified diffs: their form, that they are shortest for small texts, and that patch, git and a strict reader of our own
// make the new text of the old one.

#include <apf/report.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "catch.h"
#include "report/core/unified_diff.h"
#include "support/folder.h"
#include "support/vectors.h"

namespace {

using Lines = std::vector<std::string_view>;

std::string join(const Lines& lines, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out += lines[i];
  return out;
}

// Applies the hunks and takes nothing on trust: the counts, the places, the context and its length.
std::string apply_strictly(std::string_view old_text, std::string_view diff) {
  const Lines from = apf::split_lines(old_text), lines = apf::split_lines(diff);
  std::string out;
  std::size_t at = 0, i = 2;
  while (i < lines.size()) {
    unsigned long numbers[4] = {0, 1, 0, 1};
    const std::string head(lines[i]);
    const int read =
        std::sscanf(head.c_str(), "@@ -%lu,%lu +%lu,%lu @@", &numbers[0], &numbers[1], &numbers[2], &numbers[3]);
    if (read != 4) {
      numbers[1] = numbers[3] = 1;
      if (std::sscanf(head.c_str(), "@@ -%lu +%lu,%lu @@", &numbers[0], &numbers[2], &numbers[3]) != 3 &&
          std::sscanf(head.c_str(), "@@ -%lu,%lu +%lu @@", &numbers[0], &numbers[1], &numbers[2]) != 3 &&
          std::sscanf(head.c_str(), "@@ -%lu +%lu @@", &numbers[0], &numbers[2]) != 2) {
        FAIL("no hunk: " << head);
      }
    }
    const std::size_t begin = numbers[1] == 0 ? numbers[0] : numbers[0] - 1;
    REQUIRE(begin >= at);
    out += join(from, at, begin);
    REQUIRE(apf::split_lines(out).size() == (numbers[3] == 0 ? numbers[2] : numbers[2] - 1));
    at = begin;
    unsigned long removed = 0, added = 0;
    for (++i; i < lines.size() && lines[i][0] != '@'; ++i) {
      std::string_view text = lines[i].substr(1);
      if (i + 1 < lines.size() && lines[i + 1].starts_with("\\ No newline")) text.remove_suffix(1);
      if (lines[i][0] == ' ' || lines[i][0] == '-') {
        REQUIRE(at < from.size());
        REQUIRE(from[at++] == text);
        ++removed;
      }
      if (lines[i][0] == ' ' || lines[i][0] == '+') {
        out += text;
        ++added;
      }
    }
    REQUIRE(removed == numbers[1]);
    REQUIRE(added == numbers[3]);
  }
  return out + join(from, at, from.size());
}

std::size_t changed_lines(const Lines& a, const Lines& b) {
  const apf::LineChanges changes = apf::compare_lines(a, b);
  Lines left, right;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!changes.removed[i]) left.push_back(a[i]);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!changes.added[i]) right.push_back(b[i]);
  }
  REQUIRE(left == right);
  return a.size() + b.size() - 2 * left.size();
}

// By the table of longest common subsequences.
std::size_t least_changed_lines(const Lines& a, const Lines& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const std::string_view line : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = line == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return a.size() + b.size() - 2 * row.back();
}

std::string random_text(std::mt19937_64& random, std::size_t lines, std::size_t alphabet) {
  std::string out;
  for (std::size_t i = 0; i < lines; ++i)
    out += "line " + std::to_string(random() % alphabet) + (random() % 20 == 0 ? "\r\n" : "\n");
  if (random() % 4 == 0) out += "the last one";
  return out;
}

std::string with_some_changes(std::mt19937_64& random, const std::string& text, std::size_t one_in) {
  std::string out;
  for (const std::string_view line : apf::split_lines(text)) {
    switch (random() % (3 * one_in)) {
      case 0:
        break;
      case 1:
        out += "changed\n";
        break;
      case 2:
        out += std::string(line) + (line.ends_with('\n') ? "" : "\n") + "added\n";
        break;
      default:
        out += line;
    }
  }
  return out;
}

int run_in(const apf::test::Folder& folder, const std::string& command) {
  return std::system(("cd " + folder.path + " && " + command).c_str());
}

}  // namespace

TEST_CASE("A unified diff has three lines of context, and joins changes whose contexts touch", "[base][diff]") {
  CHECK(apf::unified_diff("a\nb\n", "a\nb\n", "x.yaml").empty());
  CHECK(apf::unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x.yaml") ==
        "--- a/x.yaml\n+++ b/x.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  const std::string touching = apf::unified_diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n", "x");
  CHECK(touching == "--- a/x\n+++ b/x\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  const std::string apart = apf::unified_diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n", "x");
  CHECK(apart == "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST_CASE("A unified diff of texts that are empty or lack the last newline", "[base][diff]") {
  CHECK(apf::unified_diff("", "a\nb\n", "x") == "--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(apf::unified_diff("a\n", "", "x") == "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n");
  CHECK(apf::unified_diff("a", "a\n", "x") == "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(apf::unified_diff("a\r\n", "a\n", "x") == "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+a\n");
}

TEST_CASE("File names in a unified diff are written as git writes them", "[base][diff]") {
  const auto head = [](std::string_view name) {
    const std::string diff = apf::unified_diff("a\n", "b\n", name);
    return diff.substr(0, diff.find('\n'));
  };
  CHECK(head("./deep/x.yaml") == "--- a/deep/x.yaml");
  CHECK(head("/etc/x.yaml") == "--- a/etc/x.yaml");
  CHECK(head("two words.yaml") == "--- a/two words.yaml\t");
  CHECK(head("\xc3\xa9.yaml") == "--- a/\xc3\xa9.yaml");
  CHECK(head("q\"uote\n+++.yaml") == "--- \"a/q\\\"uote\\012+++.yaml\"");
}

TEST_CASE("Line changes are fewest, and every diff gives the new text", "[base][diff]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  std::mt19937_64 random(apf::test::seed());
  for (int round = 0; round < 600; ++round) {
    const std::string from = random_text(random, random() % 40, 1 + random() % 12);
    const std::string to =
        random() % 2 == 0 ? random_text(random, random() % 40, 1 + random() % 12) : with_some_changes(random, from, 3);
    INFO("old:\n" << from << "\nnew:\n" << to);
    CHECK(changed_lines(apf::split_lines(from), apf::split_lines(to)) ==
          least_changed_lines(apf::split_lines(from), apf::split_lines(to)));
    CHECK((from == to ? to : apply_strictly(from, apf::unified_diff(from, to, "x"))) == to);
  }
}

TEST_CASE("Long texts with little in common still give a right diff", "[base][diff]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  std::mt19937_64 random(apf::test::seed());
  for (const std::size_t alphabet : {2u, 100u, 1000000u}) {
    const std::string from = random_text(random, 6000, alphabet), to = random_text(random, 5000, alphabet);
    CHECK(apply_strictly(from, apf::unified_diff(from, to, "x")) == to);
  }
  std::string ascending, descending;
  for (int i = 0; i < 5000; ++i) {
    ascending += std::to_string(i) + "\n";
    descending += std::to_string(5000 - i) + "\n";
  }
  CHECK(apply_strictly(ascending, apf::unified_diff(ascending, descending, "x")) == descending);
}

TEST_CASE("patch and git apply take a diff as it is", "[base][diff]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  std::mt19937_64 random(apf::test::seed());
  const apf::test::Folder folder("apf-diff-");
  const bool has_git = run_in(folder, "git --version >/dev/null 2>&1") == 0;
  if (!has_git) WARN("there is no git here: `git apply` is not tried");
  for (const char* name : {"x.yaml", "two words.yaml", "q\"uote.yaml"}) {
    for (int round = 0; round < 4; ++round) {
      const std::string from = random_text(random, 60, 30);
      const std::string to = with_some_changes(random, from, 4);
      folder.write(name, from);
      folder.write("diff", apf::unified_diff(from, to, name));
      if (from == to) continue;
      if (has_git) CHECK(run_in(folder, "git apply --check -p1 diff") == 0);
      REQUIRE(run_in(folder, "patch -s --binary -p1 <diff") == 0);
      CHECK(folder.read(name) == to);
    }
  }
}
