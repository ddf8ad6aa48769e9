// sort_stably() against std::stable_sort, and joined().
#include "base/sort_stably.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "catch.h"

namespace apf::test {
namespace {

TEST_CASE("sort_stably: as std::stable_sort, of elements that are only moved", "[base]") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::pair<std::string, std::size_t>> expected;
    for (std::size_t i = 0; i < size; ++i) expected.emplace_back(std::to_string(random() % 20), i);
    std::vector<std::pair<std::unique_ptr<std::string>, std::size_t>> sorted;
    for (const auto& [text, i] : expected) sorted.emplace_back(std::make_unique<std::string>(text), i);
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    sort_stably(sorted, [](const auto& a, const auto& b) { return *a.first < *b.first; });
    REQUIRE(sorted.size() == size);
    for (std::size_t i = 0; i < size; ++i) {
      REQUIRE(*sorted[i].first == expected[i].first);
      REQUIRE(sorted[i].second == expected[i].second);
    }
  }
}

TEST_CASE("joined: none, one, several and empty texts", "[base]") {
  CHECK(joined(std::vector<std::string>(), ", ").empty());
  CHECK(joined(std::vector<std::string>{"a"}, ", ") == "a");
  CHECK(joined(std::set<std::string>{"b", "a"}, "") == "ab");
  constexpr std::string_view kTexts[] = {"", "a", ""};
  CHECK(joined(std::span(kTexts), ", ") == ", a, ");
}

}  // namespace
}  // namespace apf::test
