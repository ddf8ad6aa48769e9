// The configuration objects that kube-apiserver itself maintains
// (k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap; they differ between releases).
#pragma once

#include <apf/config.h>
#include <apf/kube_version.h>

namespace apf {

enum class Builtins {
  all,        // mandatory and suggested
  mandatory,  // exempt and catch-all, both kinds
  none,
};

// The objects of a release, in the order of the server's own lists: mandatory, then suggested;
// already defaulted, api_version v1. Releases before 1.29 get the set of 1.29.
APF_API Config bootstrap_config(KubeVersion version, Builtins builtins = Builtins::all);

// What a server holds that is given `config`: the built-ins, replaced by objects of the same kind and name. A
// configuration in the KEP's dialect gets its own backstops instead.
APF_API Config with_builtins(Config config, KubeVersion version, Builtins builtins);

}  // namespace apf
