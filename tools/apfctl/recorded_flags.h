// What the server ran when the log was written: the flags of a what-if.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "options.h"

namespace apfctl {

struct RecordedFlags {
  std::vector<std::string> configs;  // a path, or "same"; none: unknown
  std::optional<std::string> seats_text, readonly_text, mutating_text, version_text;

  void declare(CommandLine& line);
  // `replayed`: paths of the replayed configuration. Throws UsageError.
  void check(const std::vector<std::string>& replayed = {}) const;
  // Those of the flags; nothing: they say none. Throws UsageError.
  std::optional<int> seats() const;
  // Sets options.recorded where it is given. options.config is loaded. False: the configuration has errors, which were
  // printed.
  bool set(apf::ReplayOptions& options, const ConfigFlags& config_flags, const ReleaseFlags& release,
           const Console& console) const;

  bool given() const { return !configs.empty(); }
  bool same() const { return given() && configs.front() == "same"; }
  bool says_more() const { return seats_text || readonly_text || mutating_text || version_text; }
};

}  // namespace apfctl
