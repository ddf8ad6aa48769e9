// The configuration as KEP-1040 first designed it, before there was an API: RequestPriority objects, and FlowSchemas
// whose predicate is an OR of ANDs of atomic tests (KEP-1040 "Request Categorization", "Example Configuration" and
// "Default Behavior"). No server ever read it. Its objects are the same FlowSchema and PriorityLevel as those of the
// API, so that classification, limits and scheduling are the same; what the API has no words for is here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>

namespace apf {

class KepPattern;  // a compiled regular expression (internal)

inline constexpr const char* kKepPriorityKind = "RequestPriority";

// The group whose requests are exempt, in KEP-1040 as in the API.
inline constexpr const char* kMastersGroup = "system:masters";

// What a test looks at. Of a request that is not for a resource, all fields of a resource are empty.
enum class KepField : std::uint8_t {
  user,
  groups,
  ns,
  verb,
  api_group,
  api_version,
  resource,
  subresource,
  name,
  path
};
enum class KepOperator : std::uint8_t { equals, in_set, pattern_match, super_set };

// One atomic test, or its inverse.
struct KepTest {
  KepOperator op = KepOperator::equals;
  bool inverse = false;
  bool nested = false;  // written with its members under its name, not beside it
  KepField field = KepField::user;
  std::string value;                          // of equals; the pattern of patternMatch
  std::vector<std::string> set;               // of inSet and superSet
  std::shared_ptr<const KepPattern> pattern;  // of patternMatch; the whole value must match
};

// What a FlowSchema of the dialect has in place of `rules`.
struct KepMatch {
  std::vector<std::vector<KepTest>> any_of;  // lists of tests that must all hold; an empty list always does
  // Of the flow distinguisher, whose source is FlowSchema::distinguisher_method. Null: the attribute as it is. Else the
  // first submatch of a complete match, or nothing.
  std::shared_ptr<const KepPattern> transformation;
  bool backstop = false;  // not given: imagined while nothing else matches
  bool created = false;   // not given: created while no FlowSchema leads to an exempt priority
};

// What a RequestPriority says beside what PriorityLevel holds.
struct KepPriority {
  bool catch_all = false;
  bool implied = false;  // not given: created while there is no exempt one, or imagined while there is no other
};

// How the names of the tests and of the fields are written.
struct KepTestName {
  std::string_view name;
  KepOperator op;
  bool inverse;
};
inline constexpr KepTestName kKepTests[] = {
    {"equals", KepOperator::equals, false},
    {"notEquals", KepOperator::equals, true},
    {"inSet", KepOperator::in_set, false},
    {"notInSet", KepOperator::in_set, true},
    {"patternMatch", KepOperator::pattern_match, false},
    {"notPatternMatch", KepOperator::pattern_match, true},
    {"superSet", KepOperator::super_set, false},
    {"notSuperSet", KepOperator::super_set, true},
};
inline constexpr std::string_view kKepFields[] = {"user",       "groups",   "namespace",   "verb", "apiGroup",
                                                  "apiVersion", "resource", "subresource", "name", "path"};
// "value", "set" or "pattern": the member that the test compares with.
inline std::string_view kep_member(KepOperator op) {
  return op == KepOperator::equals ? "value" : op == KepOperator::pattern_match ? "pattern" : "set";
}
// What backstops have behind their name where a given object has it.
inline constexpr std::string_view kKepBackstopSuffix = "-backstop";

// "superSet", "notEquals"; "apiGroup".
std::string kep_test_name(const KepTest& test);
std::string_view kep_field_name(KepField field);
// `superSet groups ["system:masters"]`
std::string to_string(const KepTest& test);

}  // namespace apf
