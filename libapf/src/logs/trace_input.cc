#include "logs/trace_input.h"

#include <algorithm>

#include "base/hash.h"
#include "logs/fixed_flow.h"
#include "logs/formats/audit.h"
#include "logs/formats/trace.h"
#include "logs/line_filter.h"

namespace apf {

namespace {

AuditId id_of(std::string_view text) {
  if (text.empty()) return {};
  return {hash_bytes(text) | 1, hash_bytes(text, 7), false};
}

// All that stages of a request tell alike.
TraceRequest normal_form(const LogEvent& event) {
  TraceRequest out;
  out.id = event.id;
  out.user = parse_user_json(event.user_json);
  out.verb = event.verb;
  out.method = event.http ? method_of_logged_verb(event.method) : event.method;
  out.uri = event.uri;
  if (event.trace) out.object = event.object;  // those of audit logs may be large, and secret
  if (!event.request_info_json.empty()) parse_request_info_json(event.request_info_json, out.request_info.emplace());
  out.user_agent = event.user_agent;
  out.source_ip = event.source_ip;
  if (!event.trace) return out;
  if (event.init != kNoTime) out.init = event.init;
  if (event.execution != kNoTime) out.execution = event.execution;
  if (event.wait_limit != kNoTime) out.wait_limit = event.wait_limit;
  if (event.stage_time != kNoTime) out.recorded_end = event.stage_time;
  if (event.watch_end != kNoTime) out.end = event.watch_end;
  return out;
}

}  // namespace

std::uint32_t RecordedPlaces::number(const LogEvent& event) {
  const std::uint32_t place =
      names_.id(std::string(event.recorded_flow_schema) + '\0' + std::string(event.recorded_priority_level));
  if (place == places_.size())
    places_.push_back({std::string(event.recorded_flow_schema), std::string(event.recorded_priority_level)});
  return place;
}

TraceInput::TraceInput(const std::vector<LogTrack>& tracks, const TraceOptions& options, Nanos zone,
                       RecordedPlaces& places, Wanted wanted)
    : options_(options), zone_(zone), wanted_(wanted), places_(places) {
  tracks_.reserve(tracks.size());
  for (const LogTrack& track : tracks)
    tracks_.emplace_back(options.reorder_window).source =
        std::make_unique<ChunkSource>(track.logs, parse_log_format(options.log_format), options.log_year, options.logs);
}

void TraceInput::fetch(Track& track, ReplayReport& report) {
  filled_ = &track;
  report_ = &report;
  while (!track.done && track.at == track.events.size()) {
    track.events.clear();
    track.at = 0;
    if (options_.interrupted && options_.interrupted->load(std::memory_order_relaxed)) report.interrupted = true;
    track.done = report.interrupted || !track.source->next(chunk_);
    if (track.done) break;
    report.lines += chunk_.lines;
    if (wanted_ == Wanted::watches) keep_lines_with(kLinesOfWatches, chunk_);
    parsers_.of(chunk_.format).parse(chunk_, *this);
    std::vector<PreparedEvent*> events;
    for (TracedEvent& traced : track.events) events.push_back(&traced.event);
    track.clock.straighten(events);
  }
  if (!track.done) track.written = std::max(track.written, track.events[track.at].event.written());
}

TracedEvent* TraceInput::next(ReplayReport& report) {
  if (!begun_) {
    for (Track& track : tracks_) fetch(track, report);
    begun_ = true;
    for (const Track& track : tracks_)
      if (!track.done) first_written_ = std::min(first_written_, track.written);
  } else if (current_) {
    ++current_->at;
    fetch(*current_, report);
  }
  current_ = nullptr;
  for (Track& track : tracks_)
    if (!track.done && (!current_ || track.written < current_->written)) current_ = &track;
  return current_ ? &current_->events[current_->at] : nullptr;
}

void TraceInput::on_unusable(Unusable reason, std::uint64_t) { ++report_->unusable[to_string(reason)]; }

void TraceInput::on_other(std::uint64_t) { ++report_->other_lines; }

void TraceInput::on_note(const ServerNote& note, std::uint64_t) {
  if (!begun_) first_written_ = std::min(first_written_, note.time + zone_);
}

void TraceInput::on_event(const LogEvent& event, std::uint64_t line) {
  ++report_->events;
  if (event.received == kNoTime && event.stage_time == kNoTime) return on_unusable(Unusable::no_timestamp, line);
  PreparedEvent prepared;
  prepare(event, prepared);
  if (wanted_ == Wanted::watches && !prepared.watch) return;
  TracedEvent& out = filled_->events.emplace_back();
  out.event = std::move(prepared);
  out.request = normal_form(event);
}

void TraceInput::prepare(const LogEvent& event, PreparedEvent& out) {
  if (!event.request_info_json.empty()) {
    info_ = {};
    parse_request_info_json(event.request_info_json, info_);
    view_request(info_, nullptr, view_);
  } else if (event.http) {
    parse_request_view(method_of_logged_verb(event.method), event.uri, view_);
  } else if (event.verb.empty()) {
    parse_request_view(event.method, event.uri, view_);
  } else {
    parse_audited_view(event.verb, event.uri, view_);
  }
  const RequestTraits traits = traits_of(view_);
  const Nanos zone = event.http ? zone_ : 0;
  out.received = (event.received != kNoTime ? event.received : event.stage_time) + zone;
  out.stage_time = event.stage_time != kNoTime ? event.stage_time + zone : kNoTime;
  out.queue_wait = event.queue_wait;
  out.execution = traits.watch && event.init != kNoTime ? event.init : event.execution;
  out.watch_end = event.watch_end;
  out.wait_limit =
      event.wait_limit != kNoTime ? event.wait_limit : wait_limit_of(view_, ReplayOptions().request_timeout);
  out.id = id_of(event.id);
  out.stage = event.stage;
  out.trace = event.trace;
  out.http = event.http;
  out.watch = traits.watch;
  out.code = static_cast<std::uint16_t>(std::clamp(event.code, 0, 65535));
  out.left_out = why_left_out(event, traits);
  out.recorded_refusal = is_recorded_refusal(event);
  out.has_fixed_seats = event.has_seats;
  out.fixed = event.seats;
  if (!event.recorded_flow_schema.empty() || !event.recorded_priority_level.empty())
    out.recorded = 1 + places_.number(event);
}

bool TraceInput::stepped_back() const {
  return std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.clock.steps() > 0; });
}

void TraceInput::fill(ReplayReport& report) const {
  std::uint64_t steps = 0;
  Nanos largest_step = 0;
  for (const Track& track : tracks_) {
    report.logs.insert(report.logs.end(), track.source->names().begin(), track.source->names().end());
    report.bytes += track.source->stats().bytes;
    if (const auto n = track.source->too_long_lines(); n > 0) report.unusable[to_string(Unusable::too_long)] += n;
    const std::vector<Remark>& warnings = track.source->warnings();
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
    steps += track.clock.steps();
    largest_step = std::max(largest_step, track.clock.largest());
  }
  if (steps > 0)
    report.warnings.push_back({.kind = RemarkKind::clock_set_back, .count = steps, .duration = largest_step});
}

}  // namespace apf
