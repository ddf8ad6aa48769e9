// A configuration of the KEP's dialect in the words of flowcontrol.apiserver.k8s.io/v1, where those say the same.
#pragma once

#include <vector>

#include <apf/config.h>

namespace apf {

// The v1 objects, the created and implied ones and the backstops among them. `refusals` (errors) say what v1 has no
// words for: with any, the configuration lacks these parts, and requests go elsewhere. `losses` (warnings) are
// differences that don't concern classification.
struct KepTranslation {
  Config config;
  std::vector<Diagnostic> refusals, losses;
};
KepTranslation translate_kep(const LoadedConfig& loaded);

Rewritten convert_kep(const LoadedConfig& loaded, FlowControlVersion to, std::optional<KubeVersion> release);
// What the dialect leaves out, filled in.
Rewritten default_kep(const LoadedConfig& loaded);

}  // namespace apf
