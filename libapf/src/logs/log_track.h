// Logs that are read as one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "logs/log_format.h"

namespace apf {

class SortedEvents;

// Parses the --log-format value; throws Error naming the formats there are.
LogFormat parse_log_format(const std::string& name);

// Logs of one kind, one after the other: the parts of a rotated file.
struct LogTrack {
  std::vector<std::string> logs;
  LogFormat format = kAnyFormat;  // as seen in the files; kAnyFormat: not known beforehand
  bool regular = true;
  // As far as their beginnings show, or may be: events of the audit log, lines of the HTTP log.
  bool may_hold_audit = true, may_hold_http = true;
  // By log, where its lines were found not to be in order of time; null, and logs beyond: it is read as it stands.
  std::vector<std::shared_ptr<const SortedEvents>> sorted = {};
};

}  // namespace apf
