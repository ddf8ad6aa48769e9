// Audit events as Google Cloud Logging keeps them: a LogEntry whose protoPayload holds method and resource instead of a
// request URI, a principal without groups, and a gRPC code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logs/formats/json_walk.h"
#include "logs/formats/log_time.h"
#include "logs/log_event.h"

namespace apf {

class GcpRecord {
 public:
  // False: the object is no LogEntry with a protoPayload.
  bool read(JsonText json, JsonToken entry);
  // kCount: `out` is the event; its views last until the next read().
  Unusable finish(LogEvent& out);

 private:
  JsonToken read_entry(JsonText json, std::string_view key, JsonToken value);
  JsonToken read_payload(JsonText json, std::string_view key, JsonToken value);
  JsonToken take(JsonText json, JsonToken value, std::string_view& out);

  bool is_entry_ = false, first_ = false, last_ = false;
  std::string_view service_, method_, resource_, principal_, impersonated_, address_, agent_, message_, time_,
      operation_, insert_id_, object_, response_;
  std::int64_t code_ = 0;
  std::string uri_, user_, authenticated_;
  JsonScratch scratch_;
  LogTimeReader times_;
};

// A table whose columns are members of entries ("protoPayload.status.code"), as Logs Explorer downloads it.
bool is_gcp_table(const std::vector<std::string_view>& names);
std::string gcp_entry_of(const std::vector<std::string_view>& names, const std::vector<std::string_view>& cells);

}  // namespace apf
