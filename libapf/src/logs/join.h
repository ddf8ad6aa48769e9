// Joins the stages of a request by audit ID, and the lines that two logs of one server have of it, and puts requests in
// order of arrival. `Event` derives from RequestEvent.
//
// A request is complete with its ResponseComplete (or Panic), a watch already with its ResponseStarted: its end
// then follows as an event of its own. RequestReceived alone is kept until one of them comes, or until the window
// has passed: then the request counts as unfinished. Where there is an HTTP log beside the audit log, a request that
// is complete in one of them waits a while for the other's line.
//
// Events come in the order in which they were written, or nearly so: what comes late, but before its place in the order
// of arrival is passed, makes the same request as in its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "logs/held_events.h"
#include "logs/join_rules.h"
#include "logs/joined.h"
#include "logs/recent_ends.h"
#include "logs/reorder.h"

namespace apf {

// Else a second one is not told from another request.
inline bool has_own_id(const RequestEvent& event) { return !event.id.none() && !event.trace; }

template <class Event>
class Joiner {
 public:
  // In order of time. False: it keeps the event, and drops it later: see held().
  using Sink = std::function<bool(Nanos now, Joined<Event>& event)>;
  using Dropped = std::function<void(const Event& event)>;  // events that add nothing to a request
  // A request that only the HTTP log has: who may it be from?
  using Resolve = std::function<void(Event& event)>;
  // With `resolve` audit events and HTTP lines are joined. `standing`: a watch that began so long before the log holds
  // no seats any more.
  Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped, Resolve resolve, Nanos standing);
  Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped, Resolve resolve = {})
      : Joiner(window, limit, std::move(sink), std::move(dropped), std::move(resolve), window) {}

  void add(Event&& event);
  // The same with an event of a batch, which stays where it is: see HeldEvents.
  void add_in_place(Joined<Event>& joined) {
    in_place_ = &joined;
    add(std::move(joined.event));
    if (Joined<Event>* const rest = std::exchange(in_place_, nullptr)) held_.drop(*rest);
  }
  // Where what the sink keeps is dropped later.
  HeldEvents<Event>& held() { return held_; }
  // It will be added soon.
  [[gnu::always_inline]] void fetch(const Event& event) const {
    ends_.fetch(end_of(event));
    reorder_.fetch(event.received);
  }
  // A line of the HTTP log, given at the time of its arrival: the log has it later.
  void add_early(Event&& event);
  void finish();
  // Arrivals and ends are moved by up to `most`, evenly, the same way for the same seed.
  void jitter(Nanos most, std::uint64_t seed) { jitter_ = most, jitter_seed_ = seed; }

  const JoinSums& sums() const { return sums_; }

 private:
  // How long a request that is in one log waits for the other's line. The server writes both at once.
  static constexpr Nanos kPatience = 10 * kSecond;
  // How long before a request's place in the order of arrival is passed it must be through.
  static constexpr Nanos kMargin = 5 * kSecond;

  struct IdHash {
    std::size_t operator()(const AuditId& id) const { return id.high ^ (id.low * 0x9e3779b97f4a7c15ULL); }
  };
  // Requests that arrived in one instant come in the order of their IDs, those without an ID before them.
  struct ById {
    bool operator()(const Joined<Event>* a, const Joined<Event>* b) const {
      const AuditId x = id_of(*a), y = id_of(*b);
      return std::tie(x.high, x.low) < std::tie(y.high, y.low);
    }
    static AuditId id_of(const Joined<Event>& joined) { return has_own_id(joined.event) ? joined.event.id : AuditId(); }
  };
  struct Half {  // a request complete in one of two logs
    Event event;
    std::uint64_t number = 0;
    bool done = false;  // it is through already: the other log's line comes too late
  };
  struct HalfDeadline {
    Nanos time;
    std::uint64_t number;
    AuditId id;
    bool operator>(const HalfDeadline& o) const { return time != o.time ? time > o.time : number > o.number; }
  };

  // Complete as far as one log is concerned.
  void offer(Event&& event, Nanos written);
  void end_line_of(const Event& ended, Nanos written);
  void wait_for_other(Event&& event, Nanos deadline, bool done);
  void complete(Event&& event, bool unfinished);
  void push(Nanos time, typename Joined<Event>::Kind kind, const Event& event, bool unfinished);
  void hand_on(Nanos now, Joined<Event>& due) {
    if (due.kind == Joined<Event>::Kind::taken_back || sink_(now, due)) held_.drop(due);
  }
  void expire_received(Nanos before);
  void expire_halves(Nanos before);
  void pass_alone(Event&& event);

  // Of an event that was written before others that were added: whether a later stage of its request was.
  bool has_later_stage(const RequestEvent& event);
  // The ResponseStarted of a watch that has ended already: its request becomes what it would have been in its turn, and
  // this event its end.
  void begin_ended_watch(Event& started, Nanos written);
  // False: the request was handed on already, and what ends here is the same one.
  bool take_back_inner(const Event& outer);
  void forget(std::unordered_map<AuditId, Event, IdHash>& stages, const AuditId& id);
  void hold_open(const Event& event);

  Sink sink_;
  Dropped dropped_;
  Resolve resolve_;
  HeldEvents<Event> held_;
  Joined<Event>* in_place_ = nullptr;  // null: what is added is in no batch, or is handed on already
  Reorder<Joined<Event>*, ById> reorder_;
  const Nanos window_, standing_;
  const std::size_t limit_;
  std::unordered_map<AuditId, Event, IdHash> received_;
  std::deque<std::pair<Nanos, AuditId>> received_order_;
  std::unordered_set<AuditId, IdHash> started_;      // watches whose start was seen, their end not yet
  std::unordered_set<AuditId, IdHash> gone_;         // requests handed on without an end, which may yet come
  std::unordered_map<AuditId, Event, IdHash> open_;  // the same of what is served outside the filter
  std::unordered_map<AuditId, Half, IdHash> halves_;
  std::priority_queue<HalfDeadline, std::vector<HalfDeadline>, std::greater<>> half_deadlines_;
  std::uint64_t half_number_ = 0;
  Nanos watermark_ = INT64_MIN;  // latest time the log was written at
  Nanos first_written_ = INT64_MAX;
  RecentEnds ends_;
  LateRequests late_;
  JoinSums sums_;
  std::optional<std::uint64_t> free_seq_;  // of a request that was taken back: the next one has it
  Nanos jitter_ = 0;
  std::uint64_t jitter_seed_ = 0;
};

template <class Event>
Joiner<Event>::Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped, Resolve resolve, Nanos standing)
    : sink_(std::move(sink)),
      dropped_(std::move(dropped)),
      resolve_(std::move(resolve)),
      reorder_(window, limit),
      window_(window),
      standing_(standing),
      limit_(limit) {}

template <class Event>
void Joiner<Event>::push(Nanos time, typename Joined<Event>::Kind kind, const Event& event, bool unfinished) {
  const bool request = kind == Joined<Event>::Kind::request;
  const bool stays = in_place_ && &in_place_->event == &event;
  Joined<Event>* const joined = stays ? std::exchange(in_place_, nullptr) : &held_.copy(event);
  joined->kind = kind;
  joined->seq = !request ? 0 : free_seq_ ? *std::exchange(free_seq_, std::nullopt) : sums_.requests++;
  joined->unfinished = unfinished;
  const auto emit = [this](Nanos now, Joined<Event>* due) { hand_on(now, *due); };
  if (!reorder_.push(time, joined, emit, !request)) ++sums_.out_of_window;  // ends come before arrivals
}

template <class Event>
void Joiner<Event>::complete(Event&& event, bool unfinished) {
  if (unfinished) ++sums_.unfinished;
  if (event.left_out == LeftOut::standing_watch)
    event.received = event.stage_time != kNoTime ? event.stage_time : watermark_;
  if (jitter_ > 0) shake(event, jitter_, jitter_seed_);
  push(event.received, Joined<Event>::Kind::request, event, unfinished);
}

template <class Event>
void Joiner<Event>::wait_for_other(Event&& event, Nanos deadline, bool done) {
  const AuditId id = event.id;
  Half& half = halves_[id];
  half.event = std::move(event);
  half.number = ++half_number_;
  half.done = done;
  half_deadlines_.push({deadline, half.number, id});
}

template <class Event>
void Joiner<Event>::offer(Event&& event, Nanos written) {
  if (!resolve_ || event.id.none()) {
    if (!event.http && refused_early(event)) hang_up(event);
    if (event.http) stand_alone(event);
    return complete(std::move(event), false);
  }
  if (const auto it = halves_.find(event.id); it != halves_.end()) {
    Event other = std::move(it->second.event);
    const bool done = it->second.done;
    halves_.erase(it);
    if (done) return dropped_(event);
    if (other.http != event.http) {
      Event& audit = event.http ? other : event;
      Event& http = event.http ? event : other;
      join_http(audit, http);
      dropped_(http);
      ++sums_.logs.requests;
      return complete(std::move(audit), false);
    }
    pass_alone(std::move(other));  // an ID used twice
  }
  const Nanos last = event.received + window_ - kMargin;
  const bool long_way = event.http && (event.watch || served_on_after_timeout(event));
  const Nanos deadline = long_way ? last : std::min(written + kPatience, last);
  wait_for_other(std::move(event), deadline, false);
  while (halves_.size() > limit_) expire_halves(half_deadlines_.top().time + 1);
}

// A watch ends. The HTTP log's line of it comes just before or after; it comes too late to add anything.
template <class Event>
void Joiner<Event>::end_line_of(const Event& ended, Nanos written) {
  if (const auto it = halves_.find(ended.id); it != halves_.end()) {
    if (!it->second.done && !it->second.event.http) return;  // its beginning waits for that line, too
    const Half half = std::move(it->second);
    halves_.erase(it);
    if (!half.done) dropped_(half.event);
    return;
  }
  wait_for_other(Event(ended), written + kPatience, true);
}

template <class Event>
void Joiner<Event>::pass_alone(Event&& event) {
  if (!event.http) {
    ++sums_.logs.audit_only;
    if (refused_early(event)) hang_up(event);
    return complete(std::move(event), false);
  }
  if (event.watch && started_.contains(event.id)) return dropped_(event);  // begun long ago: too late for that
  if (const auto it = received_.find(event.id); it != received_.end()) {
    Event audit = std::move(it->second);
    received_.erase(it);
    audit.stage = Stage::response_complete;
    audit.stage_time = event.stage_time;
    audit.code = event.code;
    audit.recorded_refusal = event.recorded_refusal;
    join_http(audit, event);
    dropped_(event);
    ++sums_.logs.requests;
    if (served_on_after_timeout(event)) wait_for_other(Event(audit), audit.received + window_, true);
    return complete(std::move(audit), false);
  }
  ++sums_.logs.http_only;
  stand_alone(event);
  resolve_(event);
  complete(std::move(event), false);
}

template <class Event>
void Joiner<Event>::expire_halves(Nanos before) {
  while (!half_deadlines_.empty() && half_deadlines_.top().time < before) {
    const HalfDeadline due = half_deadlines_.top();
    half_deadlines_.pop();
    const auto it = halves_.find(due.id);
    if (it == halves_.end() || it->second.number != due.number) continue;
    Event event = std::move(it->second.event);
    const bool done = it->second.done;
    halves_.erase(it);
    if (!done) pass_alone(std::move(event));
  }
}

template <class Event>
bool Joiner<Event>::has_later_stage(const RequestEvent& event) {
  if (!has_own_id(event) || event.http) return false;
  for (const Stage later : {Stage::response_complete, Stage::panic, Stage::response_started})
    if (later > event.stage && ends_.knows(end_of(event, later))) return true;
  return false;
}

template <class Event>
void Joiner<Event>::begin_ended_watch(Event& started, Nanos written) {
  const auto is_same = [&](const Event& event) { return event.id == started.id && event.watch && !event.http; };
  Event* whole = nullptr;
  if (const auto it = halves_.find(started.id); it != halves_.end() && is_same(it->second.event)) {
    whole = &it->second.event;
  } else if (Joined<Event>* const joined = reorder_.find(started.received, started.received, [&](const auto* held) {
               return held->kind == Joined<Event>::Kind::request && is_same(held->event);
             })) {
    whole = &joined->event;
  }
  if (!whole || whole->stage_time == kNoTime) return dropped_(started);
  started.stage_time = std::exchange(whole->stage_time, kNoTime);
  whole->stage = Stage::response_started;
  if (whole->queue_wait == kNoTime && !whole->recorded_refusal) {
    whole->queue_wait = written - whole->received;
    whole->derived_wait = true;
  }
  push(started.stage_time, Joined<Event>::Kind::watch_end, started, false);
}

// A request that kube-apiserver sends on to an aggregated API server is logged there, too, and ends there first. What
// counts is the whole request.
template <class Event>
bool Joiner<Event>::take_back_inner(const Event& outer) {
  if (outer.stage < Stage::response_complete || outer.http || outer.watch) return true;
  if (const auto it = halves_.find(outer.id); it != halves_.end()) {
    if (it->second.done || it->second.event.http || !is_within(it->second.event, outer)) return true;
    sums_.repeated.count(it->second.event);
    dropped_(it->second.event);
    halves_.erase(it);
    ++sums_.aggregated;
    return true;
  }
  if (late_.has_within(outer)) {
    sums_.repeated.count(outer);
    ++sums_.aggregated;
    return false;
  }
  Joined<Event>* const inner = reorder_.find(outer.received, outer.written(), [&](const Joined<Event>* joined) {
    return joined->kind == Joined<Event>::Kind::request && is_within(joined->event, outer);
  });
  if (!inner) return true;
  sums_.repeated.count(inner->event);
  dropped_(inner->event);
  inner->kind = Joined<Event>::Kind::taken_back;
  free_seq_ = inner->seq;
  ++sums_.aggregated;
  return true;
}

template <class Event>
void Joiner<Event>::add(Event&& event) {
  using Seen = RecentEnds::Seen;
  const bool goes_back = watermark_ != INT64_MIN && event.written() < watermark_ - kSecond;
  const Seen seen = has_own_id(event) ? ends_.seen(end_of(event), goes_back) : Seen::no;
  if (seen == Seen::yes) {
    ++sums_.duplicates;
    sums_.repeated.count(event);
    return dropped_(event);
  }
  if (seen == Seen::id && !take_back_inner(event)) return dropped_(event);
  const Nanos written = event.written();
  if (event.received > written) {
    event.received = written;
    ++sums_.negative_latencies;
  }
  if (written > watermark_) {
    watermark_ = written;
    if (first_written_ == INT64_MAX) first_written_ = written;
    if (!half_deadlines_.empty()) expire_halves(written);
    reorder_.advance(written, [this](Nanos now, Joined<Event>* due) { hand_on(now, *due); });
    expire_received(written - window_);
  }
  const bool began_before = event.watch && event.received < first_written_ && event.received < watermark_ - standing_;
  if (!event.watch && !event.trace && event.left_out == LeftOut::no && event.stage >= Stage::response_complete)
    sums_.longest = std::max(sums_.longest, written - event.received);
  if (event.http) {
    if (began_before && !resolve_) event.left_out = LeftOut::standing_watch;
    return offer(std::move(event), written);
  }
  const AuditId id = event.id;
  switch (event.stage) {
    case Stage::received:
      if (written < watermark_ && has_later_stage(event)) return dropped_(event);
      if (event.left_out != LeftOut::no) return hold_open(event);
      if (!received_.emplace(id, event).second) return dropped_(event);
      received_order_.emplace_back(event.received, id);
      if (received_.size() > limit_) expire_received(received_order_.front().first + 1);
      return;
    case Stage::response_started:
      // Of what is not a watch, only requests turned away before the filter end with this stage.
      if (event.left_out == LeftOut::long_running) return hold_open(event);
      if (!event.watch && event.left_out == LeftOut::no) return dropped_(event);
      if (written < watermark_ && has_later_stage(event)) {
        return event.watch ? begin_ended_watch(event, written) : dropped_(event);
      }
      forget(received_, id);
      forget(open_, id);
      if (event.watch && !id.none() && !started_.insert(id).second) return dropped_(event);  // a second time
      if (event.watch) {  // its headers are sent when it has left its queue; when it ends is not known yet
        if (event.queue_wait == kNoTime && !event.recorded_refusal) {
          event.queue_wait = written - event.received;
          event.derived_wait = true;
        }
        if (!event.recorded_refusal) event.stage_time = kNoTime;  // a refusal is its end
      }
      return offer(std::move(event), written);
    case Stage::response_complete:
    case Stage::panic:
      forget(received_, id);
      if (event.left_out != LeftOut::no) forget(open_, id);  // nothing else is held open
      if (!event.watch && has_own_id(event) && event.received < watermark_ - window_) late_.add(event);
      if (!gone_.empty() && gone_.erase(id) > 0) {
        --sums_.unfinished;
        return dropped_(event);
      }
      if (event.watch && !started_.empty() && started_.erase(id) > 0) {
        if (resolve_) end_line_of(event, written);
        return push(event.stage_time, Joined<Event>::Kind::watch_end, event, false);
      }
      // An aggregated API server and kube-apiserver end a watch each.
      if (event.watch && seen == Seen::id) {
        ++sums_.aggregated;
        sums_.repeated.count(event);
        return dropped_(event);
      }
      if (began_before) event.left_out = LeftOut::standing_watch;
      return offer(std::move(event), written);
  }
}

template <class Event>
void Joiner<Event>::add_early(Event&& event) {
  const Nanos received = event.received;
  offer(std::move(event), received);
}

template <class Event>
void Joiner<Event>::forget(std::unordered_map<AuditId, Event, IdHash>& stages, const AuditId& id) {
  if (stages.empty()) return;
  const auto it = stages.find(id);
  if (it == stages.end()) return;
  dropped_(it->second);
  stages.erase(it);
}

// Counted when it completes, or at the end of the log.
template <class Event>
void Joiner<Event>::hold_open(const Event& event) {
  if (!open_.emplace(event.id, event).second) dropped_(event);
}

template <class Event>
void Joiner<Event>::expire_received(Nanos before) {
  while (!received_order_.empty() && received_order_.front().first < before) {
    const auto it = received_.find(received_order_.front().second);
    received_order_.pop_front();
    if (it == received_.end()) continue;
    Event event = std::move(it->second);
    received_.erase(it);
    if (!event.watch && !event.id.none() && gone_.size() < limit_) gone_.insert(event.id);
    if (event.watch) started_.insert(event.id);  // a policy without ResponseStarted: it is open, its end comes later
    complete(std::move(event), true);
  }
}

template <class Event>
void Joiner<Event>::finish() {
  expire_halves(INT64_MAX);
  expire_received(INT64_MAX);
  std::vector<Event> open;
  for (const auto& [id, event] : open_) open.push_back(event);
  open_.clear();
  std::sort(open.begin(), open.end(), [](const Event& a, const Event& b) {
    return std::tie(a.received, a.id.high, a.id.low) < std::tie(b.received, b.id.high, b.id.low);
  });
  for (Event& event : open) complete(std::move(event), true);
  reorder_.finish([this](Nanos now, Joined<Event>* due) { hand_on(now, *due); });
}

}  // namespace apf
