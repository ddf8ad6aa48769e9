#include "replay/run_options.h"

#include <algorithm>

#include "base/releases.h"
#include "replay/compile.h"
#include "replay/request_cost.h"

namespace apf {

std::optional<ReplayOptions> first_options(const ReplayOptions& options) {
  if (!options.recorded) return std::nullopt;
  ReplayOptions first = options;
  first.unknown_waits = UnknownWaits::recorded_ends;
  first.config = options.recorded->config;
  first.config_changes.clear();
  first.recorded.reset();
  first.seats_by_log = !options.recorded->server_concurrency_limit;
  if (!first.seats_by_log) first.server_concurrency_limit = *options.recorded->server_concurrency_limit;
  first.version = options.recorded->version;
  first.retries = first.metrics = first.series = first.all_flows = false;
  first.scales.clear();
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

PrepareContext context_of(const ReplayOptions& options) {
  PrepareContext context;
  context.classifiers = compile_configurations(options);
  context.rules = seat_rules(options);
  if (!options.objects.empty()) context.objects.push_back(&options.objects);
  for (const auto& [time, objects] : options.objects_at) context.objects.push_back(&objects);
  context.reorder_window = options.reorder_window;
  context.request_timeout = options.request_timeout;
  context.tells_clients =
      options.client_limits || options.recorded || !options.client_timeouts.empty() || !options.client_models.empty();
  context.classifies = !options.in_flight || options.recorded;
  context.records_other_waits =
      has(options.recorded ? options.recorded->version : options.version, Feature::audited_queue_wait);
  context.attributes.events = options.event_rate_limit.has_value();
  context.attributes.objects = options.limits_resources();
  context.keep_text_ids = !options.decisions_path.empty() || !options.dump_at.empty();
  if (context.keep_text_ids) context.decision_fields = options.decision_fields;
  if (!options.dump_at.empty())  // dumps show them
    for (const DecisionField field : {DecisionField::user, DecisionField::verb, DecisionField::uri})
      if (std::find(context.decision_fields.begin(), context.decision_fields.end(), field) ==
          context.decision_fields.end())
        context.decision_fields.push_back(field);
  return context;
}

}  // namespace apf
