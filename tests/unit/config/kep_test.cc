// The KEP's dialect as text: objects one after another with sentences in between, patterns and where they are wrong.
#include <apf/config.h>

#include <algorithm>

#include "catch.h"
#include "config/kep/pattern.h"

using namespace apf;

namespace {

LoadedConfig load_kep(const std::string& text) {
  const ConfigText texts[] = {{"kep.yaml", text}};
  return load_config(texts);
}

constexpr const char* kTop = "kind: RequestPriority\nmeta:\n  name: top\nspec:\n  exempt: true\n";
constexpr const char* kLow = "kind: RequestPriority\nmeta:\n  name: low\nspec:\n  exempt: true\n";

}  // namespace

TEST_CASE("kep: objects need no marker between them, and sentences are passed over", "[config][kep]") {
  const std::string texts[] = {
      std::string(kTop) + kLow,
      std::string("For requests from admins.\n\n") + kTop + "\nAnd these, at length,\nfor others: all.\n\n" + kLow,
      std::string("# a comment\n---\n") + kTop + "---\n" + kLow + "...\n",
      std::string(kTop) + "Some words\n\n" + kLow + "\nThe end.",
  };
  for (const std::string& text : texts) {
    INFO(text);
    const LoadedConfig loaded = load_kep(text);
    CHECK(loaded.diagnostics.empty());
    REQUIRE(loaded.config.priority_levels.size() == 2);
    CHECK(loaded.config.priority_levels[1].meta.name == "low");
    // Positions are those of the file.
    const Span span = loaded.config.priority_levels[1].meta.source.span_of("meta.name");
    const std::size_t at = text.find("name: low");
    CHECK(span.line == 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
}

TEST_CASE("kep: other texts are not cut", "[config][kep]") {
  // An object of the API, with anything else in it; a line that is no sentence.
  CHECK_FALSE(load_kep(std::string("apiVersion: v1\nkind: ConfigMap\nmeta:\n  name: x\nkind: RequestPriority\n"))
                  .config.priority_levels.size());
  CHECK(load_kep(std::string(kTop) + "lower case words\n\n" + kLow).has_errors());
  CHECK(load_kep(std::string(kTop) + "Spec oops\nspec: {}\n").has_errors());
}

TEST_CASE("kep: a pattern matches whole values, and captures the first group", "[config][kep]") {
  const KepPattern pattern("system:serviceaccount:(.*):(.*)");
  CHECK(pattern.error().empty());
  CHECK(pattern.groups() == 2);
  CHECK(pattern.matches("system:serviceaccount:a:b"));
  CHECK_FALSE(pattern.matches("x system:serviceaccount:a:b"));
  CHECK(pattern.capture("system:serviceaccount:a:b") == "a");
  CHECK(pattern.capture("alice").empty());
  CHECK(KepPattern("(a)|b").capture("b").empty());
  CHECK(KepPattern("a.b").matches("a\nb"));
  CHECK(KepPattern("(.*)").capture("x\xff\n") == "x\xff\n");
  CHECK(KepPattern(".*").capture("x").empty());
  CHECK(KepPattern("a\\.b").literal() == "a.b");
  CHECK_FALSE(KepPattern("a.b").literal());
  CHECK_FALSE(KepPattern("a\\d").literal());
}

TEST_CASE("kep: where a pattern is wrong", "[config][kep]") {
  const auto fault = [](std::string_view text) {
    const KepPattern pattern(text);
    CHECK_FALSE(pattern.error().empty());
    CHECK_FALSE(pattern.matches("x"));
    return text.substr(pattern.fault_begin(), pattern.fault_end() - pattern.fault_begin());
  };
  const auto place = [](std::string_view text) { return KepPattern(text).fault_begin(); };
  CHECK(fault("a(b") == "(");
  CHECK(place("(a)[(](") == 6);
  CHECK(fault("a)b") == ")");
  CHECK(place("a*(*b)") == 3);
  CHECK(place("x**y**") == 1);
  CHECK(fault("a[b") == "[");
  CHECK(fault("a\\") == "\\");
  CHECK(fault("[z-a]") == "z-a");
  CHECK(fault("a{2,1}") == "{2,1}");
  CHECK(fault("\\q") == "\\q");
}
