// Findings as editors have them.
#include "lsp/findings.h"

#include <set>

#include <apf/lint.h>

#include "catch.h"

using namespace apf;

TEST_CASE("what is marked as unnecessary are findings of rules", "[lsp]") {
  std::set<std::string_view> names;
  for (const std::string_view name : kUnnecessaryRules) {
    INFO(name);
    const RuleInfo* rule = find_rule(name);
    REQUIRE(rule);
    CHECK(rule->name == name);
    CHECK(names.insert(name).second);
  }
}
