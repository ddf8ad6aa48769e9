// What a log says of what happened.
#include <apf/error.h>
#include <apf/log_summary.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "base/identities.h"
#include "base/joined.h"
#include "logs/answer_cause.h"
#include "logs/server_names.h"
#include "logs/tracing.h"
#include "summary/client_streams.h"
#include "summary/facts_reader.h"
#include "summary/kept_inputs.h"
#include "summary/other_lines.h"
#include "summary/refusal_bursts.h"
#include "summary/refusal_signs.h"
#include "summary/rises.h"
#include "summary/tallies.h"

namespace apf {
namespace {

class Summing {
 public:
  explicit Summing(const LogSummaryOptions& options) : options_(options), reader_(options, names_) {
    if (!options.by.empty()) asked_for_.emplace(options.by, names_);
  }

  void take(const TracedRequest& traced) {
    const TraceRequest& course = traced.course;
    has_requests_ = true;
    if (!is_selected(course.time)) return slow_.leave_out(reader_.times_of(traced), traced);
    const RequestFacts facts = reader_.read(traced);
    const bool filtered = is_filtered(facts, course);
    out_.with_user += facts.user != Names::kNone;
    out_.limited += filtered;
    if (has_level(traced)) ++out_.with_level;
    else out_.classified += facts.level != Names::kNone;
    const LogTally tally = tally_of(course, facts);
    out_.runs_unknown += facts.run_unknown;
    if (!out_.first) out_.first = course.time;
    out_.last = std::max(out_.last.value_or(course.time), course.time);
    add(facts, course.code, tally);
    if (facts.refused) {
      if (!out_.first_refused) out_.first_refused = course.time;
      out_.last_refused = course.time;
      bursts_.add(course.time);
    }
    if (filtered) signs_.add(facts, course.recorded.cause, facts.mutating, traced.decided && course.code < kError);
    if (is_named(course.recorded.cause))
      answers_.add(facts, course.code, course.recorded.cause, facts.answered && !traced.decided);
    slow_.add(facts, traced);
    rises_.add(facts, course.code);
    streams_.add(facts, course, traced.uri);
    if (facts.watch && !facts.duration && traced.id != 0)
      open_.try_emplace(traced.id, OpenWatch{facts, course.code, tally.wait});
  }

  // What is counted of how long a watch was there.
  void end(std::uint64_t id, Nanos time) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    const auto& [facts, code, wait] = at->second;
    streams_.end_watch(facts, time);
    if (wait > 0) {
      LogTally more;
      more.wait_and_run = std::max<Nanos>(0, time - facts.arrival - wait);
      add(facts, code, more);
    }
    open_.erase(at);
  }

  // A request that the server traced, after all that the log has otherwise.
  void take(const HandlerTrace& trace) {
    has_traces_ = true;
    parse_audited_view(trace.verb, trace.url, traced_view_);
    if (trace.id.empty() && has_requests_) return slow_.keep(trace, traced_view_.f, is_selected(trace.begin));
    if (slow_.tell(trace) || !is_selected(trace.begin)) return;
    RequestFacts facts;
    facts.arrival = trace.begin;
    facts.agent = names_.agents.id(trace.agent);
    reader_.name(traced_view_.f, facts);
    slow_.add(facts, trace);
  }

  bool has_traces() const { return has_traces_; }

  LogSummary finish(LogStat stat) {
    using Order = RowOrder;
    const std::size_t top = options_.top;
    out_.stat = std::move(stat);
    out_.answers = answers_.rows(top);
    out_.evidence = signs_.find(out_, options_.apf_on, options_.config, names_);
    answers_.settle(out_.evidence);
    out_.worst_minute = minutes_.worst();
    out_.bursts = bursts_.find();
    fill_clients();
    out_.agents = agents_.rows(names_.agents, Order::refusals, top);
    out_.addresses = addresses_.rows(names_.addresses, Order::refusals, top);
    out_.schemas = schemas_.rows(Order::refusals, top);
    std::erase_if(out_.schemas, [](const LogRow& row) { return row.names.front().empty(); });
    out_.resources = in_two_names(requests_.rows(names_.requests, Order::refusals, top));
    out_.load = in_two_names(requests_.rows(names_.requests, Order::seats, top));
    out_.dimensions = options_.by;
    if (asked_for_) out_.by = asked_for_->rows(Order::refusals, SIZE_MAX);
    out_.answers = answers_.rows(top);
    out_.minutes = minutes_.rows(names_);
    out_.traces_apart = slow_.join();
    out_.slow = slow_.rows(top);
    out_.slow_total = slow_.total();
    rises_.tell(out_);
    out_.course = rises_.course();
    out_.clients = find_client_faults(streams_, names_, out_.total, options_.ignored);
    out_.objects_known = options_.objects != nullptr;
    out_.apf_on = options_.apf_on;
    out_.apf_by = options_.apf_by;
    return std::move(out_);
  }

 private:
  bool is_selected(Nanos time) const {
    return (!options_.from || time >= *options_.from) && (!options_.to || time < *options_.to);
  }

  // What is done for others counts for both: of users, and of clients.
  void fill_clients() {
    NamedTallies by_user = users_, by_client = users_;
    impersonated_.each([&](std::uint32_t impersonator, std::uint32_t user, const LogTally& tally) {
      by_client.add(impersonator, tally);
      by_user.add(user, tally);
      out_.acted += tally.requests;
    });
    out_.users = by_user.rows(names_.users, RowOrder::refusals, options_.top);
    out_.load_of = out_.with_user > 0 ? by_client.rows(names_.users, RowOrder::cost, options_.top)
                                      : agents_.rows(names_.agents, RowOrder::cost, options_.top);
    out_.impersonated = impersonated_.rows(RowOrder::cost, SIZE_MAX);
    for (const LogRow& row : out_.impersonated)
      for (LogRow& client : out_.load_of) client.stands_for += client.names.front() == row.names.front();
    fill_busiest();
    keep_first(out_.impersonated, RowOrder::cost, options_.top);
  }

  void fill_busiest() {
    std::map<std::uint32_t, std::set<std::uint32_t>> users_of_agent;
    if (out_.with_user > 0) {
      out_.agents_load = agents_.rows(names_.agents, RowOrder::cost, options_.top);
      for (const ClientStream& s : streams_.all()) users_of_agent[s.agent].insert(s.user);
      for (LogRow& row : out_.agents_load) row.stands_for = users_of_agent[names_.agents.id(row.names.front())].size();
    }
    if (out_.load_of.empty() || out_.load_of.front().names.front() == "…") return;
    out_.busiest = LogSummary::Busiest{};
    LogSummary::Busiest& busiest = *out_.busiest;
    busiest.row = out_.load_of.front();
    constexpr double kFarMore = 2;
    if (!out_.agents_load.empty()) {
      const LogRow& agent = out_.agents_load.front();
      busiest.is_agent =
          agent.stands_for > 1 && cost_of(agent.tally, out_.total) > kFarMore * cost_of(busiest.row.tally, out_.total);
      if (busiest.is_agent) busiest.row = agent;
    }
    busiest.cost = cost_of(busiest.row.tally, out_.total);
    busiest.most = most_sent_by(busiest);
  }

  std::string most_sent_by(const LogSummary::Busiest& client) const {
    const std::string& name = client.row.names.front();
    std::set<std::string> users;  // whose requests are its own
    for (const LogRow& row : out_.impersonated)
      if (row.names.front() == name) users.insert(row.names.back());
    std::map<std::uint32_t, std::uint64_t> kinds;
    for (const ClientStream& s : streams_.all()) {
      const bool of_agent = client.is_agent || s.user == Names::kNone;
      const std::string who(of_agent ? names_.agents.text(s.agent) : names_.users.text(s.user));
      const bool node = name == kAllNodes && who.starts_with(kNodePrefix);
      if (who == name || node || (!of_agent && users.contains(who))) kinds[s.request] += s.requests;
    }
    const auto most =
        std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool half =
        most != kinds.end() && most->second * 2 >= client.row.tally.requests && most->first != Names::kOthers;
    return half ? std::string(names_.requests.text(most->first)) : std::string();
  }

  static constexpr int kError = 400;  // codes from there on

  void add(const RequestFacts& facts, int code, const LogTally& tally) {
    add_tally(out_.total, tally);
    if (facts.impersonator == Names::kNone) users_.add(facts.user, tally);
    else impersonated_.add(facts, code, tally);
    agents_.add(facts.agent, tally);
    addresses_.add(facts.address, tally);
    schemas_.add(facts, code, tally);
    requests_.add(facts.request, tally);
    if (asked_for_) asked_for_->add(facts, code, tally);
    minutes_.add(facts.arrival, facts.level, tally);
  }

  static LogTally tally_of(const TraceRequest& request, const RequestFacts& facts) {
    LogTally tally;
    tally.requests = 1;
    tally.answered = request.code != 0 || facts.refused;
    tally.refused = facts.refused;
    tally.errors = request.code >= 400 && !facts.refused;
    const Nanos wait = request.recorded.queue_wait.value_or(0);
    constexpr Nanos kNoWait = kMillisecond;  // what handing over takes is no wait
    if (wait >= kNoWait) {
      tally.waited = 1;
      tally.wait = wait;
      tally.wait_and_run = std::max(wait, facts.duration.value_or(wait));
    }
    tally.seat_seconds = facts.seat_seconds;
    tally.with_seats = facts.seats_recorded;
    return tally;
  }

  // "list pods" → "list", "pods".
  static std::vector<LogRow> in_two_names(std::vector<LogRow> rows) {
    for (LogRow& row : rows) {
      const std::string whole = std::move(row.names.front());
      const std::size_t blank = whole.find(' ');
      row.names = blank == std::string::npos ? std::vector{whole, std::string()}
                                             : std::vector{whole.substr(0, blank), whole.substr(blank + 1)};
    }
    return rows;
  }

  // Those that are no part of daily work.
  static bool is_named(AnswerCause cause) { return cause != AnswerCause::none && cause != AnswerCause::not_found; }

  const LogSummaryOptions& options_;
  LogNames names_;
  FactsReader reader_;
  RequestView traced_view_;
  struct OpenWatch {
    RequestFacts facts;
    int code = 0;
    Nanos wait = 0;  // 0: it did not wait
  };
  std::unordered_map<std::uint64_t, OpenWatch> open_;  // by ID
  NamedTallies users_;                                 // of those who act for themselves
  NamedTallies agents_, addresses_, requests_;
  TalliesBy schemas_{{LogDimension::schema, LogDimension::level}, names_};
  TalliesBy impersonated_{{LogDimension::impersonator, LogDimension::user}, names_};
  std::optional<TalliesBy> asked_for_;
  MinuteTallies minutes_;
  RefusalBursts bursts_;
  AnswerTallies answers_{names_};
  RefusalSigns signs_;
  SlowTallies slow_{names_};
  Rises rises_{names_};
  ClientStreams streams_{names_};
  bool has_requests_ = false, has_traces_ = false;  // of the whole log, selected or not
  LogSummary out_;
};

}  // namespace

LogSummary summarize_logs(const LogSummaryOptions& given) {
  LogSummaryOptions options = given;
  options.log.needs_events = false;  // lines of a client's limiter or traces will do
  const KeptInputs kept(options.log);
  struct Counted final : TracedRequests {
    explicit Counted(const LogSummaryOptions& given) : options(given), sums(std::in_place, given) {}
    void take(const TracedRequest& traced) override { sums->take(traced); }
    void end(std::uint64_t id, Nanos time) override { sums->end(id, time); }
    void begin_again() override { sums.emplace(options); }
    const LogSummaryOptions& options;
    std::optional<Summing> sums;
  } counted(options);
  LogStat stat =
      count_logs(options.log, options.version_known ? std::optional(options.version) : std::nullopt, counted);
  Summing& summing = *counted.sums;
  ClientThrottling throttling;
  if (stat.other_lines > 0 && !stat.interrupted)
    throttling = read_other_lines(options.log, options.top, [&](const HandlerTrace& trace) { summing.take(trace); });
  LogSummary out = summing.finish(std::move(stat));
  out.throttling = std::move(throttling);
  explain_by_log(out);
  if (given.log.needs_events && !out.throttling.any() && !summing.has_traces() && !out.stat.interrupted)
    refuse_logs_without_events(out.stat, options.log);
  return out;
}

}  // namespace apf
