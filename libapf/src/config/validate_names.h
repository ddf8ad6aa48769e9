// What Kubernetes allows as names and labels, with the texts it refuses others with (k8s.io/apimachinery,
// pkg/util/validation and pkg/api/validate/content, v1.36). Each function gives all that is wrong, in the server's
// order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/version.h>

namespace apf {

using NameFaults = std::vector<std::string>;

NameFaults dns_subdomain_faults(std::string_view text);
NameFaults dns_label_faults(std::string_view text);
// A value of generateName: its last dash is to be followed by something.
NameFaults name_prefix_faults(std::string_view text);
// Of labels, and (in lower case) of annotations and finalizers.
NameFaults label_key_faults(std::string_view text, KubeVersion version);
NameFaults label_value_faults(std::string_view text, KubeVersion version);

}  // namespace apf
