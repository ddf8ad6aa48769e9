// ResourceQuotas from texts: members, lists, what replaces what, and the place of a bad quantity.
#include <apf/config.h>

#include "catch.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

const char* const kQuota = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: team-a, annotations: {a: b}}
spec:
  hard:
    requests.cpu: 2000m
    pods: 10
    limits.memory: 1e9   # a string in YAML 1.1; the next one is a number
    limits.cpu: 1e+9
    count/jobs.batch: " 5 "
  scopes: []
  scopeSelector:
    matchExpressions:
    - {scopeName: PriorityClass, operator: In, values: [high, low]}
    - {scopeName: NotTerminating, operator: Exists}
status:
  hard: {pods: "10"}
  used: {pods: "3", requests.cpu: null}
)";

}  // namespace

TEST_CASE("a quota has its amounts by name, and knows where they stand", "[quota][config]") {
  const LoadedConfig loaded = test::load_text(kQuota);
  INFO(test::diagnostics_text(loaded));
  REQUIRE(loaded.diagnostics.empty());
  REQUIRE(loaded.resource_quotas.size() == 1);
  const ResourceQuota& quota = loaded.resource_quotas[0];
  CHECK(quota.meta.name == "compute");
  CHECK(quota.ns == "team-a");
  CHECK(quota.meta.annotations.size() == 1);
  std::string hard;
  for (const auto& [name, amount] : quota.spec.hard) hard += name + "=" + amount.str() + " ";
  CHECK(hard == "count/jobs.batch=5 limits.cpu=1G limits.memory=1G pods=10 requests.cpu=2 ");
  CHECK(quota.meta.source.span_of("spec.hard[requests.cpu]").line == 6);
  CHECK(quota.spec.has_scopes);
  CHECK(quota.spec.scopes.empty());
  REQUIRE(quota.spec.scope_selector);
  REQUIRE(quota.spec.scope_selector->size() == 2);
  CHECK(quota.spec.scope_selector->at(0).values == std::vector<std::string>{"high", "low"});
  CHECK_FALSE(quota.spec.scope_selector->at(1).has_values);
  CHECK(quota.status.hard.at("pods") == Quantity(10));
  CHECK(quota.status.used.at("requests.cpu").is_zero());
}

TEST_CASE("a quota replaces one of its namespace and name, not one of another file without a namespace",
          "[quota][config]") {
  const auto quota = [](std::string_view ns) {
    return fmt::format(
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q{}}}\nspec: {{hard: {{pods: 1}}}}\n---\n",
        ns.empty() ? "" : fmt::format(", namespace: {}", ns));
  };
  const ConfigText texts[] = {{"a.yaml", quota("a") + quota("b") + quota("")}, {"b.yaml", quota("a") + quota("")}};
  const LoadedConfig loaded = load_config(texts);
  CHECK(loaded.resource_quotas.size() == 4);
  CHECK(loaded.replaced_resource_quotas.size() == 1);
  REQUIRE(loaded.diagnostics.size() == 1);
  CHECK(loaded.diagnostics[0].code == "APF007");
}

TEST_CASE("items of a ResourceQuotaList need not repeat what they are; quotas of other groups are skipped",
          "[quota][config]") {
  const LoadedConfig list = test::load_text(
      R"({"apiVersion": "v1", "kind": "ResourceQuotaList", "items": [{"metadata": {"name": "q"}, "spec": {"hard": {"pods": 1.5}}}]})",
      "list.json");
  REQUIRE(list.resource_quotas.size() == 1);
  CHECK(list.resource_quotas[0].spec.hard.at("pods").str() == "1500m");
  const LoadedConfig other =
      test::load_text("apiVersion: quotas.example.com/v1\nkind: ResourceQuota\nmetadata: {name: q}\n");
  CHECK(other.resource_quotas.empty());
  CHECK(other.skipped.size() == 1);
}

TEST_CASE("a bad quantity is told with its place, and the quota is left out", "[quota][config]") {
  const LoadedConfig loaded =
      test::load_text("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec:\n  hard:\n    pods: 1.5Gii\n");
  CHECK(loaded.resource_quotas.empty());
  REQUIRE(loaded.diagnostics.size() == 1);
  const Diagnostic& d = loaded.diagnostics[0];
  CHECK(d.code == "APF016");
  CHECK(d.span.line == 6);
  CHECK(d.span.column == 11);
  CHECK(d.field == "spec.hard[pods]");
  CHECK(d.message == "spec.hard[pods]: \"1.5Gii\" isn't a quantity: \"i\" at position 6 isn't allowed there");
  CHECK(d.detail == "unable to parse quantity's suffix");
}
