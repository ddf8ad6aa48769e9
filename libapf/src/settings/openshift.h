// The objects that OpenShift adds, as its operators ship them.
#pragma once

#include <string>
#include <vector>

#include <apf/settings.h>

namespace apf {

std::string openshift_objects();                                     // YAML
std::vector<Preset::Fact> openshift_object_facts(const char* read);  // `read`: when

}  // namespace apf
