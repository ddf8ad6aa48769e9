// What the server makes of objects that it maintains.
#include <apf/config.h>

#include "catch.h"
#include "config/maintenance.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

std::string level_text(const std::string& name, const std::string& metadata, int shares) {
  return "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: " + name +
         metadata + "}\nspec:\n  type: Limited\n  limited:\n    nominalConcurrencyShares: " + std::to_string(shares) +
         "\n    lendablePercent: 90\n    limitResponse: {type: Queue, queuing: {queues: 128, handSize: 6, "
         "queueLengthLimit: 50}}\n---\n";
}

std::string annotated(const char* value) {
  return std::string(", annotations: {apf.kubernetes.io/autoupdate-spec: \"") + value + "\"}";
}

Config defaulted(const std::string& text) {
  LoadedConfig loaded = test::load_text(text, "objects.yaml");
  REQUIRE(loaded.diagnostics.empty());
  apply_defaults(loaded.config);
  return std::move(loaded.config);
}

// "restored workload-low (200 → 100 shares)"
std::string fate(const std::string& text, KubeVersion release = KubeVersion{34}) {
  std::string out;
  for (const Maintained& object : maintained_objects(defaulted(text), release)) {
    out += out.empty() ? "" : "; ";
    out += object.what == Maintained::What::restored ? "restored " : "deleted ";
    out += object.name + (object.changes.empty() ? "" : " (" + object.changes + ")");
    for (const std::string& manager : object.managers) out += " by " + manager;
  }
  return out;
}

std::string former(const char* metadata) {
  return std::string(
             "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: "
             "endpoint-controller") +
         metadata + "}\nspec: {priorityLevelConfiguration: {name: workload-high}, rules: []}\n---\n";
}

}  // namespace

TEST_CASE("the annotation and the generation say whether the server restores a suggested object", "[config]") {
  const std::string restored = "restored workload-low (200 → 100 shares)";
  CHECK(fate(level_text("workload-low", annotated("true"), 200)) == restored);
  CHECK(fate(level_text("workload-low", ", generation: 2" + annotated("true"), 200)) == restored);
  CHECK(fate(level_text("workload-low", "", 200)) == restored);  // never edited
  CHECK(fate(level_text("workload-low", ", generation: 1" + annotated("no"), 200)) == restored);
  CHECK(fate(level_text("workload-low", ", generation: 2", 200)).empty());
  CHECK(fate(level_text("workload-low", annotated("false"), 200)).empty());
  CHECK(fate(level_text("workload-low", annotated("true"), 100)).empty());  // as the server has it
  CHECK(fate(level_text("mine", "", 200)).empty());
}

TEST_CASE("the server deletes what its annotation marks and the release does not build in", "[config]") {
  CHECK(fate(former(annotated("true").c_str())) == "deleted endpoint-controller");
  CHECK(fate(former(annotated("true").c_str()), KubeVersion{33}) ==
        "restored endpoint-controller "
        "(1000 → 150 as its matchingPrecedence)");
  CHECK(fate(former(annotated("false").c_str())).empty());
  CHECK(fate(former("")).empty());
  CHECK(fate(level_text("mine", annotated("true"), 5)) == "deleted mine");
  // Before the annotation there was, suggested objects were created once and then left alone.
  CHECK(fate(level_text("mine", annotated("true"), 5) + level_text("workload-low", "", 200), KubeVersion{21}).empty());
}

TEST_CASE("who else wrote the spec is read from the managed fields", "[config]") {
  const std::string managers =
      ", managedFields: [{manager: api-priority-and-fairness-config-producer-v1, fieldsV1: {'f:spec': {}}}, "
      "{manager: kubectl-edit, fieldsV1: {'f:spec': {}}}, {manager: labeler, fieldsV1: {'f:metadata': {}}}]";
  CHECK(fate(level_text("workload-low", annotated("true") + managers, 200)) ==
        "restored workload-low (200 → 100 shares) by kubectl-edit");
}

TEST_CASE("mandatory objects are restored whatever their annotation says; the exempt level keeps its own part",
          "[config]") {
  const std::string exempt =
      "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: exempt}\n"
      "spec: {type: Exempt, exempt: {nominalConcurrencyShares: 7, lendablePercent: 50}}\n---\n";
  CHECK(fate(exempt).empty());
  CHECK(fate(level_text("catch-all", annotated("false"), 9)) ==
        "restored catch-all (9 → 5 shares, 90 → 0 percent lendable)");
}

TEST_CASE("enforced: restored objects are the server's own, deleted ones are gone, others stay", "[config]") {
  const std::string text = level_text("workload-low", annotated("true"), 200) +
                           level_text("system", annotated("false"), 77) + level_text("mine", "", 5) +
                           former(annotated("true").c_str());
  const auto shares = [&](Builtins builtins, const std::string& name) {
    const Config config = with_builtins(defaulted(text), KubeVersion{34}, builtins);
    for (const PriorityLevel& l : config.priority_levels)
      if (l.meta.name == name) return l.limited->nominal_concurrency_shares.value_or(-1);
    return -2;
  };
  const auto has_schema = [&](Builtins builtins) {
    const Config config = with_builtins(defaulted(text), KubeVersion{34}, builtins);
    for (const FlowSchema& s : config.flow_schemas)
      if (s.meta.name == "endpoint-controller") return true;
    return false;
  };
  CHECK(shares(Builtins::all, "workload-low") == 200);
  CHECK(shares(Builtins::enforced, "workload-low") == 100);
  CHECK(shares(Builtins::enforced, "system") == 77);
  CHECK(shares(Builtins::enforced, "mine") == 5);
  CHECK(has_schema(Builtins::all));
  CHECK_FALSE(has_schema(Builtins::enforced));
}

TEST_CASE("a newer server creates what it builds in and the cluster does not have", "[config]") {
  const auto created = [](const Config& given, KubeVersion before, KubeVersion after) {
    std::string out;
    for (const Maintained& object :
         created_objects(with_builtins(given, before, Builtins::all), with_builtins(given, after, Builtins::all))) {
      CHECK(object.what == Maintained::What::created);
      out += (out.empty() ? "" : "; ") + object.kind + " " + object.name + " (" + object.changes + ")";
    }
    return out;
  };
  const std::string schema = "FlowSchema endpoint-controller (matchingPrecedence 150, level workload-high)";
  CHECK(created({}, KubeVersion{23}, KubeVersion{24}) == schema);
  CHECK(created({}, KubeVersion{24}, KubeVersion{33}).empty());
  CHECK(created({}, KubeVersion{33}, KubeVersion{34}).empty());
  CHECK(created({}, KubeVersion{34}, KubeVersion{33}).starts_with("FlowSchema "));
  CHECK(
      created({}, KubeVersion{21}, KubeVersion{22}) ==
      "FlowSchema system-node-high (matchingPrecedence 400, level node-high); PriorityLevelConfiguration node-high (40 "
      "shares)");
  CHECK(created(defaulted(level_text("node-high", "", 40)), KubeVersion{21}, KubeVersion{22}) ==
        "FlowSchema system-node-high (matchingPrecedence 400, level node-high)");
  CHECK(created(defaulted(former("")), KubeVersion{23}, KubeVersion{24}).empty());
}
