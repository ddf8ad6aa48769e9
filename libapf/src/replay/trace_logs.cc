// trace_logs(): any log as requests in the normal form.
#include <apf/error.h>
#include <apf/replay.h>
#include <sys/stat.h>

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "replay/chunk_source.h"
#include "replay/fixed_flow.h"
#include "replay/formats/audit.h"
#include "replay/formats/trace.h"
#include "replay/input.h"
#include "replay/join.h"
#include "replay/prepare.h"

namespace apf {

namespace {

AuditId id_of(std::string_view text) {
  if (text.empty()) return {};
  return {hash_bytes(text) | 1, hash_bytes(text, 7), false};
}

// Reads all events of the logs one after the other.
class Reading : public LogEventSink {
 public:
  Reading(const TraceOptions& options, ReplayReport& report) : options_(options), report_(report) {}

  void run() {
    ChunkSource source(options_.logs, parse_log_format(options_.log_format), options_.log_year);
    LogParsers parsers;
    LogChunk chunk;
    while (source.next(chunk)) {
      report_.lines += chunk.lines;
      parsers.of(chunk.format).parse(chunk, *this);
      if (options_.interrupted && options_.interrupted->load(std::memory_order_relaxed)) {
        report_.interrupted = true;
        break;
      }
    }
    report_.logs = source.names();
    report_.bytes = source.stats().bytes;
    if (source.too_long_lines() > 0) report_.unusable[to_string(Unusable::too_long)] += source.too_long_lines();
    for (const Diagnostic& note : source.notes()) report_.warnings.push_back(note.message);
  }

  void on_event(const LogEvent&, std::uint64_t) override { ++report_.events; }
  void on_unusable(Unusable reason, std::uint64_t) override { ++report_.unusable[to_string(reason)]; }
  void on_other(std::uint64_t) override { ++report_.other_lines; }

 protected:
  const TraceOptions& options_;
  ReplayReport& report_;
};

// First pass: a watch is written when it begins, but its line tells when it ends.
class WatchEnds final : public Reading {
 public:
  using Reading::Reading;
  void on_event(const LogEvent& event, std::uint64_t) override {
    if (!event.trace && event.verb == "watch" && event.stage == Stage::response_complete && event.stage_time != kNoTime)
      ends_[id_of(event.id).high] = event.stage_time;
  }
  std::unordered_map<std::uint64_t, Nanos> ends_;
};

class Tracing final : public Reading {
 public:
  Tracing(const TraceOptions& options, ReplayReport& report, const std::unordered_map<std::uint64_t, Nanos>& watch_ends,
          const std::function<void(const TraceRequest&)>& sink)
      : Reading(options, report), watch_ends_(watch_ends), sink_(sink),
        joiner_(options.reorder_window, options.reorder_limit, [this](Nanos, JoinedEvent& joined) { emit(joined); },
                [this](const PreparedEvent& event) { release(event.text_id); }) {}

  void run() {
    Reading::run();
    joiner_.finish();
    report_.requests = joiner_.requests();
    report_.out_of_window = joiner_.out_of_window();
  }

  void on_event(const LogEvent& event, std::uint64_t line) override {
    Reading::on_event(event, line);
    const Nanos time = event.received != kNoTime ? event.received : event.stage_time;
    if (time == kNoTime) {
      ++report_.unusable[to_string(Unusable::no_timestamp)];
      return;
    }
    PreparedEvent prepared;
    prepared.received = time;
    prepared.stage_time = event.stage_time;
    prepared.id = id_of(event.id);
    prepared.stage = event.stage;
    prepared.trace = event.trace;
    prepared.watch = event.verb == "watch";
    // What is turned away before the filter ends with ResponseStarted; what else has that stage and is no watch is served
    // outside of it (exec, attach, …).
    if (event.stage == Stage::response_started && !prepared.watch)
      prepared.left_out = event.code == 401 || event.code == 400 ? LeftOut::unauthenticated : LeftOut::long_running;
    if (free_.empty()) {
      held_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(held_.size()));
    }
    prepared.text_id = free_.back();
    free_.pop_back();
    held_[prepared.text_id - 1] = normal_form(event, time);
    joiner_.add(std::move(prepared));
  }

 private:
  TraceRequest normal_form(const LogEvent& event, Nanos time) const {
    TraceRequest out;
    out.time = time;
    out.id = event.id;
    out.user = parse_user_json(event.user_json);
    out.verb = event.verb;
    out.method = event.method;
    out.uri = event.uri;
    if (!event.request_info_json.empty()) parse_request_info_json(event.request_info_json, out.request_info.emplace());
    out.user_agent = event.user_agent;
    out.source_ip = event.source_ip;
    out.code = event.code;
    if (event.trace) out.object = event.object;  // those of audit logs may be large, and secret
    out.recorded.flow_schema = event.recorded_flow_schema;
    out.recorded.priority_level = event.recorded_priority_level;
    if (event.queue_wait != kNoTime) out.recorded.queue_wait = event.queue_wait;
    if (event.has_seats) out.seats = event.seats;
    if (event.wait_limit != kNoTime) out.wait_limit = event.wait_limit;
    if (event.execution != kNoTime) out.execution = event.execution;
    if (event.init != kNoTime) out.init = event.init;
    if (event.watch_end != kNoTime) out.end = event.watch_end;
    if (event.http) return complete_http(event, out);
    if (event.trace) {
      if (event.stage_time != kNoTime) out.recorded_end = event.stage_time;
      return out;
    }
    if (event.apf_refusal_text && event.code == 429 && event.stage_time != kNoTime) {
      RequestView view;
      parse_audited_view(event.verb, event.uri, view);
      if (left_its_queue(event.stage_time - time, wait_limit_of(view, ReplayOptions().request_timeout)))
        out.wait_limit = event.stage_time - time;
    }
    const auto end = watch_ends_.find(id_of(event.id).high);
    if (event.verb == "watch") {
      if (end != watch_ends_.end()) out.end = end->second;
    } else if (event.stage != Stage::received && event.stage_time != kNoTime && !event.apf_refusal_text) {
      if (event.queue_wait != kNoTime) out.execution = std::max<Nanos>(0, event.stage_time - time - event.queue_wait);
      else out.recorded_end = event.stage_time;
    }
    return out;
  }

  // A line of the HTTP log: what ran is told exactly, who asked for it is not.
  static TraceRequest complete_http(const LogEvent& event, TraceRequest& out) {
    out.method = method_of_logged_verb(event.method);
    ParsedRequest parsed;
    parse_request(out.method, out.uri, parsed);
    if (parsed.info.is_resource_request && parsed.info.verb == "watch") {
      out.end = event.stage_time;
    } else if (event.execution == kNoTime && !event.apf_refusal_text) {
      out.recorded_end = event.stage_time;
    }
    return std::move(out);
  }

  void emit(JoinedEvent& joined) {
    const std::uint32_t at = joined.event.text_id;
    if (joined.kind == JoinedEvent::Kind::request) sink_(held_[at - 1]);
    release(at);
  }

  void release(std::uint32_t at) {
    held_[at - 1] = {};
    free_.push_back(at);
  }

  const std::unordered_map<std::uint64_t, Nanos>& watch_ends_;
  const std::function<void(const TraceRequest&)>& sink_;
  Joiner joiner_;
  std::vector<TraceRequest> held_;
  std::vector<std::uint32_t> free_;
};

bool can_be_read_twice(const std::vector<std::string>& logs) {
  return std::all_of(logs.begin(), logs.end(), [](const std::string& path) {
    struct stat st;
    return path != "-" && ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
  });
}

}  // namespace

ReplayReport trace_logs(const TraceOptions& options, const std::function<void(const TraceRequest&)>& sink) {
  if (are_joined(sort_into_tracks(options.logs, options.log_format)))
    throw Error(
        "the logs tell of the same requests, each in its way: trace reads audit logs or the server's own log, and replay "
        "joins them");
  std::unordered_map<std::uint64_t, Nanos> watch_ends;
  if (can_be_read_twice(options.logs)) {
    ReplayReport ignored;
    WatchEnds first(options, ignored);
    first.run();
    watch_ends = std::move(first.ends_);
  }
  ReplayReport report;
  Tracing tracing(options, report, watch_ends, sink);
  tracing.run();
  return report;
}

}  // namespace apf
