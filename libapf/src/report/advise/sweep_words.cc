#include "report/advise/sweep_words.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "report/core/units.h"
#include "report/replay/doubts.h"
#include "report/replay/outcome_columns.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

// One configuration with several sets of flags needs no column.
bool has_configurations(const SweepReport& report) {
  return !has_flags(report) ||
         std::any_of(report.combinations.begin(), report.combinations.end(), [&](const SweepReport::Combination& c) {
           return c.configuration != report.combinations.front().configuration;
         });
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

bool has_flags(const SweepReport& report) {
  return std::any_of(report.combinations.begin(), report.combinations.end(),
                     [&](const SweepReport::Combination& c) { return c.flags != report.combinations.front().flags; });
}

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
