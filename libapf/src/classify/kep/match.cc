#include "classify/kep/match.h"

#include <algorithm>

#include "config/kep/created.h"
#include "config/kep/pattern.h"

namespace apf {

namespace {

bool is_about_user(const KepTest& test) { return test.field == KepField::user || test.field == KepField::groups; }

bool holds(const std::vector<std::string>& set, std::string_view text) {
  return std::find(set.begin(), set.end(), text) != set.end();
}

bool compare(const KepTest& test, const KepInput& input, const std::vector<std::string>& groups) {
  switch (test.op) {
    case KepOperator::equals:
      return input[test.field] == test.value;
    case KepOperator::in_set:
      return holds(test.set, input[test.field]);
    case KepOperator::pattern_match:
      return test.pattern->matches(input[test.field]);
    case KepOperator::super_set:
      break;
  }
  // The field holds all of the set; a scalar is a set of one.
  return std::all_of(test.set.begin(), test.set.end(), [&](const std::string& wanted) {
    return test.field == KepField::groups ? holds(groups, wanted) : input[test.field] == wanted;
  });
}

}  // namespace

std::string_view KepInput::operator[](KepField field) const {
  switch (field) {
    case KepField::user:
      return user;
    case KepField::groups:
      break;  // no scalar
    case KepField::ns:
      return ns;
    case KepField::verb:
      return verb;
    case KepField::api_group:
      return api_group;
    case KepField::api_version:
      return api_version;
    case KepField::resource:
      return resource;
    case KepField::subresource:
      return subresource;
    case KepField::name:
      return name;
    case KepField::path:
      return path;
  }
  return {};
}

KepInput kep_input(const RequestInfo& info, std::string_view user) {
  return {user,          info.ns,          info.verb, info.api_group, info.api_version,
          info.resource, info.subresource, info.name, info.path};
}

KepInput kep_input(const RequestView& request, std::string_view user) {
  const RequestView::Fields& f = request.f;
  return {user, f.ns, f.verb, f.api_group, f.api_version, f.resource, f.subresource, f.name, f.path};
}

Config kep_in_force(Config config) {
  std::erase_if(config.flow_schemas, [](const FlowSchema& schema) { return schema.kep && schema.kep->backstop; });
  std::erase_if(config.priority_levels, [](const PriorityLevel& level) { return !malformed_reason(level).empty(); });
  // Without a level left, the schemas tell the dialect; without those, there is nothing to match.
  return with_backstops(std::move(config));
}

bool kep_test_holds(const KepTest& test, const KepInput& input, const std::vector<std::string>& groups) {
  return compare(test, input, groups) != test.inverse;
}

bool kep_matches(const KepMatch& match, const KepInput& input, const std::vector<std::string>& groups) {
  return std::any_of(match.any_of.begin(), match.any_of.end(), [&](const std::vector<KepTest>& tests) {
    return std::all_of(tests.begin(), tests.end(),
                       [&](const KepTest& test) { return kep_test_holds(test, input, groups); });
  });
}

KepCandidates::KepCandidates(const std::vector<Classifier::Schema>& schemas, User user) : user_(std::move(user)) {
  KepInput input;
  input.user = user_.name;
  for (std::uint32_t number = 0; number < schemas.size(); ++number) {
    if (!schemas[number].object.kep) continue;
    kept_.push_back(schemas[number].object.kep);
    for (const std::vector<KepTest>& tests : schemas[number].object.kep->any_of) {
      Conjunction conjunction{number, {}};
      bool possible = true;
      for (const KepTest& test : tests) {
        if (!is_about_user(test)) conjunction.tests.push_back(&test);
        else possible = possible && kep_test_holds(test, input, user_.groups);
      }
      if (!possible) continue;
      const bool always = conjunction.tests.empty();
      conjunctions_.push_back(std::move(conjunction));
      if (always) return;  // nothing after it is ever reached
    }
  }
}

std::uint32_t KepCandidates::match(const KepInput& input, std::uint32_t otherwise) const {
  for (const Conjunction& conjunction : conjunctions_) {
    const bool accepts = std::all_of(conjunction.tests.begin(), conjunction.tests.end(),
                                     [&](const KepTest* test) { return kep_test_holds(*test, input, user_.groups); });
    if (accepts) return conjunction.schema;
  }
  return otherwise;
}

}  // namespace apf
