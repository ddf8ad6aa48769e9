// Dumps as JSON: QueueSetDump, QueueDump and RequestDump of k8s.io/apiserver, pkg/util/flowcontrol/debug, as Go encodes
// them, by priority level.
#include <algorithm>

#include <apf/error.h>
#include <fmt/core.h>

#include "base/json_value.h"
#include "logs/server/server_dump.h"

namespace apf {

namespace {

class JsonDump {
 public:
  JsonDump(const std::string& name, ServerDump& dump) : name_(name), dump_(dump) {}

  void level(std::string_view level, const JsonValue& from) {
    LevelDump& out = dump_.levels.emplace_back();
    out.name = level;
    out.idle = flag(from, "IsIdle");
    out.quiescing = flag(from, "IsQuiescing");
    out.waiting = number(from, "Waiting").value_or(0);
    out.executing = number(from, "Executing").value_or(0);
    out.dispatched = number(from, "Dispatched");
    out.rejected = number(from, "Rejected");
    out.timed_out = number(from, "Timedout");
    out.cancelled = number(from, "Cancelled");
    std::int64_t index = 0;
    for (const JsonValue& queue : list(from, "Queues")) {
      const JsonValue fields = object_of(queue, "Queues");
      const std::int64_t waiting = read_queue(level, index, fields);
      out.active_queues += waiting > 0;
      ++index;
    }
    for (const JsonValue& request : list(from, "QueuelessExecutingRequests")) read_request(level, -1, -1, request);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(
        fmt::format("{}: {}; give the JSON that apfctl replay --dump-at writes, or the text of the server's "
                    "debug endpoints",
                    name_, what));
  }
  const JsonValue& object_of(const JsonValue& value, const char* key) const {
    if (!value.is_object()) fail(fmt::format("{} has an element that is not an object", key));
    return value;
  }
  std::vector<JsonValue> list(const JsonValue& from, const char* key) const {
    const std::optional<JsonValue> value = from.get(key);
    if (!value || value->is_null()) return {};
    std::optional<std::vector<JsonValue>> out = value->elements();
    if (!out) fail(fmt::format("{} is not a list", key));
    return std::move(*out);
  }
  bool flag(const JsonValue& from, const char* key) const {
    const std::optional<JsonValue> value = from.get(key);
    if (!value) return false;
    const std::optional<bool> out = value->flag();
    if (!out) fail(fmt::format("{} is neither true nor false", key));
    return *out;
  }
  std::optional<std::int64_t> number(const JsonValue& from, const char* key) const {
    const std::optional<JsonValue> value = from.get(key);
    if (!value) return std::nullopt;
    const std::optional<std::int64_t> out = value->whole();
    if (!out || !is_dump_number(*out)) fail(fmt::format("{} is not a whole number from -1 to 10^12", key));
    return out;
  }
  std::string text(const JsonValue& from, const char* key) const {
    const std::optional<JsonValue> value = from.get(key);
    if (!value) return {};
    const std::optional<std::string_view> out = value->text();
    if (!out) fail(fmt::format("{} is not a text", key));
    return std::string(*out);
  }
  std::optional<Nanos> time(const JsonValue& from, const char* key) const {
    const std::string written = text(from, key);
    if (written.empty() || written.starts_with("0001-01-01T")) return std::nullopt;
    const std::optional<Nanos> out = parse_rfc3339(written);
    if (!out || !is_time_in_range(*out)) fail(fmt::format("{} is not a time", key));
    return out;
  }
  std::uint64_t work(const JsonValue& from, const char* key) const {
    const std::string written = text(from, key);
    std::uint64_t out = 0;
    if (!written.empty() && !parse_work(written, out)) fail(fmt::format("{} is not a number of seat-seconds", key));
    return out;
  }
  JsonValue part(const JsonValue& from, const char* key) const {
    const std::optional<JsonValue> out = from.get(key);
    if (!out || !out->is_object()) fail(fmt::format("{} is missing", key));
    return *out;
  }

  // Returns how many wait in it.
  std::int64_t read_queue(std::string_view level, std::int64_t index, const JsonValue& from) {
    QueueDump& queue = dump_.queues.emplace_back();
    queue.level = level;
    queue.index = index;
    queue.executing = number(from, "ExecutingRequests").value_or(0);
    queue.seats = number(from, "SeatsInUse").value_or(0);
    queue.next_dispatch_r = work(from, "NextDispatchR");
    const JsonValue sum = part(from, "QueueSum");
    queue.initial_seats = number(sum, "InitialSeatsSum").value_or(0);
    queue.max_seats = number(sum, "MaxSeatsSum").value_or(0);
    queue.total_work = work(sum, "TotalWorkSum");
    std::int64_t waiting = 0;
    for (const JsonValue& request : list(from, "Requests")) read_request(level, index, waiting++, request);
    for (const JsonValue& request : list(from, "RequestsExecuting")) read_request(level, index, -1, request);
    return queue.waiting = waiting;
  }

  void read_request(std::string_view level, std::int64_t queue, std::int64_t index, const JsonValue& value) {
    const JsonValue from = object_of(value, "Requests");
    RequestDump& out = dump_.requests.emplace_back();
    out.level = level;
    out.queue = queue;
    out.index = index;
    out.flow_schema = text(from, "MatchedFlowSchema");
    out.distinguisher = text(from, "FlowDistinguisher");
    out.arrived = time(from, "ArriveTime").value_or(0);
    out.started = time(from, "StartTime");
    const JsonValue estimate = part(from, "WorkEstimate");
    out.initial_seats = number(estimate, "InitialSeats").value_or(1);
    out.final_seats = number(estimate, "FinalSeats").value_or(0);
    out.additional_latency = number(estimate, "AdditionalLatency").value_or(0);
    out.user = text(from, "UserName");
    const std::optional<JsonValue> request_info = from.get("RequestInfo");
    if (!request_info || !request_info->is_object()) return;
    const JsonValue& info = *request_info;
    out.verb = text(info, "Verb");
    out.path = text(info, "Path");
    out.ns = text(info, "Namespace");
    out.name = text(info, "Name");
    const std::string group = text(info, "APIGroup"), version = text(info, "APIVersion");
    out.api_version = group.empty() ? version : group + "/" + version;
    out.resource = text(info, "Resource");
    out.subresource = text(info, "Subresource");
    dump_.has_details = dump_.has_details || !out.verb.empty();
  }

  const std::string& name_;
  ServerDump& dump_;
};

}  // namespace

void refuse_failed_answer(const JsonDocument& document, const std::string& name) {
  if (document.error()) return;
  const auto member = [&](std::string_view key) -> std::string_view {
    const std::optional<JsonValue> value = document.root().get(key);
    return value ? value->text().value_or("") : std::string_view();
  };
  if (member("kind") == "Status")
    throw Error(
        fmt::format("{} is no dump or scrape: the API server answered with an error: {}", name, member("message")));
  if (member("status") == "error")
    throw Error(fmt::format("{} is no dump or scrape: the query failed: {}", name, member("error")));
}

void read_json_dump(std::string_view text, const std::string& name, ServerDump& dump) {
  if (dump.has_levels || dump.has_queues || dump.has_requests)
    throw Error(name + " is a second dump; give those of one instant");
  const JsonDocument document(text);
  if (document.error() || !document.root().is_object())
    throw Error(name + " is not a JSON object; give the JSON that apfctl replay --dump-at writes");
  refuse_failed_answer(document, name);
  JsonDump reader(name, dump);
  const auto levels = document.root().members();
  for (const auto& [level, fields] : *levels) {
    if (!fields.is_object() || !fields.get("Queues"))
      throw Error(
          fmt::format("{}: {} is not a dump of a priority level (it has no Queues); give the JSON that apfctl "
                      "replay --dump-at writes",
                      name, level));
    reader.level(level, fields);
  }
  dump.has_levels = dump.has_queues = dump.has_requests = true;
}

}  // namespace apf
