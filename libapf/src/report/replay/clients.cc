#include "report/replay/clients.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "report/core/units.h"
#include "report/replay/ranges.h"

namespace apf {

namespace {

void write_client(JsonWriter& json, const ClientReport& client) {
  json.begin_object().field("user", client.user).field("userAgent", client.user_agent);
  json.field("model", to_string(client.model)).field("applied", client.applied).field("askedFor", client.asked_for);
  json.field("requests", client.requests).field("places", client.places);
  json.field("meanInFlight", client.mean_in_flight).field("evidence", client.evidence);
  json.field("meanThinkNs", client.mean_think).field("beyondLog", client.beyond_log);
  json.field("repeated", client.repeated);
  json.key("held").begin_object().field("count", client.held);
  json.field("meanNs",
             static_cast<std::int64_t>(client.held == 0 ? 0 : client.held_sum / static_cast<double>(client.held)));
  json.field("maxNs", client.held_max).end_object().end_object();
}

}  // namespace

Passage clients_passage(const ReplayReport& report) {
  Passage out("Clients that wait for their answers");
  const auto has = [&](std::uint64_t ClientReport::*count) {
    return std::any_of(report.clients.begin(), report.clients.end(),
                       [&](const ClientReport& client) { return client.*count > 0; });
  };
  const bool leaves_out = has(&ClientReport::beyond_log), repeats = has(&ClientReport::repeated);
  const bool holds = has(&ClientReport::held);
  Table table;
  table.left("CLIENT", 12).left("USER", 12).left("MODEL").right("IN FLIGHT").right("REQUESTS");
  if (leaves_out) table.right("LEFT OUT");
  if (repeats) table.right("REPEATED");
  if (holds) table.right("HELD").right("MAX");
  if (holds && repeats) table.drop(1);
  table.left("");
  bool all_applied = true;
  for (const ClientReport& client : report.clients) {
    all_applied = all_applied && client.applied;
    std::vector<Table::Cell> row = {
        name_cell(client.user_agent.empty() ? client.user : client.user_agent, Tone::strong),
        name_cell(client.user),
        {to_string(client.model), Tone::plain, {}},
        {grouped(static_cast<std::uint64_t>(client.places)), Tone::plain, {}},
        {grouped(client.requests), Tone::plain, {}}};
    if (leaves_out) row.push_back({grouped(client.beyond_log), client.beyond_log == 0 ? Tone::faint : Tone::plain, {}});
    if (repeats) row.push_back({grouped(client.repeated), client.repeated == 0 ? Tone::faint : Tone::plain, {}});
    if (holds) {
      row.push_back({grouped(client.held), client.held == 0 ? Tone::faint : Tone::caution, {}});
      row.push_back({client.held == 0 ? "-" : human_duration(client.held_max), Tone::plain, {}});
    }
    row.push_back({client.applied ? client.asked_for ? "" : "by the log" : "not applied", Tone::caution, {}});
    table.row(std::move(row));
  }
  if (table.empty()) return out;
  out.show(std::move(table));
  std::vector<std::string> columns;
  if (leaves_out) columns.push_back("LEFT OUT: requests that would come after the end of the log.");
  if (repeats)
    columns.push_back("REPEATED: requests sent once more than in the log, because the client has its answers sooner.");
  if (holds) columns.push_back("HELD: requests that waited in the client, and how long at most.");
  if (!all_applied) columns.push_back("Not applied: sent at the recorded times.");
  if (!columns.empty()) out.explain(joined(columns, " "));
  return out;
}

Passage retries_passage(const ReplayReport& report) {
  Passage out("Retries");
  const Versions<ReplayReport> versions = versions_of(report);
  const auto count = [&](std::uint64_t ReplayReport::*member) {
    return versions.range([member](const ReplayReport& r) { return r.*member; });
  };
  const Range<std::uint64_t> retries = count(&ReplayReport::retries), gave_up = count(&ReplayReport::gave_up);
  const Range<std::uint64_t> beyond = count(&ReplayReport::retries_beyond_log);
  if (retries.high == 0) return out;
  out.say(fmt::format(
      "Clients refused in the replay retried {} {} after Retry-After; {}.", count_text(retries),
      retries.high == 1 ? "time" : "times",
      gave_up.high == 0 ? std::string("none gave up") : count_text(gave_up) + " gave up, refused the eleventh time"));
  if (beyond.high > 0)
    out.say(fmt::format(
        "{} of them after the end of the log: they are in no other figure.",
        beyond.decided() && retries.decided() && beyond.value == retries.value ? "All" : count_text(beyond)));
  return out;
}

void write_clients(JsonWriter& json, const ReplayReport& report) {
  if (!report.clients.empty()) {
    json.key("clients").begin_array();
    for (const ClientReport& client : report.clients) write_client(json, client);
    json.end_array();
  }
  const Versions<ReplayReport> versions = versions_of(report);
  json.key("retries").begin_object();
  write_figure(json, "attempts", versions.range([](const ReplayReport& r) { return r.retries; }));
  write_figure(json, "gaveUp", versions.range([](const ReplayReport& r) { return r.gave_up; }));
  write_figure(json, "beyondLog", versions.range([](const ReplayReport& r) { return r.retries_beyond_log; }));
  write_figure(json, "dropped", versions.range([](const ReplayReport& r) { return r.retries_dropped; }));
  json.end_object();
}

}  // namespace apf
