// apf::compare(): what two sides of a comparison differ in, beyond chance.
#include <apf/compare.h>
#include <apf/error.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <tuple>
#include <utility>

#include "base/identities.h"
#include "base/parallel.h"
#include "base/sort_stably.h"
#include "replay/books/tally.h"
#include "replay/books/worst_case.h"
#include "replay/engine/run_options.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/harm.h"
#include "replay/passes/servers.h"
#include "replay/passes/sides.h"

namespace apf {

namespace {

using What = ComparedChange::What;
using Metric = ComparedChange::Metric;
using Verdict = ComparedChange::Verdict;

// Waits that differ by less are no difference: arrivals are moved by as much.
constexpr double kLeastWaitGap = static_cast<double>(kMillisecond);

void merge(Subjects& into, const Subjects& subjects) {
  for (const auto& [key, tally] : subjects) merge(into[key], tally);
}

// Replay by replay; a server without others has the same instead.
void merge_runs(std::vector<Subjects>& into, const std::vector<Subjects>& runs) {
  if (into.size() < runs.size()) into.resize(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) merge(into[i], runs[i]);
}

void add_once(const Remark& remark, std::vector<Remark>& to) {
  if (std::find(to.begin(), to.end(), remark) == to.end()) to.push_back(remark);
}

SideReplay sum_of_side(std::vector<SidesReplay>& servers, SideReplay& (*side_of)(SidesReplay&, std::size_t),
                       std::size_t number, const ReplayOptions& options) {
  SideReplay out;
  std::vector<ReplayReport> reports;
  bool any_others = false;
  for (SidesReplay& server : servers) any_others = any_others || !side_of(server, number).others.empty();
  for (SidesReplay& server : servers) {
    SideReplay& side = side_of(server, number);
    merge_runs(out.runs, side.runs);
    merge_runs(out.same_phase, side.same_phase);
    if (any_others) merge_runs(out.others, side.others.empty() ? side.runs : side.others);
    out.moved.insert(out.moved.end(), side.moved.begin(), side.moved.end());
    reports.push_back(std::move(side.report));
  }
  keep_entries_unused_by_all(reports);
  std::vector<ReplayReport> others;
  for (const ReplayReport& report : reports) others.push_back(report.others.empty() ? report : report.others.front());
  out.report = sum_of(reports, options.top);
  if (any_others) out.report.others.push_back(sum_of(others, options.top));
  finish_lists(out.report, options.top, options.all_flows);
  if (!options.all_flows)
    for (ReplayReport& report : reports) report.all_flows.clear();
  for (const ReplayReport& report : reports) {
    for (const auto list : {&ReplayReport::assumptions, &ReplayReport::warnings, &ReplayReport::incomplete})
      for (const Remark& remark : report.*list) add_once(remark, out.report.*list);
  }
  if (options.metrics || options.series || !options.dump_at.empty()) out.servers = std::move(reports);
  return out;
}

double read(const RequestTally& tally, Metric metric) {
  switch (metric) {
    case Metric::rejected:
      return static_cast<double>(tally.rejected() - tally.outcomes[Outcome::gave_up]);
    case Metric::hung_up:
      return static_cast<double>(tally.outcomes[Outcome::gave_up]);
    case Metric::mean_wait:
      return tally.wait.mean();
    case Metric::p99_wait:
      return static_cast<double>(tally.wait.quantile(0.99));
  }
  return 0;
}

const RequestTally* find(const Subjects& subjects, const Subjects::key_type& key) {
  const auto at = subjects.find(key);
  return at == subjects.end() ? nullptr : &at->second;
}

bool is_of_requests(Metric metric) { return metric == Metric::rejected || metric == Metric::hung_up; }

// Refusals as a part of the requests, which may be others on the other side.
double weighed(const RequestTally& tally, Metric metric) {
  const double value = read(tally, metric);
  return is_of_requests(metric) && tally.requests > 0 ? value / static_cast<double>(tally.requests) : value;
}

// A figure in all replays of a side, of which the first has requests.
ComparedFigure measure(const SideReplay& side, const Subjects::key_type& key, Metric metric) {
  const RequestTally& first = side.runs.front().at(key);
  ComparedFigure out;
  out.requests = first.requests;
  out.value = out.low = out.high = out.least = out.most = read(first, metric);
  const auto add = [&](const Subjects& subjects, bool decides) {
    const RequestTally* tally = find(subjects, key);
    if (!tally) return;
    const double value = read(*tally, metric);
    out.least = std::min(out.least, value);
    out.most = std::max(out.most, value);
    if (!decides) return;
    out.low = std::min(out.low, value);
    out.high = std::max(out.high, value);
  };
  for (const Subjects& subjects : side.runs) add(subjects, false);
  for (const Subjects& subjects : side.others) add(subjects, &subjects == &side.others.front());
  return out;
}

// What replays of OLD and NEW that share seed, phase and assumption differ in: the first is of the recorded phase.
struct Differences {
  std::vector<double> all, in_phase;  // in_phase: empty unless the log shows the phase
};
Differences differences(const SideReplay& old_side, const SideReplay& new_side, const Subjects::key_type& key,
                        Metric metric) {
  Differences out;
  const auto add = [&](const std::vector<Subjects>& before, const std::vector<Subjects>& after,
                       std::vector<double>& to) {
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      const RequestTally *a = find(before[i], key), *b = find(after[i], key);
      if (a && b && a->requests > 0 && b->requests > 0) to.push_back(weighed(*b, metric) - weighed(*a, metric));
    }
  };
  add(old_side.runs, new_side.runs, out.all);
  if (!old_side.same_phase.empty() && !out.all.empty()) {
    out.in_phase = {out.all.front()};
    add(old_side.same_phase, new_side.same_phase, out.in_phase);
  }
  if (!old_side.others.empty() || !new_side.others.empty())
    add(old_side.others.empty() ? old_side.runs : old_side.others,
        new_side.others.empty() ? new_side.runs : new_side.others, out.all);
  return out;
}

bool is_protected_subject(const Subjects::key_type& key, const ReplayReport& report) {
  if (key.first == What::level) return is_protected_level(key.second);
  if (key.first == What::flow) return is_control_plane(key.second);
  if (key.first != What::flow_schema) return false;
  const auto schema = std::find_if(report.schemas.begin(), report.schemas.end(),
                                   [&](const SchemaReport& s) { return s.name == key.second; });
  return schema != report.schemas.end() && is_protected_level(schema->priority_level);
}

// A difference is one where it is in all pairs, or beyond their scatter: of the phase of the log, if that is known.
// Refusals of a protected client that had none are one in any case.
void judge(ComparedChange& change, const Differences& pairs, bool has_spread) {
  int sign = paired_difference(pairs.in_phase.empty() ? pairs.all : pairs.in_phase,
                               has_spread && !is_of_requests(change.metric) ? kLeastWaitGap : 0);
  if (change.is_protected && change.metric == Metric::rejected && change.old_figure.most <= 0 &&
      change.new_figure.most > 0)
    sign = 1;
  change.pairs = static_cast<int>(pairs.all.size());
  change.pairs_alike = static_cast<int>(std::count_if(pairs.all.begin(), pairs.all.end(),
                                                      [&](double d) { return sign > 0 ? d > 0 : sign < 0 && d < 0; }));
  change.beyond_chance = sign != 0;
  if (sign != 0) change.verdict = sign > 0 ? Verdict::worse : Verdict::better;
}

void compare_sides(const SideReplay& old_side, const SideReplay& new_side, std::size_t number, bool has_spread,
                   std::vector<ComparedChange>& out) {
  for (const auto& [key, tally] : old_side.runs.front()) {
    const RequestTally* other = find(new_side.runs.front(), key);
    if (!other || tally.requests == 0 || other->requests == 0) continue;  // of one side alone: nothing to compare
    for (const Metric metric : {Metric::rejected, Metric::hung_up, Metric::mean_wait, Metric::p99_wait}) {
      const Differences pairs = differences(old_side, new_side, key, metric);
      if (std::all_of(pairs.all.begin(), pairs.all.end(), [](double difference) { return difference == 0; })) continue;
      ComparedChange change;
      change.what = key.first;
      change.name = key.second;
      change.new_side = number;
      change.metric = metric;
      change.old_figure = measure(old_side, key, metric);
      change.new_figure = measure(new_side, key, metric);
      change.is_protected = is_protected_subject(key, old_side.report);
      judge(change, pairs, has_spread);
      out.push_back(std::move(change));
    }
  }
}

std::uint64_t flows_of_both(const Subjects& a, const Subjects& b) {
  const auto is_in_both = [&](const auto& subject) {
    const RequestTally* other = find(b, subject.first);
    return subject.first.first == What::flow && subject.second.requests > 0 && other && other->requests > 0;
  };
  return static_cast<std::uint64_t>(std::count_if(a.begin(), a.end(), is_in_both));
}

void add_moves(const SideReplay& side, std::size_t number, std::vector<ComparedMove>& out) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::map<std::string, std::uint64_t>> moves;
  for (const MovedFlow& flow : side.moved)
    moves[{flow.from_schema, flow.from_level, flow.to_schema, flow.to_level}][flow.distinguisher] += flow.requests;
  for (const auto& [key, flows] : moves) {
    ComparedMove& move = out.emplace_back();
    move.new_side = number;
    std::tie(move.from_schema, move.from_level, move.to_schema, move.to_level) = key;
    move.flows = flows.size();
    std::uint64_t most = 0;
    for (const auto& [distinguisher, requests] : flows) {
      move.requests += requests;
      if (requests <= most) continue;
      most = requests;
      move.flow = distinguisher;
    }
  }
}

CompareReport compared(SidesReplay& sides, const ReplayOptions& old_side, int spread) {
  CompareReport out;
  out.spread = spread;
  out.top = old_side.top;
  if (!sides.old_side.servers.empty()) out.by_server.push_back(std::move(sides.old_side.servers));
  for (std::size_t i = 0; i < sides.new_sides.size(); ++i) {
    compare_sides(sides.old_side, sides.new_sides[i], i, spread > 0, out.changes);
    out.flows.push_back(flows_of_both(sides.old_side.runs.front(), sides.new_sides[i].runs.front()));
    add_moves(sides.new_sides[i], i, out.moved);
    out.new_reports.push_back(std::move(sides.new_sides[i].report));
    if (!sides.new_sides[i].servers.empty()) out.by_server.push_back(std::move(sides.new_sides[i].servers));
  }
  out.old_report = std::move(sides.old_side.report);
  warn_of_contradiction(old_side, out.old_report);
  const auto rank = [](const ComparedChange& change) {
    const std::uint64_t requests = std::max(change.old_figure.requests, change.new_figure.requests);
    return std::tuple(change.verdict != Verdict::worse, change.verdict != Verdict::better, change.what,
                      UINT64_MAX - requests);
  };
  sort_stably(out.changes, [&](const ComparedChange& a, const ComparedChange& b) { return rank(a) < rank(b); });
  sort_stably(out.moved, [](const ComparedMove& a, const ComparedMove& b) { return a.requests > b.requests; });
  return out;
}

void check(const CompareOptions& options) {
  if (options.new_sides.empty()) throw Error("there is nothing to compare with: NEW is missing");
}

// A load that is not the log's decides nothing where the log contradicts the replay of its own.
SidesReplay held_against_log(SidesReplay sides, const ReplayOptions& old_side) {
  if (!differs_from_log(old_side) || sides.old_side.report.interrupted) return sides;
  check_can_be_read_again(old_side, "a replay of another load than the log's");
  hold_against_log(old_side, sides.old_side.report, [](const ReplayOptions& own) { return replay(own); });
  return sides;
}

// The replays of all servers, taken in order by whoever is free.
std::vector<SidesReplay> replay_all(const std::vector<CompareOptions>& servers, int threads,
                                    std::vector<SideFiles>& files) {
  const int count = static_cast<int>(servers.size());
  const int threads_each = std::max(1, threads / count);
  std::vector<SidesReplay> out(servers.size());
  std::vector<std::exception_ptr> errors(servers.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < servers.size(); i = next++) {
      try {
        CompareOptions own = servers[i];
        const auto adjust = [&](ReplayOptions& side) {
          side.server = servers[i].old_side.server;
          side.threads = threads_each;
          side.all_flows = true;
          if (i > 0) side.progress = nullptr;
        };
        adjust(own.old_side);
        for (ReplayOptions& side : own.new_sides) adjust(side);
        out[i] = held_against_log(replay_sides(own, files[i]), own.old_side);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    ThreadGroup others(std::min(threads, count) - 1, work);
    work();
  }
  for (const std::exception_ptr& error : errors)  // the first server's counts, whichever happened first
    if (error) std::rethrow_exception(error);
  return out;
}

}  // namespace

const char* to_string(What what) {
  constexpr std::array<const char*, 4> kNames = {"level", "flowSchema", "flow", "userAgent"};
  return kNames[static_cast<std::size_t>(what)];
}

const char* to_string(Metric metric) {
  constexpr std::array<const char*, 4> kNames = {"rejected", "hungUp", "meanWaitNs", "p99WaitNs"};
  return kNames[static_cast<std::size_t>(metric)];
}

const char* to_string(Verdict verdict) {
  return verdict == Verdict::better ? "better" : verdict == Verdict::worse ? "worse" : "same";
}

std::uint64_t CompareReport::moved_requests(std::size_t new_side) const {
  std::uint64_t sum = 0;
  for (const ComparedMove& move : moved) sum += move.new_side == new_side ? move.requests : 0;
  return sum;
}

std::uint64_t CompareReport::moved_between_levels(std::size_t new_side) const {
  std::uint64_t sum = 0;
  for (const ComparedMove& move : moved)
    sum += move.new_side == new_side && move.from_level != move.to_level ? move.requests : 0;
  return sum;
}

bool CompareReport::differs(std::size_t new_side) const {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const ComparedChange& change) { return change.new_side == new_side && change.beyond_chance; });
}

CompareReport compare(const CompareOptions& options) {
  check(options);
  SideFiles files(options);
  SidesReplay sides = held_against_log(replay_sides(options, files), options.old_side);
  if (!sides.old_side.report.interrupted) files.commit();  // a part must not replace a whole file
  return compared(sides, options.old_side, options.spread);
}

CompareReport compare_servers(const std::vector<CompareOptions>& servers, int threads) {
  if (servers.empty()) return {};
  check(servers.front());
  std::vector<SideFiles> files;
  files.emplace_back(servers.front());
  while (files.size() < servers.size()) files.push_back(files.front().scratch());
  std::vector<SidesReplay> replays = replay_all(servers, thread_count(threads), files);
  if (std::none_of(replays.begin(), replays.end(),
                   [](const SidesReplay& sides) { return sides.old_side.report.interrupted; })) {
    for (std::size_t i = 1; i < files.size(); ++i) files.front().append(files[i]);
    files.front().commit();
  }
  const ReplayOptions& shared = servers.front().old_side;
  SidesReplay sum;
  sum.old_side = sum_of_side(
      replays, [](SidesReplay& of, std::size_t) -> SideReplay& { return of.old_side; }, 0, shared);
  for (std::size_t i = 0; i < servers.front().new_sides.size(); ++i) {
    sum.new_sides.push_back(sum_of_side(
        replays, [](SidesReplay& of, std::size_t side) -> SideReplay& { return of.new_sides.at(side); }, i, shared));
  }
  CompareReport out = compared(sum, shared, servers.front().spread);
  for (const CompareOptions& server : servers) out.servers.push_back(server.old_side.server);
  return out;
}

}  // namespace apf
