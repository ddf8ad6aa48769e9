// Validation: what kube-apiserver says to an object, to the letter.
//
//   const std::vector<apf::ConfigText> texts = {{"a.yaml", "apiVersion: flowcontrol.apiserver.k8s.io/v1\n"
//                                                          "kind: FlowSchema\nmetadata: {name: a}\n"}};
//   const apf::LoadedConfig loaded = apf::load_config(texts);
//   for (const apf::Diagnostic& d : apf::validate(loaded, apf::kNewestKubeVersion)) std::puts(d.message.c_str());
//
// Mirrors pkg/apis/flowcontrol/validation and the registry strategies (v1.36; the release decides about texts and
// checks that changed). The functions may be called from several threads at once and throw nothing but std::bad_alloc.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/version.h>

namespace apf {

// The errors of a create of each object, or, with `old`, of an update of the object of the same kind and name there
// (objects that are new there: a create). Objects in the order of the texts, each object's errors in the server's
// order. Defaulting happens inside, as the server does it. `field`, `type`, `detail` and `message` (the full text) are
// the server's. loaded.diagnostics are not repeated. Of an object that comes several times each is taken for a request
// of its own. `status`: an update of the status subresource, of which only the status is looked at.
enum class Subresource { none, status };
APF_API std::vector<Diagnostic> validate(const LoadedConfig& loaded, KubeVersion version,
                                         const LoadedConfig* old = nullptr,
                                         Subresource subresource = Subresource::none);

// What strict decoding (kubectl's --validate=strict, its default) makes of the unknown and duplicate fields among an
// input's diagnostics: one error for each object, at the first of them, in place of the warnings.
APF_API void apply_strict_decoding(std::vector<Diagnostic>& diagnostics);

}  // namespace apf
