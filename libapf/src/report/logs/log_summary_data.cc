// What a log says of what happened, for programs: as JSON and as CSV.
#include <apf/logs_report.h>
#include <apf/output.h>

#include <cmath>

#include "report/core/csv_table.h"
#include "report/core/why_words.h"
#include "report/logs/log_stat_report.h"
#include "report/logs/log_summary_words.h"

namespace apf {
namespace {

void write_rows(JsonWriter& json, const char* key, const std::vector<LogRow>& rows,
                std::initializer_list<const char*> names) {
  json.key(key).begin_array();
  for (const LogRow& row : rows) {
    json.begin_object();
    std::size_t i = 0;
    for (const char* name : names) json.field(name, row.names[i++]);
    json.field("requests", row.tally.requests).field("refused", row.tally.refused).field("errors", row.tally.errors);
    json.field("seatSeconds", row.tally.seat_seconds);
    if (row.stands_for > 0) json.field("standsFor", row.stands_for);
    json.end_object();
  }
  json.end_array();
}

void write_time(JsonWriter& json, const char* name, const std::optional<Nanos>& time) {
  json.key(name);
  time ? json.value(*time) : json.null();
}

void write_refused(JsonWriter& json, const LogSummary& s) {
  json.key("refused").begin_object().field("total", s.total.refused);
  json.field("apf", answers_by(s, AnswerCause::apf) + answers_by(s, AnswerCause::hung_up));
  json.field("maxInFlight", answers_by(s, AnswerCause::max_in_flight));
  json.field("undecided", answers_by(s, AnswerCause::apf_or_max_in_flight) + answers_by(s, AnswerCause::unknown));
  json.field("atExemptLevels", s.evidence.at_exempt);
  write_time(json, "firstNs", s.first_refused);
  write_time(json, "lastNs", s.last_refused);
  if (s.bursts)
    json.key("bursts")
        .begin_object()
        .field("fromSecond", s.bursts->from)
        .field("toSecond", s.bursts->to)
        .field("refused", s.bursts->refused)
        .field("minutes", s.bursts->minutes)
        .end_object();
  json.key("worstMinute");
  if (s.worst_minute)
    json.begin_object()
        .field("beginNs", s.worst_minute->begin)
        .field("refused", s.worst_minute->tally.refused)
        .field("requests", s.worst_minute->tally.requests)
        .end_object();
  else json.null();
  write_rows(json, "byUser", s.users, {"user"});
  write_rows(json, "byUserAgent", s.agents, {"userAgent"});
  write_rows(json, "byAddress", s.addresses, {"address"});
  write_rows(json, "byLevel", s.schemas, {"flowSchema", "priorityLevel"});
  write_rows(json, "byResource", s.resources, {"verb", "resource"});
  json.end_object();
}

void write_answers(JsonWriter& json, const LogSummary& s) {
  json.key("answers").begin_array();
  for (const LogAnswers& a : s.answers) {
    json.begin_object().field("code", a.code).field("cause", to_string(a.cause)).field("about", a.about);
    json.field("requests", a.requests);
    json.field("firstNs", a.first).field("lastNs", a.last).key("clients").begin_array();
    for (const LogRow& row : a.clients)
      json.begin_object().field("client", row.names.front()).field("requests", row.tally.requests).end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_slow(JsonWriter& json, const LogSummary& s) {
  const auto parts = [&](const SlowRequests& slow) {
    json.key("parts").begin_object();
    for (std::size_t i = 0; i < kLatencyParts && slow.with_parts > 0; ++i) {
      const auto part = static_cast<LatencyPart>(i);
      if (knows(slow, part)) json.field(to_string(part), slow.parts[i]);
    }
    json.end_object();
  };
  json.key("time").begin_array();
  if (s.slow_total.with_parts > 0)
    for (const Spent& part : spent(s.slow_total))
      json.begin_object()
          .field("what", part.what)
          .field("sumNs", part.sum)
          .field("requests", s.slow_total.with_parts)
          .end_object();
  json.end_array().key("slow").begin_array();
  for (const SlowRequests& slow : s.slow) {
    json.begin_object().field("client", slow.user).field("verb", slow.verb).field("resource", slow.resource);
    json.field("requests", slow.requests)
        .field("firstNs", slow.first)
        .field("lastNs", slow.last)
        .field("withParts", slow.with_parts)
        .field("traced", slow.traced)
        .field("sumNs", slow.total);
    json.field("withWait", slow.with_wait).field("waitNs", slow.wait);
    parts(slow);
    json.end_object();
  }
  json.end_array().field("tracesApart", s.traces_apart);
  json.key("waits")
      .begin_object()
      .field("requests", s.total.waited)
      .field("sumNs", s.total.wait)
      .field("latencySumNs", s.total.wait_and_run)
      .end_object();
}

void write_clients(JsonWriter& json, const LogSummary& s) {
  json.key("clients").begin_array();
  for (const ClientFinding& f : s.clients) {
    const ClientFaultRow& row = row_of(f.fault);
    json.begin_object().field("code", row.code).field("user", f.user).field("userAgent", f.agent);
    if (f.users > 1) json.field("users", f.users);
    json.field("request", f.what).field("path", f.path);
    if (!f.path.empty()) json.field("paths", f.paths);
    json.field("requests", f.requests).field("hits", f.hits);
    if (f.fault == ClientFault::list_loop) json.field("noRetries", f.no_retries);
    json.field("share", f.share).field("seatShare", f.seat_share).field("firstNs", f.first).field("lastNs", f.last);
    json.field("message", row.title).field("advice", row.advice).key("examples").begin_array();
    for (const std::string& example : f.examples) json.value(example);
    json.end_array().end_object();
  }
  json.end_array();
  json.key("throttling").begin_object().field("lines", s.throttling.lines);
  json.field("shortestNs", s.throttling.shortest)
      .field("longestNs", s.throttling.longest)
      .field("sumNs", s.throttling.sum);
  const auto rows = [&](const char* key, const char* name, const std::vector<LogRow>& list) {
    json.key(key).begin_array();
    for (const LogRow& row : list)
      json.begin_object()
          .field(name, row.names.front())
          .field("lines", row.tally.requests)
          .field("sumNs", row.tally.wait)
          .end_object();
    json.end_array();
  };
  rows("requests", "request", s.throttling.targets);
  json.field("gaveUp", s.throttling.gave_up).field("refused", s.throttling.refused);
  json.field("evictions", s.throttling.evictions).field("events", s.throttling.events);
  rows("refusedRequests", "request", s.throttling.refused_targets);
  rows("flowSchemas", "uid", s.throttling.schemas);
  json.end_object();
}

void write_minutes(JsonWriter& json, const LogSummary& s) {
  json.key("minutes").begin_array();
  for (const LogMinute& m : s.minutes) {
    json.begin_object().field("beginNs", m.begin).field("priorityLevel", m.level).field("requests", m.tally.requests);
    json.field("refused", m.tally.refused).field("waited", m.tally.waited).field("waitNs", m.tally.wait);
    json.field("seatSeconds", m.tally.seat_seconds).end_object();
  }
  json.end_array();
}

}  // namespace

std::string render_json(const LogSummary& s, const LogSummaryFrame& frame) {
  JsonWriter json;
  json.begin_object().field("requests", s.total.requests);
  write_time(json, "firstArrivalNs", s.first);
  write_time(json, "lastArrivalNs", s.last);
  write_time(json, "lastEndNs", s.stat.last_end);
  write_refused(json, s);
  write_answers(json, s);
  write_why(json, s.why);
  write_rows(json, "load", s.load, {"verb", "resource"});
  write_rows(json, "loadByClient", s.load_of, {"client"});
  if (s.with_user > 0) write_rows(json, "loadByUserAgent", s.agents_load, {"userAgent"});
  if (s.acted > 0) write_rows(json, "impersonation", s.impersonated, {"impersonator", "user"});
  json.field("withSeats", s.total.with_seats).field("runsUnknown", s.runs_unknown);
  if (s.apf_on) json.key("apf").begin_object().field("on", *s.apf_on).field("by", s.apf_by).end_object();
  write_slow(json, s);
  write_clients(json, s);
  write_minutes(json, s);
  write_log_stat(json, s.stat, frame);
  json.end_object();
  return json.take();
}

std::string render_csv(const LogSummary& summary) {
  constexpr double kMicros = 1e6;
  CsvTable out;
  for (const LogDimension dimension : summary.dimensions) out.text(to_string(dimension));
  for (const char* name : {"requests", "refused", "errors", "waited", "wait_s", "seat_seconds"}) out.text(name);
  out.end_row();
  for (const LogRow& row : rows_by(summary, summary.by.size())) {
    for (const std::string& name : row.names) out.text(name);
    const LogTally& t = row.tally;
    for (const std::uint64_t number : {t.requests, t.refused, t.errors, t.waited}) out.number(number);
    out.seconds(static_cast<double>(t.wait));
    out.number(std::round(t.seat_seconds * kMicros) / kMicros);
    out.end_row();
  }
  return out.take();
}

}  // namespace apf
