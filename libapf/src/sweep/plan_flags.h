// The sets of flags of a plan, and what they have in common with its logs and configurations.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <apf/flag_values.h>
#include <apf/sweep.h>

#include "settings/keys.h"

namespace apf {

const std::vector<KeyOf<SweepPlan>>& plan_keys();
// A setting of replays as a key of a set of flags.
Key key_of(const ReplaySetting& setting);

// The key `name`, which `names` has not yet. `what`: "a log".
std::optional<std::string> name_in(Faults& faults, const Fields& fields, const ConfigNode& node, const char* what,
                                   std::set<std::string>& names);
// The paths of a key, relative to the plan.
std::vector<std::string> files_in(Faults& faults, const std::string& plan, std::string_view key,
                                  const ConfigNode& node);

class FlagSetReader {
 public:
  // `plan`: name of its text. `has_recorded`: it says what the servers ran when the logs were written.
  FlagSetReader(Faults& faults, const std::string& plan, bool has_recorded)
      : faults_(faults), plan_(plan), has_recorded_(has_recorded) {}

  // Several, where it asks for servers of several sizes, the smallest first; none, where it has no name of its own.
  // Other faults leave out what is wrong.
  std::vector<SweepFlags> read(const ConfigNode& node);

 private:
  std::vector<int> read_sizes(const Fields& fields, const SweepFlags& flags);
  void check_seats(const ConfigNode& node, const SweepFlags& flags);
  void read_setting(const ReplaySetting& setting, const Fields& fields, const ConfigNode& node, SweepFlags& flags);
  void check(const ConfigNode& node, const SweepFlags& flags);

  Faults& faults_;
  const std::string& plan_;
  const bool has_recorded_;
  std::set<std::string> names_;
};

}  // namespace apf
