// The assumptions of a replay.
#include "replay/books/remarks.h"

#include "base/releases.h"

namespace apf {

namespace {

using Kind = RemarkKind;
using Remarks = std::vector<Remark>;

void add_count(Kind kind, std::uint64_t count, Remarks& out) {
  if (count > 0) out.push_back({.kind = kind, .count = count});
}

// When the 10 s clock ticks, and how that is known.
void add_clock(const ClockFacts& clock, Remarks& out) {
  const EngineStart& start = clock.start;
  switch (start.known) {
    case EngineStart::Known::given:
    case EngineStart::Known::logged:
      break;
    case EngineStart::Known::grid:
      out.push_back({.kind = Kind::clock_from_log, .time = start.start});
      break;
    case EngineStart::Known::fitted:
      out.push_back({.kind = Kind::clock_fitted, .count = start.fitted_waits, .time = start.start});
      break;
    case EngineStart::Known::guessed:
      out.push_back({.kind = Kind::clock_guessed, .time = start.start});
      break;
  }
  add_count(Kind::server_restarted, clock.restarts, out);
  if (clock.logged_seats && *clock.logged_seats != clock.seats)
    out.push_back({.kind = Kind::seats_differ,
                   .count = static_cast<std::uint64_t>(*clock.logged_seats),
                   .other = static_cast<std::uint64_t>(clock.seats)});
  if (clock.unexplained_digests > 0)
    out.push_back({.kind = Kind::configuration_unknown,
                   .count = clock.unexplained_digests,
                   .time = clock.first_unexplained_digest});
  add_count(Kind::odd_deviations, clock.odd_deviations, out);
}

// How long requests hold their seats.
void add_service(const ServiceFacts& service, Remarks& out) {
  if (service.overhead > 0) out.push_back({.kind = Kind::service_overhead, .duration = service.overhead});
  add_count(Kind::ends_from_log, service.anchored, out);
  if (service.totals > 0)
    out.push_back(
        {.kind = service.records_waits ? Kind::nothing_waited : Kind::waits_unrecorded, .count = service.totals});
  if (service.given_typical > 0)
    out.push_back({.kind = Kind::execution_estimated, .count = service.given_typical, .duration = service.typical});
  if (service.retries) add_count(Kind::retries_in_log, service.refused_in_log, out);
  if (service.watches_without_init == 0) return;
  out.push_back(
      {.kind = Kind::watch_init_assumed, .count = service.watches_without_init, .duration = service.watch_init});
  if (service.refused_watches > 0) out.back().other = service.refused_watches;
}

void add_event_limits(const EventLimitFacts& events, Nanos service_floor, Remarks& out) {
  add_count(Kind::event_objects_missing, events.without_object, out);
  add_count(Kind::event_users_missing, events.without_user, out);
  if (events.dropped) out.push_back({.kind = Kind::refused_events_dropped, .duration = service_floor});
}

void add_quotas(const QuotaFacts& quotas, Remarks& out) {
  add_count(Kind::quota_objects_missing, quotas.without_object, out);
  add_count(Kind::quota_changes_unknown, quotas.unknown_changes, out);
  if (quotas.freed_at_once) out.push_back({.kind = Kind::quota_freed_at_once});
  if (quotas.never_conflict) out.push_back({.kind = Kind::quota_updates_in_order});
}

}  // namespace

namespace {

// Where the release was given without a patch and its patches differ: which one is meant, and what others do.
void add_newest_patch(KubeVersion version, Remarks& out) {
  const std::string others = patch_differences(version);
  if (!others.empty()) out.push_back({.kind = Kind::newest_patch_meant, .name = version.str(), .detail = others});
}

}  // namespace

std::vector<Remark> assumptions_of(const ReplayFacts& facts) {
  Remarks out;
  if (facts.clock) add_clock(*facts.clock, out);
  add_service(facts.service, out);
  add_count(Kind::further_attempts, facts.further_attempts, out);
  if (facts.limits_clients) out.push_back({.kind = Kind::client_limit_delays});
  if (facts.event_limits) add_event_limits(*facts.event_limits, facts.service.service_floor, out);
  if (facts.quotas) add_quotas(*facts.quotas, out);
  add_count(Kind::watches_before_log, facts.standing_watches, out);
  if (facts.timed_out_watches > 0)
    out.push_back(
        {.kind = Kind::watches_ended, .count = facts.timed_out_watches, .duration = facts.min_request_timeout});
  add_count(Kind::flows_from_http_log, facts.fixed_flows, out);
  add_count(Kind::flow_schemas_unknown, facts.missing_schemas, out);
  add_count(Kind::object_counts_missing, facts.service.lists_without_counts, out);
  if (facts.service.lists_of_unknown_bytes > 0)
    out.push_back({.kind = Kind::list_bytes_unknown,
                   .count = facts.service.lists_of_unknown_bytes,
                   .total = facts.service.lists});
  for (const KubeVersion version : facts.versions) {
    add_newest_patch(version, out);
    for (Remark& remark : release_remarks(version)) out.push_back(std::move(remark));
  }
  return out;
}

std::vector<Remark> assumptions_of(const WhatIfReport& what_if) {
  Remarks out;
  add_count(Kind::waits_replayed, what_if.found_by_replay, out);
  add_count(Kind::execution_of_similar, what_if.given_similar, out);
  add_count(Kind::widths_unknown, what_if.width_unknown, out);
  add_count(Kind::widths_by_counts, what_if.at_recorded_cap - what_if.width_unknown, out);
  add_count(Kind::wider_than_level, what_if.wider_than_level, out);
  return out;
}

namespace {

// Every further one says little.
constexpr std::size_t kMostClients = 5;

// How --client-model would name the client: by the first word of its user agent, if that is of one client only.
std::string agent_of(const ClientReport& client, const std::vector<ClientReport>& clients) {
  const std::string agent = client.user_agent.substr(0, client.user_agent.find(' '));
  if (agent.empty()) return client.user;
  for (const ClientReport& other : clients)
    if (&other != &client && other.user_agent.starts_with(agent)) return client.user;
  return agent;
}

}  // namespace

std::vector<Remark> assumptions_of_clients(const ReplayReport& report, bool by_log) {
  Remarks out;
  std::uint64_t beyond_log = 0, repeated = 0;
  for (const ClientReport& client : report.clients) {
    by_log = by_log && (client.asked_for || !client.applied);
    beyond_log += client.beyond_log;
    repeated += client.repeated;
    if (client.applied || out.size() == kMostClients) continue;
    out.push_back({.kind = Kind::client_waits,
                   .count = client.requests,
                   .other = static_cast<std::uint64_t>(client.places),
                   .name = agent_of(client, report.clients),
                   .detail = to_string(client.model)});
  }
  if (by_log) out.push_back({.kind = Kind::no_client_waits});
  add_count(Kind::client_requests_dropped, beyond_log, out);
  add_count(Kind::client_requests_repeated, repeated, out);
  add_count(Kind::retries_dropped, report.retries_dropped, out);
  return out;
}

}  // namespace apf
