// The constants of all rules, by name.
#pragma once

#include "lint/rule.h"

namespace apf {

#define RULE(name) extern const Rule rule_##name;
#include "lint/rules.inc"
#undef RULE

}  // namespace apf
