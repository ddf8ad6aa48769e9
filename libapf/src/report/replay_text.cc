// The report of a replay for people: who was served, who waited and who was refused, at a glance.

#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/agreement.h"
#include "report/clients.h"
#include "report/coverage.h"
#include "report/doubts.h"
#include "report/left_out.h"
#include "report/outcome_columns.h"
#include "report/ranges.h"
#include "report/remarks.h"
#include "report/stages.h"
#include "report/table.h"
#include "report/too_wide.h"
#include "report/units.h"
#include "report/verdict.h"

namespace apf {

namespace {

Tone wait_tone(const TallyVersions& tally, double quantile) {
  const Nanos wait = tally.range([&](const RequestTally& t) { return wait_of(t, quantile); }).high;
  return wait == 0 ? Tone::faint : wait >= kSecond ? Tone::caution : Tone::plain;
}

Table::Cell wait_cell(const TallyVersions& tally, double quantile) {
  return {wait_text(tally, quantile), wait_tone(tally, quantile), {}};
}

Nanos total_wait_of(const RequestTally& tally) {
  const double total = tally.wait.mean() * static_cast<double>(tally.wait.count());
  return total < 9e18 ? static_cast<Nanos>(total) : INT64_MAX;
}

class ReplayText {
 public:
  ReplayText(const ReplayReport& report, const TextStyle& style)
      : report_(report), style_(style), outcomes_(report, style) {}

  std::string render() {
    header();
    verdict();
    for (const Passage& passage : stage_passages(report_)) out_ += passage.text(style_);
    if (report_.total.requests > 0 && report_.in_flight) {
      for (const Passage& passage : in_flight_passages(report_)) out_ += passage.text(style_);
    } else if (report_.total.requests > 0) {
      level_outcomes();
      level_seats();
      for (const Passage& passage : culprit_passages(report_)) out_ += passage.text(style_);
      schema_outcomes();
      flows();
      out_ += too_wide_passage(report_).text(style_);
    }
    out_ += clients_passage(report_).text(style_);
    out_ += retries_passage(report_).text(style_);
    for (const Passage& passage : coverage_passages(report_)) out_ += passage.text(style_);
    out_ += spread_passage(report_).text(style_);
    out_ += agreement_passage(report_).text(style_);
    left_out();
    sentences("Assumptions", texts_of(report_.assumptions));
    sentences("Warnings", further_warnings(report_));
    return std::move(out_);
  }

 private:
  void title(const std::string& text) { out_ += "\n" + toned(text, Tone::strong, style_) + "\n"; }
  void faint(const std::string& text) {
    out_ += toned(wrapped(text, static_cast<std::size_t>(std::max(style_.width, 40)), 0), Tone::faint, style_) + "\n";
  }
  void line(const std::string& text) {
    out_ += wrapped(text, static_cast<std::size_t>(std::max(style_.width, 40)), 0) + "\n";
  }

  void header();
  void verdict();
  std::vector<const LevelReport*> shown_levels() const;
  void other_levels();
  bool is_shown(const SchemaReport& schema) const;
  void level_outcomes();
  void level_seats();
  void summed_waits(Table& table);
  void schema_outcomes();
  void flows();
  void left_out();
  void sentences(const char* heading, const std::vector<std::string>& lines);

  const ReplayReport& report_;
  const TextStyle& style_;
  const OutcomeColumns outcomes_;
  std::string out_;
};

std::string log_names(const std::vector<std::string>& logs) {
  std::string out;
  for (std::size_t i = 0; i < logs.size() && i < 3; ++i) out += (i ? ", " : "") + printable(logs[i]);
  return logs.size() > 3 ? out + fmt::format(" and {} more", grouped(logs.size() - 3)) : out;
}

void ReplayText::header() {
  const RequestTally& total = report_.total;
  const std::string title = report_.summed > 0 ? fmt::format("All {} servers", report_.summed)
                            : report_.server.empty()
                                ? "Replay of " + log_names(report_.logs)
                                : "Server " + printable(report_.server) + ": replay of " + log_names(report_.logs);
  const auto width = static_cast<std::size_t>(std::max(style_.width, 40));
  out_ += toned(wrapped(title, width, 2), Tone::strong, style_) + "\n";
  if (report_.interrupted)
    out_ += toned("Interrupted: this report covers the time until then.", Tone::bad, style_) + "\n";
  std::string span = "no requests";
  if (report_.first_arrival && report_.last_arrival) {
    span = fmt::format("{} in {}, from {}", counted(total.requests, "request", "requests"),
                       human_duration(*report_.last_arrival - *report_.first_arrival),
                       format_rfc3339(*report_.first_arrival));
  }
  const std::string server = report_.in_flight ? "API Priority and Fairness off"
                                               : seats_in_words(report_.server_concurrency_limit) +
                                                     (report_.seats_by_log ? " (by the server's log)" : "");
  line(report_.summed > 0 ? span : fmt::format("{}; Kubernetes {}, {}", span, report_.version.str(), server));
  for (const std::string& sentence : doubts_of(report_))
    out_ += toned(wrapped(printable(sentence), width, 0), Tone::caution, style_) + "\n";
  for (const std::string& sentence : first_sentences(report_)) line(printable(sentence));
  for (const std::string& sentence : incomplete_sentences(report_)) line(printable(sentence));
  if (total.requests == 0) return;
  const TallyVersions all = versions_of(report_).part(&ReplayReport::total);
  const auto part = [&](const char* what, auto figure, Tone tone, auto waited_figure) {
    const auto n = all.range(figure), waited = all.range(waited_figure);
    std::string after;
    if (waited.high > 0)
      after = fmt::format(", {} after waiting", waited.decided() && n.decided() && waited.value == n.value
                                                    ? "all of them"
                                                    : count_text(waited) + " of them");
    const std::string share = share_in_words(share_of(all, figure));
    return toned(fmt::format("{} {} ({})", what, count_text(n), share), n.high == 0 ? Tone::faint : tone, style_) +
           after;
  };
  out_ +=
      "\n" + part("Served", executed_of, Tone::good, waited_and_served) + ".\n" +
      part("Refused", refused_of, Tone::bad, [](const RequestTally& t) { return t.outcomes.refused_after_wait(); }) +
      ".\n";
}

// To whom, and because of whom.
void ReplayText::verdict() {
  if (report_.total.requests == 0) return;
  for (const std::string& sentence : verdict_of(report_).sentences) line(printable(sentence));
}

// Those that refused or kept waiting, the worst first; all that had requests, if none did.
std::vector<const LevelReport*> ReplayText::shown_levels() const {
  std::vector<const LevelReport*> levels = worst_first(report_);
  if (style_.full) return levels;
  const bool any =
      std::any_of(levels.begin(), levels.end(), [&](const LevelReport* l) { return refuses_or_waits(*l, report_); });
  std::erase_if(levels,
                [&](const LevelReport* l) { return any ? !refuses_or_waits(*l, report_) : l->tally.requests == 0; });
  return levels;
}

// The levels that are not in the tables.
void ReplayText::other_levels() {
  if (style_.full) return;
  const std::vector<const LevelReport*> shown = shown_levels();
  std::string calm, idle;
  for (const LevelReport& level : report_.levels) {
    if (std::find(shown.begin(), shown.end(), &level) != shown.end()) continue;
    std::string& list = level.tally.requests == 0 ? idle : calm;
    list += (list.empty() ? "" : ", ") + printable(level.name);
    if (level.tally.requests > 0) list += " " + grouped(level.tally.requests);
  }
  if (!calm.empty()) line("Served at once: " + calm + ".");
  if (!idle.empty()) line("Without requests: " + idle + ".");
}

void ReplayText::level_outcomes() {
  title("Priority levels: outcomes");
  Table table;
  table.left("LEVEL", 12);
  outcomes_.add_to(table);
  for (const LevelReport* shown : shown_levels()) {
    const LevelReport& level = *shown;
    std::vector<Table::Cell> row = {{printable(level.name),
                                     level.tally.requests == 0    ? Tone::faint
                                     : level.tally.rejected() > 0 ? Tone::bad
                                                                  : Tone::strong,
                                     {}}};
    for (Table::Cell& cell : outcomes_.cells(versions_of(level, report_).part(&LevelReport::tally)))
      row.push_back(std::move(cell));
    table.row(std::move(row));
  }
  const std::string rendered = table.render(style_);
  out_ += rendered;
  if (rendered.find("█") != std::string::npos || rendered.find("×") != std::string::npos)
    out_ += toned("█ served at once   ▒ served after a wait   × refused", Tone::faint, style_) + "\n";
  other_levels();
}

void add_wait_cells(const TallyVersions& tally, std::vector<Table::Cell>& row) {
  for (const double q : {0.5, 0.9, 0.99, 1.0}) row.push_back(wait_cell(tally, q));
}

void add_seat_cells(const Versions<LevelReport>& versions, std::vector<Table::Cell>& row) {
  using Level = const LevelReport&;
  const LevelReport& level = versions.value();
  const int least = versions.range([](Level l) { return l.current_cl_min; }).low;
  const int most = versions.range([](Level l) { return l.current_cl_max; }).high;
  const auto used = versions.range([](Level l) { return l.seats_avg; });
  const auto peak = versions.range([](Level l) { return l.seats_peak; });
  const std::string limit =
      level.exempt ? "none"
      : least != most
          ? fmt::format("{} ({}-{})", range_text(versions.range([](Level l) { return l.current_cl_avg; }), one_decimal),
                        grouped(least), grouped(most))
          : grouped(most);
  const bool full = !level.exempt && peak.high > 0 && peak.high >= least;
  row.push_back({grouped(level.nominal_cl), Tone::plain, {}});
  row.push_back({limit, Tone::plain, {}});
  row.push_back({range_text(used, one_decimal), used.high == 0 ? Tone::faint : Tone::plain, {}});
  row.push_back({range_text(peak, [](int n) { return grouped(n); }),
                 peak.high == 0 ? Tone::faint
                 : full         ? Tone::caution
                                : Tone::plain,
                 {}});
  for (const auto average :
       {versions.range([](Level l) { return l.borrowed_avg; }), versions.range([](Level l) { return l.lent_avg; })}) {
    row.push_back({level.exempt ? "-" : range_text(average, one_decimal),
                   level.exempt || average.high == 0 ? Tone::faint : Tone::plain,
                   {}});
  }
}

void ReplayText::level_seats() {
  title(report_.summed > 0 ? "Priority levels: waits" : "Priority levels: waits and seats");
  Table table;
  table.left("LEVEL", 12).right("P50").drop(4).right("P90").drop(5).right("P99").right("MAX");
  if (report_.summed > 0) return summed_waits(table);
  table.right("NOMINAL").right("LIMIT").right("USED").right("PEAK");
  if (!report_.others.empty()) table.drop(1);  // ranges are wide
  table.right("BORROWED").drop(2).right("LENT").drop(3);
  for (const LevelReport* shown : shown_levels()) {
    const LevelReport& level = *shown;
    std::vector<Table::Cell> row = {
        {printable(level.name), level.tally.requests == 0 ? Tone::faint : Tone::strong, {}}};
    const Versions<LevelReport> versions = versions_of(level, report_);
    add_wait_cells(versions.part(&LevelReport::tally), row);
    add_seat_cells(versions, row);
    table.row(std::move(row));
  }
  out_ += table.render(style_);
  faint(
      "Waits of requests that were served or timed out. Seats: averages over time; LIMIT is the limit in force "
      "(least-most).");
}

// Of several servers: no seats.
void ReplayText::summed_waits(Table& table) {
  for (const LevelReport* level : shown_levels()) {
    std::vector<Table::Cell> row = {
        {printable(level->name), level->tally.requests == 0 ? Tone::faint : Tone::strong, {}}};
    const Versions<LevelReport> versions = versions_of(*level, report_);
    add_wait_cells(versions.part(&LevelReport::tally), row);
    table.row(std::move(row));
  }
  out_ += table.render(style_);
  faint("Waits of requests that were served or timed out, of all servers.");
}

bool ReplayText::is_shown(const SchemaReport& schema) const {
  const std::vector<const LevelReport*> shown = shown_levels();
  return std::any_of(shown.begin(), shown.end(),
                     [&](const LevelReport* l) { return l->name == schema.priority_level; });
}

void ReplayText::schema_outcomes() {
  title("FlowSchemas, in matching order");
  Table outcomes, waits;
  outcomes.left("FLOWSCHEMA", 14);
  outcomes_.add_to(outcomes);
  waits.left("FLOWSCHEMA", 14)
      .left("LEVEL", 12)
      .right("P50")
      .drop(1)
      .right("P90")
      .drop(2)
      .right("P99")
      .right("MAX")
      .right("SEAT-SECONDS");
  std::vector<std::string> idle;
  std::size_t calm = 0;
  std::uint64_t calm_requests = 0;
  bool any_wait = false;
  for (const SchemaReport& schema : report_.schemas) {
    if (schema.tally.requests == 0) {
      idle.push_back(printable(schema.name));
      continue;
    }
    if (!style_.full && !is_shown(schema)) {
      ++calm;
      calm_requests += schema.tally.requests;
      continue;
    }
    any_wait = any_wait || schema.tally.wait.max() > 0;
    std::vector<Table::Cell> row = {{printable(schema.name), Tone::strong, {}}};
    const TallyVersions tally = versions_of(schema, report_).part(&SchemaReport::tally);
    for (Table::Cell& cell : outcomes_.cells(tally)) row.push_back(std::move(cell));
    outcomes.row(std::move(row));
    row = {{printable(schema.name), Tone::strong, {}}, {printable(schema.priority_level), Tone::plain, {}}};
    add_wait_cells(tally, row);
    row.push_back(
        {range_text(tally.range([](const RequestTally& t) { return t.seat_seconds; }), one_decimal), Tone::plain, {}});
    waits.row(std::move(row));
  }
  if (!outcomes.empty()) out_ += outcomes.render(style_) + "\n" + waits.render(style_);
  if (calm > 0)
    line(fmt::format("{} with {} of the other levels {} served at once (--full shows {}).",
                     counted(calm, "FlowSchema", "FlowSchemas"), counted(calm_requests, "request", "requests"),
                     calm == 1 ? "was" : "were", calm == 1 ? "it" : "them"));
  if (idle.empty()) return;
  std::string text = "Without requests:";
  for (std::size_t i = 0; i < idle.size(); ++i) text += (i ? ", " : " ") + idle[i];
  line(text);
}

void ReplayText::flows() {
  const auto name_of = [](const FlowReport& flow) {
    return flow.distinguisher.empty() ? std::string("(all of the FlowSchema)") : printable(flow.distinguisher);
  };
  if (!report_.waited_most.empty()) {
    title(fmt::format("Flows that waited most (of {})", grouped(report_.flows)));
    Table table;
    table.left("FLOW", 20)
        .left("FLOWSCHEMA", 14)
        .drop(3)
        .right("REQUESTS")
        .right("QUEUED")
        .right("TOTAL WAIT")
        .right("P50")
        .drop(2)
        .right("P99")
        .right("MAX");
    if (!report_.others.empty()) table.drop(1);  // ranges are wide
    for (const FlowReport& flow : report_.waited_most) {
      const TallyVersions tally = versions_of(flow, report_).part(&FlowReport::tally);
      table.row(
          {{name_of(flow), Tone::strong, {}},
           {printable(flow.flow_schema), Tone::plain, {}},
           count_cell(tally.range(requests_of), Tone::plain),
           count_cell(tally.range(queued_of), Tone::caution),
           {range_text(tally.range(total_wait_of), [](Nanos wait) { return human_duration(wait); }), Tone::caution, {}},
           wait_cell(tally, 0.5),
           wait_cell(tally, 0.99),
           wait_cell(tally, 1)});
    }
    out_ += table.render(style_);
  }
  if (!report_.refused_most.empty()) {
    title(fmt::format("Flows that were refused most (of {})", grouped(report_.flows)));
    Table table;
    const OutcomeColumns refusals(report_, style_, false);
    table.left("FLOW", 20).left("FLOWSCHEMA", 14).drop(3);
    refusals.add_to(table);
    for (const FlowReport& flow : report_.refused_most) {
      const TallyVersions tally = versions_of(flow, report_).part(&FlowReport::tally);
      std::vector<Table::Cell> row = {{name_of(flow), Tone::strong, {}},
                                      {printable(flow.flow_schema), Tone::plain, {}}};
      for (Table::Cell& cell : refusals.cells(tally)) row.push_back(std::move(cell));
      table.row(std::move(row));
    }
    out_ += table.render(style_);
  }
}

void ReplayText::left_out() {
  if (report_.unusable.empty() && report_.left_out.empty() && report_.out_of_window == 0 && report_.other_lines == 0)
    return;
  title("Left out");
  Table table;
  table.right("COUNT").left("WHAT").left("WHY", 20);
  for (const auto& [reason, count] : report_.left_out) {
    table.row({{grouped(count), Tone::plain, {}},
               {count == 1 ? "request" : "requests", Tone::plain, {}},
               {printable(reason), Tone::plain, {}}});
  }
  for (const auto& [reason, count] : report_.unusable) {
    table.row({{grouped(count), Tone::caution, {}},
               {count == 1 ? "line" : "lines", Tone::plain, {}},
               {printable(reason), Tone::caution, {}}});
  }
  if (report_.other_lines > 0) {
    table.row({{grouped(report_.other_lines), Tone::plain, {}},
               {report_.other_lines == 1 ? "line" : "lines", Tone::plain, {}},
               {"of the server's own log without a request", Tone::plain, {}}});
  }
  if (!table.empty()) out_ += table.render(style_);
  for (const std::string& sentence : bad_line_sentences(report_.bad_lines)) line(sentence);
  if (report_.out_of_window > 0) {
    line(late_sentence(report_));
  }
}

void ReplayText::sentences(const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  title(heading);
  for (const std::string& sentence : lines) {
    out_ += "- " + wrapped(printable(sentence), static_cast<std::size_t>(std::max(style_.width, 40)), 2) + "\n";
  }
}

}  // namespace

std::string render_text(const ReplayReport& report, const TextStyle& style) {
  return ReplayText(report, style).render();
}

std::string render_text(const ServersReport& report, const TextStyle& style) {
  std::string out;
  for (const ReplayReport& server : report.servers) out += render_text(server, style) + "\n";
  return out + render_text(report.total, style);
}

}  // namespace apf
