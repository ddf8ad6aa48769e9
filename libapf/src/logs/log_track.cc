#include "logs/log_track.h"

#include <apf/error.h>
#include <apf/logs.h>

#include "logs/formats/format.h"

namespace apf {

std::vector<std::string> log_format_names() {
  std::vector<std::string> names{"auto"};
  for (const LogFormat row : log_formats()) names.emplace_back(row->name);
  return names;
}

LogFormat parse_log_format(const std::string& name) {
  if (name == "auto") return kAnyFormat;
  std::string names = "auto";
  for (const LogFormat row : log_formats()) {
    if (name == row->name) return row;
    names.append(", ").append(row->name);
  }
  throw Error("there is no log format \"" + name + "\"; there are " + names);
}

}  // namespace apf
