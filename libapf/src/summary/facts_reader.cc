#include "summary/facts_reader.h"

#include <algorithm>

#include "base/hash.h"
#include "logs/answer_cause.h"
#include "logs/request_event.h"

namespace apf {
namespace {

AskedFacts traits_of(const RequestView::Fields& f) {
  AskedFacts out;
  out.watch = f.is_resource && f.verb == "watch";
  out.limited = !f.long_running || out.watch;
  out.lists = f.verb == "list" || f.verb == "watch";
  out.mutating = !out.lists && f.verb != "get";
  out.is_resource = f.is_resource;
  out.named = !f.name.empty();
  out.whole_resource = f.is_resource && f.ns.empty() && f.name.empty();
  out.heartbeat = f.resource == "leases" || f.resource == "events";
  if (!f.field_selector.empty()) out.selectors = hash_bytes(f.field_selector, out.selectors);
  if (!f.label_selector.empty()) out.selectors = hash_bytes(f.label_selector, out.selectors + 1);
  const bool pages = f.limit > 0 || f.has_continue;
  out.unpaged = !pages && f.resource_version.empty();
  out.whole = f.is_resource && f.verb == "list" && !pages && f.resource_version != "0";
  return out;
}

// How long the request was there.
void add_times(const TracedRequest& traced, RequestFacts& facts) {
  const TraceRequest& course = traced.course;
  facts.arrival = course.time;
  facts.answered = traced.answered;
  facts.refused = is_refusal(course.recorded.cause);
  if (facts.watch) {
    if (course.end) facts.duration = *course.end - course.time;
  } else if (course.execution) {
    facts.duration = *course.execution + course.recorded.queue_wait.value_or(0);
  } else if (course.recorded_end) {
    facts.duration = *course.recorded_end - course.time;
  }
}

}  // namespace

bool has_level(const TracedRequest& traced) { return traced.place && !traced.place->priority_level.empty(); }

RequestFacts FactsReader::times_of(const TracedRequest& traced) const {
  RequestFacts facts{traits_of(traced.view)};
  facts.path = traced.path;
  add_times(traced, facts);
  return facts;
}

RequestFacts FactsReader::read(const TracedRequest& traced) {
  Asked& asked = asked_of(traced);
  RequestFacts facts{asked};
  name(traced, asked, facts);
  add_times(traced, facts);
  if (!facts.refused && facts.limited) add_seats(traced, asked, facts);
  return facts;
}

FactsReader::Asked& FactsReader::asked_of(const TracedRequest& traced) {
  if (traced.asked >= asked_.size()) asked_.resize(traced.asked + std::size_t{1});
  Asked& out = asked_[traced.asked];
  if (out.known) return out;
  out = {traits_of(traced.view), {}, {}, 0, traced.asked != 0};
  if (traced.user) out.user = user_of(*traced.user, traced.user_number);
  out.ns = names_.namespaces.id(traced.view.ns);
  name(traced.view, out);
  return out;
}

void FactsReader::name(const RequestView::Fields& f, AskedFacts& facts) {
  const RequestKinds::Kind kind = kinds_.of(f);
  facts.verb = kind.verb;
  facts.resource = kind.resource;
  facts.request = kind.request;
}

void FactsReader::name(const TracedRequest& traced, Asked& asked, RequestFacts& facts) {
  if (traced.impersonator) facts.impersonator = user_of(*traced.impersonator, traced.impersonator_number);
  facts.path = traced.path;
  facts.about = about(traced);
  facts.agent = id_of(names_.agents, traced.agent, traced.agent_number, agents_);
  facts.address = id_of(names_.addresses, traced.address, traced.address_number, addresses_);
  if (has_level(traced)) {
    facts.schema = names_.schemas.id(traced.place->flow_schema);
    facts.level = names_.levels.id(traced.place->priority_level);
  } else if (facts.user != Names::kNone && places_.can_tell() && is_filtered(facts, traced.course)) {
    if (!asked.place) asked.place = places_.of(traced);
    facts.schema = asked.place->schema;
    facts.level = asked.place->level;
  }
}

// What failed or denied a request.
std::uint32_t FactsReader::about(const TracedRequest& traced) {
  const AnswerCause cause = traced.course.recorded.cause;
  const bool is_of_api = cause == AnswerCause::unavailable || cause == AnswerCause::aggregated_server;
  return names_.abouts.id(is_of_api ? traced.view.api_group : traced.webhook);
}

std::uint32_t FactsReader::id_of(Names& names, std::string_view text, std::uint32_t number,
                                 std::vector<std::uint32_t>& known) {
  if (number == 0) return names.id(text);
  if (number >= known.size()) known.resize(number + std::size_t{1}, UINT32_MAX);
  if (known[number] == UINT32_MAX) known[number] = names.id(text);
  return known[number];
}

// How long it held how many.
void FactsReader::add_seats(const TracedRequest& traced, Asked& asked, RequestFacts& facts) {
  const TraceRequest& course = traced.course;
  const std::optional<Nanos>& recorded = facts.watch ? course.init : course.execution;
  const bool by_end = !recorded && !facts.watch && course.recorded_end;
  // A line that names seats names the execution time of what ran.
  facts.run_unknown = by_end && course.seats && course.code == kGatewayTimeout;
  facts.seats_recorded = course.seats && (recorded || (by_end && !facts.run_unknown));
  if (!course.seats && (!asked.work || asked.level != facts.level)) {
    view_.f = traced.view;
    asked.work = seats_.of(view_, names_.levels.text(facts.level));
    asked.level = facts.level;
  }
  const WorkEstimate& work = course.seats ? *course.seats : *asked.work;
  Nanos run = recorded.value_or(0);
  if (by_end && !facts.run_unknown)
    run = std::max<Nanos>(0, *course.recorded_end - course.time - course.recorded.queue_wait.value_or(0));
  const double seconds = static_cast<double>(run) / 1e9;
  facts.seat_seconds =
      work.initial_seats * seconds + work.final_seats * static_cast<double>(work.additional_latency) / 1e9;
}

}  // namespace apf
