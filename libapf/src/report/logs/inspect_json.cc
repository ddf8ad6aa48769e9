// An inspection as JSON.
#include <cmath>

#include <apf/logs_report.h>

#include "report/logs/inspect_words.h"

namespace apf {

namespace {

void write_count(JsonWriter& json, const char* key, const std::optional<double>& number) {
  if (number) json.field(key, whole(*number));
}

void write_bounds(JsonWriter& json, const char* key, const std::optional<InspectedHistogram::Bounds>& bounds,
                  bool durations) {
  if (!bounds) return;
  const auto value = [&](const char* name, double number) {
    json.key(name);
    if (!std::isfinite(number)) json.null();
    else if (durations) json.value(rounded_nanos(number));
    else json.value(whole(number));
  };
  json.key(key).begin_object();
  value("low", bounds->low);
  value("high", bounds->high);
  json.end_object();
}

void write_waits(JsonWriter& json, const InspectedHistogram& wait) {
  if (wait.count <= 0) return;
  json.key("waitNs").begin_object().field("requests", whole(wait.count)).field("mean", rounded_nanos(wait.mean()));
  write_bounds(json, "p50", wait.quantile(0.5), true);
  write_bounds(json, "p90", wait.quantile(0.9), true);
  write_bounds(json, "p99", wait.quantile(0.99), true);
  json.end_object();
}

void write_widths(JsonWriter& json, const InspectedHistogram& width) {
  if (width.count <= 0) return;
  json.key("seatsPerRequest").begin_object().field("requests", whole(width.count)).field("mean", width.mean());
  write_bounds(json, "p99", width.quantile(0.99), false);
  write_bounds(json, "widest", width.quantile(1), false);
  json.end_object();
}

void write_rate(JsonWriter& json, const char* key, const std::optional<double>& number, const Inspection& inspection) {
  if (number && inspection.seconds && *inspection.seconds > 0) json.field(key, *number / *inspection.seconds);
}

void write_numbers(JsonWriter& json, const char* key, const std::vector<std::uint32_t>& numbers) {
  json.key(key).begin_array();
  for (const std::uint32_t number : numbers) json.value(static_cast<std::uint64_t>(number));
  json.end_array();
}

void write_flow(JsonWriter& json, const InspectedFlow& flow) {
  json.begin_object().field("flowSchema", flow.flow_schema).field("flowDistinguisher", flow.distinguisher);
  if (flow.executing)
    json.key("executing")
        .begin_object()
        .field("requests", *flow.executing)
        .field("seats", flow.executing_seats.value_or(0))
        .end_object();
  json.key("waiting").begin_object().field("requests", flow.waiting).field("seats", flow.waiting_seats).end_object();
  if (flow.longest_wait) json.field("longestWaitNs", *flow.longest_wait);
  if (!flow.hand.empty()) write_numbers(json, "hand", flow.hand);
  write_numbers(json, "queues", flow.queues);
  json.field("sharedQueues", static_cast<std::uint64_t>(flow.shared)).end_object();
}

void write_overlap(JsonWriter& json, const InspectedLevel& level, const HandOverlap& overlap) {
  json.begin_object().key("flows").begin_array();
  for (const std::size_t at : {overlap.first, overlap.second})
    json.begin_object()
        .field("flowSchema", level.flows[at].flow_schema)
        .field("flowDistinguisher", level.flows[at].distinguisher)
        .end_object();
  json.end_array();
  write_numbers(json, "queues", overlap.queues);
  json.end_object();
}

void write_counts(JsonWriter& json, const char* key, const std::optional<double>& requests,
                  const std::optional<double>& seats) {
  if (!requests && !seats) return;
  json.key(key).begin_object();
  write_count(json, "requests", requests);
  write_count(json, "seats", seats);
  json.end_object();
}

void write_level(JsonWriter& json, const InspectedLevel& level, const Inspection& inspection) {
  json.begin_object().field("priorityLevel", level.name);
  if (level.state) json.field("state", to_string(*level.state));
  json.field("exempt", level.exempt).field("quiescing", level.quiescing);
  write_count(json, "nominalCL", level.nominal);
  write_count(json, "currentCL", level.current);
  write_count(json, "minCL", level.lower);
  write_count(json, "maxCL", level.upper);
  if (const auto borrowed = level.borrowed())
    json.field("borrowed", *borrowed < 0 ? -static_cast<std::int64_t>(whole(-*borrowed))
                                         : static_cast<std::int64_t>(whole(*borrowed)));
  write_counts(json, "executing", level.executing, level.executing_seats);
  write_counts(json, "waiting", level.waiting, level.waiting_seats);
  if (const auto used = level.utilization()) json.field("utilization", *used);
  write_count(json, "demandMost", level.demand_most);
  write_count(json, "dispatched", level.dispatched);
  write_count(json, "rejected", level.rejected);
  write_rate(json, "dispatchedPerSecond", level.dispatched, inspection);
  write_rate(json, "rejectedPerSecond", level.rejected, inspection);
  if (level.rejected) {
    json.key("rejectedBy").begin_object();
    for (const auto& [reason, count] : level.rejected_by) json.field(reason, whole(count));
    json.end_object();
  }
  write_count(json, "notAccommodated", level.not_accommodated);
  write_waits(json, level.wait);
  if (level.execution.count > 0) json.field("meanExecutionNs", rounded_nanos(level.execution.mean()));
  write_widths(json, level.width);
  if (level.drain) json.field("drainNs", rounded_nanos(*level.drain));
  if (level.queues > 0) json.field("queues", level.queues).field("activeQueues", level.active_queues);
  if (level.deepest)
    json.key("deepestQueue")
        .begin_object()
        .field("index", level.deepest->index)
        .field("requests", level.deepest->waiting)
        .field("seats", level.deepest->initial_seats)
        .end_object();
  if (inspection.has_requests) {
    json.key("flows").begin_array();
    for (const InspectedFlow& flow : level.flows) write_flow(json, flow);
    json.end_array().key("overlaps").begin_array();
    for (const HandOverlap& overlap : level.overlaps) write_overlap(json, level, overlap);
    json.end_array();
  }
  json.end_object();
}

void write_kinds(JsonWriter& json, const char* key, const std::map<std::string, double>& by_kind) {
  if (by_kind.empty()) return;
  json.key(key).begin_object();
  for (const auto& [kind, requests] : by_kind) json.field(kind.empty() ? "all" : kind, whole(requests));
  json.end_object();
}

void write_comparison(JsonWriter& json, const Inspection& inspection) {
  if (!inspection.compared) return;
  json.key("comparison").begin_object().key("serverConcurrencyLimit");
  if (inspection.server_concurrency_limit) json.value(*inspection.server_concurrency_limit);
  else json.null();
  json.field("found", inspection.concurrency_found.has_value());
  if (inspection.concurrency_found && inspection.concurrency_found->is_guess())
    json.key("guessed")
        .begin_object()
        .field("least", inspection.concurrency_found->least)
        .field("most", inspection.concurrency_found->most)
        .end_object();
  json.field("equal", inspection.differences.empty());
  json.key("differences").begin_array();
  for (const LimitDifference& d : inspection.differences) {
    json.begin_object().field("priorityLevel", d.level).field("what", to_string(d.what));
    if (d.what < LimitDifference::What::only_in_server)
      json.field("server", whole(d.server)).field("configured", whole(d.configured));
    json.end_object();
  }
  json.end_array().end_object();
}

void write_courses(JsonWriter& json, const Inspection& inspection) {
  if (inspection.courses.empty()) return;
  json.key("courses").begin_array();
  for (const ScrapeCourse& course : inspection.courses) {
    const CourseFacts facts = facts_of(course);
    json.begin_object().field("priorityLevel", course.level).field("firstNs", facts.first).field("lastNs", facts.last);
    if (facts.most)
      json.key("mostWaiting")
          .begin_object()
          .field("timeNs", facts.most->from)
          .field("requests", whole(facts.most->requests))
          .end_object();
    if (!course.rejected.empty()) {
      json.key("rejected").begin_array();
      for (const CourseFacts::Step& step : facts.refusals)
        json.begin_object()
            .field("fromNs", step.from)
            .field("toNs", step.to)
            .field("requests", whole(step.requests))
            .end_object();
      json.end_array();
    }
    if (facts.restarted) json.field("restartedNs", *facts.restarted);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string render_json(const Inspection& inspection, const std::vector<ExpectationResult>& expectations) {
  JsonWriter json;
  json.begin_object();
  if (inspection.state) json.field("state", to_string(*inspection.state));
  json.key("verdict").begin_array();
  for (const std::string& sentence : inspection_sentences(inspection)) json.value(sentence);
  json.end_array();
  if (inspection.has_scrape) json.field("scrapes", inspection.scrapes).field("between", inspection.between);
  if (!inspection.version.empty()) json.field("kubernetesVersion", inspection.version);
  if (inspection.seconds) json.field("intervalNs", rounded_nanos(*inspection.seconds));
  if (inspection.dumped) json.field("dumpTime", format_rfc3339(*inspection.dumped));
  if (inspection.apf_on) json.field("apfOn", *inspection.apf_on);
  write_kinds(json, "inFlight", inspection.in_flight);
  write_kinds(json, "refused", inspection.dropped);
  json.key("levels").begin_array();
  for (const InspectedLevel& level : inspection.levels) write_level(json, level, inspection);
  json.end_array();
  if (inspection.has_scrape) {
    json.key("flowSchemas").begin_array();
    for (const InspectedSchema& schema : inspection.schemas) {
      json.begin_object().field("flowSchema", schema.name).field("priorityLevel", schema.level);
      write_count(json, "dispatched", schema.dispatched);
      write_count(json, "rejected", schema.rejected);
      write_count(json, "executingSeats", schema.executing_seats);
      write_count(json, "waitingSeats", schema.waiting_seats);
      write_waits(json, schema.wait);
      write_widths(json, schema.width);
      json.end_object();
    }
    json.end_array();
  }
  write_courses(json, inspection);
  write_comparison(json, inspection);
  if (inspection.has_scrape) {
    json.key("absent").begin_array();
    for (const std::string& family : inspection.absent) json.value(family);
    json.end_array();
  }
  json.key("missing").begin_array();
  for (const std::string& sentence : missing_sentences(inspection)) json.value(sentence);
  json.end_array().key("expectations").begin_array();
  for (const ExpectationResult& result : expectations)
    json.begin_object().field("met", result.met).field("message", result.message).end_object();
  json.end_array().end_object();
  return json.take();
}

}  // namespace apf
