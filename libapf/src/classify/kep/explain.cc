#include "classify/kep/explain.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/go_quote.h"
#include "classify/kep/match.h"
#include "config/kep/decode.h"
#include "config/kep/pattern.h"

namespace apf {

namespace {

using Distinguisher = Classifier::Schema::Distinguisher;

// What the test saw in place of what it wants.
std::string seen(const KepTest& test, const KepInput& input, const std::vector<std::string>& groups) {
  if (test.field != KepField::groups) {
    const std::string value = go_quote(input[test.field]);
    return test.inverse ? "it is " + value : "the value is " + value;
  }
  if (test.inverse) return "the groups hold all of these";
  std::string lacking;
  for (const std::string& wanted : test.set) {
    if (std::find(groups.begin(), groups.end(), wanted) == groups.end())
      lacking += (lacking.empty() ? "" : ", ") + go_quote(wanted);
  }
  return "the groups lack " + lacking;
}

// One list of tests and how far it goes with the request.
struct Attempt {
  std::size_t list = 0, held = 0;
  std::vector<std::size_t> failed;
};

Attempt attempt(const KepMatch& match, std::size_t list, const KepInput& input,
                const std::vector<std::string>& groups) {
  Attempt out;
  out.list = list;
  for (std::size_t i = 0; i < match.any_of[list].size(); ++i) {
    if (kep_test_holds(match.any_of[list][i], input, groups)) ++out.held;
    else out.failed.push_back(i);
  }
  return out;
}

// The first list that accepts, else the first of those with the fewest tests that fail.
Attempt nearest(const KepMatch& match, const KepInput& input, const std::vector<std::string>& groups) {
  Attempt best = attempt(match, 0, input, groups);
  for (std::size_t list = 1; list < match.any_of.size() && !best.failed.empty(); ++list) {
    Attempt next = attempt(match, list, input, groups);
    const bool nearer =
        next.failed.size() < best.failed.size() || (next.failed.size() == best.failed.size() && next.held > best.held);
    if (nearer) best = std::move(next);
  }
  return best;
}

std::string all_tests(const std::vector<KepTest>& tests) {
  if (tests.empty()) return "an empty `and` matches everything";
  std::string out;
  for (const KepTest& test : tests) out += (out.empty() ? "" : ", ") + to_string(test);
  return out;
}

}  // namespace

void explain_kep_schema(const FlowSchema& schema, const RequestInfo& info, const User& user, TraceEntry& out) {
  const KepMatch& match = *schema.kep;
  if (match.any_of.empty()) {
    out.because = "its match is empty and matches nothing";
    out.field = "spec.match";
    return;
  }
  const KepInput input = kep_input(info, user.name);
  const Attempt best = nearest(match, input, user.groups);
  const std::vector<KepTest>& tests = match.any_of[best.list];
  out.matches = best.failed.empty();
  const char* const backstop = match.backstop ? "backstop: " : "";
  if (out.matches) {
    out.because = fmt::format("{}match[{}]: {}", backstop, best.list, all_tests(tests));
    out.field = fmt::format("spec.match[{}]", best.list);
    return;
  }
  out.because = backstop;
  for (const std::size_t i : best.failed) {
    out.because += fmt::format("{}match[{}].and[{}]: {}, but {}", i == best.failed.front() ? "" : "; ", best.list, i,
                               to_string(tests[i]), seen(tests[i], input, user.groups));
  }
  out.field = kep_test_path(tests[best.failed.front()], best.list, best.failed.front());
}

std::string explain_kep_distinguisher(const Classifier::Schema& schema, const RequestInfo& info, const User& user) {
  const bool of_user = schema.effective == Distinguisher::by_user_part;
  if (!of_user && schema.effective != Distinguisher::by_namespace_part) return {};
  const KepPattern& pattern = *schema.object.kep->transformation;
  const std::string& attribute = of_user ? user.name : info.ns;
  const std::string of = fmt::format("the {} {}", of_user ? "user" : "namespace", go_quote(attribute));
  if (!pattern.matches(attribute)) return fmt::format("{} does not match {}", of, pattern.text());
  if (pattern.groups() == 0) return fmt::format("{} captures nothing: it has no group", pattern.text());
  return fmt::format("captured by {} from {}", pattern.text(), of);
}

}  // namespace apf
