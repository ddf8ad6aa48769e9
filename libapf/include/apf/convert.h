// Objects as the server would store and serve them, and between the versions of flowcontrol.apiserver.k8s.io.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>
#include <apf/kube_version.h>
#include <apf/version.h>

namespace apf {

enum class FlowControlVersion { v1, v1beta3, v1beta2, v1beta1 };

// The newest that a release serves.
APF_API FlowControlVersion newest_served(KubeVersion release);

// One object, or one typed list (FlowSchemaList, PriorityLevelConfigurationList) of what was decoded of it, rewritten.
struct RewrittenObject {
  std::string kind, name;   // a list has no name
  Span span;                // of its kind
  std::string json;         // one line as the server writes it: fields in the order of the API's Go types
  std::string yaml;         // a document: the keys of the input in their order, what is new in its place in the API
  std::string yaml_before;  // the input in the same form
  bool changed = false;     // `yaml` differs from `yaml_before`
};

struct Rewritten {
  std::vector<RewrittenObject> objects;  // in the order of the texts; lists of kind List are unfolded
  std::vector<Diagnostic> losses;        // what does not survive, as warnings; as errors why nothing is rewritten
};

// `texts` must be those that `loaded` came from. Objects that did not decode are left out.
APF_API Rewritten default_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts);
// Defaults in the object's own version, then writes it in the other, as the server does. A configuration in the KEP's
// dialect is rewritten where the API's words say exactly the same, backstops included; else not at all.
APF_API Rewritten convert_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts, FlowControlVersion to);

}  // namespace apf
