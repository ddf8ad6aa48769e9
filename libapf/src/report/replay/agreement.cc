// The agreement of a replay with its log, and its spread, for people.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <apf/document.h>
#include <apf/logs_report.h>

#include "report/core/units.h"
#include "report/logs/left_out.h"
#include "report/replay/agreement.h"
#include "report/replay/doubts.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

// Cut off, not rounded: 100 % means all.
std::string share_cut_off(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part >= whole) return "100 %";
  const double hundredths = static_cast<double>(part) / static_cast<double>(whole) * 10000;
  return fmt::format("{:.2f} %", static_cast<double>(static_cast<std::int64_t>(hundredths)) / 100);
}

std::string human_seconds(double seconds) { return human_duration(static_cast<Nanos>(seconds * 1e9)); }

void add_join(Passage& out, const JoinReport& join) {
  if (!join.joined) return;
  std::string text = counted(join.requests, "request is", "requests are") + " in both logs";
  if (join.audit_only > 0) text += fmt::format(", {} only in the audit log", grouped(join.audit_only));
  if (join.http_only > 0)
    text += fmt::format(", {} only in the HTTP log ({} from a client known by address and user agent)",
                        grouped(join.http_only), grouped(join.users_found));
  out.say(text + ".");
}

void add_classification(Passage& out, const RecordedReport& r) {
  if (r.classified == 0) return;
  out.say(fmt::format("{} of {} go to the FlowSchema and level that the log names ({}).", grouped(r.classified_alike),
                      counted(r.classified, "request", "requests"), share_cut_off(r.classified_alike, r.classified)));
  Table table;
  table.right("REQUESTS").left("LOGGED", 20).left("REPLAYED", 20);
  for (const auto& d : r.disagreements)
    table.row({{grouped(d.requests), Tone::caution, {}},
               name_cell(d.logged_schema + " / " + d.logged_level),
               name_cell(d.schema + " / " + d.level)});
  out.show(std::move(table));
}

void add_outcomes(Passage& out, const RecordedVersions& versions) {
  if (!versions.any([](Recorded r) { return r.refused_in_log > 0 || r.refused_only_in_replay > 0; })) return;
  Table table;
  table.right("REQUESTS").left("LOGGED").left("REPLAYED");
  const char* const names[] = {"served", "refused at once", "refused after a wait"};
  for (int logged = 0; logged < 3; ++logged) {
    for (int replayed = 0; replayed < 3; ++replayed) {
      const auto requests = versions.range([&](Recorded r) { return r.outcomes[logged][replayed]; });
      if (requests.high == 0) continue;
      const Tone tone = (logged == 0) == (replayed == 0) ? Tone::plain : Tone::caution;
      table.row({{count_text(requests), tone, {}}, {names[logged], Tone::plain, {}}, {names[replayed], tone, {}}});
    }
  }
  out.show(std::move(table));
  if (const auto hung_up = versions.value().hung_up; hung_up > 0)
    out.say(fmt::format("{} left the queue before the wait limit, in the log and in the replay.",
                        counted(hung_up, "client", "clients")));
}

// As logged, or as replayed.
std::vector<Table::Cell> wait_row(const Versions<RecordedReport::Level>& level, bool logged) {
  using Level = const RecordedReport::Level&;
  const auto waits = [logged](Level l) -> const DurationDistribution& { return logged ? l.wait_log : l.wait_replay; };
  const auto count = level.range([&](Level l) { return waits(l).count(); });
  const auto refused = level.range([&](Level l) { return logged ? l.refused_log : l.refused_replay; });
  const auto cell = [](const std::string& text, bool nothing) {
    return Table::Cell{text, nothing ? Tone::faint : Tone::plain, {}};
  };
  std::vector<Table::Cell> row = {logged ? name_cell(level.value().name, Tone::strong) : Table::Cell{},
                                  {logged ? "logged" : "replayed", Tone::plain, {}},
                                  cell(count_text(count), count.high == 0)};
  const auto add = [&](auto figure) {
    const Range<Nanos> wait = level.range(figure);
    row.push_back(cell(range_text(wait, [](Nanos w) { return human_duration(w); }), wait.high == 0));
  };
  add([&](Level l) { return static_cast<Nanos>(waits(l).mean()); });
  for (const double quantile : {0.5, 0.9, 0.99}) add([&](Level l) { return waits(l).quantile(quantile); });
  row.push_back(cell(count_text(refused), refused.high == 0));
  return row;
}

// Two rows for each level.
void add_waits(Passage& out, const ReplayReport& report) {
  const RecordedVersions versions = versions_of(report).part(&ReplayReport::recorded);
  const RecordedReport& r = report.recorded;
  if (r.waits_compared == 0) return;
  out.say(fmt::format("Waits recorded for {}: {} on average in the log, {} in the replay.",
                      counted(r.waits_compared, "request", "requests"),
                      range_text(versions.range([](Recorded v) { return v.mean_wait_log; }), human_seconds),
                      range_text(versions.range([](Recorded v) { return v.mean_wait_replay; }), human_seconds)));
  Table table;
  table.left("LEVEL", 12).left("").right("WAITS").right("MEAN").right("P50");
  if (!report.others.empty()) table.drop(2);  // ranges are wide
  table.right("P90");
  if (!report.others.empty()) table.drop(1);
  table.right("P99").right("REFUSED");
  for (const auto& level : r.levels)
    for (const bool logged : {true, false}) table.row(wait_row(versions_of(level, report), logged));
  out.show(std::move(table));
  const auto error = [&](double quantile) {
    return versions.range([&](Recorded v) { return v.wait_error.quantile(quantile); });
  };
  const auto text = [&](double quantile) {
    return range_text(error(quantile), [](Nanos wait) { return human_duration(wait); });
  };
  if (error(0.9).high > 0)
    out.say(fmt::format(
        "Waits of single requests differ by {} at the median, {} at the 90th and {} at the 99th percentile.", text(0.5),
        text(0.9), text(0.99)));
}

}  // namespace

std::string agreement_sentence(const ReplayReport& report) {
  const RecordedReport& r = report.recorded;
  if (r.compared == 0) return {};
  const auto agreed = versions_of(report).part(&ReplayReport::recorded).range([](Recorded v) { return v.agreed; });
  std::string low = share_cut_off(agreed.low, r.compared);
  const std::string high = share_cut_off(agreed.high, r.compared);
  if (low != high) low = low.substr(0, low.size() - 2) + "-" + high;
  return fmt::format("{}: {} ({} of {} go to the same level and are served, or refused, in both).",
                     report.what_if ? "Agreement under the recorded configuration" : "Agreement", low,
                     count_text(agreed), counted(r.compared, "request", "requests"));
}

namespace {

std::string undecided_sentence(const UndecidedReport& undecided) {
  std::string out = "Not decided by this log: ";
  if (undecided.waited > 0) out += counted(undecided.waited, "request", "requests") + " waited in it";
  if (undecided.waited > 0 && undecided.refused > 0) out += " and ";
  if (undecided.refused > 0)
    out += undecided.waited > 0
               ? grouped(undecided.refused) + (undecided.refused == 1 ? " was refused" : " were refused")
               : counted(undecided.refused, "request was refused in it", "requests were refused in it");
  out += fmt::format(
      ", and it doesn't say how long {} waited. Ranges are from two replays: these requests run for their recorded "
      "total, or until their recorded end",
      counted(undecided.unknown, "request", "requests"));
  return out + (undecided.hint.empty() ? "." : " (" + undecided.hint + ").");
}

// "Load: 2 times the log's, system:node:* 3 times (as more clients); 1,200 requests are copies."
std::string scale_sentence(const ReplayReport& report) {
  std::string out;
  for (const LoadScale& scale : report.scales) {
    const std::string times = fmt::format("{} times", std::round(scale.factor * 1000) / 1000);
    const std::string who = scale.user.empty() ? "" : scale.user + " ";
    out += (out.empty() ? "Load: " : ", ") + who + times + (scale.user.empty() ? " the log's" : "") +
           (scale.clients ? " (as more clients)" : "");
  }
  if (report.copied > 0) out += "; " + counted(report.copied, "request is a copy", "requests are copies");
  if (report.thinned > 0)
    out += fmt::format("; {} of the log {} left out", counted(report.thinned, "request", "requests"),
                       report.thinned == 1 ? "is" : "are");
  return out + ".";
}

// "Execution: 2 times as long as in the log, pods 3 times."
std::string execution_sentence(const ReplayReport& report) {
  std::string out;
  for (const ExecutionScale& scale : report.execution_scales)
    out += fmt::format("{}{}{} times{}", out.empty() ? "Execution: " : ", ", scale.what.empty() ? "" : scale.what + " ",
                       std::round(scale.factor * 1000) / 1000, scale.what.empty() ? " as long as in the log" : "");
  return out + ".";
}

// More requests than a change of the configuration, or a user who is impersonated, accounts for.
bool elsewhere(const RecordedReport& r) { return 20 * (r.classified - r.classified_alike) > r.classified; }

// Of all replays.
std::string changed_sentence(const ReplayReport& report) {
  const Versions<WhatIfReport> versions = versions_of_what_if(report);
  const auto changed = [](const WhatIfReport& w) { return w.compared - w.unchanged; };
  const auto share_cut_off = versions.range([&](const WhatIfReport& w) { return Share{changed(w), w.compared}; });
  return fmt::format("Changed by this configuration: {} of the requests ({} of {}).", share_in_words(share_cut_off),
                     count_text(versions.range(changed)),
                     count_text(versions.range([](const WhatIfReport& w) { return w.compared; })));
}

// What is answered is not what was asked: of a part of the log, or of other clients.
bool changes_the_question(const Remark& remark) {
  return remark.kind == RemarkKind::servers_in_files || remark.kind == RemarkKind::client_model_unused ||
         remark.kind == RemarkKind::client_timeout_unused || remark.kind == RemarkKind::client_limit_unused ||
         remark.kind == RemarkKind::scale_unused;
}

}  // namespace

// "Lists: at most 20 seats each (3 of 40 would take more), a seat for each 100.0 kB that they return (30 of 40; …)."
std::string widths_sentence(const ReplayReport& report) {
  const ListWidthReport& widths = *report.list_widths;
  std::string out;
  if (widths.asked.most > 0)
    out = fmt::format("at most {} each, {} of {} would take more by the release's own limit",
                      seats_in_words(widths.asked.most), grouped(widths.cut), counted(widths.lists, "list", "lists"));
  if (widths.asked.bytes > 0)
    out += fmt::format("{}a seat for each {} that they return, known of {} of {}", out.empty() ? "" : "; ",
                       human_bytes(static_cast<std::uint64_t>(widths.asked.bytes)), grouped(widths.by_bytes),
                       counted(widths.lists, "list", "lists"));
  double most = 0;
  const LevelReport* fullest = nullptr;
  for (const LevelReport& level : report.levels)
    if (level.list_bytes_most > most) {
      most = level.list_bytes_most;
      fullest = &level;
    }
  if (fullest)
    out += fmt::format("; those in flight at {} at once return up to {}", fullest->name,
                       human_bytes(static_cast<std::uint64_t>(most)));
  return "Lists: " + out + ".";
}

std::vector<std::string> further_warnings(const LogReport& report) {
  std::vector<std::string> out;
  for (const Remark& remark : report.warnings)
    if (!changes_the_question(remark) && !is_doubt(remark) && remark.kind != RemarkKind::seats_assumed)  // said above
      out.push_back(render_text(remark));
  return out;
}

std::vector<std::string> log_warnings(const LogReport& report) {
  std::vector<std::string> out = further_warnings(report);
  const std::string unusable = unusable_sentence(report);
  if (!unusable.empty() && !has_too_many_unusable_lines(report)) out.push_back(unusable);
  return out;
}

std::vector<std::string> first_sentences(const ReplayReport& report, bool with_widths) {
  std::vector<std::string> out;
  for (const Remark& remark : report.warnings)
    if (changes_the_question(remark)) out.push_back(render_text(remark));
  if (!report.scales.empty()) out.push_back(scale_sentence(report));
  if (!report.execution_scales.empty()) out.push_back(execution_sentence(report));
  if (report.list_widths && with_widths) out.push_back(widths_sentence(report));
  if (report.undecided) out.push_back(undecided_sentence(*report.undecided));
  if (report.spread.clock_swept)
    out.push_back(
        fmt::format("Ranges cover {}: nothing says in which phase the 10 s clock of the replayed server is.",
                    counted(static_cast<std::uint64_t>(report.spread.runs - 1), "more replay", "more replays")));
  if (!report.what_if) return out;
  const WhatIfReport& w = *report.what_if;
  out.push_back(fmt::format(
      "What if: the log was written under Kubernetes {} with {}{}, and replayed under that first.",
      w.recorded_version.str(), seats_in_words(w.recorded_seats), w.seats_by_log ? " (by the server's log)" : ""));
  if (elsewhere(report.recorded))
    out.push_back(fmt::format(
        "Was that its configuration? By the log, {} of {} went to another FlowSchema or level than under it.",
        grouped(report.recorded.classified - report.recorded.classified_alike),
        counted(report.recorded.classified, "request", "requests")));
  if (w.replays > 1)
    out.push_back(
        fmt::format("Of {} replays that differ by chance alone, the report is of the one in the middle.", w.replays));
  if (w.compared > 0) out.push_back(changed_sentence(report));
  const auto by_log = [](const ClientReport& client) { return client.applied && !client.asked_for; };
  if (std::any_of(report.clients.begin(), report.clients.end(), by_log))
    out.push_back(
        "Clients that wait for their answers are replayed as the log shows them. Ranges also cover the replay in which "
        "they send at the recorded times.");
  return out;
}

Passage agreement_passage(const ReplayReport& report) {
  const RecordedReport& r = report.recorded;
  Passage out(report.what_if ? "Compared with the log: the replay under the recorded configuration"
                             : "Compared with the log");
  add_join(out, report.join);
  add_classification(out, r);
  add_outcomes(out, versions_of(report).part(&ReplayReport::recorded));
  add_waits(out, report);
  if (r.limits_compared > 0)
    out.say(fmt::format("{} of {} in the server's log are the same in the replay.", grouped(r.limits_alike),
                        counted(r.limits_compared, "limit", "limits")));
  if (!out.empty() && r.compared > 0) out.say(agreement_sentence(report));
  return out;
}

Passage spread_passage(const ReplayReport& report) {
  const Spread& spread = report.spread;
  Passage out(
      fmt::format("Spread over {} with jitter in arrivals and ends{}",
                  counted(static_cast<std::uint64_t>(std::max(spread.runs - 1, 0)), "more replay", "more replays"),
                  spread.clock_swept ? ", and the 10 s clock in other phases" : ""));
  if (spread.runs == 0) return out;
  Table table;
  table.left("LEVEL", 12).right("REFUSED").right("MEAN WAIT").right("P50").drop(2).right("P90").drop(1).right("P99");
  for (const Spread::Level& level : spread.levels) {
    const auto range = [](Nanos least, Nanos most) {
      return least == most ? human_duration(least) : human_duration(least) + " - " + human_duration(most);
    };
    if (level.p99_most == 0 && level.rejected_most == 0) continue;
    const std::string refused = level.rejected_least == level.rejected_most
                                    ? grouped(level.rejected_least)
                                    : grouped(level.rejected_least) + " - " + grouped(level.rejected_most);
    table.row(
        {level.name.empty() ? Table::Cell{"(all)", Tone::plain, {}} : name_cell(level.name, Tone::strong),
         {refused, level.rejected_most == 0 ? Tone::faint : Tone::bad, {}},
         {range(static_cast<Nanos>(level.mean_wait_least), static_cast<Nanos>(level.mean_wait_most)), Tone::plain, {}},
         {range(level.p50_least, level.p50_most), Tone::plain, {}},
         {range(level.p90_least, level.p90_most), Tone::plain, {}},
         {range(level.p99_least, level.p99_most), Tone::plain, {}}});
  }
  if (table.empty()) out.say("No request waits or is refused in any of them.");
  out.show(std::move(table));
  return out;
}

}  // namespace apf
