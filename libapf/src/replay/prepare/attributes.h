// What the stages inside the handler look at: admission.Attributes of a request, as far as a log has them. They
// travel beside the events, and only while such a stage is on: see PreparedEvent::attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/event_rate_limit.h"
#include "classify/request_view.h"
#include "logs/formats/json_index.h"
#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

// What the stages of a run need to know of a request.
struct AttributesWanted {
  bool events = false;   // EventRateLimit: events, and the keys of their buckets
  bool objects = false;  // all else that is created, updated or deleted, and the objects themselves
  bool any() const { return events || objects; }
};

enum class AdmissionOperation : std::uint8_t { create, update, patch, remove };

// Did the log's server answer with what it says before its limits are asked? Bad requests, missing rights, a namespace
// that is being deleted, a patch of what is gone, what mutating admission or validation refuses. A 403 may be a
// quota's.
constexpr bool is_turned_away(int code) {
  for (const int other : {400, 403, 404, 405, 406, 413, 415, 422})
    if (code == other) return true;
  return false;
}

struct AdmissionAttributes {
  AdmissionOperation operation = AdmissionOperation::create;
  std::string api_group, api_version, resource, subresource, ns, name;
  std::string user;
  bool user_known = true;  // false: only the HTTP log has the request
  bool dry_run = false;
  int code = 0;  // in the log; 0 = none
  // An object of core/v1 events, and its key under SourceAndObject; nothing: the log does not hold the object.
  bool is_event = false;
  bool refused_by_event_limit = false;  // in the log
  bool refused_by_quota = false;        // of a 403
  bool lost_by_quota = false;           // of a 409 or 500: the update of a quota's status failed, or took too long
  std::optional<std::string> source_and_object;
  // AttributesWanted::objects: the objects as JSON, empty where the log does not hold them. Of a patch `object` is the
  // patch, unless the request is a trace line.
  std::string object, response_object;

  bool has_object() const { return !object.empty(); }
};

// As bytes that another part of the same process reads.
void append_attributes(const AdmissionAttributes& attributes, std::string& out);
AdmissionAttributes read_attributes(std::string_view bytes);

// Whether admission looks at such requests, by verb and URI alone.
bool has_attributes(const RequestView& view, AttributesWanted wanted);

class AttributesReader {
 public:
  // Sets all of `out`. `view` is of the event; `user` its name, null where nobody knows.
  void read(const LogEvent& event, const RequestView& view, const std::string* user, AttributesWanted wanted,
            AdmissionAttributes& out);

 private:
  // The texts that make an event's key. False: this is no event, or no JSON.
  bool read_key(std::string_view object, std::string& key);

  std::string text_;
  JsonIndex index_;
  JsonScratch scratch_;
};

}  // namespace apf
