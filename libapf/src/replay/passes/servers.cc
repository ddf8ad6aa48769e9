// Several servers: replayed side by side, added up where adding is right.
#include <apf/replay.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>

#include "base/parallel.h"
#include "base/process_limits.h"
#include "base/sort_stably.h"
#include "replay/books/agreement.h"
#include "replay/books/tally.h"
#include "replay/books/worst_case.h"
#include "replay/engine/run_options.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/quota_rounds.h"
#include "replay/passes/replay_into.h"
#include "replay/passes/servers.h"
#include "replay/stages/quota_updates.h"

namespace apf {

void add_stage(std::vector<StageReport>& total, const StageReport& stage) {
  auto at = std::find_if(total.begin(), total.end(), [&](const StageReport& s) { return s.stage == stage.stage; });
  if (at == total.end()) {
    at = total.emplace(at);
    at->stage = stage.stage;
  }
  at->bypassed += stage.bypassed;
  at->passed += stage.passed;
  at->delayed += stage.delayed;
  at->delay.merge(stage.delay);
  at->refused += stage.refused;
  for (const auto& [reason, count] : stage.reasons) at->reasons[reason] += count;
}

namespace {

// The replays of all servers, taken in order by whoever is free.
class Runs {
 public:
  // `at_once`: servers that are replayed at a time. They share the threads and the memory.
  Runs(const std::vector<ReplayOptions>& options, const QuotaRounds& rounds, int threads, int at_once)
      : options_(options),
        rounds_(rounds),
        threads_each_(std::max(1, threads / static_cast<int>(options.size()))),
        memory_each_(std::max<std::uint64_t>(
            1, memory_for_logs(options.front().memory) / static_cast<std::uint64_t>(at_once))) {}
  // Before each round.
  void begin() {
    next_ = 0;
    reports_.assign(options_.size(), {});
    errors_.assign(options_.size(), nullptr);
  }
  void open(std::vector<OutputFile>& decisions, std::vector<OutputFile>& timelines) {
    decisions_ = &decisions;
    timelines_ = &timelines;
  }
  void work() {
    for (std::size_t i = next_++; i < options_.size(); i = next_++) {
      try {
        ReplayOptions own = options_[i];
        own.threads = threads_each_;
        own.memory = memory_each_;
        own.all_flows = true;
        own.quota_round = rounds_.of(i);
        if (i > 0) own.progress = nullptr;
        reports_[i] = replay_into(own, (*decisions_)[i], (*timelines_)[i]);
      } catch (...) {
        errors_[i] = std::current_exception();
      }
    }
  }
  // The first server's error counts, whichever happened first.
  std::vector<ReplayReport> take() {
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
    return std::move(reports_);
  }

 private:
  const std::vector<ReplayOptions>& options_;
  const QuotaRounds& rounds_;
  const int threads_each_;
  const std::uint64_t memory_each_;
  std::atomic<std::size_t> next_{0};
  std::vector<ReplayReport> reports_;
  std::vector<std::exception_ptr> errors_;
  std::vector<OutputFile>* decisions_ = nullptr;
  std::vector<OutputFile>* timelines_ = nullptr;
};

// The first server's goes into the file itself, the others' beside it until their turn comes.
std::vector<OutputFile> open_all(const std::string& path, std::size_t servers) {
  std::vector<OutputFile> out;
  out.reserve(servers);
  out.emplace_back(path);
  while (out.size() < servers) out.push_back(OutputFile::scratch_for(out.front()));
  return out;
}

void commit_all(std::vector<OutputFile>& files) {
  for (std::size_t i = 1; i < files.size(); ++i) files.front().append(files[i]);
  files.front().commit();
}

void begin_again(std::vector<OutputFile>& decisions, std::vector<OutputFile>& timelines) {
  for (auto* files : {&decisions, &timelines}) {
    for (const OutputFile& file : *files) check_can_begin_again(file, kWrittenInRounds);
    for (OutputFile& file : *files) file.begin_again();
  }
}

void add_counts(std::map<std::string, std::uint64_t>& to, const std::map<std::string, std::uint64_t>& counts) {
  for (const auto& [reason, count] : counts) to[reason] += count;
}

void add_input(ReplayReport& total, const ReplayReport& report) {
  total.logs.insert(total.logs.end(), report.logs.begin(), report.logs.end());
  total.bytes += report.bytes;
  total.lines += report.lines;
  total.events += report.events;
  total.requests += report.requests;
  total.other_lines += report.other_lines;
  add_counts(total.unusable, report.unusable);
  total.bad_lines.insert(total.bad_lines.end(), report.bad_lines.begin(), report.bad_lines.end());
  add_counts(total.left_out, report.left_out);
  total.out_of_window += report.out_of_window;
  total.scales = report.scales;
  total.execution_scales = report.execution_scales;
  if (report.list_widths) {
    ListWidthReport& sum = total.list_widths ? *total.list_widths : total.list_widths.emplace();
    sum.asked = report.list_widths->asked;
    sum.lists += report.list_widths->lists;
    sum.cut += report.list_widths->cut;
    sum.by_bytes += report.list_widths->by_bytes;
  }
  total.copied += report.copied;
  total.thinned += report.thinned;
  total.interrupted = total.interrupted || report.interrupted;
  if (report.first_arrival)
    total.first_arrival = std::min(total.first_arrival.value_or(*report.first_arrival), *report.first_arrival);
  if (report.last_arrival)
    total.last_arrival = std::max(total.last_arrival.value_or(*report.last_arrival), *report.last_arrival);
}

void add_levels(ReplayReport& total, const ReplayReport& report) {
  for (const LevelReport& level : report.levels) {
    auto at = std::find_if(total.levels.begin(), total.levels.end(),
                           [&](const LevelReport& l) { return l.name == level.name; });
    if (at == total.levels.end()) {
      at = total.levels.emplace(at);
      at->name = level.name;
      at->exempt = level.exempt;
      at->reject = level.reject;
    }
    merge(at->tally, level.tally);
  }
  for (const SchemaReport& schema : report.schemas) {
    const auto at = std::find_if(total.schemas.begin(), total.schemas.end(), [&](const SchemaReport& s) {
      return s.name == schema.name && s.priority_level == schema.priority_level;
    });
    if (at == total.schemas.end()) total.schemas.push_back(schema);
    else merge(at->tally, schema.tally);
  }
}

// What adds up of how far the replays can be believed; spreads do not.
void add_agreement(ReplayReport& total, const ReplayReport& report) {
  merge(total.recorded, report.recorded);
  total.join.joined = total.join.joined || report.join.joined;
  total.join.requests += report.join.requests;
  total.join.audit_only += report.join.audit_only;
  total.join.http_only += report.join.http_only;
  total.join.users_found += report.join.users_found;
  total.retries += report.retries;
  total.gave_up += report.gave_up;
  total.retries_beyond_log += report.retries_beyond_log;
  total.retries_dropped += report.retries_dropped;
}

// What each server charged is of that server, unless they share the quotas; else only the counts of requests add up.
void add_quotas(ReplayReport& total, const ResourceQuotaReport& quotas) {
  if (!total.resource_quota) total.resource_quota.emplace();
  ResourceQuotaReport& sum = *total.resource_quota;
  sum.asked += quotas.asked;
  sum.refused += quotas.refused;
  sum.undecidable += quotas.undecidable;
  sum.unknown_changes += quotas.unknown_changes;
  sum.turned_away += quotas.turned_away;
  sum.refused_in_both += quotas.refused_in_both;
  sum.refused_only_in_log += quotas.refused_only_in_log;
  sum.refused_only_in_replay += quotas.refused_only_in_replay;
  sum.resync = quotas.resync;
  sum.before_recount += quotas.before_recount;
  sum.conflicts_in_log += quotas.conflicts_in_log;
  sum.timed_out_in_log += quotas.timed_out_in_log;
  sum.unsettled += quotas.unsettled;
  if (quotas.shared && sum.quotas.empty()) {
    sum.shared = true;
    sum.quotas = quotas.quotas;
  } else if (quotas.shared) {
    for (std::size_t i = 0; i < sum.quotas.size(); ++i) {
      sum.quotas[i].refused += quotas.quotas[i].refused;
      sum.quotas[i].conflicts += quotas.quotas[i].conflicts;
    }
  }
  if (quotas.conflicts) add_conflicts(sum.conflicts ? *sum.conflicts : sum.conflicts.emplace(), *quotas.conflicts);
}

// Servers of one cluster update the same quotas.
void count_conflicts_between(std::vector<ReplayReport>& servers) {
  std::vector<ResourceQuotaReport*> quotas;
  for (ReplayReport& report : servers)
    if (report.resource_quota && report.resource_quota->updates) quotas.push_back(&*report.resource_quota);
  count_conflicts(quotas);
}

// Each server has buckets of its own, of the same configuration.
void add_event_limits(ReplayReport& total, const EventRateLimitReport& events) {
  if (!total.event_rate_limit) {
    total.event_rate_limit = events;
    return;
  }
  EventRateLimitReport& sum = *total.event_rate_limit;
  for (std::size_t i = 0; i < sum.limits.size() && i < events.limits.size(); ++i) {
    sum.limits[i].asked += events.limits[i].asked;
    sum.limits[i].refused += events.limits[i].refused;
    sum.limits[i].undecidable += events.limits[i].undecidable;
    sum.limits[i].evicted += events.limits[i].evicted;
  }
  sum.turned_away += events.turned_away;
  sum.refused_in_both += events.refused_in_both;
  sum.refused_only_in_log += events.refused_only_in_log;
  sum.refused_only_in_replay += events.refused_only_in_replay;
}

void add_stages(ReplayReport& total, const ReplayReport& report) {
  for (const StageReport& stage : report.stages) add_stage(total.stages, stage);
  if (report.event_rate_limit) add_event_limits(total, *report.event_rate_limit);
  if (report.resource_quota) add_quotas(total, *report.resource_quota);
  if (!report.in_flight) return;
  if (!total.in_flight) total.in_flight.emplace();
  for (const auto kind : {&InFlightReport::read_only, &InFlightReport::mutating}) {
    InFlightReport::Kind& sum = (*total.in_flight).*kind;
    const InFlightReport::Kind& part = (*report.in_flight).*kind;
    sum.requests += part.requests;
    sum.refused += part.refused;
    sum.uncounted += part.uncounted;
  }
}

// The same flow on several servers is one.
void add_flows(ReplayReport& total, const std::vector<ReplayReport>& servers, int top) {
  std::map<std::tuple<std::string, std::string, std::string>, FlowReport> flows;
  for (const ReplayReport& report : servers) {
    for (const FlowReport& flow : report.all_flows) {
      if (flow.tally.requests == 0) continue;
      FlowReport& sum = flows[{flow.flow_schema, flow.priority_level, flow.distinguisher}];
      if (sum.tally.requests == 0) sum = flow;
      else merge(sum.tally, flow.tally);
    }
  }
  std::vector<FlowReport> list;
  for (auto& [name, flow] : flows) list.push_back(std::move(flow));
  total.flows = list.size();
  total.waited_most = waited_most(list, top);
  total.refused_most = refused_most(list, top);
  total.widest = widest(list, top);
  total.all_flows = std::move(list);
}

// What the logs of some servers leave open: those with recorded ends, and the reports of all others.
void add_undecided(ReplayReport& total, const std::vector<ReplayReport>& servers, int top) {
  UndecidedReport sum;
  std::vector<ReplayReport> others;
  bool any = false;
  for (const ReplayReport& report : servers) {
    const bool has_other = report.undecided && !report.others.empty();
    others.push_back(has_other ? report.others.front() : report);
    if (!has_other) continue;
    any = true;
    sum.waited += report.undecided->waited;
    sum.refused += report.undecided->refused;
    sum.unknown += report.undecided->unknown;
  }
  if (!any) return;
  for (ReplayReport& other : others) other.undecided.reset();
  total.undecided = sum;
  total.others.push_back(sum_of(others, top));
}

}  // namespace

ReplayReport sum_of(std::vector<ReplayReport>& servers, int top) {
  ReplayReport total;
  count_conflicts_between(servers);
  add_undecided(total, servers, top);
  total.summed = servers.size();
  for (const ReplayReport& report : servers) {
    total.version = report.version;
    add_input(total, report);
    merge(total.total, report.total);
    add_levels(total, report);
    add_stages(total, report);
    add_agreement(total, report);
  }
  sort_stably(total.levels, [](const LevelReport& a, const LevelReport& b) { return a.name < b.name; });
  sort_stably(total.schemas, [](const SchemaReport& a, const SchemaReport& b) {
    return std::tie(a.matching_precedence, a.name) < std::tie(b.matching_precedence, b.name);
  });
  add_flows(total, servers, top);
  return total;
}

ServersReport replay_servers(const std::vector<ReplayOptions>& options, int threads) {
  ServersReport out;
  if (options.empty()) return out;
  if (threads <= 0) threads = processors();
  const int at_once = std::min(threads, static_cast<int>(options.size()));
  QuotaRounds rounds(options);
  Runs runs(options, rounds, threads, at_once);
  std::vector<OutputFile> decisions = open_all(options.front().decisions_path, options.size());
  std::vector<OutputFile> timelines = open_all(options.front().timeline_path, options.size());
  runs.open(decisions, timelines);
  for (bool again = true; again;) {
    runs.begin();
    {
      ThreadGroup others(at_once - 1, [&] { runs.work(); });
      runs.work();
    }
    out.servers = runs.take();
    again = rounds.again(out.servers);
    if (again) begin_again(decisions, timelines);
  }
  const bool interrupted =
      std::any_of(out.servers.begin(), out.servers.end(), [](const auto& r) { return r.interrupted; });
  if (!interrupted) {  // a part must not replace a whole file
    commit_all(decisions);
    commit_all(timelines);
  }
  for (ReplayReport& server : out.servers) finish_lists(server, options.front().top, true);
  keep_entries_unused_by_all(out.servers);
  out.total = sum_of(out.servers, options.front().top);
  finish_lists(out.total, options.front().top, options.front().all_flows);
  for (std::size_t i = 0; i < out.servers.size(); ++i) warn_of_contradiction(options[i], out.servers[i]);
  warn_of_contradiction(options.front(), out.total);
  if (differs_from_log(options.front()))  // each was held against its own log
    for (const ReplayReport& server : out.servers)
      std::copy_if(server.warnings.begin(), server.warnings.end(), std::back_inserter(out.total.warnings),
                   is_of_contradiction);
  if (!options.front().all_flows)
    for (ReplayReport& server : out.servers) server.all_flows.clear();
  return out;
}

}  // namespace apf
