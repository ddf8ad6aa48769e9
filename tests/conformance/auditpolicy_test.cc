// Audit policies against the server's own loader and checker.
#include <apf/classify.h>
#include <simdjson.h>

#include <set>

#include <fmt/format.h>

#include "catch.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

using namespace apf;
using simdjson::dom::element;

using apf::test::text_of;

namespace {

// The server's own words for what it refuses.
std::string error_of(const LoadedAuditPolicy& loaded) {
  std::vector<std::string> errors;
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.severity == Severity::error)
      errors.push_back(d.detail.starts_with("failed") || d.detail.starts_with("loaded") ||
                               d.detail.starts_with("unknown")
                           ? d.detail
                           : d.message);
  return errors.size() == 1 ? errors.front() : fmt::format("[{}]", fmt::join(errors, ", "));
}

RequestInfo audited_info_of(element request) {
  RequestInfo info;
  info.verb = text_of(request, "verb");
  info.path = text_of(request, "path");
  info.is_resource_request = info.path.empty();
  info.api_group = text_of(request, "apiGroup");
  info.ns = text_of(request, "namespace");
  info.resource = text_of(request, "resource");
  info.subresource = text_of(request, "subresource");
  info.name = text_of(request, "name");
  return info;
}

void check_request(const AuditPolicy& policy, element request) {
  User user{text_of(request, "user"), {}};
  for (const element group : request["groups"].get_array()) user.groups.emplace_back(group.get_string().value());
  INFO(simdjson::to_string(request));
  const AuditVerdict verdict = audit_verdict(policy, audited_info_of(request), user);
  CHECK(to_string(verdict.level) == text_of(request, "level"));
  std::set<std::string> wanted, found;
  for (const element stage : request["omitStages"].get_array()) wanted.emplace(stage.get_string().value());
  for (std::size_t i = 0; i < kAuditStages; ++i)
    if (verdict.omit_stages.has(static_cast<AuditStage>(i))) found.emplace(to_string(static_cast<AuditStage>(i)));
  CHECK(found == wanted);
}

}  // namespace

TEST_CASE("audit policies decide as the server does", "[conformance][audit-policy]") {
  simdjson::dom::parser parser;
  for (const std::string& line : test::read_vectors("auditpolicy.jsonl")) {
    const element vector = parser.parse(line);
    const LoadedAuditPolicy loaded = load_audit_policy({"policy.json", simdjson::to_string(vector["policy"])});
    for (const Diagnostic& d : loaded.diagnostics) UNSCOPED_INFO(to_string(d));
    REQUIRE(loaded.policy);
    for (const element request : vector["requests"].get_array()) check_request(*loaded.policy, request);
  }
}

TEST_CASE("audit policies load as the server loads them", "[conformance][audit-policy]") {
  simdjson::dom::parser parser;
  for (const std::string& line : test::read_vectors("auditpolicy-load.jsonl")) {
    const element vector = parser.parse(line);
    INFO(line);
    const LoadedAuditPolicy loaded = load_audit_policy({"policy.yaml", text_of(vector, "text")});
    std::int64_t rules = 0;
    if (vector["rules"].get(rules) == simdjson::SUCCESS) {
      for (const Diagnostic& d : loaded.diagnostics) UNSCOPED_INFO(to_string(d));
      REQUIRE(loaded.policy);
      CHECK(loaded.policy->rules.size() == static_cast<std::size_t>(rules));
    } else {
      CHECK_FALSE(loaded.policy);
      CHECK(error_of(loaded) == text_of(vector, "error"));
    }
  }
}
