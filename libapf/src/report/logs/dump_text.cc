// Dumps as kube-apiserver's debug endpoints write them: rows as Go's tabwriter aligns them, and Go's JSON.
#include <algorithm>

#include <apf/logs_report.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "schedule/seats.h"

namespace apf {

namespace {

constexpr std::size_t kLeastWidth = 8;  // of a column, as the server asks for
constexpr const char* kZeroTime = "0001-01-01T00:00:00Z";

using Row = std::vector<std::string>;

// A comma follows every cell but the last; columns are as wide as their widest cell and a blank.
std::string aligned(std::vector<Row> rows) {
  std::vector<std::size_t> widths;
  for (Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), kLeastWidth);
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      if (i + 1 == row.size()) continue;
      row[i] += ',';
      widths[i] = std::max(widths[i], text_width(row[i]) + 1);
    }
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - text_width(row[i]), ' ');
    }
    out += '\n';
  }
  return out;
}

std::string number(std::int64_t number) { return std::to_string(number); }
std::string flag(bool set) { return set ? "true" : "false"; }

// With as many decimals as it needs, as Go's RFC3339Nano.
std::string instant(std::optional<Nanos> time) {
  if (!time) return kZeroTime;
  std::string out = format_rfc3339(*time);
  if (out.find('.') == out.npos) return out;
  out.pop_back();
  return out.erase(out.find_last_not_of('0') + 1) + "Z";
}

template <class Thing, class Level>
std::vector<const Thing*> of_level(const std::vector<Thing>& things, const Level& level) {
  std::vector<const Thing*> out;
  for (const Thing& thing : things)
    if (thing.level == level.name) out.push_back(&thing);
  return out;
}

void write_request(JsonWriter& json, const RequestDump& request) {
  json.begin_object().field("MatchedFlowSchema", request.flow_schema).field("FlowDistinguisher", request.distinguisher);
  json.field("ArriveTime", instant(request.arrived)).field("StartTime", instant(request.started));
  json.key("WorkEstimate").begin_object().field("InitialSeats", request.initial_seats);
  json.field("FinalSeats", request.final_seats).field("AdditionalLatency", request.additional_latency).end_object();
  json.field("UserName", request.user).key("RequestInfo").begin_object();
  const std::size_t slash = request.api_version.find('/');
  const bool grouped = slash != std::string::npos;
  json.field("IsResourceRequest", !request.resource.empty()).field("Path", request.path).field("Verb", request.verb);
  json.field("APIGroup", grouped ? request.api_version.substr(0, slash) : std::string());
  json.field("APIVersion", grouped ? request.api_version.substr(slash + 1) : request.api_version);
  json.field("Namespace", request.ns).field("Resource", request.resource).field("Subresource", request.subresource);
  json.field("Name", request.name).end_object().end_object();
}

void write_queue(JsonWriter& json, const QueueDump& queue, const std::vector<const RequestDump*>& requests) {
  json.begin_object().key("QueueSum").begin_object().field("InitialSeatsSum", queue.initial_seats);
  json.field("MaxSeatsSum", queue.max_seats).field("TotalWorkSum", format_seat_seconds(queue.total_work)).end_object();
  for (const bool runs : {false, true}) {
    json.key(runs ? "RequestsExecuting" : "Requests").begin_array();
    for (const RequestDump* request : requests)
      if (request->queue == queue.index && request->runs() == runs) write_request(json, *request);
    json.end_array();
  }
  json.field("NextDispatchR", format_seat_seconds(queue.next_dispatch_r));
  json.field("ExecutingRequests", queue.executing).field("SeatsInUse", queue.seats).end_object();
}

void write_level(JsonWriter& json, const LevelDump& level, const ServerDump& dump) {
  const auto requests = of_level(dump.requests, level);
  std::int64_t used = 0, wanted = 0;
  for (const RequestDump* request : requests) (request->runs() ? used : wanted) += request->initial_seats;
  json.key(level.name).begin_object().field("IsIdle", level.idle).field("IsQuiescing", level.quiescing);
  json.key("Queues").begin_array();
  const auto queues = of_level(dump.queues, level);
  std::int64_t seats = queues.empty() ? used : 0;
  for (const QueueDump* queue : queues) {
    write_queue(json, *queue, requests);
    seats += queue->seats;
  }
  json.end_array().key("QueuelessExecutingRequests").begin_array();
  for (const RequestDump* request : requests)
    if (request->queue < 0) write_request(json, *request);
  json.end_array().field("Waiting", level.waiting).field("Executing", level.executing);
  json.field("SeatsInUse", seats).field("SeatsWaiting", wanted).field("Dispatched", level.dispatched.value_or(0));
  json.field("Rejected", level.rejected.value_or(0)).field("Timedout", level.timed_out.value_or(0));
  json.field("Cancelled", level.cancelled.value_or(0)).end_object();
}

}  // namespace

std::string render_priority_levels(const ServerDump& dump) {
  std::vector<Row> rows{{"PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests",
                         "ExecutingRequests", "DispatchedRequests", "RejectedRequests", "TimedoutRequests",
                         "CancelledRequests"}};
  for (const LevelDump& level : dump.levels)
    rows.push_back({level.name, number(level.active_queues), flag(level.idle), flag(level.quiescing),
                    number(level.waiting), number(level.executing), number(level.dispatched.value_or(0)),
                    number(level.rejected.value_or(0)), number(level.timed_out.value_or(0)),
                    number(level.cancelled.value_or(0))});
  return aligned(std::move(rows));
}

std::string render_queues(const ServerDump& dump) {
  std::vector<Row> rows{{"PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse",
                         "NextDispatchR", "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum"}};
  for (const QueueDump& queue : dump.queues)
    rows.push_back({queue.level, number(queue.index), number(queue.waiting), number(queue.executing),
                    number(queue.seats), format_seat_seconds(queue.next_dispatch_r), number(queue.initial_seats),
                    number(queue.max_seats), format_seat_seconds(queue.total_work)});
  return aligned(std::move(rows));
}

std::string render_requests(const ServerDump& dump, bool details) {
  std::vector<Row> rows{{"PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher",
                         "ArriveTime", "InitialSeats", "FinalSeats", "AdditionalLatency", "StartTime"}};
  if (details)
    for (const char* title :
         {"UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"})
      rows[0].emplace_back(title);
  for (const RequestDump& r : dump.requests) {
    Row& row = rows.emplace_back(Row{r.level, r.flow_schema, number(r.queue), number(r.index), r.distinguisher,
                                     instant(r.arrived), number(r.initial_seats), number(r.final_seats),
                                     format_go_duration(r.additional_latency), instant(r.started)});
    if (details)
      for (const std::string& cell : {r.user, r.verb, r.path, r.ns, r.name, r.api_version, r.resource, r.subresource})
        row.push_back(cell);
  }
  return aligned(std::move(rows));
}

std::string render_json(const ServerDump& dump) {
  JsonWriter json;
  json.begin_object();
  for (const LevelDump& level : dump.levels) write_level(json, level, dump);
  json.end_object();
  return json.take();
}

}  // namespace apf
