// Matching requests against FlowSchemas of the KEP's dialect (KEP-1040, "Request Categorization"). There may be a few
// tens of them: they are tried one after another, but the tests about the user are done only once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <apf/classify.h>

#include "classify/request_view.h"
#include "config/kep/kep.h"

namespace apf {

// The values that atomic tests look at, by KepField; groups are passed separately.
struct KepInput {
  std::string_view user, ns, verb, api_group, api_version, resource, subresource, name, path;

  std::string_view operator[](KepField field) const;
};

KepInput kep_input(const RequestInfo& info, std::string_view user);
KepInput kep_input(const RequestView& request, std::string_view user);

// The part of a configuration in the dialect that is in force: well-formed levels, and the backstops added to them.
Config kep_in_force(Config config);

bool kep_test_holds(const KepTest& test, const KepInput& input, const std::vector<std::string>& groups);
bool kep_matches(const KepMatch& match, const KepInput& input, const std::vector<std::string>& groups);

// What can match one user at all: the lists of tests of which none about the user fails, less those tests.
class KepCandidates {
 public:
  // `schemas` in the order consulted; their tests must live as long.
  KepCandidates(const std::vector<Classifier::Schema>& schemas, User user);

  const User& user() const { return user_; }
  // The first FlowSchema that accepts; `otherwise` if none does.
  std::uint32_t match(const KepInput& input, std::uint32_t otherwise) const;

 private:
  struct Conjunction {
    std::uint32_t schema;
    std::vector<const KepTest*> tests;
  };
  User user_;
  std::vector<std::shared_ptr<const KepMatch>> kept_;
  std::vector<Conjunction> conjunctions_;
};

}  // namespace apf
