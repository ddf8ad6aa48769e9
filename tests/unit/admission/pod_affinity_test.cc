// Which pods have affinity across namespaces, as the scope CrossNamespacePodAffinity asks: each of the four lists of
// terms, and each of the two fields that make a term cross.
#include "catch.h"

#include "admission/quota_engine.h"
#include "config/reader.h"

using namespace apf;

namespace {

bool crosses(const std::string& affinity) {
  std::vector<Diagnostic> diagnostics;
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c}]\n  affinity: " + affinity +
      "\n";
  const auto tree = read_tree({"pod.yaml", pod}, diagnostics);
  REQUIRE(diagnostics.empty());
  std::vector<ObjectFault> faults;
  const QuotaSubject subject = measure_object({"", "pods"}, *tree->documents().at(0).root, {}, faults);
  CHECK(faults.empty());
  return subject.cross_namespace_affinity;
}

std::string required(const std::string& side, const std::string& term) {
  return "{" + side + ": {requiredDuringSchedulingIgnoredDuringExecution: [" + term + "]}}";
}

std::string preferred(const std::string& side, const std::string& term) {
  return "{" + side + ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: " + term +
         "}]}}";
}

}  // namespace

TEST_CASE("affinity crosses namespaces by namespaces or a selector of them, required or preferred",
          "[admission][quota]") {
  for (const char* side : {"podAffinity", "podAntiAffinity"}) {
    INFO(side);
    for (const auto& in : {required, preferred}) {
      CHECK(crosses(in(side, "{topologyKey: zone, namespaces: [other]}")));
      CHECK(crosses(in(side, "{topologyKey: zone, namespaceSelector: {}}")));
      CHECK_FALSE(crosses(in(side, "{topologyKey: zone}")));
      CHECK_FALSE(crosses(in(side, "{topologyKey: zone, namespaces: []}")));
    }
    CHECK(crosses(required(side, "{topologyKey: zone}, {topologyKey: zone, namespaces: [other]}")));
  }
  CHECK_FALSE(crosses("{nodeAffinity: {}}"));
  CHECK_FALSE(crosses("{}"));
}
