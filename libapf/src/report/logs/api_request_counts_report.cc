// APIRequestCount objects as a document, as JSON and as CSV.
#include <algorithm>
#include <map>

#include <apf/logs_report.h>
#include <apf/output.h>
#include <fmt/core.h>

#include "report/core/csv_table.h"
#include "report/core/units.h"

namespace apf {

namespace {

using Hours = std::array<std::uint64_t, ApiRequestCounts::kHours>;

std::string hour_text(std::size_t hour) { return fmt::format("{:02}:00", hour); }

std::size_t busiest(const Hours& hours) {
  return static_cast<std::size_t>(std::max_element(hours.begin(), hours.end()) - hours.begin());
}

std::uint64_t active_hours(const Hours& hours) {
  return static_cast<std::uint64_t>(hours.size()) -
         static_cast<std::uint64_t>(std::count(hours.begin(), hours.end(), 0));
}

std::pair<std::string, std::uint64_t> busiest_user(const ApiRequestCounts& counts) {
  std::map<std::string, std::uint64_t> users;
  std::pair<std::string, std::uint64_t> out;
  for (const ApiRequestCounts::Row& row : counts.rows) users[row.user] += row.requests;
  for (const auto& [user, requests] : users)
    if (requests > out.second) out = {user, requests};
  return out;
}

Passage who(const ApiRequestCounts& counts, std::size_t top) {
  Passage out("Who sends how many requests");
  Table table;
  table.left("USER", 20)
      .left("AGENT", 12)
      .drop(2)
      .left("REQUEST", 12)
      .right("REQUESTS")
      .right("SHARE")
      .right("AN HOUR");
  table.right("MOST").right("AT");
  for (std::size_t i = 0; i < std::min(counts.rows.size(), top); ++i) {
    const ApiRequestCounts::Row& row = counts.rows[i];
    const std::size_t hour = busiest(row.by_hour);
    const std::string verb = row.verb.empty() ? "(verb unknown)" : row.verb;
    table.row({name_cell(row.user, Tone::strong),
               name_cell(row.agent),
               name_cell(verb + " " + row.resource),
               {grouped(row.requests), Tone::plain, {}},
               {human_percent(row.requests, counts.requests), Tone::plain, {}},
               {grouped(row.requests / std::max<std::uint64_t>(1, active_hours(row.by_hour))), Tone::plain, {}},
               {grouped(row.by_hour[hour]), Tone::plain, {}},
               {hour_text(hour), Tone::faint, {}}});
  }
  out.show(std::move(table));
  out.explain("AN HOUR: on average of the hours with requests; MOST, AT: in the busiest hour, UTC.");
  if (counts.rows.size() > top)
    out.explain(counted(counts.rows.size() - top, "more row has fewer requests", "more rows have fewer requests") +
                "; --top shows more.");
  return out;
}

Passage by_hour(const ApiRequestCounts& counts) {
  Passage out("By hour");
  Table table;
  table.left("HOUR").right("REQUESTS").right("MOST").left("OF", 20);
  for (std::size_t hour = 0; hour < counts.by_hour.size(); ++hour) {
    if (counts.by_hour[hour] == 0) continue;
    const auto most = std::max_element(counts.rows.begin(), counts.rows.end(),
                                       [&](const auto& a, const auto& b) { return a.by_hour[hour] < b.by_hour[hour]; });
    if (most == counts.rows.end()) continue;
    table.row({{hour_text(hour), Tone::faint, {}},
               {grouped(counts.by_hour[hour]), Tone::plain, {}},
               {grouped(most->by_hour[hour]), Tone::plain, {}},
               name_cell(most->user + " " + most->verb + " " + most->resource)});
  }
  out.show(std::move(table));
  return out;
}

}  // namespace

Document document_of(const ApiRequestCounts& counts, const std::string& name, std::size_t top, const View& view) {
  Document out(name);
  Passage& head = out.section();
  const std::uint64_t hours = active_hours(counts.by_hour);
  head.judge(fmt::format("{} in {}.", counted(counts.requests, "request", "requests"), counted(hours, "hour", "hours")),
             Tone::caution);
  if (const auto [user, requests] = busiest_user(counts); requests > 0)
    head.item(fmt::format("Most of them were from {}: {} ({}).", user, grouped(requests),
                          human_percent(requests, counts.requests)),
              "");
  if (counts.unnamed > 0)
    head.item(fmt::format("{} are of users that are not listed: each object names the busiest ones of an hour only.",
                          grouped(counts.unnamed)),
              "");
  head.explain(
      fmt::format("{}: counts of OpenShift's API servers ({}), not a log: they cannot be replayed, and "
                  "say neither when each request came nor how it was answered.",
                  name, counted(counts.objects, "APIRequestCount", "APIRequestCounts")));
  out.add(who(counts, top));
  if (!view.is_brief()) out.add(by_hour(counts));
  Passage& removed = out.section("Removed from later releases");
  for (const auto& [resource, release] : counts.removed)
    removed.item(fmt::format("{} is in use, and removed in {}.", resource, release), "");
  return out;
}

std::string render_json(const ApiRequestCounts& counts) {
  JsonWriter json;
  const auto hours = [&](const char* key, const Hours& of) {
    json.key(key).begin_array();
    for (const std::uint64_t requests : of) json.value(requests);
    json.end_array();
  };
  json.begin_object().key("apiRequestCounts").begin_object();
  json.field("objects", static_cast<std::uint64_t>(counts.objects)).field("requests", counts.requests);
  json.field("unnamed", counts.unnamed);
  hours("byHour", counts.by_hour);
  json.key("nodes").begin_array();
  for (const std::string& node : counts.nodes) json.value(node);
  json.end_array().key("rows").begin_array();
  for (const ApiRequestCounts::Row& row : counts.rows) {
    json.begin_object().field("user", row.user).field("userAgent", row.agent).field("verb", row.verb);
    json.field("resource", row.resource).field("requests", row.requests);
    hours("byHour", row.by_hour);
    json.end_object();
  }
  json.end_array().key("removed").begin_array();
  for (const auto& [resource, release] : counts.removed)
    json.begin_object().field("resource", resource).field("release", release).end_object();
  json.end_array().end_object().end_object();
  return json.take();
}

std::string render_csv(const ApiRequestCounts& counts) {
  CsvTable csv;
  for (const char* heading : {"hour", "user", "user_agent", "verb", "resource", "requests"}) csv.text(heading);
  csv.end_row();
  for (std::size_t hour = 0; hour < ApiRequestCounts::kHours; ++hour) {
    for (const ApiRequestCounts::Row& row : counts.rows) {
      if (row.by_hour[hour] == 0) continue;
      csv.number(hour);
      for (const std::string* name : {&row.user, &row.agent, &row.verb, &row.resource}) csv.text(*name);
      csv.number(row.by_hour[hour]);
      csv.end_row();
    }
  }
  return csv.take();
}

}  // namespace apf
