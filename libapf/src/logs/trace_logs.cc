// trace_logs(): any log as requests in the normal form, an audit log and the server's own joined as a replay joins
// them. stat_logs(): what is in them besides.
#include <apf/error.h>
#include <apf/logs.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/interner.h"
#include "base/prefetch.h"
#include "base/sort_stably.h"
#include "base/text.h"
#include "logs/event_reader.h"
#include "logs/formats/audit.h"
#include "logs/join.h"
#include "logs/log_counter.h"
#include "logs/trace_maker.h"
#include "logs/tracing.h"
#include "logs/zone.h"

namespace apf {

namespace {

// Adds what the joined stages say of the request's course. A trace line has all of it already.
void add_course(const Joined<TracedEvent>& joined, TraceRequest& out) {
  const RequestEvent& e = joined.event;
  out.recorded.cause = e.cause;
  if (e.hung_up) {
    out.wait_limit = e.wait_limit;
    // Only API Priority and Fairness lets requests wait.
    if (e.recorded != 0 || e.queue_wait != kNoTime) out.recorded.cause = AnswerCause::hung_up;
  }
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

// What the workers have numbered each for itself: users, and the places that the log names. Numbers begin with 1.
class Numbered {
 public:
  void take(TracedBatch& batch) {
    if (workers_.size() <= batch.worker) workers_.resize(batch.worker + 1);
    Numbers& of = workers_[batch.worker];
    for (User& user : batch.new_users) {
      users_.push_back(std::move(user));
      of.users.push_back(static_cast<std::uint32_t>(users_.size()));
    }
    for (RecordedPlace& place : batch.new_places) of.places.push_back(number_of(std::move(place)));
    batch.new_users.clear();
    batch.new_places.clear();
  }
  // Makes the numbers of an event and its request, which are their worker's, those of the run.
  void renumber(std::uint32_t worker, TracedEvent& event, PackedRequest& request) const {
    const Numbers& of = workers_[worker];
    if (event.recorded != 0) event.recorded = of.places[event.recorded - 1];
    const auto number_of = [&](std::uint32_t user) { return user == 0 ? 0 : of.users[user - 1]; };
    request.set_users({number_of(request.user()), number_of(request.impersonator())});
  }
  User& user(std::uint32_t number) { return users_[number - 1]; }
  const RecordedPlace& place(std::uint32_t number) const { return places_[number - 1]; }

 private:
  struct Numbers {
    std::vector<std::uint32_t> users, places;
  };
  // One number for each place, as joining compares them.
  std::uint32_t number_of(RecordedPlace&& place) {
    const std::uint32_t number = place_names_.id(place.flow_schema + '\0' + place.priority_level);
    if (number == places_.size()) places_.push_back(std::move(place));
    return number + 1;
  }

  std::vector<Numbers> workers_;
  std::vector<User> users_;
  Interner place_names_;
  std::deque<RecordedPlace> places_;  // which stay where they are
};

// Users by their client's address and user agent, where one alone has used it so far: who sent a request that only the
// HTTP log has.
class UsersByClient {
 public:
  explicit UsersByClient(Numbered& numbered) : numbered_(numbered) {}
  void see(const PackedRequest& request) {
    const std::uint32_t user = request.user();
    if (user == 0 ? request.user_json().empty() : numbered_.user(user).name.empty()) return;
    if (users_.size() >= kMostClients) users_.clear();
    const auto [it, is_new] = users_.try_emplace(client_of(request), user);
    if (!is_new && !is_same(it->second, user)) it->second = 0;
  }
  void find(PackedRequest& request) const {
    if (const auto it = users_.find(client_of(request)); it != users_.end()) request.set_users({it->second});
  }

 private:
  static constexpr std::size_t kMostClients = 1u << 18;
  static std::uint64_t client_of(const PackedRequest& request) {
    return hash_bytes(request.user_agent(), hash_bytes(request.source_ip()));
  }
  bool is_same(std::uint32_t a, std::uint32_t b) const {
    return a == b || (a != 0 && b != 0 && numbered_.user(a).name == numbered_.user(b).name);
  }

  Numbered& numbered_;
  std::unordered_map<std::uint64_t, std::uint32_t> users_;  // 0: several, or one without a number
};

void view_request_of(const TraceRequest& request, RequestView& view) {
  if (request.request_info) view_request(*request.request_info, nullptr, view);
  else if (request.method.empty()) parse_audited_view(request.verb, request.uri, view);
  else parse_request_view(request.method, request.uri, view);
}

class Tracing {
 public:
  using Sink = std::function<void(const TracedRequest&)>;
  // `counter`: null, or what is told of all that is read. Without it, the sink is given no view of requests.
  Tracing(const LogOptions& options, LogCounter* counter, const Sink& sink)
      : options_(options),
        counter_(counter),
        sink_(sink),
        tracks_(sort_into_tracks(options)),
        joined_(are_joined(tracks_)),
        joiner_(
            options.reorder_window, options.reorder_limit,
            [this](Nanos, Joined<TracedEvent>& joined) {
              emit(joined);
              return false;
            },
            [this](const TracedEvent& event) { release(event.request); },
            joined_
                ? Joiner<TracedEvent>::Resolve([this](TracedEvent& event) { clients_.find(*held_[event.request - 1]); })
                : nullptr) {}

  std::pair<LogReport, JoinSums> run() {
    if (joined_) zone_ = find_zone(tracks_, options_);
    find_watches();
    using Wanted = TraceMaker::Wanted;
    Reader reader(tracks_, options_, [&] { return maker(counter_ ? Wanted::counts : Wanted::all); });
    if (counter_)
      reader.on_batch([this](std::size_t track, const TracedBatch& batch) {
        counter_->take(tracks_[track].logs[batch.file], batch);
      });
    for (Reader::Run run; reader.next(run);) {
      if (run.is_new) numbered_.take(*run.batch);
      if (run.is_new) run.batch->page = joiner_.held().open(run.batch->events.size());
      if (!begun_ && run.from < run.to) begin(run.batch->events[run.from].event.written());
      for (std::size_t i = run.from; i < run.to; ++i) {
        fetch(*run.batch, i, run.to);
        take(*run.batch, run.batch->events[i]);
      }
      if (run.is_last) joiner_.held().close(run.batch->page, run.batch->events);
    }
    if (!reader.is_interrupted()) add_watches_until(INT64_MAX);
    joiner_.finish();
    hand_out_rest();
    LogReport report;
    reader.fill(report, joiner_.sums().repeated);
    remark(joiner_.sums(), report);
    return {std::move(report), joiner_.sums()};
  }

 private:
  using Reader = EventReader<TraceMaker>;
  using Request = std::unique_ptr<PackedRequest>;
  struct EarlyWatch {
    TracedEvent event;
    Request request;
  };

  std::unique_ptr<TraceMaker> maker(TraceMaker::Wanted wanted) {
    return std::make_unique<TraceMaker>(zone_, wanted, workers_++, memory_);
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
    for (Reader::Run run; reader.next(run);) {
      if (run.is_new) numbered_.take(*run.batch);
      for (std::size_t i = run.from; i < run.to; ++i)
        if (TracedEvent& event = run.batch->events[i].event; event.note == 0) find_watch(*run.batch, event);
    }
    if (!early_) watches_.clear();
    sort_stably(watches_, [](const EarlyWatch& a, const EarlyWatch& b) { return a.event.received < b.event.received; });
  }

  void find_watch(TracedBatch& batch, TracedEvent& event) {
    if (event.http && early_) {
      Request& request = batch.requests[event.request - 1];
      numbered_.renumber(batch.worker, event, *request);
      if (watches_.size() == options_.reorder_limit) early_ = false;
      else watches_.push_back({event, std::exchange(request, std::make_unique<PackedRequest>())});
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
    const TracedEvent& event = batch.events[at + kAhead].event;
    joiner_.fetch(event);
    if (event.request == 0) return;
    prefetch(*batch.requests[event.request - 1]);
  }

  void take(TracedBatch& batch, Joined<TracedEvent>& joined) {
    joined.page = batch.page;
    TracedEvent& event = joined.event;
    if (event.note != 0 || !take(batch, event)) joiner_.held().drop(joined);
    else joiner_.add_in_place(joined);
  }

  // False: the event adds nothing.
  bool take(TracedBatch& batch, TracedEvent& event) {
    Request& request = batch.requests[event.request - 1];
    numbered_.renumber(batch.worker, event, *request);
    add_watches_until(event.written());
    if (event.http && event.watch && early_) {
      // One that began before the log: the audit log has it, if there is one.
      if (joined_ || event.received >= first_written_) return false;
      if (outlasts(event, options_.reorder_window)) event.left_out = LeftOut::standing_watch;
    }
    if (joined_ && !event.http) clients_.see(*request);
    hold(event, request);
    return true;
  }

  void add_watches_until(Nanos time) {
    for (; next_watch_ < watches_.size() && watches_[next_watch_].event.received <= time; ++next_watch_)
      joiner_.add_early(std::move(hold(watches_[next_watch_].event, watches_[next_watch_].request)));
  }

  TracedEvent& hold(TracedEvent& event, Request& request) {
    if (free_.empty()) {
      held_.push_back(std::make_unique<PackedRequest>());
      free_.push_back(static_cast<std::uint32_t>(held_.size()));
    }
    event.request = free_.back();
    free_.pop_back();
    request->set_time(std::min(event.received, event.written()));
    std::swap(held_[event.request - 1], request);
    return event;
  }

  // A request was held for seconds: it comes from memory while those before it are handed out, first itself, then its
  // text.
  [[gnu::always_inline]] inline void emit(Joined<TracedEvent>& joined) {
    if (emitted_ >= kComing) hand_out(*coming(emitted_ - kComing));
    if (joined.event.request != 0) prefetch(*held_[joined.event.request - 1]);
    coming(emitted_) = &joined;
    if (emitted_ >= kTextsComing) fetch_text(*coming(emitted_ - kTextsComing));
    ++emitted_;
  }

  [[gnu::always_inline]] inline void fetch_text(const Joined<TracedEvent>& joined) const {
    if (joined.event.request != 0) held_[joined.event.request - 1]->fetch_text();
  }

  void hand_out_rest() {
    for (std::uint64_t i = emitted_ - std::min(emitted_, kComing); i < emitted_; ++i) hand_out(*coming(i));
    emitted_ = 0;
  }

  Joined<TracedEvent>*& coming(std::uint64_t number) { return coming_[number % kComing]; }

  void hand_out(Joined<TracedEvent>& joined) {
    const TracedEvent& event = joined.event;
    using Kind = Joined<TracedEvent>::Kind;
    if (joined.kind == Kind::request) give(joined, *held_[event.request - 1]);
    else if (counter_ && joined.kind == Kind::watch_end) counter_->take_end(joined);
    release(event.request);
    joiner_.held().drop(joined);
  }

  void give(const Joined<TracedEvent>& joined, const PackedRequest& packed) {
    const TracedEvent& event = joined.event;
    TraceRequest& request = given_;
    packed.unpack(request);
    // What is counted of a watch that began before the log begins when the log holds it.
    if (counter_ && event.left_out == LeftOut::standing_watch) request.time = event.received;
    add_course(joined, request);
    if (event.recorded != 0) {
      const RecordedPlace& place = numbered_.place(event.recorded);
      request.recorded.flow_schema = place.flow_schema;
      request.recorded.priority_level = place.priority_level;
    } else {
      request.recorded.flow_schema.clear();
      request.recorded.priority_level.clear();
    }
    if (event.watch && !event.trace)
      if (const auto end = watch_ends_.find(event.id.high); end != watch_ends_.end()) request.end = end->second;
    if (packed.user() == 0) {
      request.user = parse_user_json(packed.user_json());
      return pass_on(joined, packed);
    }
    User& user = numbered_.user(packed.user());
    std::swap(request.user, user);  // for the time of the call, rather than copied
    pass_on(joined, packed);
    std::swap(request.user, user);
  }

  void pass_on(const Joined<TracedEvent>& joined, const PackedRequest& packed) {
    const TracedEvent& event = joined.event;
    if (counter_) {
      if (packed.view()) view_.f = *packed.view();
      else view_request_of(given_, view_);
      const bool known = packed.user() != 0 || !packed.user_json().empty();
      counter_->take(joined, {packed.user(), known ? &given_.user : nullptr, view_.f.verb, given_.user_agent,
                              given_.source_ip, event.recorded != 0 ? &numbered_.place(event.recorded) : nullptr});
    }
    const Nanos taken = event.recorded_refusal ? time_taken(joined) : kNoTime;
    TracedRequest out{given_, view_, packed.user()};
    if (taken != kNoTime) out.answered = given_.time + taken;
    out.decided = event.decided;
    if ((out.impersonator = packed.impersonator()) != 0)
      out.impersonator_named = out.impersonator == out.user ? &given_.user : &numbered_.user(out.impersonator);
    given_.impersonator = out.impersonator != 0 ? out.impersonator_named->name : std::string();
    sink_(out);
  }

  void release(std::uint32_t at) {
    if (at == 0) return;
    free_.push_back(at);
  }

  const LogOptions& options_;
  LogCounter* const counter_;
  const Sink& sink_;
  const std::vector<LogTrack> tracks_;
  const bool joined_;
  Nanos zone_ = 0;
  EventMemory<TracedEvent> memory_;
  Joiner<TracedEvent> joiner_;
  std::uint32_t workers_ = 0;
  Numbered numbered_;
  UsersByClient clients_{numbered_};
  std::vector<EarlyWatch> watches_;  // of the HTTP log, by arrival
  std::size_t next_watch_ = 0;
  bool early_ = false;  // all of them are known beforehand
  bool begun_ = false;
  Nanos first_written_ = 0;
  std::unordered_map<std::uint64_t, Nanos> watch_ends_;
  std::vector<Request> held_;
  TraceRequest given_;  // to the sink
  RequestView view_;    // the same
  std::vector<std::uint32_t> free_;
  static constexpr std::size_t kAhead = 4, kFarAhead = 8;
  static constexpr std::uint64_t kComing = 8, kTextsComing = 4;
  std::array<Joined<TracedEvent>*, kComing> coming_{};  // a ring
  std::uint64_t emitted_ = 0;
};

}  // namespace

LogReport trace_logs(const LogOptions& options, const std::function<void(const TraceRequest&)>& sink,
                     const std::function<void()>& begin_again) {
  return until_in_order(
      [&] { return Tracing(options, nullptr, [&](const TracedRequest& traced) { sink(traced.request); }).run().first; },
      [&] {
        if (!begin_again)
          throw Error(name_of_input(options.logs.front()) +
                      " is not in order of time, and its first requests were handed out already: " + kSortFirst +
                      ", or save it to a file");
        begin_again();
      });
}

LogStat count_logs(const LogOptions& options, std::optional<KubeVersion> release,
                   const std::function<void(const TracedRequest&)>& sink, const std::function<void()>& begin_again) {
  return until_in_order(
      [&] {
        LogCounter counter(options, release);
        Tracing tracing(options, &counter, sink);  // which holds names that the counter counts
        auto [read, sums] = tracing.run();
        return counter.finish(sums, std::move(read));
      },
      begin_again);
}

LogStat stat_logs(const LogOptions& options, std::optional<KubeVersion> release) {
  return count_logs(
      options, release, [](const TracedRequest&) {}, [] {});
}

}  // namespace apf
