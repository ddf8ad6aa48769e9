#include "replay/engine/run_options.h"

#include <apf/error.h>

#include <algorithm>
#include <set>
#include <string>

#include <fmt/core.h>

#include "base/releases.h"
#include "logs/inflate.h"
#include "replay/books/worst_case.h"
#include "replay/clients/retry_chains.h"
#include "replay/engine/central_run.h"
#include "replay/engine/request_cost.h"
#include "replay/prepare/compile.h"

namespace apf {

namespace {

constexpr std::size_t kMostRules = 32;  // see PreparedEvent::one_seat

// Those of all servers, and of the first replay.
std::vector<SeatRules> rules_of(const ReplayOptions& options, std::span<const ReplayOptions> others) {
  std::vector<SeatRules> out = {seat_rules(options)};
  const auto add = [&](const ReplayOptions& server) {
    const SeatRules rules = seat_rules(server);
    if (std::find(out.begin(), out.end(), rules) == out.end()) out.push_back(rules);
  };
  if (const std::optional<ReplayOptions> first = first_options(options)) add(*first);
  for (const ReplayOptions& other : others) add(other);
  if (out.size() > kMostRules) throw Error("these are servers of too many releases at once; compare fewer");
  return out;
}

void check_release(KubeVersion version) {
  if (has(version, Feature::queues_by_work)) return;
  throw Error("Kubernetes " + version.str() +
              " cannot be replayed: before 1.23, kube-apiserver queued requests by other rules, which apfctl does not "
              "have; replay a later release, or one without API Priority and Fairness");
}

}  // namespace

void check_releases(const ReplayOptions& options) {
  if (!options.in_flight) check_release(options.version);
  if (options.recorded) check_release(options.recorded->version);
}

void check_named_once(const ReplayOptions& options) {
  const auto check = [](const auto& entries, auto name_of, const char* what) {
    std::set<std::string> known;
    for (const auto& entry : entries)
      if (const std::string& name = name_of(entry); !known.insert(name).second)
        throw Error(name.empty() ? fmt::format("there are two {} for all clients; leave one out", what)
                                 : fmt::format("there are two {} for '{}'; leave one out", what, name));
  };
  check(
      options.client_models, [](const ClientModelOf& e) { return e.agent; }, "client models");
  check(
      options.client_timeouts, [](const ClientTimeout& e) { return e.agent; }, "client time-outs");
  check(
      options.scales, [](const LoadScale& e) { return e.user; }, "scales");
}

std::optional<ReplayOptions> first_options(const ReplayOptions& options) {
  if (!options.recorded) return std::nullopt;
  ReplayOptions first = options;
  first.unknown_waits = UnknownWaits::recorded_ends;
  first.config = options.recorded->config;
  first.config_changes = options.recorded->config_changes;
  first.recorded.reset();
  first.seats_by_log = !options.recorded->server_concurrency_limit;
  if (options.recorded->seats_unless_logged) first.server_concurrency_limit = *options.recorded->seats_unless_logged;
  if (!first.seats_by_log) first.server_concurrency_limit = *options.recorded->server_concurrency_limit;
  first.version = options.recorded->version;
  first.retries = first.metrics = first.series = first.all_flows = false;
  first.dump_at.clear();
  first.scales.clear();
  first.execution_scales.clear();
  first.list_widths = {};
  first.client_limits.reset();
  first.client_timeouts.clear();
  first.client_models.clear();
  first.client_models_by_log = false;
  first.event_rate_limit.reset();
  first.resource_quotas.clear();
  first.resource_quota_configuration.reset();
  first.in_flight.reset();
  return first;
}

bool differs_from_log(const ReplayOptions& options) {
  const bool without_priorities = options.in_flight && !options.in_flight_recorded;
  return !options.recorded && (without_priorities || !options.scales.empty() || !options.execution_scales.empty());
}

namespace {

bool are_alike(const Config& a, const Config& b) {
  const auto same = [](const auto& one, const auto& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const auto& x, const auto& y) { return render_yaml(x) == render_yaml(y); });
  };
  return same(a.flow_schemas, b.flow_schemas) && same(a.priority_levels, b.priority_levels);
}

}  // namespace

bool is_recorded_server(const ReplayOptions& options, int recorded_seats, int seats) {
  const RecordedConfig& recorded = *options.recorded;
  return recorded_seats == seats && recorded.version == options.version && !options.in_flight &&
         options.scales.empty() && options.execution_scales.empty() && are_alike(recorded.config, options.config) &&
         std::equal(recorded.config_changes.begin(), recorded.config_changes.end(), options.config_changes.begin(),
                    options.config_changes.end(),
                    [](const auto& a, const auto& b) { return are_alike(a.second, b.second); });
}

const RetryChains& unknown_retries() {
  static const RetryChains kUnknown;
  return kUnknown;
}

const RetryChains* retries_in(const RetryChains& seen, std::uint64_t events) {
  return !seen.any() ? nullptr : events <= kShortLog ? &seen : &unknown_retries();
}

bool nothing_but_the_server_decides(const ReplayOptions& options) {
  return options.scales.empty() && options.execution_scales.empty() && !options.retries && !options.client_limits &&
         !options.in_flight && !options.event_rate_limit && !options.limits_resources() &&
         options.client_timeouts.empty() && options.client_models.empty() && !options.client_models_by_log;
}

RecordedConfig as_recorded(const ReplayOptions& options) {
  return {options.config, options.server_concurrency_limit, options.version, options.config_changes};
}

ReplayOptions without_outputs(ReplayOptions options) {
  options.decisions_path.clear();
  options.timeline_path.clear();
  options.dump_at.clear();
  options.metrics = options.series = options.all_flows = false;
  options.spread = 0;
  options.progress = nullptr;
  return options;
}

bool is_about_clients(const ReplayOptions& options) {
  return options.client_limits || options.recorded || !options.execution_scales.empty() ||
         !options.client_timeouts.empty() || !options.client_models.empty();
}

bool classifies(const ReplayOptions& options) { return !options.in_flight || options.recorded; }

PrepareContext context_of(const ReplayOptions& options, const OtherSides& sides) {
  const auto any = [&](const auto& wants) {
    return wants(options) || std::any_of(sides.others.begin(), sides.others.end(), wants);
  };
  const auto any_system = [&](const auto& wants) {
    return wants(options) || std::any_of(sides.systems.begin(), sides.systems.end(), wants);
  };
  const bool dumps = any([](const ReplayOptions& of) { return !of.dump_at.empty(); });
  PrepareContext context;
  context.classifiers = compile_configurations(options, sides.others);
  context.rules = rules_of(options, sides.others);
  if (!options.objects.empty()) context.objects.push_back(&options.objects);
  for (const auto& [time, objects] : options.objects_at) context.objects.push_back(&objects);
  context.request_timeout = options.request_timeout;
  context.tells_clients = any_system(is_about_clients);
  context.keeps_names =
      context.tells_clients && !std::all_of(sides.systems.begin(), sides.systems.end(), is_about_clients);
  context.classifies = !any_system([](const ReplayOptions& of) { return !classifies(of); });
  context.records_other_waits =
      has(options.recorded ? options.recorded->version : options.version, Feature::audited_queue_wait);
  context.attributes.events = any_system([](const ReplayOptions& of) { return of.event_rate_limit.has_value(); });
  context.attributes.objects = any_system([](const ReplayOptions& of) { return of.limits_resources(); });
  context.names_endpoints = any([](const ReplayOptions& of) { return of.metrics || !of.execution_scales.empty(); });
  context.keep_text_ids = dumps || any([](const ReplayOptions& of) { return !of.decisions_path.empty(); });
  if (context.keep_text_ids) context.kept_fields = {options.decision_fields, options.decision_fields.size()};
  std::vector<DecisionField>& fields = context.kept_fields.fields;
  if (dumps)  // they show them
    for (const DecisionField field : {DecisionField::user, DecisionField::verb, DecisionField::uri})
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  return context;
}

bool may_be_undecided(const ReplayOptions& options) {
  return !options.recorded && options.unknown_waits == UnknownWaits::undecided;
}

bool can_be_read_again(const ReplayOptions& options) {
  return std::all_of(options.logs.begin(), options.logs.end(),
                     [&](const std::string& path) { return can_be_read_again(path, options.texts); });
}

ReplayOptions with_recorded_ends(const ReplayOptions& options) {
  ReplayOptions other = without_outputs(options);
  other.unknown_waits = UnknownWaits::recorded_ends;
  other.all_flows = true;
  other.top = kMostListed;  // whoever is in a list of the report is in the list of the other one
  return other;
}

}  // namespace apf
