// The report of a replay: who was served, who waited and who was refused, at a glance.
#include <apf/replays_report.h>
#include <fmt/core.h>

#include <algorithm>

#include "report/core/chart.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/core/why_words.h"
#include "report/logs/left_out.h"
#include "report/replay/agreement.h"
#include "report/replay/clients.h"
#include "report/replay/completeness.h"
#include "report/replay/doubts.h"
#include "report/replay/outcome_columns.h"
#include "report/replay/plots.h"
#include "report/replay/ranges.h"
#include "report/replay/stages.h"
#include "report/replay/too_wide.h"
#include "report/replay/verdict.h"

namespace apf {

namespace {

void add_wait_cells(const TallyVersions& tally, std::vector<Table::Cell>& row,
                    std::initializer_list<double> quantiles = {0.5, 0.9, 0.99, 1.0}) {
  for (const double quantile : quantiles) {
    const Nanos wait = tally.range([&](const RequestTally& t) { return wait_of(t, quantile); }).high;
    row.emplace_back(wait_text(tally, quantile), wait == 0         ? Tone::faint
                                                 : wait >= kSecond ? Tone::caution
                                                                   : Tone::plain);
  }
}

Nanos total_wait_of(const RequestTally& tally) {
  const double total = tally.wait.sum();
  return total < 9e18 ? static_cast<Nanos>(total) : INT64_MAX;
}

std::string heading_of(const ReplayReport& report) {
  if (report.summed > 0) return fmt::format("All {} servers", report.summed);
  const std::string logs = log_names(report.logs);
  return report.server.empty() ? "Replay of " + logs : fmt::format("Server {}: replay of {}", report.server, logs);
}

// Of one server, or of several together.
class ReplayDocument {
 public:
  ReplayDocument(const ReplayReport& report, const ReportFrame& frame, const View& view, Document& out)
      : report_(report),
        frame_(frame),
        view_(view),
        out_(out),
        outcomes_(report, true, view.notation != Notation::html) {}

  // `prefix`: what the names of its places begin with.
  void add(const std::string& prefix, bool is_first) {
    prefix_ = prefix;
    is_text() ? text_head(is_first) : head();
    if (is_first && !is_text()) out_.add(expectations_passage(frame_.expectations, view_));
    if (on_page() && report_.total.requests > 0)
      out_.add(report_.in_flight ? in_flight_plots(report_, prefix) : level_plots(report_, prefix));
    if (!view_.is_brief() && report_.why) out_.add(why_passages(*report_.why));
    if (on_page() && report_.total.requests > 0) say_served(out_.section("All requests"));
    bool folds = false;
    for (Passage& passage : stage_passages(report_)) {
      out_.add(std::move(folds ? passage.folded() : passage));
      folds = true;
    }
    if (report_.total.requests > 0 && report_.in_flight) {
      out_.add(in_flight_passages(report_));
    } else if (report_.total.requests > 0) {
      level_outcomes();
      level_seats();
      schema_outcomes();
      flows();
      if (on_page()) out_.add(shared_queues(report_));
      out_.add(std::move(too_wide_passage(report_).folded()));
    }
    out_.add(std::move(clients_passage(report_).folded()));
    out_.add(std::move(retries_passage(report_).folded()));
    for (Passage& passage : coverage_passages(report_)) out_.add(std::move(passage.folded()));
    out_.add(std::move(spread_passage(report_).folded()));
    out_.add(std::move(agreement_passage(report_).folded()));
    left_out();
    out_.section("Assumptions").folded().list(texts_of(report_.assumptions));
    out_.section("Warnings").folded().list(further_warnings(report_));
  }

 private:
  bool is_text() const { return view_.notation == Notation::text; }
  bool on_page() const { return view_.notation == Notation::html; }
  void text_head(bool is_first);
  void head();
  std::string span() const;
  void say_served(Passage& out) const;
  void say_waits(Passage& out) const;
  Table::Cell level_cell(const LevelReport& level, Tone refusing) const;
  std::vector<const LevelReport*> shown_levels() const;
  void other_levels(Passage& out) const;
  void level_outcomes();
  void level_seats();
  void schema_outcomes();
  void flows();
  void left_out();

  const ReplayReport& report_;
  const ReportFrame& frame_;
  const View& view_;
  Document& out_;
  const OutcomeColumns outcomes_;
  std::string prefix_;
};

std::string ReplayDocument::span() const {
  std::string out = "no requests";
  if (report_.first_arrival && report_.last_arrival)
    out = fmt::format("{} in {}, from {}",  // on a page the verdict has them
                      on_page() ? std::string("Requests") : counted(report_.total.requests, "request", "requests"),
                      human_duration(*report_.last_arrival - *report_.first_arrival),
                      first_in_words(*report_.first_arrival, report_.warnings));
  if (report_.summed > 0) return out;
  return out + fmt::format("; Kubernetes {}, {}", report_.version.str(),
                           report_.in_flight ? std::string("API Priority and Fairness off")
                                             : seats_in_words(report_.server_concurrency_limit) +
                                                   (report_.seats_by_log ? " (by the server's log)" : ""));
}

// What it comes to and what was expected, then what was replayed; of further servers below their names.
void ReplayDocument::text_head(bool is_first) {
  Passage* out = is_first ? &out_.section() : &out_.section(heading_of(report_)).begins_report();
  const std::vector<std::string> doubts = doubts_of(report_);
  const Verdict verdict = report_.total.requests > 0 ? verdict_of(report_) : Verdict{};
  if (report_.interrupted) out->say("Interrupted: this report covers the time until then.", Tone::bad);
  for (const std::string& doubt : doubts) out->judge(doubt, Tone::caution);
  if (doubts.empty() && !verdict.what.empty()) out->judge(verdict.what, verdict.tone);
  out->list(verdict.sentences, "");
  if (is_first) {
    out_.add(expectations_passage(frame_.expectations, view_));
    out = &out_.section(heading_of(report_)).begins_report();
  }
  out->say(span());
  if (report_.total.requests > 0) say_served(*out);
  for (const std::string& sentence : first_sentences(report_)) out->say(sentence);
  say_incomplete(report_, *out);
}

void ReplayDocument::head() {
  Passage& out = out_.section(heading_of(report_)).begins_report();
  const std::vector<std::string> doubts = doubts_of(report_);
  const Verdict verdict = report_.total.requests > 0 ? verdict_of(report_) : Verdict{};
  if (report_.interrupted) out.say("Interrupted: this report covers the time until then.", Tone::bad);
  for (const std::string& doubt : doubts) out.judge(doubt, Tone::caution);
  if (!verdict.what.empty()) {
    if (doubts.empty()) out.judge(verdict.what, verdict.tone);
    else out.say("The replay: " + verdict.what);
    out.list(verdict.sentences);
  }
  out.say(span());
  if (!frame_.configuration.empty()) out.say("Configuration: " + frame_.configuration);
  for (const std::string& sentence : first_sentences(report_)) out.say(sentence);
  say_incomplete(report_, out);
  if (report_.total.requests == 0) return;
  if (on_page()) return say_waits(out);
  say_served(out);
}

// Where the verdict does not.
void ReplayDocument::say_waits(Passage& out) const {
  const TallyVersions all = versions_of(report_).part(&ReplayReport::total);
  if (all.range(refused_of).high > 0 && all.any([](const RequestTally& t) { return t.wait.max() > 0; }))
    out.say(fmt::format("Waits: 99 % of all at most {}, the longest {}.", wait_text(all, 0.99), wait_text(all, 1)));
}

void ReplayDocument::say_served(Passage& out) const {
  const TallyVersions all = versions_of(report_).part(&ReplayReport::total);
  const auto say = [&](const char* what, auto figure, Tone tone, auto waited_figure) {
    const auto n = all.range(figure), waited = all.range(waited_figure);
    std::string after;
    if (waited.high > 0)
      after = fmt::format(", {} after waiting", waited.decided() && n.decided() && waited.value == n.value
                                                    ? "all of them"
                                                    : count_text(waited) + " of them");
    out.say(fmt::format("{} {} ({}){}.", what, count_text(n), share_in_words(share_of(all, figure)), after),
            n.high == 0 ? Tone::faint : tone);
  };
  say("Served", executed_of, Tone::good, waited_and_served);
  say("Refused", refused_of, Tone::bad, [](const RequestTally& t) { return t.outcomes.refused_after_wait(); });
}

// The worst first; in brief those that refused or kept waiting, or if none did, those that had requests.
std::vector<const LevelReport*> ReplayDocument::shown_levels() const {
  std::vector<const LevelReport*> levels = worst_first(report_);
  if (!view_.is_brief()) return levels;
  const bool any =
      std::any_of(levels.begin(), levels.end(), [&](const LevelReport* l) { return refuses_or_waits(*l, report_); });
  std::erase_if(levels,
                [&](const LevelReport* l) { return any ? !refuses_or_waits(*l, report_) : l->tally.requests == 0; });
  return levels;
}

// The levels that are not in the tables.
void ReplayDocument::other_levels(Passage& out) const {
  const std::vector<const LevelReport*> shown = shown_levels();
  std::string calm, idle;
  for (const LevelReport& level : report_.levels) {
    if (std::find(shown.begin(), shown.end(), &level) != shown.end()) continue;
    std::string& list = level.tally.requests == 0 ? idle : calm;
    list += (list.empty() ? "" : ", ") + level.name;
    if (level.tally.requests > 0) list += " " + grouped(level.tally.requests);
  }
  if (!calm.empty()) out.item("Served at once: " + calm + ".", "");
  if (!idle.empty()) out.item("Without requests: " + idle + ".", "");
}

Table::Cell ReplayDocument::level_cell(const LevelReport& level, Tone refusing) const {
  Table::Cell out = name_cell(level.name, level.tally.requests == 0    ? Tone::faint
                                          : level.tally.rejected() > 0 ? refusing
                                                                       : Tone::strong);
  out.link = "#" + prefix_ + place_of("level", level.name);
  return out;
}

void ReplayDocument::level_outcomes() {
  const std::vector<const LevelReport*> levels = shown_levels();
  Passage& out = out_.section("Priority levels: outcomes");
  if (on_page() && fits_in_bars(report_)) out = outcome_bars(report_, levels, prefix_);
  Table table;
  table.left("LEVEL", 12);
  outcomes_.add_to(table);
  for (const LevelReport* level : levels) {
    std::vector<Table::Cell> row = {level_cell(*level, Tone::bad)};
    outcomes_.add_cells(versions_of(*level, report_).part(&LevelReport::tally), row);
    table.row(std::move(row));
  }
  const bool has_key = std::any_of(table.rows().begin(), table.rows().end(), [](const auto& row) {
    return row.back().text.find("█") != std::string::npos || row.back().text.find("×") != std::string::npos;
  });
  out.show(std::move(table));
  if (has_key) out.explain({{{""}, "█ served at once   ▒ served after a wait   × refused"}});
  other_levels(out);
}

void add_seat_cells(const Versions<LevelReport>& versions, std::vector<Table::Cell>& row) {
  using OfLevel = const LevelReport&;
  const LevelReport& level = versions.value();
  const int least = versions.range([](OfLevel l) { return l.current_cl_min; }).low;
  const int most = versions.range([](OfLevel l) { return l.current_cl_max; }).high;
  const auto used = versions.range([](OfLevel l) { return l.seats_avg; });
  const auto peak = versions.range([](OfLevel l) { return l.seats_peak; });
  const bool full = !level.exempt && peak.high > 0 && peak.high >= least;
  row.emplace_back(grouped(level.nominal_cl));
  row.emplace_back(
      level.exempt    ? "none"
      : least != most ? fmt::format("{} ({}-{})",
                                    range_text(versions.range([](OfLevel l) { return l.current_cl_avg; }), one_decimal),
                                    grouped(least), grouped(most))
                      : grouped(most));
  row.emplace_back(range_text(used, one_decimal), used.high == 0 ? Tone::faint : Tone::plain);
  row.emplace_back(range_text(peak, [](int n) { return grouped(n); }), peak.high == 0 ? Tone::faint
                                                                       : full         ? Tone::caution
                                                                                      : Tone::plain);
  for (const auto& average :
       {versions.range([](OfLevel l) { return l.borrowed_avg; }), versions.range([](OfLevel l) { return l.lent_avg; })})
    row.emplace_back(level.exempt ? "-" : range_text(average, one_decimal),
                     level.exempt || average.high == 0 ? Tone::faint : Tone::plain);
}

void ReplayDocument::level_seats() {
  const bool seats = report_.summed == 0;  // of several servers: none
  Passage& out = out_.section(seats ? "Priority levels: waits and seats" : "Priority levels: waits");
  Table table;
  table.left("LEVEL", 12).right("P50").drop(4).right("P90").drop(5).right("P99").right("MAX");
  if (seats) {
    table.right("NOMINAL").right("LIMIT").right("USED").right("PEAK");
    if (!report_.others.empty()) table.drop(1);  // ranges are wide
    table.right("BORROWED").drop(2).right("LENT").drop(3);
  }
  for (const LevelReport* level : shown_levels()) {
    std::vector<Table::Cell> row = {level_cell(*level, Tone::strong)};
    const Versions<LevelReport> versions = versions_of(*level, report_);
    add_wait_cells(versions.part(&LevelReport::tally), row);
    if (seats) add_seat_cells(versions, row);
    table.row(std::move(row));
  }
  out.show(std::move(table));
  out.explain(seats
                  ? "Waits of requests that were served or timed out. Seats: averages over time; LIMIT is the limit in "
                    "force (least-most)."
                  : "Waits of requests that were served or timed out, of all servers.");
}

void ReplayDocument::schema_outcomes() {
  const std::vector<const LevelReport*> levels = shown_levels();
  const auto is_shown = [&](const SchemaReport& schema) {
    return !view_.is_brief() || std::any_of(levels.begin(), levels.end(), [&](const LevelReport* level) {
      return level->name == schema.priority_level;
    });
  };
  Passage& out = out_.section("FlowSchemas, in matching order").folded();
  Table outcomes, waits;
  outcomes.left("FLOWSCHEMA", 14);
  outcomes_.add_to(outcomes);
  waits.left("FLOWSCHEMA", 14).left("LEVEL", 12).right("P50").drop(1).right("P90").drop(2).right("P99").right("MAX");
  waits.right("SEAT-SECONDS");
  std::string idle;
  std::size_t calm = 0;
  std::uint64_t calm_requests = 0;
  for (const SchemaReport& schema : report_.schemas) {
    if (schema.tally.requests == 0) {
      idle += (idle.empty() ? "Without requests: " : ", ") + schema.name;
      continue;
    }
    if (!is_shown(schema)) {
      ++calm;
      calm_requests += schema.tally.requests;
      continue;
    }
    std::vector<Table::Cell> row = {name_cell(schema.name, Tone::strong)};
    const TallyVersions tally = versions_of(schema, report_).part(&SchemaReport::tally);
    outcomes_.add_cells(tally, row);
    outcomes.row(std::move(row));
    row = {name_cell(schema.name, Tone::strong), name_cell(schema.priority_level)};
    add_wait_cells(tally, row);
    row.emplace_back(range_text(tally.range([](const RequestTally& t) { return t.seat_seconds; }), one_decimal));
    waits.row(std::move(row));
  }
  Passage& more = is_text() && !outcomes.empty() ? out_.section() : out;
  out.show(std::move(outcomes));
  more.show(std::move(waits));
  if (calm > 0)
    more.item(fmt::format("{} with {} of the other levels {} served at once (-o wide shows {}).",
                          counted(calm, "FlowSchema", "FlowSchemas"), counted(calm_requests, "request", "requests"),
                          calm == 1 ? "was" : "were", calm == 1 ? "it" : "them"),
              "");
  if (!idle.empty()) more.item(idle, "");
}

Table::Cell flow_cell(const FlowReport& flow) {
  if (flow.distinguisher.empty()) return Table::Cell("(all of the FlowSchema)", Tone::strong);
  Table::Cell out = name_cell(flow.distinguisher, Tone::strong);
  out.place = place_of_client(flow.distinguisher);
  return out;
}

void ReplayDocument::flows() {
  Table waited, refused;
  waited.left("FLOW", 20).left("FLOWSCHEMA", 14).drop(3).right("REQUESTS").right("QUEUED").right("TOTAL WAIT");
  waited.right("P50").drop(2).right("P99").right("MAX");
  if (!report_.others.empty()) waited.drop(1);  // ranges are wide
  for (const FlowReport& flow : report_.waited_most) {
    const TallyVersions tally = versions_of(flow, report_).part(&FlowReport::tally);
    std::vector<Table::Cell> row = {
        flow_cell(flow),
        name_cell(flow.flow_schema),
        count_cell(tally.range(requests_of), Tone::plain),
        count_cell(tally.range(queued_of), Tone::caution),
        {range_text(tally.range(total_wait_of), [](Nanos wait) { return human_duration(wait); }), Tone::caution}};
    add_wait_cells(tally, row, {0.5, 0.99, 1.0});
    waited.row(std::move(row));
  }
  const OutcomeColumns columns(report_, false, !on_page());
  refused.left("FLOW", 20).left("FLOWSCHEMA", 14).drop(3);
  columns.add_to(refused);
  for (const FlowReport& flow : report_.refused_most) {
    std::vector<Table::Cell> row = {flow_cell(flow), name_cell(flow.flow_schema)};
    columns.add_cells(versions_of(flow, report_).part(&FlowReport::tally), row);
    refused.row(std::move(row));
  }
  const std::string all = fmt::format(" (of {})", grouped(report_.flows));
  out_.section("Flows that waited most" + all).folded().show(std::move(waited));
  out_.section("Flows that were refused most" + all).folded().show(std::move(refused));
}

void ReplayDocument::left_out() {
  Passage& out = out_.section("Left out").folded();
  Table table;
  table.right("COUNT").left("WHAT").left("WHY", 20);
  const auto add = [&](std::uint64_t count, const char* one, const char* many, const std::string& why, Tone tone) {
    table.row({{grouped(count), tone}, count == 1 ? one : many, {why, tone}});
  };
  for (const auto& [reason, count] : report_.left_out) add(count, "request", "requests", reason, Tone::plain);
  for (const auto& [reason, count] : report_.unusable) add(count, "line", "lines", reason, Tone::caution);
  if (report_.other_lines > 0)
    add(report_.other_lines, "line", "lines", "of the server's own log without a request", Tone::plain);
  out.show(std::move(table));
  out.list(bad_line_sentences(report_.bad_lines), "");
  if (report_.out_of_window > 0) out.item(late_sentence(report_), "");
}

}  // namespace

Document document_of(std::span<const ReplayReport> servers, const ReplayReport* total, const ReportFrame& frame,
                     const View& view) {
  std::vector<const ReplayReport*> reports;
  for (const ReplayReport& server : servers) reports.push_back(&server);
  if (total) reports.insert(reports.begin(), total);
  Document out(reports.empty() ? "" : heading_of(*reports.front()));
  for (std::size_t i = 0; i < reports.size(); ++i)
    ReplayDocument(*reports[i], frame, view, out).add(reports.size() > 1 ? fmt::format("s{}-", i) : "", i == 0);
  return out;
}

}  // namespace apf
