// trace_logs(): any log as requests in the normal form, an audit log and the server's own joined as a replay joins
// them.
#include <apf/error.h>
#include <apf/replay.h>

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "logs/join.h"
#include "logs/trace_input.h"
#include "logs/zone.h"

namespace apf {

namespace {

// What the joined stages tell of the request's course. Of a trace line all of it stands there already.
void tell_course(const JoinedEvent& joined, TraceRequest& out) {
  const PreparedEvent& e = joined.event;
  if (e.hung_up) out.wait_limit = e.wait_limit;
  if (e.queue_wait != kNoTime && !e.derived_wait) out.recorded.queue_wait = e.queue_wait;
  if (e.has_fixed_seats) out.seats = e.fixed;
  out.code = e.code;
  if (e.trace) return;
  if (e.watch) {
    if (e.execution != kNoTime) out.init = e.execution;
    if (e.stage_time != kNoTime && !joined.unfinished) out.end = e.stage_time;
  } else if (e.recorded_refusal || joined.unfinished) {
    return;
  } else if (e.execution != kNoTime) {
    out.execution = e.execution;
  } else if (e.stage_time != kNoTime) {
    if (e.queue_wait != kNoTime) out.execution = std::max<Nanos>(0, e.stage_time - e.received - e.queue_wait);
    else out.recorded_end = e.stage_time;
  }
}

// Users by their client's address and user agent, where one alone has used it so far: whom a line of the HTTP log is of
// that the audit log does not tell of.
class UsersByClient {
 public:
  void see(const TraceRequest& request) {
    if (request.user.name.empty()) return;
    if (users_.size() >= kMostClients) users_.clear();
    const auto [it, is_new] = users_.try_emplace(client_of(request), request.user);
    if (!is_new && it->second.name != request.user.name) it->second = {};
  }
  void find(TraceRequest& request) const {
    if (const auto it = users_.find(client_of(request)); it != users_.end()) request.user = it->second;
  }

 private:
  static constexpr std::size_t kMostClients = 1u << 18;
  static std::uint64_t client_of(const TraceRequest& request) {
    return hash_bytes(request.user_agent, hash_bytes(request.source_ip));
  }
  std::unordered_map<std::uint64_t, User> users_;
};

class Tracing {
 public:
  Tracing(const TraceOptions& options, const std::function<void(const TraceRequest&)>& sink)
      : options_(options),
        sink_(sink),
        tracks_(sort_into_tracks(options.logs, options.log_format, options.log_year)),
        joined_(are_joined(tracks_)),
        joiner_(
            options.reorder_window, options.reorder_limit, [this](Nanos, JoinedEvent& joined) { emit(joined); },
            [this](const PreparedEvent& event) { release(event.text_id); },
            joined_ ? Joiner::Resolve([this](PreparedEvent& event) { users_.find(held_[event.text_id - 1]); })
                    : nullptr) {}

  ReplayReport run() {
    ReplayReport report;
    if (joined_) zone_ = find_zone(tracks_, options_.logs, options_.log_year);
    find_watches();
    TraceInput input(tracks_, options_, zone_, places_);
    while (TracedEvent* traced = input.next(report)) {
      if (!begun_) begin(input.first_written());
      stepped_back_ = input.stepped_back();
      take(*traced);
    }
    if (!report.interrupted) add_watches_until(INT64_MAX);
    joiner_.finish();
    input.fill(report);
    joiner_.fill(report);
    return report;
  }

 private:
  // A watch is told when it begins, but its line in the audit log tells when it ends, and the HTTP log knows only that
  // one.
  void find_watches() {
    std::vector<LogTrack> regular;
    std::copy_if(tracks_.begin(), tracks_.end(), std::back_inserter(regular),
                 [](const LogTrack& t) { return t.regular; });
    early_ =
        std::all_of(tracks_.begin(), tracks_.end(), [](const LogTrack& t) { return t.regular || !t.may_hold_http; });
    TraceInput input(regular, options_, zone_, places_, TraceInput::Wanted::watches);
    ReplayReport ignored;
    while (TracedEvent* traced = input.next(ignored)) {
      const PreparedEvent& e = traced->event;
      if (e.http && early_) {
        if (watches_.size() == options_.reorder_limit) early_ = false;
        else watches_.push_back(std::move(*traced));
      } else if (!e.http && !e.trace && e.stage == Stage::response_complete && e.stage_time != kNoTime) {
        watch_ends_[e.id.high] = e.stage_time;
      }
    }
    if (!early_) watches_.clear();
    std::stable_sort(watches_.begin(), watches_.end(),
                     [](const TracedEvent& a, const TracedEvent& b) { return a.event.received < b.event.received; });
  }

  void begin(Nanos first_written) {
    begun_ = true;
    first_written_ = first_written;
    while (next_watch_ < watches_.size() && watches_[next_watch_].event.received < first_written_) ++next_watch_;
  }

  void take(TracedEvent& traced) {
    PreparedEvent& event = traced.event;
    add_watches_until(event.written());
    if (event.http && event.watch && early_ && !stepped_back_) {
      // One that began before the log: the audit log tells of it, if there is one.
      if (joined_ || event.received >= first_written_) return;
      if (outlasts(event, options_.reorder_window)) event.left_out = LeftOut::standing_watch;
    }
    if (joined_ && !event.http) users_.see(traced.request);
    joiner_.add(held(traced));
  }

  void add_watches_until(Nanos time) {
    for (; next_watch_ < watches_.size() && watches_[next_watch_].event.received <= time; ++next_watch_)
      joiner_.add_early(held(watches_[next_watch_]));
  }

  PreparedEvent held(TracedEvent& traced) {
    if (free_.empty()) {
      held_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(held_.size()));
    }
    traced.event.text_id = free_.back();
    free_.pop_back();
    traced.request.time = std::min(traced.event.received, traced.event.written());
    held_[traced.event.text_id - 1] = std::move(traced.request);
    return traced.event;
  }

  void emit(JoinedEvent& joined) {
    const std::uint32_t at = joined.event.text_id;
    if (joined.kind == JoinedEvent::Kind::request) {
      TraceRequest& request = held_[at - 1];
      tell_course(joined, request);
      if (joined.event.recorded != 0) {
        const RecordedPlace& place = places_.at(joined.event.recorded - 1);
        request.recorded.flow_schema = place.flow_schema;
        request.recorded.priority_level = place.priority_level;
      }
      if (joined.event.watch && !joined.event.trace)
        if (const auto end = watch_ends_.find(joined.event.id.high); end != watch_ends_.end())
          request.end = end->second;
      sink_(request);
    }
    release(at);
  }

  void release(std::uint32_t at) {
    if (at == 0) return;
    held_[at - 1] = {};
    free_.push_back(at);
  }

  const TraceOptions& options_;
  const std::function<void(const TraceRequest&)>& sink_;
  const std::vector<LogTrack> tracks_;
  const bool joined_;
  Nanos zone_ = 0;
  Joiner joiner_;
  RecordedPlaces places_;
  UsersByClient users_;
  std::vector<TracedEvent> watches_;  // of the HTTP log, by arrival
  std::size_t next_watch_ = 0;
  bool early_ = false;  // all of them are known beforehand
  bool begun_ = false, stepped_back_ = false;
  Nanos first_written_ = 0;
  std::unordered_map<std::uint64_t, Nanos> watch_ends_;
  std::vector<TraceRequest> held_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

ReplayReport trace_logs(const TraceOptions& options, const std::function<void(const TraceRequest&)>& sink) {
  return Tracing(options, sink).run();
}

}  // namespace apf
