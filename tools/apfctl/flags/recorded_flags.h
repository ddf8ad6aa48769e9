// What the server ran when the log was written: the flags of a what-if.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/log_question.h>
#include <apf/replay.h>

#include "flags/options.h"
#include "flags/side_values.h"

namespace apfctl {

struct RecordedFlags {
  SideValues values;   // --recorded
  bool known = false;  // --server says how that server runs, and it is the replayed one

  void declare(CommandLine& line);
  // `replayed`: paths of the replayed configuration. Throws UsageError.
  void check(const std::vector<std::string>& replayed = {});
  // Those of the flag; nothing: it says none. Throws UsageError.
  std::optional<int> seats() const;
  // Sets options.recorded where it is given. options.config is loaded. False: the configuration has errors, which were
  // printed.
  bool set(apf::ReplayOptions& options, const ConfigFlags& config_flags, const ReleaseFlags& release,
           const Console& console) const;

  std::optional<std::string> config() const { return values.find("config"); }  // a path, or "same"; nothing: unknown
  std::vector<std::string> paths() const { return values.all("config"); }
  bool given() const { return config().has_value(); }
  bool same() const { return config() == "same"; }
  // What is said of the server that wrote the log, by these and where they say nothing by the replayed server.
  apf::LogEvidence evidence(bool seats_given, bool objects_given) const;
};

}  // namespace apfctl
