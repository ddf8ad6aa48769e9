// What lint, validate and rules share: the names of rules, and what is said of a project's settings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <apf/lint.h>

#include "shared/console.h"

namespace apfctl {

// What a rule may be called: codes and names of all.
std::vector<std::string> rule_names();

// "; did you mean 'dangling-level'?" for a word that is near a name, else where rules are listed. Codes are near each
// other whatever they mean.
std::string rule_hint(const std::string& word);

// Prints the faults of the settings; false if there are none.
bool print_faults(const apf::ProjectSettings& project, const Console& console);

// Says how many files the settings exclude.
// Throws apf::Error if the settings exclude all that there is: an answer about nothing would pass for a good one.
void refuse_excluded(std::size_t excluded, bool is_empty, const apf::ProjectSettings& project,
                     const std::vector<std::string>& paths);
// No folders: hooks name the files of a change, of which all may be excluded.
bool are_named_files(const std::vector<std::string>& paths);
// Takes out what the settings exclude, and says so. `accepts_named`: named files may all be excluded.
void take_out_excluded(std::vector<apf::ConfigText>& texts, const apf::ProjectSettings& project,
                       const std::vector<std::string>& paths, bool accepts_named, const Console& console);
void note_excluded(std::size_t excluded, const apf::ProjectSettings& project, const Console& console);
// Says that the objects of a preset are not added to a configuration in the KEP's dialect.
void note_preset_of_kep(const apf::Config& config, const apf::Preset& preset, const Console& console);

// --today, or the day that it is in UTC: "2026-11-20". Throws UsageError.
std::string today_or(const std::optional<std::string>& today);

}  // namespace apfctl
