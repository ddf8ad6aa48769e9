// The logs of one server sorted by what they hold: tracks, each of which is read for itself.
#pragma once

#include <string>
#include <vector>

#include <apf/logs.h>

#include "logs/chunk_source.h"

namespace apf {

// Parses the --log-format value; throws Error naming the formats there are.
LogFormat parse_log_format(const std::string& name);

// Logs of one kind, one after the other: the parts of a rotated file.
struct LogTrack {
  std::vector<std::string> logs;
  LogFormat format = kAnyFormat;  // as seen in the files; kAnyFormat: not known beforehand
  bool regular = true;
  // As far as their beginnings show, or may be: events of the audit log, lines of the HTTP log.
  bool may_hold_audit = true, may_hold_http = true;
};

// Sorts files by their content, audit logs first; the parts of a rotated log by the time they begin at. A pipe, which
// can be read but once, is a track of its own.
std::vector<LogTrack> sort_into_tracks(const LogOptions& options);

// Do the tracks hold the same requests twice, as audit events and as lines of the HTTP log?
bool are_joined(const std::vector<LogTrack>& tracks);

}  // namespace apf
