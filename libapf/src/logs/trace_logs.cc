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
#include "logs/formats/trace.h"
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
  else if (waited_in_vain(e)) out.recorded.queue_wait = e.stage_time - e.received;
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
    for (User& user : batch.new_users) add(std::move(user), users_, of.users);
    for (RecordedPlace& place : batch.new_places) of.places.push_back(number_of(std::move(place)));
    for (auto& asked : batch.new_asked) {
      asked->set_users({of.users[asked->user() - 1]});
      add(std::move(asked), asked_, of.asked);
    }
    for (std::string& agent : batch.new_agents) add(std::move(agent), agents_, of.agents);
    for (std::string& address : batch.new_addresses) add(std::move(address), addresses_, of.addresses);
    batch.new_users.clear();
    batch.new_places.clear();
    batch.new_asked.clear();
    batch.new_agents.clear();
    batch.new_addresses.clear();
  }
  // Makes the numbers of an event and its request, which are their worker's, those of the run. `request`: null, or what
  // is said of it in texts.
  void renumber(std::uint32_t worker, TracedEvent& event, PackedRequest* request) const {
    const Numbers& of = workers_[worker];
    const auto renumber = [](std::uint32_t& number, const std::vector<std::uint32_t>& numbers) {
      if (number != 0) number = numbers[number - 1];
    };
    renumber(event.recorded, of.places);
    renumber(event.asked, of.asked);
    renumber(event.agent, of.agents);
    renumber(event.address, of.addresses);
    if (!request) return;
    PackedRequest::Users users{request->user(), request->impersonator()};
    renumber(users.user, of.users);
    renumber(users.impersonator, of.users);
    request->set_users(users);
  }
  const PackedRequest& asked(std::uint32_t number) const { return *asked_[number - 1]; }
  std::string_view agent(std::uint32_t number) const { return agents_[number - 1]; }
  std::string_view address(std::uint32_t number) const { return addresses_[number - 1]; }
  User& user(std::uint32_t number) { return users_[number - 1]; }
  const RecordedPlace& place(std::uint32_t number) const { return places_[number - 1]; }

 private:
  struct Numbers {
    std::vector<std::uint32_t> users, places, asked, agents, addresses;
  };
  template <class Value>
  static void add(Value&& value, std::vector<Value>& values, std::vector<std::uint32_t>& numbers) {
    values.push_back(std::move(value));
    numbers.push_back(static_cast<std::uint32_t>(values.size()));
  }
  // One number for each place, as joining compares them.
  std::uint32_t number_of(RecordedPlace&& place) {
    const std::uint32_t number = place_names_.id(place.flow_schema + '\0' + place.priority_level);
    if (number == places_.size()) places_.push_back(std::move(place));
    return number + 1;
  }

  std::vector<Numbers> workers_;
  std::vector<User> users_;
  std::vector<std::unique_ptr<PackedRequest>> asked_;
  std::vector<std::string> agents_, addresses_;
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

class Tracing {
 public:
  using Sink = std::function<void(const TraceRequest&)>;
  // What requests are given to: in the normal form to `sink`, or else to `counted`, and all that is read to `counter`.
  Tracing(const LogOptions& options, const Sink& sink) : Tracing(options, &sink, nullptr, nullptr) {}
  Tracing(const LogOptions& options, LogCounter& counter, TracedRequests& counted)
      : Tracing(options, nullptr, &counter, &counted) {}

  std::pair<LogReport, JoinSums> run() {
    if (joined_) zone_ = find_zone(tracks_, options_);
    // Whoever counts hears of ends when they come: of requests that only the HTTP log has it would be too late.
    if (!counter_ || may_hold_http()) find_watches();
    using Wanted = TraceMaker::Wanted;
    const Wanted wanted = !counter_ ? Wanted::all : joined_ ? Wanted::counts : Wanted::counts_by_number;
    Reader reader(tracks_, options_, [&] { return maker(wanted); });
    if (counter_)
      reader.on_batch([this](std::size_t track, const TracedBatch& batch) {
        counter_->take(tracks_[track].logs[batch.file], batch);
      });
    Nanos clock = 0;
    for (Reader::Run run; reader.next(run);) {
      if (run.is_new) numbered_.take(*run.batch);
      if (run.is_new) run.batch->page = joiner_.held().open(run.batch->events.size());
      if (!begun_ && run.from < run.to) begin(run.batch->events[run.from].event.written());
      for (std::size_t i = run.from; i < run.to; ++i) {
        fetch(*run.batch, i, run.to);
        take(*run.batch, run.batch->events[i]);
      }
      if (run.from < run.to) clock = run.batch->events[run.to - 1].event.written();
      if (run.is_last) joiner_.held().close(run.batch->page, run.batch->events);
      if (run.is_new && options_.progress) options_.progress(reached(reader, clock));
    }
    if (!reader.is_interrupted()) add_watches_until(INT64_MAX);
    joiner_.finish();
    hand_out_rest();
    LogReport report;
    reader.fill(report, joiner_.sums().repeated);
    if (report.interrupted) report.reached = reached(reader, clock);
    remark(joiner_.sums(), report);
    return {std::move(report), joiner_.sums()};
  }

 private:
  Tracing(const LogOptions& options, const Sink* sink, LogCounter* counter, TracedRequests* counted)
      : options_(options),
        sink_(sink),
        counter_(counter),
        counted_(counted),
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

  using Reader = EventReader<TraceMaker>;
  using Request = std::unique_ptr<PackedRequest>;
  struct EarlyWatch {
    TracedEvent event;
    Request request;
  };

  std::unique_ptr<TraceMaker> maker(TraceMaker::Wanted wanted) {
    return std::make_unique<TraceMaker>(zone_, wanted, workers_++, memory_);
  }

  LogProgress reached(const Reader& reader, Nanos clock) const {
    const ChunkSourceStats read = reader.stats();
    return {read.input_bytes, read.total_input_bytes, joiner_.sums().requests, clock};
  }

  bool may_hold_http() const {
    return std::any_of(tracks_.begin(), tracks_.end(), [](const LogTrack& t) { return t.may_hold_http; });
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
      numbered_.renumber(batch.worker, event, request.get());
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
    Request* const request = event.request == 0 ? nullptr : &batch.requests[event.request - 1];
    numbered_.renumber(batch.worker, event, request ? request->get() : nullptr);
    add_watches_until(event.written());
    if (event.http && event.watch && early_) {
      // One that began before the log: the audit log has it, if there is one.
      if (joined_ || event.received >= first_written_) return false;
      if (outlasts(event, options_.reorder_window)) event.left_out = LeftOut::standing_watch;
    }
    if (joined_ && !event.http) clients_.see(**request);
    if (request) hold(event, *request);
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
    if (joined.kind == Kind::request) {
      const PackedRequest& packed = event.request == 0 ? nothing_ : *held_[event.request - 1];
      if (counter_) count(joined, packed);
      else give(joined, packed);
    } else if (counter_ && joined.kind == Kind::watch_end) {
      counter_->take_end(joined);
      counted_->end(event.id.high, event.stage_time);
    }
    release(event.request);
    joiner_.held().drop(joined);
  }

  void give(const Joined<TracedEvent>& joined, const PackedRequest& packed) {
    const TracedEvent& event = joined.event;
    TraceRequest& request = given_;
    packed.unpack(request);
    add_course(joined, request);
    if (event.recorded != 0) {
      const RecordedPlace& place = numbered_.place(event.recorded);
      request.recorded.flow_schema = place.flow_schema;
      request.recorded.priority_level = place.priority_level;
    } else {
      request.recorded.flow_schema.clear();
      request.recorded.priority_level.clear();
    }
    add_end(event);
    const auto pass_on = [&] {
      const std::uint32_t by = packed.impersonator();
      if (by == 0) request.impersonator.clear();
      else request.impersonator = by == packed.user() ? request.user.name : numbered_.user(by).name;
      (*sink_)(request);
    };
    if (packed.user() == 0) {
      request.user = parse_user_json(packed.user_json());
      return pass_on();
    }
    User& user = numbered_.user(packed.user());
    std::swap(request.user, user);  // for the time of the call, rather than copied
    pass_on();
    std::swap(request.user, user);
  }

  void add_end(const TracedEvent& event) {
    if (watch_ends_.empty() || !event.watch || event.trace) return;
    if (const auto end = watch_ends_.find(event.id.high); end != watch_ends_.end()) given_.end = end->second;
  }

  // `packed`: empty where all of it has a number.
  void count(const Joined<TracedEvent>& joined, const PackedRequest& packed) {
    const TracedEvent& event = joined.event;
    packed.unpack_course(given_);
    given_.time = event.received;
    add_course(joined, given_);
    add_end(event);
    const PackedRequest& asked = event.asked != 0 ? numbered_.asked(event.asked) : packed;
    if (!asked.view()) {
      parse_request_info_json(asked.request_info(), info_);
      view_request(info_, nullptr, view_);
    }
    TracedRequest out{given_, asked.view() ? *asked.view() : view_.f, event.asked};
    if ((out.user_number = asked.user()) != 0) {
      out.user = &numbered_.user(out.user_number);
    } else if (!asked.user_json().empty()) {
      given_.user = parse_user_json(asked.user_json());
      out.user = &given_.user;
    }
    if ((out.impersonator_number = packed.impersonator()) != 0)
      out.impersonator = &numbered_.user(out.impersonator_number);
    if ((out.place_number = event.recorded) != 0) out.place = &numbered_.place(event.recorded);
    out.agent_number = event.agent;
    out.agent = event.agent != 0 ? numbered_.agent(event.agent) : packed.user_agent();
    out.address_number = event.address;
    out.address = event.address != 0 ? numbered_.address(event.address) : packed.source_ip();
    out.uri = event.asked != 0 ? event.uri : packed.uri();
    out.webhook = packed.webhook();
    out.latencies = packed.latencies();
    out.id = event.id.high;
    out.path = event.path;
    if (const Nanos taken = event.recorded_refusal ? time_taken(joined) : kNoTime; taken != kNoTime)
      out.answered = given_.time + taken;
    out.decided = event.decided;
    counter_->take(joined, out);
    counted_->take(out);
  }

  void release(std::uint32_t at) {
    if (at == 0) return;
    free_.push_back(at);
  }

  const LogOptions& options_;
  const Sink* const sink_;
  LogCounter* const counter_;
  TracedRequests* const counted_;
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
  RequestInfo info_;    // of it
  const PackedRequest nothing_{};
  std::vector<std::uint32_t> free_;
  static constexpr std::size_t kAhead = 4, kFarAhead = 8;
  static constexpr std::uint64_t kComing = 8, kTextsComing = 4;
  std::array<Joined<TracedEvent>*, kComing> coming_{};  // a ring
  std::uint64_t emitted_ = 0;
};

}  // namespace

LogReport trace_logs(const LogOptions& options, const std::function<void(const TraceRequest&)>& sink,
                     const std::function<void()>& begin_again) {
  return until_in_order([&] { return Tracing(options, sink).run().first; },
                        [&] {
                          if (!begin_again)
                            throw Error(name_of_input(options.logs.front()) +
                                        " is not in order of time, and its first requests were handed out already: " +
                                        kSortFirst + ", or save it to a file");
                          begin_again();
                        });
}

LogStat count_logs(const LogOptions& options, std::optional<KubeVersion> release, TracedRequests& sink) {
  return until_in_order(
      [&] {
        LogCounter counter(options, release);
        Tracing tracing(options, counter, sink);  // which holds names that the counter counts
        auto [read, sums] = tracing.run();
        return counter.finish(sums, std::move(read));
      },
      [&] { sink.begin_again(); });
}

LogStat stat_logs(const LogOptions& options, std::optional<KubeVersion> release) {
  struct Nobody final : TracedRequests {
    void take(const TracedRequest&) override {}
    void end(std::uint64_t, Nanos) override {}
    void begin_again() override {}
  } nobody;
  return count_logs(options, release, nobody);
}

}  // namespace apf
