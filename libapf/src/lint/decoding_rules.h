// The pages of what reading an object finds (config/codes.h).
#pragma once

#include <span>

#include <apf/lint.h>

namespace apf {

std::span<const RuleInfo> decoding_rules();

}  // namespace apf
