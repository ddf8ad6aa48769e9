// trace_logs(): any log as requests in the normal form, an audit log and the server's own joined as a replay joins
// them.
#include <apf/error.h>
#include <apf/logs.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/interner.h"
#include "base/prefetch.h"
#include "base/sort_stably.h"
#include "logs/event_reader.h"
#include "logs/join.h"
#include "logs/trace_maker.h"
#include "logs/zone.h"

namespace apf {

namespace {

// Adds what the joined stages say of the request's course. A trace line has all of it already.
void add_course(const Joined<TracedEvent>& joined, TraceRequest& out) {
  const RequestEvent& e = joined.event;
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

// Users by their client's address and user agent, where one alone has used it so far: who sent a request that only the
// HTTP log has.
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

// The places that the log names, by number.
class RecordedPlaces {
 public:
  std::uint32_t number(const TraceRequest::Recorded& place) {
    key_.assign(place.flow_schema).append(1, '\0').append(place.priority_level);
    const std::uint32_t number = names_.id(key_);
    if (number == places_.size()) places_.push_back({place.flow_schema, place.priority_level});
    return number;
  }
  const RecordedPlace& at(std::uint32_t number) const { return places_[number]; }

 private:
  Interner names_;
  std::string key_;
  std::vector<RecordedPlace> places_;
};

class Tracing {
 public:
  Tracing(const LogOptions& options, const std::function<void(const TraceRequest&)>& sink)
      : options_(options),
        sink_(sink),
        tracks_(sort_into_tracks(options)),
        joined_(are_joined(tracks_)),
        joiner_(
            options.reorder_window, options.reorder_limit, [this](Nanos, Joined<TracedEvent>& joined) { emit(joined); },
            [this](const TracedEvent& event) { release(event.request); },
            joined_
                ? Joiner<TracedEvent>::Resolve([this](TracedEvent& event) { users_.find(*held_[event.request - 1]); })
                : nullptr) {}

  LogReport run() {
    if (joined_) zone_ = find_zone(tracks_, options_);
    find_watches();
    Reader reader(tracks_, options_, [&] { return maker(TraceMaker::Wanted::all); });
    for (Reader::Run run; reader.next(run);) {
      stepped_back_ = reader.stepped_back();
      if (!begun_ && run.from < run.to) begin(run.batch->events[run.from].written());
      for (std::size_t i = run.from; i < run.to; ++i) {
        fetch(*run.batch, i, run.to);
        if (TracedEvent& event = run.batch->events[i]; event.note == 0)
          take(event, run.batch->requests[event.request - 1]);
      }
    }
    if (!reader.is_interrupted()) add_watches_until(INT64_MAX);
    joiner_.finish();
    hand_out_rest();
    LogReport report;
    reader.fill(report);
    remark(joiner_.sums(), report);
    return report;
  }

 private:
  using Reader = EventReader<TraceMaker>;
  using Request = std::unique_ptr<TraceRequest>;
  struct EarlyWatch {
    TracedEvent event;
    Request request;
  };

  std::unique_ptr<TraceMaker> maker(TraceMaker::Wanted wanted) const {
    return std::make_unique<TraceMaker>(options_.reorder_window, zone_, wanted);
  }

  // A trace line of a watch is written when the watch begins, but its line in the audit log says when it ends, and the
  // HTTP log has only that one.
  void find_watches() {
    std::vector<LogTrack> regular;
    std::copy_if(tracks_.begin(), tracks_.end(), std::back_inserter(regular),
                 [](const LogTrack& t) { return t.regular; });
    early_ =
        std::all_of(tracks_.begin(), tracks_.end(), [](const LogTrack& t) { return t.regular || !t.may_hold_http; });
    Reader reader(regular, options_, [&] { return maker(TraceMaker::Wanted::watches); });
    for (Reader::Run run; reader.next(run);)
      for (std::size_t i = run.from; i < run.to; ++i)
        if (const TracedEvent& event = run.batch->events[i]; event.note == 0)
          find_watch(event, run.batch->requests[event.request - 1]);
    if (!early_) watches_.clear();
    sort_stably(watches_, [](const EarlyWatch& a, const EarlyWatch& b) { return a.event.received < b.event.received; });
  }

  void find_watch(const TracedEvent& event, Request& request) {
    if (event.http && early_) {
      if (watches_.size() == options_.reorder_limit) early_ = false;
      else watches_.push_back({event, std::exchange(request, std::make_unique<TraceRequest>())});
    } else if (!event.http && !event.trace && event.stage == Stage::response_complete && event.stage_time != kNoTime) {
      watch_ends_[event.id.high] = event.stage_time;
    }
  }

  void begin(Nanos first_written) {
    begun_ = true;
    first_written_ = first_written;
    while (next_watch_ < watches_.size() && watches_[next_watch_].event.received < first_written_) ++next_watch_;
  }

  // Another thread may have made the events that come next.
  [[gnu::always_inline]] inline void fetch(const TracedBatch& batch, std::size_t at, std::size_t end) {
    if (at + kFarAhead < end) prefetch(batch.events[at + kFarAhead]);
    if (at + kAhead >= end) return;
    const TracedEvent& event = batch.events[at + kAhead];
    joiner_.fetch(event);
    if (event.request == 0) return;
    const TraceRequest& request = *batch.requests[event.request - 1];
    prefetch(request.time);
    prefetch(request.recorded);
  }

  void take(TracedEvent& event, Request& request) {
    add_watches_until(event.written());
    if (event.http && event.watch && early_ && !stepped_back_) {
      // One that began before the log: the audit log has it, if there is one.
      if (joined_ || event.received >= first_written_) return;
      if (outlasts(event, options_.reorder_window)) event.left_out = LeftOut::standing_watch;
    }
    if (joined_ && !event.http) users_.see(*request);
    joiner_.add(held(event, request));
  }

  void add_watches_until(Nanos time) {
    for (; next_watch_ < watches_.size() && watches_[next_watch_].event.received <= time; ++next_watch_)
      joiner_.add_early(held(watches_[next_watch_].event, watches_[next_watch_].request));
  }

  TracedEvent held(TracedEvent& event, Request& request) {
    if (free_.empty()) {
      held_.push_back(std::make_unique<TraceRequest>());
      free_.push_back(static_cast<std::uint32_t>(held_.size()));
    }
    event.request = free_.back();
    free_.pop_back();
    if (const auto& place = request->recorded; !place.flow_schema.empty() || !place.priority_level.empty())
      event.recorded = 1 + places_.number(place);
    request->time = std::min(event.received, event.written());
    std::swap(held_[event.request - 1], request);
    return event;
  }

  // A request was held for seconds: it comes from memory while those before it are handed out, first itself, then its
  // texts, then the groups of its user.
  [[gnu::always_inline]] inline void emit(Joined<TracedEvent>& joined) {
    if (emitted_ >= kComing) hand_out(coming(emitted_ - kComing));
    if (joined.event.request != 0) prefetch(*held_[joined.event.request - 1]);
    coming(emitted_) = joined;
    if (emitted_ >= kTextsComing) fetch_texts(coming(emitted_ - kTextsComing));
    if (emitted_ >= kGroupsComing) fetch_groups(coming(emitted_ - kGroupsComing));
    ++emitted_;
  }

  [[gnu::always_inline]] inline void fetch_texts(const Joined<TracedEvent>& joined) const {
    if (joined.event.request == 0) return;
    const TraceRequest& request = *held_[joined.event.request - 1];
    for (const std::string* text : {&request.id, &request.user.name, &request.uri, &request.user_agent})
      prefetch_text(*text);
    for (const std::string& group : request.user.groups) prefetch(group);
  }

  [[gnu::always_inline]] inline void fetch_groups(const Joined<TracedEvent>& joined) const {
    if (joined.event.request == 0) return;
    for (const std::string& group : held_[joined.event.request - 1]->user.groups) prefetch_text(group);
  }

  void hand_out_rest() {
    for (std::uint64_t i = emitted_ - std::min(emitted_, kComing); i < emitted_; ++i) hand_out(coming(i));
    emitted_ = 0;
  }

  Joined<TracedEvent>& coming(std::uint64_t number) { return coming_[number % kComing]; }

  void hand_out(const Joined<TracedEvent>& joined) {
    const TracedEvent& event = joined.event;
    if (joined.kind == Joined<TracedEvent>::Kind::request) {
      TraceRequest& request = *held_[event.request - 1];
      add_course(joined, request);
      if (event.recorded != 0) {
        const RecordedPlace& place = places_.at(event.recorded - 1);
        request.recorded.flow_schema = place.flow_schema;
        request.recorded.priority_level = place.priority_level;
      }
      if (event.watch && !event.trace)
        if (const auto end = watch_ends_.find(event.id.high); end != watch_ends_.end()) request.end = end->second;
      sink_(request);
    }
    release(event.request);
  }

  void release(std::uint32_t at) {
    if (at == 0) return;
    free_.push_back(at);
  }

  const LogOptions& options_;
  const std::function<void(const TraceRequest&)>& sink_;
  const std::vector<LogTrack> tracks_;
  const bool joined_;
  Nanos zone_ = 0;
  Joiner<TracedEvent> joiner_;
  RecordedPlaces places_;
  UsersByClient users_;
  std::vector<EarlyWatch> watches_;  // of the HTTP log, by arrival
  std::size_t next_watch_ = 0;
  bool early_ = false;  // all of them are known beforehand
  bool begun_ = false, stepped_back_ = false;
  Nanos first_written_ = 0;
  std::unordered_map<std::uint64_t, Nanos> watch_ends_;
  std::vector<Request> held_;
  std::vector<std::uint32_t> free_;
  static constexpr std::size_t kAhead = 4, kFarAhead = 8;
  static constexpr std::uint64_t kComing = 8, kTextsComing = 3, kGroupsComing = 5;
  std::array<Joined<TracedEvent>, kComing> coming_;  // a ring
  std::uint64_t emitted_ = 0;
};

}  // namespace

LogReport trace_logs(const LogOptions& options, const std::function<void(const TraceRequest&)>& sink) {
  return Tracing(options, sink).run();
}

}  // namespace apf
