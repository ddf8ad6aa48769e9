#include "report/sweep_words.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/core.h>

#include "base/sort_stably.h"
#include "report/doubts.h"
#include "report/outcome_columns.h"
#include "report/preset_seats.h"
#include "report/stages.h"
#include "report/units.h"

namespace apf {

namespace {

bool has_flags(const SweepReport& report) {
  return std::any_of(report.combinations.begin(), report.combinations.end(),
                     [&](const SweepReport::Combination& c) { return c.flags != report.combinations.front().flags; });
}

// One configuration with several sets of flags needs no column.
bool has_configurations(const SweepReport& report) {
  return !has_flags(report) ||
         std::any_of(report.combinations.begin(), report.combinations.end(), [&](const SweepReport::Combination& c) {
           return c.configuration != report.combinations.front().configuration;
         });
}

std::string name_of(std::size_t combination, const SweepReport& report) {
  const SweepReport::Combination& of = report.combinations[combination];
  return "\"" + of.configuration + (has_flags(report) ? "\" with \"" + of.flags : std::string()) + "\"";
}

Range<std::uint64_t> rejected_of(const SweepResult& result) { return versions_of(result.totals).range(refused_of); }
Range<Nanos> p99_of(const SweepResult& result) {
  return versions_of(result.totals).range([](const RequestTally& tally) { return wait_of(tally, 0.99); });
}
std::string p99_text(const SweepResult& result) { return wait_text(versions_of(result.totals), 0.99); }

// Flags may scale the load.
double refused_part(const SweepResult& result) {
  const RequestTally& first = result.totals.front();
  return first.requests == 0 ? 0 : static_cast<double>(first.rejected()) / static_cast<double>(first.requests);
}

std::string refused_text(const SweepResult& result) {
  return rejected_of(result).high == 0 ? "none" : count_text(rejected_of(result));
}

// The first fares better in all of its replays than the other in any.
bool are_apart(const SweepResult& better, const SweepResult& worse) {
  const Range<std::uint64_t> a = rejected_of(better), b = rejected_of(worse);
  if (a.high < b.low) return true;
  return a.decided() && b.decided() && a.value == b.value && p99_of(better).high < p99_of(worse).low;
}

bool suffers(const std::vector<RequestTally>& tallies) {
  return std::any_of(tallies.begin(), tallies.end(),
                     [](const RequestTally& tally) { return tally.rejected() > 0 || wait_of(tally, 0.99) > 0; });
}

void add_names(const SweepReport& report, Table& table) {
  if (has_configurations(report)) table.left("CONFIGURATION", 14);
  if (has_flags(report)) table.left("FLAGS", 10);
}

void add_names(std::size_t combination, const SweepReport& report, std::vector<Table::Cell>& row) {
  const SweepReport::Combination& of = report.combinations[combination];
  if (has_configurations(report)) row.push_back({printable(of.configuration), Tone::strong, {}, true});
  if (has_flags(report)) row.push_back({printable(of.flags), Tone::plain, {}, true});
}

// Refusals that have a column where there are any: those inside the handler, and clients that left. The others follow
// from the configuration, and are one.
std::vector<std::string_view> own_columns(const SweepReport& report) {
  std::vector<std::string_view> out;
  for (const OutcomeRow& row : refusals()) {
    const std::string_view heading = row.heading;
    const auto has_any = [&](const SweepResult& result) {
      return versions_of(result.totals).any([&](const RequestTally& t) { return t.outcomes[row.outcome] > 0; });
    };
    if (row.always || heading.empty() || std::find(out.begin(), out.end(), heading) != out.end()) continue;
    if (std::any_of(report.results.begin(), report.results.end(), has_any)) out.push_back(heading);
  }
  return out;
}

void add_figures(Table& table, const std::vector<std::string_view>& columns) {
  table.right("REQUESTS").drop(4).right("REFUSED").right("PART").drop(3);
  for (const std::string_view column : columns) table.right(std::string(column)).drop(1);
  table.right("P50 WAIT").drop(2).right("P99 WAIT").right("MAX WAIT").drop(5);
}

void add_figures(const std::vector<RequestTally>& tallies, const std::vector<std::string_view>& columns,
                 std::vector<Table::Cell>& row) {
  const TallyVersions tally = versions_of(tallies);
  const auto rejected = tally.range(refused_of);
  row.push_back({count_text(tally.range([](const RequestTally& t) { return t.requests; })), Tone::plain, {}});
  row.push_back({count_text(rejected), rejected.high > 0 ? Tone::bad : Tone::plain, {}});
  row.push_back({refused_share(tally), Tone::plain, {}});
  for (const std::string_view column : columns) row.push_back(count_cell(refused_for(tally, column), Tone::bad));
  for (const double quantile : {0.5, 0.99, 1.0}) row.push_back({wait_text(tally, quantile), Tone::plain, {}});
}

std::string replays_text(const SweepShare& share, const SweepReport& report) {
  const std::uint64_t of_log = std::max<std::uint64_t>(1, report.combinations.size() * report.seeds.size());
  const std::uint64_t first = share.first / of_log + 1, last = (share.end - 1) / of_log + 1;
  return fmt::format("{} of {}", counted(share.end - share.first, "replay", "replays"),
                     first == last ? fmt::format("log {}", first) : fmt::format("logs {} to {}", first, last));
}

}  // namespace

TallyVersions versions_of(const std::vector<RequestTally>& tallies) {
  TallyVersions out(tallies.front());
  for (std::size_t i = 1; i < tallies.size(); ++i) out.add(tallies[i]);
  return out;
}

Versions<SweepStages> versions_of(const std::vector<SweepStages>& stages) {
  Versions<SweepStages> out(stages.front());
  for (std::size_t i = 1; i < stages.size(); ++i) out.add(stages[i]);
  return out;
}

Versions<StageReport> versions_of(const std::vector<SweepStages>& stages, std::size_t stage) {
  Versions<StageReport> out(stages.front().stages[stage]);
  for (std::size_t i = 1; i < stages.size(); ++i) out.add(stages[i].stages.at(stage));
  return out;
}

namespace {

constexpr std::size_t kMostLoads = 4;  // that the verdict names

// Of one of several servers that differ by their seats alone.
bool is_sized(const SweepResult& result, const SweepReport& report) {
  return report.combinations[result.combination].seats > 0;
}

// Results of the same load together, the best first; loads in the order of the plan. Without servers of several sizes,
// of which the largest is always the best.
std::vector<std::vector<const SweepResult*>> by_load(const SweepReport& report) {
  std::vector<std::vector<const SweepResult*>> out;
  const auto load_of = [&](const SweepResult& result) -> const std::string& {
    return report.combinations[result.combination].load;
  };
  for (const SweepResult& result : report.results) {
    if (is_sized(result, report)) continue;
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const auto& of) { return load_of(*of.front()) == load_of(result); });
    (same == out.end() ? out.emplace_back() : *same).push_back(&result);
  }
  for (std::vector<const SweepResult*>& results : out)
    sort_stably(results, [](const SweepResult* a, const SweepResult* b) {
      return std::tuple(refused_part(*a), p99_of(*a).value) < std::tuple(refused_part(*b), p99_of(*b).value);
    });
  return out;
}

std::string load_verdict(const std::vector<const SweepResult*>& order, bool is_one_of_several,
                         const SweepReport& report) {
  const SweepResult& best = *order.front();
  const std::string& load = report.combinations[best.combination].load;
  const std::string at = !is_one_of_several ? std::string()
                         : load.empty()     ? "At the load of the logs, "
                                            : "At " + load + ", ";
  const auto requests = versions_of(best.totals).range([](const RequestTally& t) { return t.requests; });
  const std::string name = at + name_of(best.combination, report);
  const std::string refused = refused_text(best) + " of " + count_text(requests) + " requests";
  if (order.size() == 1)
    return fmt::format("{} refuses {}; the p99 of their waits is {}.", name, refused, p99_text(best));
  const SweepResult& next = *order[1];
  return fmt::format("{} works best: it refuses {}, p99 wait {}. {} {}: {}, {}.", name, refused, p99_text(best),
                     are_apart(best, next) ? "Next is" : "No more than chance apart is",
                     name_of(next.combination, report), refused_text(next), p99_text(next));
}

// Of each configuration with each of the sets of flags that are of several sizes: in the order of the plan, which has
// the smallest first.
std::vector<std::vector<const SweepResult*>> by_size(const SweepReport& report) {
  std::vector<std::vector<const SweepResult*>> out;
  for (const SweepResult& result : report.results) {
    if (!is_sized(result, report)) continue;
    const auto is_of = [&](const std::vector<const SweepResult*>& sizes) {
      const SweepReport::Combination &a = report.combinations[sizes.front()->combination],
                                     &b = report.combinations[result.combination];
      return a.configuration == b.configuration && a.sizes_of == b.sizes_of;
    };
    const auto same = std::find_if(out.begin(), out.end(), is_of);
    (same == out.end() ? out.emplace_back() : *same).push_back(&result);
  }
  return out;
}

// The smallest from which on nothing is refused.
void judge_sizes(const std::vector<const SweepResult*>& sizes, bool alone, const SweepReport& report,
                 Verdict& verdict) {
  const auto refuses = [](const SweepResult* result) { return rejected_of(*result).high > 0; };
  const auto last = std::find_if(sizes.rbegin(), sizes.rend(), refuses);  // the largest that refuses
  const auto enough = last.base();
  const auto seats_of = [&](const SweepResult* result) {
    return seats_in_words(report.combinations[result->combination].seats);
  };
  const SweepReport::Combination& of = report.combinations[sizes.front()->combination];
  const std::string name = fmt::format("\"{}\" with \"{}\"", of.configuration, of.sizes_of);
  if (!verdict.what.empty()) verdict.what += ' ';
  if (enough == sizes.end()) {
    verdict.tone = Tone::bad;
    verdict.what += fmt::format("{} needs more than {}, the most that were tried: it refuses {}.", name,
                                seats_of(sizes.back()), refused_text(*sizes.back()));
    return;
  }
  verdict.what += fmt::format("{}: {} {} with which nothing is refused, p99 wait {}.", name, seats_of(*enough),
                              enough == sizes.begin() ? "or fewer are enough; they are the fewest that were tried,"
                                                      : "are the fewest of those tried",
                              p99_text(**enough));
  if (last != sizes.rend())
    verdict.what += fmt::format(" With {}, {} {} refused.", seats_of(*last), refused_text(**last),
                                rejected_of(**last).high == 1 ? "is" : "are");
  if (alone && doubts_of(report).empty())
    if (const std::string presets = presets_with(report.combinations[(*enough)->combination].seats); !presets.empty())
      verdict.what += ' ' + presets;
}

}  // namespace

Verdict verdict_of(const SweepReport& report) {
  if (report.results.empty()) return {Tone::bad, "No log has all of its replays: no combination can be compared."};
  if (report.requests == 0) return {Tone::bad, "No log has a request: nothing can be said."};
  // What refuses less of a smaller load is not better for it.
  const std::vector<std::vector<const SweepResult*>> loads = by_load(report);
  Verdict out{doubts_of(report).empty() ? Tone::good : Tone::caution, ""};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const SweepResult& best = *loads[i].front();
    if (rejected_of(best).high > 0) out.tone = Tone::caution;
    if (i < kMostLoads) out.what += (i == 0 ? "" : " ") + load_verdict(loads[i], loads.size() > 1, report);
  }
  const std::vector<std::vector<const SweepResult*>> sized = by_size(report);
  for (const std::vector<const SweepResult*>& sizes : sized) judge_sizes(sizes, sized.size() == 1, report, out);
  if (loads.size() > kMostLoads)
    out.what += fmt::format(" The table has {}.", counted(loads.size() - kMostLoads, "more load", "more loads"));
  return out;
}

namespace {

constexpr std::size_t kMostSaid = 10;

bool is_repeated(const Remark& remark) { return remark.kind == RemarkKind::duplicate_events; }

std::string doubtful_sentence(const SweepReport::DoubtfulLog& log) {
  std::string why;
  for (const Remark& remark : log.warnings)
    if (!is_repeated(remark) && !is_doubt(remark)) why += " " + render_text(remark);
  const std::string name = "Log " + log.name;
  return log.requests == 0 ? name + " has no requests." + why : name + ":" + why;
}

bool is_not_whole(const SweepReport::DoubtfulLog& log) {
  const auto said_elsewhere = [](const Remark& remark) { return is_repeated(remark) || is_doubt(remark); };
  return log.requests == 0 || !std::all_of(log.warnings.begin(), log.warnings.end(), said_elsewhere);
}

// Of all logs together: rotated files often overlap. Empty: there are none.
std::string repeated_sentence(const SweepReport& report) {
  constexpr std::size_t kMostNamed = 3;
  std::string names;
  std::uint64_t events = 0, logs = 0;
  for (const SweepReport::DoubtfulLog& log : report.doubtful) {
    const auto repeated = std::find_if(log.warnings.begin(), log.warnings.end(), is_repeated);
    if (repeated == log.warnings.end()) continue;
    events += repeated->count.value_or(0);
    if (++logs <= kMostNamed) names += (logs > 1 ? ", " : "") + log.name;
  }
  if (logs == 0) return "";
  if (logs > kMostNamed) names += fmt::format(" and {} more", grouped(logs - kMostNamed));
  return fmt::format("{} in {} log a second time, with the same audit ID and arrival: {} once ({} {}).",
                     events == 1 ? "1 event is" : grouped(events) + " events are", logs == 1 ? "the" : "their",
                     events == 1 ? "it counts" : "they count", logs == 1 ? "log" : "logs", names);
}

std::string unused_sentence(const SweepReport::UnusedEntry& entry, const SweepReport& report) {
  return (has_flags(report) ? "Flags \"" + entry.flags + "\": " : std::string()) + render_text(entry.remark);
}

}  // namespace

std::vector<std::string> doubts_of(const SweepReport& report) {
  std::vector<std::string> out;
  std::size_t more = 0;
  for (const SweepReport::DoubtfulLog& log : report.doubtful) {
    std::string why;
    for (const std::string& sentence : sentences_of_doubt(log.warnings, log.warnings)) why += " " + sentence;
    if (why.empty()) continue;
    if (out.size() < kMostSaid) out.push_back("Log " + log.name + ":" + why);
    else ++more;
  }
  if (more > 0) out.push_back(fmt::format("{} more such logs: -o json has all of them.", grouped(more)));
  return out;
}

std::vector<std::string> warnings_of(const SweepReport& report) {
  std::vector<std::string> out;
  const auto add = [&](const auto& list, const char* what, const auto& sentence_of) {
    for (std::size_t i = 0; i < list.size() && i < kMostSaid; ++i) out.push_back(sentence_of(list[i]));
    if (list.size() > kMostSaid)
      out.push_back(fmt::format("{} more {}: -o json has all of them.", grouped(list.size() - kMostSaid), what));
  };
  std::vector<SweepReport::DoubtfulLog> parts;
  std::copy_if(report.doubtful.begin(), report.doubtful.end(), std::back_inserter(parts), is_not_whole);
  add(parts, "logs that are incomplete or have no requests", doubtful_sentence);
  add(report.unused, "entries of flags that match no client",
      [&](const SweepReport::UnusedEntry& entry) { return unused_sentence(entry, report); });
  if (std::string repeated = repeated_sentence(report); !repeated.empty()) out.push_back(std::move(repeated));
  return out;
}

std::string missing_sentence(const SweepReport& report) {
  const std::uint64_t missing = report.replays - report.replayed;
  if (missing == 0) return "";
  return fmt::format("{} of {} are missing: the figures are of the {} of {} that are complete.", grouped(missing),
                     counted(report.replays, "replay", "replays"), counted(report.complete_logs, "log", "logs"),
                     grouped(report.logs));
}

std::vector<std::string> missing_tasks(const SweepReport& report) {
  std::vector<std::string> out;
  for (const SweepMissing& missing : report.missing) {
    std::string text = missing.task.number > 0 ? fmt::format("task {} of {}", missing.task.number, missing.task.of)
                                               : std::string("a task that is not known, or is there twice");
    if (missing.share.end > missing.share.first) text += " (" + replays_text(missing.share, report) + ")";
    out.push_back(text + ": " + (missing.file.empty() ? "" : missing.file + ": ") + missing.because);
  }
  return out;
}

Table combinations_table(const SweepReport& report) {
  Table table;
  add_names(report, table);
  const std::vector<std::string_view> columns = own_columns(report);
  add_figures(table, columns);
  for (const SweepResult& result : report.results) {
    std::vector<Table::Cell> row;
    add_names(result.combination, report, row);
    add_figures(result.totals, columns, row);
    table.row(std::move(row));
  }
  return table;
}

Table levels_table(const SweepReport& report) {
  Table table;
  table.left("LEVEL", 12);
  add_names(report, table);
  const std::vector<std::string_view> columns = own_columns(report);
  add_figures(table, columns);
  std::vector<std::string> names;
  for (const SweepResult& result : report.results)
    for (const SweepResult::Level& level : result.levels)
      if (suffers(level.tallies)) names.push_back(level.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    for (const SweepResult& result : report.results) {
      const auto level = std::find_if(result.levels.begin(), result.levels.end(),
                                      [&](const SweepResult::Level& l) { return l.name == name; });
      if (level == result.levels.end()) continue;
      std::vector<Table::Cell> row = {{printable(name), Tone::plain, {}, true}};
      add_names(result.combination, report, row);
      add_figures(level->tallies, columns, row);
      table.row(std::move(row));
    }
  }
  return table;
}

Table worst_table(const SweepReport& report) {
  Table table;
  table.left("LOG", 12);
  add_names(report, table);
  const std::vector<std::string_view> columns = own_columns(report);
  add_figures(table, columns);
  if (report.logs < 2) return table;
  for (const SweepWorst& worst : report.worst) {
    std::vector<Table::Cell> row = {{printable(worst.log), Tone::plain, {}, true}};
    add_names(worst.combination, report, row);
    add_figures(worst.totals, columns, row);
    table.row(std::move(row));
  }
  return table;
}

Table stages_table(const SweepReport& report) {
  using Of = const StageReport&;
  Table table;
  table.left("STAGE", 12);
  add_names(report, table);
  table.right("SEEN").drop(2).right("DELAYED").right("P50").drop(3).right("P99").right("MAX").drop(4).right("REFUSED");
  table.left("WHY").drop(1);
  for (const SweepResult& result : report.results) {
    for (std::size_t i = 0; i < result.stages.front().stages.size(); ++i) {
      const Versions<StageReport> stage = versions_of(result.stages, i);
      std::vector<Table::Cell> row = {{to_string(stage.value().stage), Tone::strong, {}}};
      add_names(result.combination, report, row);
      row.push_back(count_cell(stage.range([](Of s) { return s.seen(); }), Tone::plain));
      row.push_back(count_cell(stage.range([](Of s) { return s.delayed; }), Tone::caution));
      for (const double quantile : {0.5, 0.99, 1.0}) row.push_back(delay_cell(stage, quantile));
      row.push_back(count_cell(stage.range([](Of s) { return s.refused; }), Tone::bad));
      row.push_back({reasons_text(stage), Tone::plain, {}});
      table.row(std::move(row));
    }
  }
  return table;
}

Table retries_table(const SweepReport& report) {
  Table table;
  add_names(report, table);
  table.right("RETRIES").right("AFTER THE LOG").right("GAVE UP");
  for (const SweepResult& result : report.results) {
    const Versions<SweepStages> stages = versions_of(result.stages);
    if (!stages.any([](const SweepStages& s) { return s.retries > 0; })) continue;
    std::vector<Table::Cell> row;
    add_names(result.combination, report, row);
    for (const auto member : {&SweepStages::retries, &SweepStages::retries_beyond_log, &SweepStages::gave_up})
      row.push_back(count_cell(stages.range([=](const SweepStages& s) { return s.*member; }), Tone::plain));
    table.row(std::move(row));
  }
  return table;
}

namespace {

std::uint64_t with_undecidable(const SweepReport& report) {
  std::uint64_t count = 0;
  for (const SweepResult& result : report.results)
    count += versions_of(result.stages).any([](const SweepStages& s) {
      return s.undecidable_events + s.undecidable_quotas > 0;
    })
                 ? 1
                 : 0;
  return count;
}

bool has_quotas(const SweepReport& report) {
  const auto is_quota = [](const StageReport& stage) { return stage.stage == AdmissionStage::resource_quota; };
  return std::any_of(report.results.begin(), report.results.end(), [&](const SweepResult& result) {
    const std::vector<StageReport>& stages = result.stages.front().stages;
    return std::any_of(stages.begin(), stages.end(), is_quota);
  });
}

}  // namespace

namespace {

bool has_fewer_or_more(const SweepReport& report) {
  return std::any_of(report.results.begin(), report.results.end(), [&](const SweepResult& result) {
    return versions_of(result.totals).any([&](const RequestTally& t) { return t.requests != report.requests; });
  });
}

constexpr const char* kRequestsDiffer =
    "The replays count more requests than the logs have where the load is scaled, and fewer or more where clients "
    "wait, "
    "hang up or come back, or a replay leaves requests out.";

}  // namespace

std::vector<std::string> explanations_of(const SweepReport& report) {
  std::vector<std::string> out;
  std::string what = fmt::format("{} with {}, {}", counted(report.complete_logs, "log", "logs"),
                                 counted(report.requests, "request", "requests"), human_bytes(report.bytes));
  what += fmt::format("; {} of each.", counted(report.combinations.size() * report.seeds.size(), "replay", "replays"));
  if (report.complete_logs > 0) out.push_back(what);
  if (by_load(report).size() > 1)
    out.push_back("Sets of flags that scale the load otherwise are not compared with each other.");
  if (has_fewer_or_more(report)) out.push_back(kRequestsDiffer);
  if (report.seeds.size() > 1 && report.complete_logs > 0)
    out.push_back(
        fmt::format("A range is from the least to the most of {}.", counted(report.seeds.size(), "seed", "seeds")));
  if (report.undecided > 0)
    out.push_back(fmt::format(
        "{} {} how long requests waited in queues: their ranges also cover this uncertainty. Name the configuration "
        "that the servers ran (recorded), if the plan has it.",
        counted(report.undecided, "log", "logs"), report.undecided == 1 ? "does not record" : "do not record"));
  if (report.clients_open > 0)
    out.push_back(fmt::format("{} {} it open whether clients wait for answers: ranges cover both.",
                              counted(report.clients_open, "log", "logs"),
                              report.clients_open == 1 ? "leaves" : "leave"));
  if (const std::uint64_t open = with_undecidable(report); open > 0)
    out.push_back(fmt::format(
        "In {} of {}, the log lacks values that a limit or a quota checks; it does not refuse these requests, and "
        "apfctl replay shows details.",
        grouped(open), counted(report.results.size(), "combination", "combinations")));
  const auto unknown = std::count_if(report.results.begin(), report.results.end(), [](const SweepResult& result) {
    return result.stages.front().lists_of_unknown_bytes > 0;
  });
  if (unknown > 0)
    out.push_back(fmt::format(
        "In {} of {}, nothing says how many bytes some of the lists return: these take as many seats as the release "
        "estimates.",
        unknown, counted(report.results.size(), "combination", "combinations")));
  if (report.logs > 1 && has_quotas(report))
    out.push_back(
        "Quotas are used by each log alone, as if its server were the only one of its cluster: apfctl replay --server "
        "replays servers that share them.");
  if (report.unusable > 0)
    out.push_back(fmt::format("{} of {} cannot be used; apfctl replay says why.",
                              counted(report.unusable, "line", "lines"), counted(report.unusable_in, "log", "logs")));
  return out;
}

}  // namespace apf
