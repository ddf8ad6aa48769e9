// The assumptions of a replay in sentences.
#include "replay/remarks.h"

#include <cstdlib>

namespace apf {

namespace {

using Sentences = std::vector<std::string>;

std::string count_of(std::uint64_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

// When the 10 s clock ticks, and how that is known.
void add_clock(const ClockFacts& clock, Sentences& out) {
  const std::string start = format_rfc3339(clock.start.start);
  switch (clock.start.known) {
    case EngineStart::Known::told:
    case EngineStart::Known::logged:
      break;
    case EngineStart::Known::grid:
      out.push_back(
          "The server came up before its log begins: seats are taken to move every 10 s as at " + start +
          ", by what the log tells of later moves, and limits to start there from no demand (--from leaves the "
          "first part out of the report).");
      break;
    case EngineStart::Known::fitted:
      out.push_back(
          "Nothing tells when the server came up: " + start +
          " is taken, since of the last 10 s before the first "
          "arrival it fits best with the waits of " +
          count_of(clock.start.fitted_waits, "request", "requests") +
          " in the log. Limits start from no demand then, and seats move between levels every 10 s from then on "
          "(--start sets another time).");
      break;
    case EngineStart::Known::guessed:
      out.push_back(
          "The server is taken to have come up at the first arrival, which is a guess: limits start from no demand, "
          "and seats move between levels every 10 s from then on (--start sets another time).");
      break;
  }
  if (clock.restarts > 0)
    out.push_back("The server came up anew " + count_of(clock.restarts, "time", "times") +
                  " within its log; the replay goes on as if it had not.");
  if (clock.logged_seats && *clock.logged_seats != clock.seats)
    out.push_back("The server shared " + std::to_string(*clock.logged_seats) +
                  " seats, as its log says; the replay shares " + std::to_string(clock.seats) +
                  " (--max-requests-inflight, --max-mutating-requests-inflight).");
  if (clock.unexplained_digests > 0)
    out.push_back("The server digested a changed configuration " +
                  count_of(clock.unexplained_digests, "time", "times") + ", first at " +
                  format_rfc3339(clock.first_unexplained_digest) + ", of which no --config-at tells.");
}

// How long requests hold their seats.
void add_service(const ServiceFacts& service, Sentences& out) {
  if (service.overhead > 0)
    out.push_back("Requests hold their seats for the execution time of the HTTP log and " +
                  format_go_duration(service.overhead) +
                  " more: what the median request took beside execution and wait.");
  if (service.anchored > 0)
    out.push_back(
        count_of(service.anchored, "request has", "requests have") +
        " no recorded queue wait: the end of the execution is taken from the log, whatever its replayed start.");
  if (service.given_typical > 0)
    out.push_back(count_of(service.given_typical, "request that the log shows refused or unfinished was",
                           "requests that the log shows refused or unfinished were") +
                  (service.typical
                       ? " let in here and run for " + format_go_duration(*service.typical) + "."
                       : " let in here and run as long as the mean of their FlowSchema, verb and resource so far."));
  if (service.retries && service.refused_in_log > 0)
    out.push_back(count_of(service.refused_in_log, "request that the log shows refused is",
                           "requests that the log shows refused are") +
                  " served here; where a client came back in the log, that request is replayed, too.");
  if (service.watches_without_init > 0)
    out.push_back(count_of(service.watches_without_init, "watch holds", "watches hold") + " seats for " +
                  format_go_duration(service.watch_init) +
                  " while starting: the log does not tell how long that takes (--watch-init).");
}

void add_event_limits(const EventLimitFacts& events, Nanos service_floor, Sentences& out) {
  const std::uint64_t objects = events.without_object;
  if (objects > 0)
    out.push_back(
        "Of " + std::to_string(objects) +
        (objects == 1 ? " event the log does not hold the object" : " events the log does not hold the object") +
        " (it is at level Metadata, or tells of a patch alone): the SourceAndObject limit cannot be decided for them "
        "and was not asked; the other limits were.");
  if (events.without_user > 0)
    out.push_back("Of " + count_of(events.without_user, "event", "events") +
                  " the log does not tell the user: the User limit cannot be decided for them and was not asked.");
  out.push_back("Events that EventRateLimit refuses hold their seats for " + format_go_duration(service_floor) +
                " at most, and are not sent again: client-go gives such an event up.");
}

void add_quotas(const QuotaFacts& quotas, Sentences& out) {
  if (quotas.without_object > 0)
    out.push_back(
        "Of " + count_of(quotas.without_object, "request", "requests") +
        " that the quotas concern the log does not hold the object (it is at level Metadata): object counts were "
        "decided; compute, storage, ports and scopes cannot be, and were not.");
  if (quotas.unknown_changes > 0)
    out.push_back(
        count_of(quotas.unknown_changes, "change or deletion", "changes or deletions") +
        " of objects that the log does not tell enough of: what they add or free of the quotas was left as it is, but "
        "for the count of what is deleted.");
  out.push_back(
      "What a deletion, or the end of a pod, frees of a quota is free when the request ends: the quota controller is "
      "taken to count again at once. A pod that is deleted with a grace period is there until that is over, or the "
      "kubelet deletes it.");
  out.push_back(
      "Quotas are asked in the order given, for each request one after the other; conflicts between updates of a "
      "quota's status do not happen.");
}

}  // namespace

std::vector<std::string> assumptions_of(const ReplayFacts& facts) {
  Sentences out;
  if (facts.clock) add_clock(*facts.clock, out);
  add_service(facts.service, out);
  if (facts.limits_clients)
    out.push_back(
        "Requests that their client's limiter holds back end as much later as they begin; clients are taken to "
        "send what they sent, whatever they had to wait for.");
  if (facts.event_limits) add_event_limits(*facts.event_limits, facts.service.service_floor, out);
  if (facts.quotas) add_quotas(*facts.quotas, out);
  if (facts.standing_watches > 0)
    out.push_back(
        count_of(facts.standing_watches, "watch was", "watches were") +
        " there before the log begins: they are known by their ends, and those without an end in the log are not.");
  if (facts.fixed_flows > 0)
    out.push_back(
        count_of(facts.fixed_flows, "request went", "requests went") +
        " to the FlowSchema that the HTTP log names, because it does not tell users; flows that users would tell apart "
        "are told apart by source address and user agent.");
  if (facts.missing_schemas > 0)
    out.push_back(count_of(facts.missing_schemas, "request names a FlowSchema", "requests name FlowSchemas") +
                  " that the configuration does not have: catch-all stands in.");
  if (facts.service.lists_without_counts > 0)
    out.push_back(count_of(facts.service.lists_without_counts, "list costs", "lists cost") +
                  " 1 seat, because no object counts were given (--objects).");
  return out;
}

}  // namespace apf
