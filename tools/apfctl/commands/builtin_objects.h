// The built-in objects of a release as the API returns them.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/version.h>

namespace apfctl {

// `config`: built-in objects, or some of them; in the newest API version that the release serves. Levels come first.
std::vector<apf::RewrittenObject> builtin_objects(const apf::Config& config, apf::KubeVersion release);

}  // namespace apfctl
