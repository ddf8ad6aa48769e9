// What the rules of the KEP's dialect ask of atomic tests: which lists of them can hold, and which cover others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>

#include "config/kep/kep.h"
#include "lint/rule.h"

namespace apf {

// The given FlowSchemas of the dialect in the order consulted.
std::vector<const FlowSchema*> kep_schemas(const LintContext& context);
const PriorityLevel* kep_priority(const LintContext& context, const FlowSchema& schema);

// Calls `visit(schema, list, index, test)` for every test of every given FlowSchema.
template <class Visit>
void for_kep_tests(const LintContext& context, const Visit& visit) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t list = 0; list < schema.kep->any_of.size(); ++list) {
      for (std::size_t i = 0; i < schema.kep->any_of[list].size(); ++i)
        visit(schema, list, i, schema.kep->any_of[list][i]);
    }
  }
}

// Would the test hold of this value of its field? Not for groups.
bool holds_of(const KepTest& test, std::string_view value);

// The values that the list leaves a scalar field; nothing if they cannot be counted up.
std::optional<std::vector<std::string>> possible_values(const std::vector<KepTest>& tests, KepField field);

// Tests that no request passes together: the one that leaves nothing, and why.
struct Contradiction {
  std::size_t test = 0;
  std::string why;
};
std::optional<Contradiction> contradiction(const std::vector<KepTest>& tests);

// True if every value that passes `narrow` passes `wide`, as far as that can be seen from the tests.
bool covers(const std::vector<KepTest>& wide, const std::vector<KepTest>& narrow);

// A request that passes the list, as a command to paste; empty if none is found at once.
std::string kep_witness(const LintContext& context, const std::vector<KepTest>& tests);

// Edits that rename a test and the member that it compares with; the empty name leaves that.
std::vector<Edit> rename_test(const FlowSchema& schema, const KepTest& test, std::size_t list, std::size_t index,
                              std::string_view name, std::string_view member);

std::string kep_list_field(std::size_t list);  // "spec.match[1]"

}  // namespace apf
