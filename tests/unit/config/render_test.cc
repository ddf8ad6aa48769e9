// Objects as JSON and YAML text.
#include <apf/config.h>

#include "catch.h"
#include "unit/config/model_text.h"

using namespace apf;

TEST_CASE("render: YAML as kubectl lays it out, fields in the API's order", "[config]") {
  FlowSchema schema;
  schema.meta.name = "list-events";
  schema.meta.annotations = {{"note", "true"}, {"apf.kubernetes.io/autoupdate-spec", "a: b"}};
  schema.priority_level = "catch-all";
  schema.matching_precedence = 8000;
  schema.distinguisher_method = "ByUser";
  schema.rules = {{{{"ServiceAccount", {}, {}, Subject::ServiceAccount{"default", "*"}},
                    {"User", "yes", {}, {}},
                    {"Group", {}, "123", {}}},
                   {{{"list"}, {""}, {"events"}, {"default"}, true}},
                   {{{"get"}, {"/healthz"}}, {{}, {}}}}};
  CHECK(render_yaml(schema) == R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: list-events
  annotations:
    note: "true"
    apf.kubernetes.io/autoupdate-spec: "a: b"
spec:
  priorityLevelConfiguration:
    name: catch-all
  matchingPrecedence: 8000
  distinguisherMethod:
    type: ByUser
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount:
        namespace: default
        name: "*"
    - kind: User
      user:
        name: "yes"
    - kind: Group
      group:
        name: "123"
    resourceRules:
    - verbs:
      - list
      apiGroups:
      - ""
      resources:
      - events
      clusterScope: true
      namespaces:
      - default
    nonResourceRules:
    - verbs:
      - get
      nonResourceURLs:
      - /healthz
    - verbs: []
      nonResourceURLs: []
)");
}

TEST_CASE("render: JSON of a level; zero and absent are told apart", "[config]") {
  PriorityLevel level;
  level.meta.name = "jail";
  level.type = "Limited";
  level.limited = LimitedLevel{0, {}, 0, "Queue", Queuing{16, 4, 50}};
  CHECK(
      render_json(level) ==
      R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"jail"},)"
      R"("spec":{"type":"Limited","limited":{"nominalConcurrencyShares":0,"limitResponse":{"type":"Queue",)"
      R"("queuing":{"queues":16,"handSize":4,"queueLengthLimit":50}},"borrowingLimitPercent":0}}})");
  PriorityLevel exempt;
  exempt.meta.name = "exempt";
  exempt.type = "Exempt";
  exempt.exempt = ExemptLevel{};
  CHECK(render_yaml(exempt).ends_with("spec:\n  type: Exempt\n  exempt: {}\n"));
}

TEST_CASE("render: the annotation for zero shares goes with v1beta3", "[config]") {
  PriorityLevel level;
  level.meta.name = "a";
  level.meta.api_version = "flowcontrol.apiserver.k8s.io/v1beta3";
  level.meta.annotations = {{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares", ""}};
  CHECK(render_json(level).find("preserve-zero") == std::string::npos);
  CHECK(render_json(level).find("annotations") == std::string::npos);
  level.meta.api_version = "flowcontrol.apiserver.k8s.io/v1";
  CHECK(render_json(level).find("preserve-zero") != std::string::npos);
}

TEST_CASE("render: each version has its name of the shares, each release its fields", "[config]") {
  PriorityLevel level;
  level.meta.name = "a";
  level.meta.api_version = "flowcontrol.apiserver.k8s.io/v1";
  level.type = "Limited";
  level.limited = LimitedLevel{30, 40, 50, "Reject", {}};
  const auto spec = [&](FlowControlVersion version, int minor) {
    const std::string json = render_json(level, {version, KubeVersion{minor}});
    return json.substr(json.find("\"spec\""));
  };
  using enum FlowControlVersion;
  CHECK(spec(v1alpha1, 20) ==
        R"("spec":{"type":"Limited","limited":{"assuredConcurrencyShares":30,"limitResponse":{"type":"Reject"}}}})");
  CHECK(spec(v1beta1, 25) == spec(v1alpha1, 20));
  CHECK(spec(v1beta2, 25) == spec(v1alpha1, 20));
  CHECK(spec(v1beta2, 26) == R"("spec":{"type":"Limited","limited":{"assuredConcurrencyShares":30,)"
                             R"("limitResponse":{"type":"Reject"},"lendablePercent":40,"borrowingLimitPercent":50}}})");
  CHECK(spec(v1beta3, 26) == R"("spec":{"type":"Limited","limited":{"nominalConcurrencyShares":30,)"
                             R"("limitResponse":{"type":"Reject"},"lendablePercent":40,"borrowingLimitPercent":50}}})");
  CHECK(spec(v1, 36) == spec(v1beta3, 26));
  CHECK(
      render_yaml(level, {v1beta2, KubeVersion{25}}).starts_with("apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n"));
  // Only v1beta3 needs a word for zero shares.
  level.limited->nominal_concurrency_shares = 0;
  CHECK(render_json(level, {v1beta3, KubeVersion{30}}).find("preserve-zero") != std::string::npos);
  CHECK(render_json(level, {v1, KubeVersion{30}}).find("preserve-zero") == std::string::npos);

  PriorityLevel exempt;
  exempt.meta.name = "exempt";
  exempt.type = "Exempt";
  exempt.exempt = ExemptLevel{0, 0};
  CHECK(render_yaml(exempt, {v1beta3, KubeVersion{27}}).ends_with("spec:\n  type: Exempt\n"));
  CHECK(render_yaml(exempt, {v1beta3, KubeVersion{28}})
            .ends_with("  exempt:\n    nominalConcurrencyShares: 0\n    lendablePercent: 0\n"));
  // As the server writes it, and as text.
  const RewrittenObject object = render_object(exempt, {v1beta3, KubeVersion{28}});
  CHECK(object.yaml == render_yaml(exempt, {v1beta3, KubeVersion{28}}));
  CHECK(object.json == R"({"kind":"PriorityLevelConfiguration","apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3",)"
                       R"("metadata":{"name":"exempt"},"spec":{"type":"Exempt","exempt":{"nominalConcurrencyShares":0,)"
                       R"("lendablePercent":0}},"status":{}})");
}
