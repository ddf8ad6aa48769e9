#include "replay/observers/decisions.h"

#include <apf/output.h>

#include "replay/books/tally.h"
#include "replay/prepare/decision_text.h"

namespace apf {

namespace {

std::string uuid_text(const AuditId& id) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    const std::uint64_t half = i < 16 ? id.high : id.low;
    out += kHex[(half >> (60 - 4 * (i % 16))) & 15];
  }
  return out;
}

void time_field(JsonWriter& json, const char* name, Nanos time) {
  if (time != kNoTime) json.field(name, time);
}

}  // namespace

std::string render_decision(const Decision& d, const FlowReport* flow, const std::string& server, bool fields) {
  JsonWriter json;
  json.begin_object();
  if (!server.empty()) json.field("server", server);
  if (d.filled) json.field("filled", true);
  else json.field("seq", d.seq);
  const DecisionText text = parse_decision_text(d.id_text);
  if (!text.id.empty()) json.field("id", text.id);
  else if (!d.id.none() && d.id.is_uuid) json.field("id", uuid_text(d.id));
  if (d.copy > 0) json.field("copy", d.copy);
  if (d.attempt > 0) json.field("attempt", d.attempt);
  if (d.beyond_log) json.field("beyondLog", true);
  if (d.repeated) json.field("repeated", true);
  if (fields) json.members(text.members);
  json.field("arrivalNs", d.arrival);
  if (d.delay > 0) json.field("delayNs", d.delay);
  if (d.bypassed) {
    json.field("outcome", "bypassed").field("stage", to_string(d.stage)).field("reason", to_string(d.left_out));
    json.end_object();
    return json.take();
  }
  json.field("flowSchema", flow->flow_schema).field("priorityLevel", flow->priority_level);
  json.field("flowDistinguisher", flow->distinguisher);
  json.key("queue");
  if (d.queue < 0) json.null();
  else json.value(d.queue);
  json.key("seats").begin_object().field("initial", d.seats.initial_seats).field("final", d.seats.final_seats);
  json.field("additionalLatencyNs", d.seats.additional_latency);
  if (d.wanted > 0) json.field("wanted", d.wanted);
  json.end_object();
  const bool executed = d.outcome == Outcome::executed;
  json.field("outcome", !executed     ? "rejected"
                        : d.delay > 0 ? "delayed"
                                      : "executed")
      .field("stage", to_string(d.stage));
  if (!executed) json.field("reason", d.reason ? d.reason : to_string(d.outcome));
  if (!d.message.empty()) json.field("message", d.message);
  json.field("waitNs", d.wait);
  time_field(json, "dispatchNs", d.dispatch);
  time_field(json, "finishNs", d.finish);
  time_field(json, "releaseNs", d.release);
  if (!executed && !is_refused_in_handler(d.outcome)) json.field("retryAfter", d.retry_after);
  json.end_object();
  return json.take();
}

std::uint64_t DecisionWriter::open(const LiveRequest& request, std::string&& id_text) {
  Decision& decision = pending_.emplace_back().decision;
  decision.seq = request.seq;
  decision.filled = request.event.filled;
  decision.copy = request.event.copy;
  decision.attempt = request.attempt;
  decision.beyond_log = request.beyond_log;
  decision.repeated = request.event.repeated;
  decision.stage = filter_;
  decision.delay = request.delay;
  decision.id = request.event.id;
  decision.id_text = std::move(id_text);
  decision.arrival = request.arrival;
  decision.report = request.report;
  decision.seats = request.work;
  decision.wanted = request.wanted;
  return first_ + pending_.size() - 1;
}

void DecisionWriter::start(const LiveRequest& request, Nanos end) {
  Decision& decision = at(request.decision);
  decision.wait = request.dispatch - request.arrival;
  decision.dispatch = request.dispatch;
  decision.finish = end;
}

void DecisionWriter::leave_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason) {
  Decision& decision = pending_.emplace_back().decision;
  decision.seq = joined.seq;
  decision.id = joined.event.id;
  decision.id_text = std::move(sending.id_text);
  decision.arrival = now;
  decision.delay = sending.delay;
  decision.stage = filter_;
  decision.bypassed = true;
  decision.left_out = reason;
  close(first_ + pending_.size() - 1);
}

void DecisionWriter::close(std::uint64_t place) {
  pending_[place - first_].made = true;
  while (!pending_.empty() && pending_.front().made) {
    const Decision& decision = pending_.front().decision;
    file_.write(render_decision(decision, decision.bypassed ? nullptr : &flows_[decision.report], server_, fields_));
    file_.write("\n");
    pending_.pop_front();
    ++first_;
  }
}

}  // namespace apf
