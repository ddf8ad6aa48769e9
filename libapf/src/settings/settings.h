// Reading .apfctl.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/settings.h>

#include "settings/settings_place.h"

namespace apf {

// What preset_objects() calls its text, before the preset's name.
inline constexpr std::string_view kPresetText = "preset ";

template <class Out>
struct KeyOf;
// Besides those of server_keys().
const std::vector<KeyOf<Settings>>& settings_keys();

// What is wrong with a word that stands for rules, as a sentence; empty: nothing.
using RuleFault = std::string (*)(std::string_view word);

// The settings that a text named FOLDER/.apfctl.yaml holds. What is wrong with it (unknown keys included) is an error.
ProjectSettings read_settings(ConfigText text, RuleFault rule_fault);

}  // namespace apf
