// The stages of a replay for people: one table for all, who was delayed and refused, requests in flight.
#include <fmt/format.h>

#include "report/stages.h"
#include "report/table.h"
#include "report/units.h"

namespace apf {

namespace {

Table::Cell number(std::uint64_t n, Tone tone) { return {grouped(n), n == 0 ? Tone::faint : tone, {}}; }

Table::Cell share(std::uint64_t part, std::uint64_t whole) {
  return {human_percent(part, whole), part == 0 ? Tone::faint : Tone::bad, {}};
}

std::string duration(double nanos) { return human_duration(nanos < 9e18 ? static_cast<Nanos>(nanos) : INT64_MAX); }

std::string title(const std::string& text, const TextStyle& style) { return "\n" + toned(text, Tone::strong, style) + "\n"; }

// Clients where the limiter tells them apart by user agent, else users.
std::string requester_table(const StageReport& stage, const std::vector<RequesterReport>& requesters, bool refused,
                            const TextStyle& style) {
  if (requesters.empty()) return "";
  bool agents = false;
  for (const RequesterReport& r : requesters) agents = agents || !r.user_agent.empty();
  std::string out = title(fmt::format("{} that {} {} most, of {}", agents ? "Clients" : "Users", to_string(stage.stage),
                                      refused ? "refused" : "delayed", grouped(stage.requesters)),
                          style);
  Table table;
  table.left("USER", 16, Keep::tail);
  if (agents) table.left("USER AGENT", 16);
  table.right("REQUESTS");
  if (refused) table.right("REFUSED").right("");
  else table.right("DELAYED").right("TOTAL DELAY").right("MEAN").right("MAX");
  for (const RequesterReport& r : requesters) {
    std::vector<Table::Cell> row = {{r.user.empty() ? "(not known)" : printable(r.user), Tone::strong, {}}};
    if (agents) row.push_back({printable(r.user_agent), Tone::plain, {}});
    row.push_back(number(r.requests, Tone::plain));
    if (refused) {
      row.push_back(number(r.refused, Tone::bad));
      row.push_back(share(r.refused, r.requests));
    } else {
      row.push_back(number(r.delayed, Tone::caution));
      row.push_back({duration(r.delay_sum), Tone::caution, {}});
      row.push_back({duration(r.delay_sum / static_cast<double>(r.delayed)), Tone::plain, {}});
      row.push_back({human_duration(r.delay_max), Tone::plain, {}});
    }
    table.row(std::move(row));
  }
  return out + table.render(style);
}

}  // namespace

bool has_other_stages(const ReplayReport& report) {
  return report.stages.size() > 1 || (!report.stages.empty() && report.stages.front().stage != AdmissionStage::apf);
}

std::string stages_text(const ReplayReport& report, const TextStyle& style) {
  if (!has_other_stages(report)) return "";
  std::string out = title("Stages, in the order in which requests pass them", style);
  Table table;
  table.left("STAGE").right("SEEN").right("BYPASSED").right("DELAYED").right("P50").right("P90").right("P99").right("MAX");
  table.right("REFUSED").right("").left("WHY");
  for (const StageReport& stage : report.stages) {
    std::vector<Table::Cell> row = {{to_string(stage.stage), Tone::strong, {}},
                                    number(stage.seen(), Tone::plain),
                                    number(stage.bypassed, Tone::plain),
                                    number(stage.delayed, Tone::caution)};
    for (const double q : {0.5, 0.9, 0.99, 1.0}) {
      const Nanos value = q < 1 ? stage.delay.quantile(q) : stage.delay.max();
      row.push_back({stage.delayed == 0 ? "-" : human_duration(value), stage.delayed == 0 ? Tone::faint : Tone::plain, {}});
    }
    row.push_back(number(stage.refused, Tone::bad));
    row.push_back(share(stage.refused, stage.seen()));
    std::string why;
    for (const auto& [reason, count] : stage.reasons) why += (why.empty() ? "" : ", ") + reason + " " + grouped(count);
    row.push_back({why, Tone::plain, {}});
    table.row(std::move(row));
  }
  out += table.render(style);
  for (const StageReport& stage : report.stages) {
    out += requester_table(stage, stage.delayed_most, false, style);
    out += requester_table(stage, stage.refused_most, true, style);
  }
  return out;
}

std::string in_flight_text(const ReplayReport& report, const TextStyle& style) {
  std::string out = title("In flight", style);
  Table kinds;
  kinds.left("REQUESTS").right("LIMIT").right("AVERAGE").right("PEAK").right("SEEN").right("REFUSED").right("").right("UNCOUNTED");
  const auto add = [&](const char* name, const InFlightReport::Kind& kind) {
    const bool full = kind.limit > 0 && kind.peak >= kind.limit;
    kinds.row({{name, Tone::strong, {}},
               {kind.limit == 0 ? "none" : std::to_string(kind.limit), Tone::plain, {}},
               {kind.limit == 0 ? "-" : one_decimal(kind.average), Tone::plain, {}},
               {kind.limit == 0 ? "-" : std::to_string(kind.peak), full ? Tone::caution : Tone::plain, {}},
               number(kind.requests, Tone::plain),
               number(kind.refused, Tone::bad),
               share(kind.refused, kind.requests),
               number(kind.uncounted, Tone::plain)});
  };
  add("read-only", report.in_flight->read_only);
  add("mutating", report.in_flight->mutating);
  out += kinds.render(style);
  out += toned("Uncounted: of system:masters, served beyond the limit.", Tone::faint, style) + "\n";
  out += title("Where they would have gone, were API Priority and Fairness on", style);
  Table schemas;
  schemas.left("FLOWSCHEMA", 14).left("LEVEL", 12).right("REQUESTS").right("EXECUTED").right("REFUSED").right("");
  for (const SchemaReport& schema : report.schemas) {
    if (schema.tally.requests == 0) continue;
    schemas.row({{printable(schema.name), Tone::strong, {}},
                 {printable(schema.priority_level), Tone::plain, {}},
                 number(schema.tally.requests, Tone::plain),
                 number(schema.tally.executed, Tone::plain),
                 number(schema.tally.rejected(), Tone::bad),
                 share(schema.tally.rejected(), schema.tally.requests)});
  }
  return out + schemas.render(style);
}

}  // namespace apf
