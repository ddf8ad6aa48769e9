// The agreement of a replay with its log, and its spread, for people.

#include <fmt/format.h>

#include <algorithm>

#include "report/agreement.h"
#include "report/table.h"
#include "report/units.h"

namespace apf {

namespace {

// Cut off, not rounded: 100 % means all.
std::string share(std::uint64_t part, std::uint64_t whole) {
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

Table::Cell name_cell(const std::string& name, Tone tone = Tone::plain) { return {printable(name), tone, {}, true}; }

void add_classification(Passage& out, const RecordedReport& r) {
  if (r.classified == 0) return;
  out.say(fmt::format("{} of {} go to the FlowSchema and level that the log names ({}).", grouped(r.classified_alike),
                      counted(r.classified, "request", "requests"), share(r.classified_alike, r.classified)));
  Table table;
  table.right("REQUESTS").left("LOGGED", 20).left("REPLAYED", 20);
  for (const auto& d : r.disagreements)
    table.row({{grouped(d.requests), Tone::caution, {}},
               name_cell(d.logged_schema + " / " + d.logged_level),
               name_cell(d.schema + " / " + d.level)});
  out.show(std::move(table));
}

void add_outcomes(Passage& out, const RecordedReport& r) {
  if (r.refused_in_log == 0 && r.refused_only_in_replay == 0) return;
  Table table;
  table.right("REQUESTS").left("LOGGED").left("REPLAYED");
  const char* const names[] = {"served", "refused at once", "refused after a wait"};
  for (int logged = 0; logged < 3; ++logged) {
    for (int replayed = 0; replayed < 3; ++replayed) {
      const std::uint64_t requests = r.outcomes[logged][replayed];
      if (requests == 0) continue;
      const Tone tone = (logged == 0) == (replayed == 0) ? Tone::plain : Tone::caution;
      table.row({{grouped(requests), tone, {}}, {names[logged], Tone::plain, {}}, {names[replayed], tone, {}}});
    }
  }
  out.show(std::move(table));
  if (r.hung_up > 0)
    out.say(fmt::format("{} left the queue before the wait limit, in the log and in the replay.",
                        counted(r.hung_up, "client", "clients")));
}

// Two rows for each level: as logged, as replayed.
void add_waits(Passage& out, const RecordedReport& r) {
  if (r.waits_compared == 0) return;
  out.say(fmt::format("Waits recorded for {}: {} on average in the log, {} in the replay.",
                      counted(r.waits_compared, "request", "requests"), human_seconds(r.mean_wait_log),
                      human_seconds(r.mean_wait_replay)));
  Table table;
  table.left("LEVEL", 12).left("").right("WAITS").right("MEAN").right("P50").right("P90").right("P99").right("REFUSED");
  for (const auto& level : r.levels) {
    const auto row = [&](bool logged, const DurationDistribution& wait, std::uint64_t refused) {
      const auto cell = [](const std::string& text, bool nothing) {
        return Table::Cell{text, nothing ? Tone::faint : Tone::plain, {}};
      };
      std::vector<Table::Cell> cells = {logged ? name_cell(level.name, Tone::strong) : Table::Cell{},
                                        {logged ? "logged" : "replayed", Tone::plain, {}},
                                        cell(grouped(wait.count()), wait.count() == 0)};
      for (const Nanos value :
           {static_cast<Nanos>(wait.mean()), wait.quantile(0.5), wait.quantile(0.9), wait.quantile(0.99)})
        cells.push_back(cell(human_duration(value), value == 0));
      cells.push_back(cell(grouped(refused), refused == 0));
      table.row(std::move(cells));
    };
    row(true, level.wait_log, level.refused_log);
    row(false, level.wait_replay, level.refused_replay);
  }
  out.show(std::move(table));
  const Nanos most = r.wait_error.quantile(0.9);
  if (most > 0)
    out.say(fmt::format(
        "Waits of single requests differ by {} at the median, {} at the 90th and {} at the 99th "
        "percentile.",
        human_duration(r.wait_error.quantile(0.5)), human_duration(most), human_duration(r.wait_error.quantile(0.99))));
}

}  // namespace

std::string agreement_sentence(const RecordedReport& r) {
  if (r.compared == 0) return {};
  return fmt::format("Agreement: {} ({} of {} go to the same level and are served, or refused, in both).",
                     share(r.agreed, r.compared), grouped(r.agreed), counted(r.compared, "request", "requests"));
}

std::vector<std::string> what_if_sentences(const ReplayReport& report) {
  std::vector<std::string> out;
  if (!report.what_if) return out;
  const WhatIfReport& w = *report.what_if;
  out.push_back(fmt::format(
      "What if: the log was written under Kubernetes {} with {}{}, and replayed under that first.",
      w.recorded_version.str(), seats_in_words(w.recorded_seats), w.seats_by_log ? " (by the server's log)" : ""));
  if (w.compared > 0)
    out.push_back(fmt::format("Changed by this configuration: {} of the requests ({} of {}).",
                              human_percent(w.compared - w.unchanged, w.compared), grouped(w.compared - w.unchanged),
                              grouped(w.compared)));
  return out;
}

Passage agreement_passage(const ReplayReport& report) {
  const RecordedReport& r = report.recorded;
  Passage out(report.what_if ? "Compared with the log: the replay under the recorded configuration"
                             : "Compared with the log");
  add_join(out, report.join);
  add_classification(out, r);
  add_outcomes(out, r);
  add_waits(out, r);
  if (r.limits_compared > 0)
    out.say(fmt::format("{} of {} in the server's log are the same in the replay.", grouped(r.limits_alike),
                        counted(r.limits_compared, "limit", "limits")));
  if (!out.empty() && r.compared > 0) out.say(agreement_sentence(r));
  return out;
}

Passage spread_passage(const ReplayReport& report) {
  const Spread& spread = report.spread;
  Passage out(
      fmt::format("Spread over {} with jitter in arrivals and ends",
                  counted(static_cast<std::uint64_t>(std::max(spread.runs - 1, 0)), "more replay", "more replays")));
  if (spread.runs == 0) return out;
  Table table;
  table.left("LEVEL", 12).right("REFUSED").right("MEAN WAIT").right("P50").right("P90").right("P99");
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
  if (table.empty()) out.say("Nobody waits and nobody is refused in any of them.");
  out.show(std::move(table));
  return out;
}

}  // namespace apf
