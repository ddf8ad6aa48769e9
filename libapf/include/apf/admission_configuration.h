// The file that --admission-control-config-file of kube-apiserver names: which admission plugin has which configuration
// (apiserver.config.k8s.io/v1, kind AdmissionConfiguration).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/object_meta.h>
#include <apf/version.h>

namespace apf {

struct AdmissionConfiguration {
  struct Plugin {
    std::string name;
    std::string path;                // of a file with its configuration, as written
    bool has_configuration = false;  // inline: then the path is not even read
  };
  ObjectMeta meta;
  std::vector<Plugin> plugins;

  // The first entry of that name, which alone counts; null if there is none.
  APF_API const Plugin* find(std::string_view name) const;
  // The plugin's path, relative to the directory of this file.
  APF_API std::string path_of(const Plugin& plugin) const;
};

}  // namespace apf
