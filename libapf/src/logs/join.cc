#include "logs/join.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/hash.h"

namespace apf {

namespace {

// How long a request that one log tells of waits for the other's line. The server writes both at once.
constexpr Nanos kPatience = 10 * kSecond;
// How long before a request's place in the order of arrival is passed it must be through.
constexpr Nanos kMargin = 5 * kSecond;
// A refusal that took longer than this was no refusal at once, and one that much shorter than the wait limit no
// time-out.
constexpr Nanos kPromptly = 100 * kMillisecond;

constexpr int kGatewayTimeout = 504;

bool served_on_after_timeout(const PreparedEvent& http) {
  return http.http && http.code == kGatewayTimeout && http.execution == kNoTime;
}

bool refused_early(const PreparedEvent& event) {
  return event.recorded_refusal && !event.trace && event.stage_time != kNoTime &&
         left_its_queue(event.stage_time - event.received, event.wait_limit);
}

// What is left of the total without the execution. Some of it is the server's own work.
void derive_wait(PreparedEvent& event, Nanos execution) {
  if (event.queue_wait != kNoTime || event.stage_time == kNoTime || execution == kNoTime || event.watch) return;
  event.queue_wait = std::max<Nanos>(0, event.stage_time - event.received - execution);
  event.derived_wait = true;
}

void hang_up(PreparedEvent& event) {
  event.hung_up = true;
  event.wait_limit = std::min(event.wait_limit, event.stage_time - event.received);
}

// A request of which only the HTTP log tells. A 504: before the request may have waited its time the client left its
// queue; after that it was running, and goes on doing so.
void stand_alone(PreparedEvent& http) {
  derive_wait(http, http.execution);
  if (!served_on_after_timeout(http) || http.stage_time - http.received >= http.wait_limit - kPromptly) return;
  http.recorded_refusal = true;
  hang_up(http);
}

}  // namespace

bool left_its_queue(Nanos total, Nanos wait_limit) { return total > kPromptly && total < wait_limit - kPromptly; }

void join_http(PreparedEvent& audit, const PreparedEvent& http) {
  const Nanos total = audit.stage_time == kNoTime ? kNoTime : audit.stage_time - audit.received;
  if (http.execution != kNoTime) {
    audit.execution = http.execution;
    derive_wait(audit, http.execution);
  }
  if (http.has_fixed_seats) {
    audit.has_fixed_seats = true;
    audit.fixed = http.fixed;
  }
  if (http.recorded != 0) audit.recorded = http.recorded;
  if (served_on_after_timeout(http) && audit.recorded_refusal && total != kNoTime) hang_up(audit);
  audit.http = true;
}

Joiner::Joiner(Nanos window, std::size_t limit, Sink sink, Dropped dropped, Resolve resolve)
    : sink_(std::move(sink)),
      dropped_(std::move(dropped)),
      resolve_(std::move(resolve)),
      reorder_(window, limit),
      window_(window),
      limit_(limit) {}

void Joiner::push(Nanos time, JoinedEvent::Kind kind, const PreparedEvent& event, bool unfinished) {
  const bool request = kind == JoinedEvent::Kind::request;
  const std::uint64_t seq = request ? seq_++ : 0;
  const auto fill = [&](JoinedEvent& joined) {
    joined.kind = kind;
    joined.event = event;
    joined.seq = seq;
    joined.unfinished = unfinished;
  };
  const auto emit = [this](Nanos now, JoinedEvent& due) { sink_(now, due); };
  if (!reorder_.make(time, fill, emit, !request)) ++out_of_window_;  // ends come before arrivals
}

void Joiner::complete(PreparedEvent&& event, bool unfinished) {
  if (unfinished) ++unfinished_;
  if (event.left_out == LeftOut::standing_watch)
    event.received = event.stage_time != kNoTime ? event.stage_time : watermark_;
  if (jitter_ > 0) shake(event);
  push(event.received, JoinedEvent::Kind::request, event, unfinished);
}

void Joiner::shake(PreparedEvent& event) const {
  std::uint64_t state = mix64(jitter_seed_, seq_ + 1);
  const auto by = [&] {
    state = mix64(state, 0x9e3779b97f4a7c15ULL);
    return static_cast<Nanos>(state % static_cast<std::uint64_t>(2 * jitter_ + 1)) - jitter_;
  };
  event.received += by();
  const Nanos end = by();
  if (event.execution != kNoTime) event.execution = std::max<Nanos>(0, event.execution + end);
  else if (event.stage_time != kNoTime) event.stage_time = std::max(event.received, event.stage_time + end);
}

void Joiner::wait_for_other(PreparedEvent&& event, Nanos deadline, bool done) {
  const AuditId id = event.id;
  Half& half = halves_[id];
  half.event = std::move(event);
  half.number = ++half_number_;
  half.done = done;
  half_deadlines_.push({deadline, half.number, id});
}

void Joiner::offer(PreparedEvent&& event, Nanos written) {
  if (!resolve_ || event.id.none()) {
    if (!event.http && refused_early(event)) hang_up(event);
    if (event.http) stand_alone(event);
    return complete(std::move(event), false);
  }
  if (const auto it = halves_.find(event.id); it != halves_.end()) {
    PreparedEvent other = std::move(it->second.event);
    const bool done = it->second.done;
    halves_.erase(it);
    if (done) return dropped_(event);
    if (other.http != event.http) {
      PreparedEvent& audit = event.http ? other : event;
      PreparedEvent& http = event.http ? event : other;
      join_http(audit, http);
      dropped_(http);
      ++counts_.joined;
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

// A watch ends. The HTTP log's line of it stands just before or behind; it comes too late to tell anything.
void Joiner::end_line_of(const PreparedEvent& ended, Nanos written) {
  if (const auto it = halves_.find(ended.id); it != halves_.end()) {
    if (!it->second.done && !it->second.event.http) return;  // its beginning waits for that line, too
    const Half half = std::move(it->second);
    halves_.erase(it);
    if (!half.done) dropped_(half.event);
    return;
  }
  wait_for_other(PreparedEvent(ended), written + kPatience, true);
}

void Joiner::pass_alone(PreparedEvent&& event) {
  if (!event.http) {
    ++counts_.audit_only;
    if (refused_early(event)) hang_up(event);
    return complete(std::move(event), false);
  }
  if (event.watch && started_.contains(event.id)) return dropped_(event);  // begun long ago: too late to tell of that
  if (const auto it = received_.find(event.id); it != received_.end()) {
    PreparedEvent audit = std::move(it->second);
    received_.erase(it);
    audit.stage = Stage::response_complete;
    audit.stage_time = event.stage_time;
    audit.code = event.code;
    audit.recorded_refusal = event.recorded_refusal;
    join_http(audit, event);
    dropped_(event);
    ++counts_.joined;
    if (served_on_after_timeout(event)) wait_for_other(PreparedEvent(audit), audit.received + window_, true);
    return complete(std::move(audit), false);
  }
  ++counts_.http_only;
  stand_alone(event);
  resolve_(event);
  complete(std::move(event), false);
}

void Joiner::expire_halves(Nanos before) {
  while (!half_deadlines_.empty() && half_deadlines_.top().time < before) {
    const HalfDeadline due = half_deadlines_.top();
    half_deadlines_.pop();
    const auto it = halves_.find(due.id);
    if (it == halves_.end() || it->second.number != due.number) continue;
    PreparedEvent event = std::move(it->second.event);
    const bool done = it->second.done;
    halves_.erase(it);
    if (!done) pass_alone(std::move(event));
  }
}

// An audit ID alone does not tell: clients may set it, and set the same one again.
bool Joiner::told_before(const PreparedEvent& event) {
  if (event.id.none() || event.trace || (!event.http && event.stage < Stage::response_complete)) return false;
  const std::uint64_t end =
      mix64(event.id.high ^ static_cast<std::uint64_t>(event.received), event.id.low + (event.http ? 1 : 0)) | 1;
  std::uint64_t& place = recent_[end >> 1 & (kRecent - 1)];
  const bool told = place == end;
  place = end;
  return told;
}

void Joiner::add(PreparedEvent&& event) {
  if (told_before(event)) {
    ++duplicates_;
    return dropped_(event);
  }
  const Nanos written = event.written();
  if (event.received > written) {
    event.received = written;
    ++negative_latencies_;
  }
  if (written > watermark_) {
    watermark_ = written;
    if (first_written_ == INT64_MAX) first_written_ = written;
    if (!half_deadlines_.empty()) expire_halves(written);
    reorder_.advance(written, [this](Nanos now, JoinedEvent& due) { sink_(now, due); });
    expire_received(written - window_);
  }
  const bool began_before = event.watch && event.received < first_written_ && event.received < watermark_ - window_;
  if (event.http) {
    if (began_before && !resolve_) event.left_out = LeftOut::standing_watch;
    return offer(std::move(event), written);
  }
  const AuditId id = event.id;
  switch (event.stage) {
    case Stage::received:
      if (event.left_out != LeftOut::no) return hold_open(event);
      if (!received_.emplace(id, event).second) return dropped_(event);
      received_order_.emplace_back(event.received, id);
      if (received_.size() > limit_) expire_received(received_order_.front().first + 1);
      return;
    case Stage::response_started:
      // Of what is not a watch, only requests turned away before the filter end with this stage.
      if (event.left_out == LeftOut::long_running) return hold_open(event);
      if (!event.watch && event.left_out == LeftOut::no) return dropped_(event);
      forget(received_, id);
      forget(open_, id);
      if (event.watch && !id.none() && !started_.insert(id).second) return dropped_(event);  // told twice
      if (event.watch) {  // its headers are sent when it has left its queue; when it ends is not known yet
        if (event.queue_wait == kNoTime && !event.recorded_refusal) {
          event.queue_wait = written - event.received;
          event.derived_wait = true;
        }
        event.stage_time = kNoTime;
      }
      return offer(std::move(event), written);
    case Stage::response_complete:
    case Stage::panic:
      forget(received_, id);
      forget(open_, id);
      if (event.watch && !started_.empty() && started_.erase(id) > 0) {
        if (resolve_) end_line_of(event, written);
        return push(event.stage_time, JoinedEvent::Kind::watch_end, event, false);
      }
      if (began_before) event.left_out = LeftOut::standing_watch;
      return offer(std::move(event), written);
  }
}

void Joiner::add_early(PreparedEvent&& event) {
  const Nanos received = event.received;
  offer(std::move(event), received);
}

void Joiner::forget(std::unordered_map<AuditId, PreparedEvent, IdHash>& stages, const AuditId& id) {
  if (stages.empty()) return;
  const auto it = stages.find(id);
  if (it == stages.end()) return;
  dropped_(it->second);
  stages.erase(it);
}

// Counted when it completes, or at the end of the log.
void Joiner::hold_open(const PreparedEvent& event) {
  if (!open_.emplace(event.id, event).second) dropped_(event);
}

void Joiner::expire_received(Nanos before) {
  while (!received_order_.empty() && received_order_.front().first < before) {
    const auto it = received_.find(received_order_.front().second);
    received_order_.pop_front();
    if (it == received_.end()) continue;
    PreparedEvent event = std::move(it->second);
    received_.erase(it);
    if (event.watch) started_.insert(event.id);  // a policy without ResponseStarted: it is open, its end comes later
    complete(std::move(event), true);
  }
}

void Joiner::finish() {
  expire_halves(INT64_MAX);
  expire_received(INT64_MAX);
  std::vector<PreparedEvent> open;
  for (const auto& [id, event] : open_) open.push_back(event);
  open_.clear();
  std::sort(open.begin(), open.end(), [](const PreparedEvent& a, const PreparedEvent& b) {
    return std::tie(a.received, a.id.high, a.id.low) < std::tie(b.received, b.id.high, b.id.low);
  });
  for (PreparedEvent& event : open) complete(std::move(event), true);
  reorder_.finish([this](Nanos now, JoinedEvent& due) { sink_(now, due); });
}

void Joiner::fill(ReplayReport& report) const {
  report.requests = requests();
  report.out_of_window = out_of_window();
  const auto warn = [&](RemarkKind kind, std::uint64_t count) {
    if (count > 0) report.warnings.push_back({.kind = kind, .count = count});
  };
  warn(RemarkKind::ends_before_arrival, negative_latencies());
  warn(RemarkKind::duplicate_events, duplicates());
  warn(RemarkKind::unfinished_requests, unfinished());
  // What might have been two logs may have turned out to be one.
  if (counts_.joined + counts_.http_only == 0 || counts_.joined + counts_.audit_only == 0) return;
  report.join.joined = true;
  report.join.requests = counts_.joined;
  report.join.audit_only = counts_.audit_only;
  report.join.http_only = counts_.http_only;
  if (counts_.joined == 0 && counts_.audit_only > 0 && counts_.http_only > 0)
    report.warnings.push_back({.kind = RemarkKind::logs_unrelated});
}

}  // namespace apf
