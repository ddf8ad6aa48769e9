#include "logs/trace_maker.h"

#include "logs/formats/audit.h"
#include "logs/formats/trace.h"
#include "logs/line_filter.h"

namespace apf {

namespace {

constexpr Nanos kRequestTimeout = 60 * kSecond;  // --request-timeout of kube-apiserver

// All that the stages of a request have in common but the user, and where the log says it went. `out` may hold another
// request, whose memory is used again.
void set_normal_form(const LogEvent& event, TraceRequest& out) {
  out.time = 0;
  out.time_is_integer = false;
  out.id = event.id;
  out.object.clear();
  out.server.clear();
  out.code = 0;
  out.request_info.reset();
  out.execution.reset();
  out.recorded_end.reset();
  out.init.reset();
  out.end.reset();
  out.wait_limit.reset();
  out.seats.reset();
  out.recorded.queue_wait.reset();
  out.verb = event.verb;
  out.method = event.http ? method_of_logged_verb(event.method) : event.method;
  out.uri = event.uri;
  if (event.trace) out.object = event.object;  // those of audit logs may be large, and secret
  if (!event.request_info_json.empty()) parse_request_info_json(event.request_info_json, out.request_info.emplace());
  out.user_agent = event.user_agent;
  out.source_ip = event.source_ip;
  out.recorded.flow_schema = event.recorded_flow_schema;
  out.recorded.priority_level = event.recorded_priority_level;
  if (!event.trace) return;
  if (event.init != kNoTime) out.init = event.init;
  if (event.execution != kNoTime) out.execution = event.execution;
  if (event.wait_limit != kNoTime) out.wait_limit = event.wait_limit;
  if (event.stage_time != kNoTime) out.recorded_end = event.stage_time;
  if (event.watch_end != kNoTime) out.end = event.watch_end;
}

}  // namespace

void TraceMaker::make(LogChunk& chunk, TracedBatch& batch) {
  batch.clear();
  batch.events.clear();
  batch.request_count = 0;
  batch_ = &batch;
  if (wanted_ == Wanted::watches) keep_lines_with(kLinesOfWatches, chunk);
  parsers_.of(chunk.format).parse(chunk, *this);
}

void TraceMaker::set_user(const LogEvent& event, User& out) {
  constexpr std::size_t kMost = 1u << 16;
  if (event.user_memo == nullptr) {
    out = parse_user_json(event.user_json);
    return;
  }
  if (*event.user_memo == 0) {
    if (users_.size() == kMost) {
      out = parse_user_json(event.user_json);
      return;
    }
    users_.push_back(parse_user_json(event.user_json));
    *event.user_memo = static_cast<std::uint32_t>(users_.size());
  }
  out = users_[*event.user_memo - 1];
}

void TraceMaker::on_unusable(Unusable reason, std::uint64_t line) { batch_->unusable.add(reason, line); }

void TraceMaker::on_other(std::uint64_t) { ++batch_->other_lines; }

void TraceMaker::on_note(const ServerNote& note, std::uint64_t) {
  if (!is_time_in_range(note.time)) return;
  TracedEvent& out = batch_->events.emplace_back();
  batch_->notes.push_back({note.kind, note.time + zone_, {}, note.value});
  out.received = out.stage_time = note.time + zone_;
  out.note = static_cast<std::uint32_t>(batch_->notes.size());
  batch_->note_time(out.written(), window_);
}

void TraceMaker::on_event(const LogEvent& event, std::uint64_t line) {
  if (arrival_of(event) == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  if (!is_in_range(event)) return on_unusable(Unusable::out_of_range, line);
  view_logged_request(event, info_, view_);
  const RequestTraits traits = traits_of(view_);
  if (wanted_ == Wanted::watches && !traits.watch) return;
  TracedEvent& out = batch_->events.emplace_back();
  set_course(event, traits, zone_, out);
  out.wait_limit = event.wait_limit != kNoTime ? event.wait_limit : wait_limit_of(view_, kRequestTimeout);
  out.id = hashed_id(event.id);
  if (batch_->request_count == batch_->requests.size()) batch_->requests.push_back(std::make_unique<TraceRequest>());
  TraceRequest& request = *batch_->requests[batch_->request_count++];
  set_normal_form(event, request);
  set_user(event, request.user);
  out.request = static_cast<std::uint32_t>(batch_->request_count);
  batch_->note_time(out.written(), window_);
}

}  // namespace apf
