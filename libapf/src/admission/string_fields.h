// Strings of manifests: what kubectl reads as a boolean or a number is refused where the server wants a string.
#pragma once

#include <vector>

#include "admission/manifests.h"
#include "admission/quota_subject.h"

namespace apf {

// Of the metadata of any kind, of the kinds that quotas measure and of what creates such objects.
void check_strings(const Manifest& manifest, std::vector<ObjectFault>& faults);

}  // namespace apf
