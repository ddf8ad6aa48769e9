#include "lint/kep/tests.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/sort_stably.h"
#include "classify/kep/match.h"
#include "config/kep/decode.h"
#include "config/kep/pattern.h"
#include "config/kep/validate.h"
#include "config/tree.h"
#include "lint/given_schemas.h"
#include "lint/reach/witness.h"

namespace apf {

namespace {

constexpr const char* kDefaultUser = "alice";

bool includes(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::all_of(some.begin(), some.end(), [&](const std::string& text) { return holds(all, text); });
}

// The values that the test alone leaves its field; nothing if they cannot be counted up.
std::optional<std::vector<std::string>> values_of(const KepTest& test) {
  if (test.inverse || test.field == KepField::groups) return std::nullopt;
  switch (test.op) {
    case KepOperator::equals:
      return std::vector<std::string>{test.value};
    case KepOperator::in_set:
      return test.set;
    case KepOperator::pattern_match:
      if (const auto literal = test.pattern->literal()) return std::vector<std::string>{*literal};
      return std::nullopt;
    case KepOperator::super_set:
      break;
  }
  const std::set<std::string> distinct(test.set.begin(), test.set.end());
  if (distinct.empty()) return std::nullopt;
  return distinct.size() == 1 ? std::vector<std::string>{*distinct.begin()} : std::vector<std::string>();
}

// A test that fails for every value.
std::string never(const KepTest& test) {
  KepTest opposite = test;
  opposite.inverse = !test.inverse;
  if (!always_holds(opposite)) return {};
  if (test.op == KepOperator::in_set) return "nothing is in an empty set";
  if (test.op == KepOperator::pattern_match) return "there is no value that this pattern does not match";
  if (test.inverse) return "everything holds all of an empty set";
  return fmt::format("{} is one value and cannot hold {}", kep_field_name(test.field), test.set.size());
}

bool same_operand(const KepTest& a, const KepTest& b) {
  if (a.op != b.op || a.field != b.field) return false;
  if (a.op == KepOperator::equals || a.op == KepOperator::pattern_match) return a.value == b.value;
  return includes(a.set, b.set) && includes(b.set, a.set);
}

std::vector<std::string> wanted_groups(const std::vector<KepTest>& tests) {
  std::vector<std::string> out;
  for (const KepTest& test : tests) {
    if (test.field == KepField::groups && !test.inverse) out.insert(out.end(), test.set.begin(), test.set.end());
  }
  return out;
}

// Does the list see to it that `test` holds?
bool implies(const std::vector<KepTest>& list, const KepTest& test) {
  if (always_holds(test)) return true;
  if (test.field == KepField::groups && !test.inverse) return includes(wanted_groups(list), test.set);
  if (test.field != KepField::groups) {
    if (const auto values = possible_values(list, test.field))
      return std::all_of(values->begin(), values->end(),
                         [&](const std::string& value) { return holds_of(test, value); });
  }
  return std::any_of(list.begin(), list.end(), [&](const KepTest& other) {
    if (other.inverse != test.inverse) return false;
    if (test.field == KepField::groups) return includes(test.set, other.set);  // lacking of fewer is lacking of more
    return same_operand(other, test);
  });
}

std::string first_value(const std::vector<KepTest>& tests, KepField field, std::string usual) {
  const auto values = possible_values(tests, field);
  return values && !values->empty() ? values->front() : usual;
}

}  // namespace

std::vector<const FlowSchema*> kep_schemas(const LintContext& context) {
  std::vector<const FlowSchema*> out;
  for (const FlowSchema& schema : context.stored.flow_schemas) out.push_back(&schema);
  sort_stably(out, [](const FlowSchema* a, const FlowSchema* b) {
    return a->matching_precedence != b->matching_precedence ? a->matching_precedence < b->matching_precedence
                                                            : a->meta.name < b->meta.name;
  });
  return out;
}

const PriorityLevel* kep_priority(const LintContext& context, const FlowSchema& schema) {
  for (const PriorityLevel& level : context.effective.priority_levels) {
    if (level.meta.name == schema.priority_level) return &level;
  }
  return nullptr;
}

bool holds_of(const KepTest& test, std::string_view value) {
  return kep_test_holds(test, {value, value, value, value, value, value, value, value, value}, {});
}

std::optional<std::vector<std::string>> possible_values(const std::vector<KepTest>& tests, KepField field) {
  std::optional<std::vector<std::string>> left;
  for (const KepTest& test : tests) {
    if (test.field != field) continue;
    left = values_of(test);
    if (left) break;
  }
  if (!left) return left;
  std::erase_if(*left, [&](const std::string& value) {
    return std::any_of(tests.begin(), tests.end(),
                       [&](const KepTest& test) { return test.field == field && !holds_of(test, value); });
  });
  return left;
}

std::optional<Contradiction> contradiction(const std::vector<KepTest>& tests) {
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const KepTest& test = tests[i];
    if (const std::string why = never(test); !why.empty()) return Contradiction{i, why};
    const std::vector<KepTest> before(tests.begin(), tests.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t j = 0; j < i; ++j) {
      if (tests[j].inverse != test.inverse && same_operand(tests[j], test))
        return Contradiction{i, fmt::format("it is the inverse of and[{}]", j)};
    }
    if (test.field == KepField::groups) {
      const std::vector<KepTest> here(tests.begin(), tests.begin() + static_cast<std::ptrdiff_t>(i + 1));
      const std::vector<std::string> groups = wanted_groups(here);
      for (const KepTest& other : here) {
        if (other.field == KepField::groups && other.inverse && includes(groups, other.set))
          return Contradiction{i, "the groups must hold what they must not all hold"};
      }
      continue;
    }
    std::vector<KepTest> here = before;
    here.push_back(test);
    const auto values = possible_values(here, test.field);
    if (values && values->empty())
      return Contradiction{
          i, fmt::format("the tests before it leave {} no value that passes this one", kep_field_name(test.field))};
  }
  return std::nullopt;
}

bool covers(const std::vector<KepTest>& wide, const std::vector<KepTest>& narrow) {
  return std::all_of(wide.begin(), wide.end(), [&](const KepTest& test) { return implies(narrow, test); });
}

std::string kep_witness(const LintContext& context, const std::vector<KepTest>& tests) {
  User user{first_value(tests, KepField::user, kDefaultUser), wanted_groups(tests)};
  std::sort(user.groups.begin(), user.groups.end());
  user.groups.erase(std::unique(user.groups.begin(), user.groups.end()), user.groups.end());
  add_implied_groups(user);
  RequestInfo info;
  info.path = first_value(tests, KepField::path, "");
  info.verb = first_value(tests, KepField::verb, "get");
  if (info.path.empty()) {
    info.is_resource_request = true;
    info.api_prefix = "api";
    info.resource = first_value(tests, KepField::resource, "pods");
    info.api_group = first_value(tests, KepField::api_group, "");
    info.api_version = first_value(tests, KepField::api_version, "v1");
    info.subresource = first_value(tests, KepField::subresource, "");
    info.ns = first_value(tests, KepField::ns, info.resource == "pods" ? "default" : "");
    info.name = first_value(tests, KepField::name, "x");
    if (info.resource.empty() || info.verb.empty()) return {};
  }
  const KepInput input = kep_input(info, user.name);
  const bool passes = std::all_of(tests.begin(), tests.end(),
                                  [&](const KepTest& test) { return kep_test_holds(test, input, user.groups); });
  if (!passes) return {};
  return explain_command(user, info, command_flags(context.stored, context.options.version));
}

std::vector<Edit> rename_test(const FlowSchema& schema, const KepTest& test, std::size_t list, std::size_t index,
                              std::string_view name, std::string_view member) {
  std::vector<Edit> edits;
  const ConfigNode& root = *schema.meta.source.tree;
  const std::string path = fmt::format("spec.match[{}].and[{}]", list, index);
  const auto rename = [&](const std::string& field, std::string_view text) {
    const FieldPosition at = find_field(root, field);
    if (!at.exact || !at.key || text.empty()) return;
    edits.push_back({root.tree().name(), at.key->begin(), at.key->end(), std::string(text)});
  };
  rename(path + '.' + kep_test_name(test), name);
  rename(kep_test_path(test, list, index) + '.' + std::string(kep_member(test.op)), member);
  return edits;
}

std::string kep_list_field(std::size_t list) { return fmt::format("spec.match[{}]", list); }

}  // namespace apf
