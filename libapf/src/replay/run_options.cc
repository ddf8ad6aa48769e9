#include "replay/run_options.h"

#include <apf/error.h>

#include <map>

#include "base/releases.h"
#include "replay/request_cost.h"

namespace apf {

namespace {

std::vector<std::shared_ptr<const Classifier>> compile(const ReplayOptions& options) {
  std::vector<std::shared_ptr<const Classifier>> out{std::make_shared<Classifier>(options.config)};
  for (const auto& change : options.config_changes) out.push_back(std::make_shared<Classifier>(change.second));
  if (options.recorded) out.push_back(std::make_shared<Classifier>(options.recorded->config));
  std::map<std::string_view, bool> exempt;
  for (const auto& classifier : out) {
    for (const Classifier::Level& level : classifier->levels()) {
      if (exempt.emplace(level.name, level.exempt).first->second == level.exempt) continue;
      // The API fixes which level is; the KEP's dialect does not.
      throw Error("priority level " + level.name +
                  " is exempt in one of the configurations and not in another; rename it in one");
    }
  }
  return out;
}

}  // namespace

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
  context.classifiers = compile(options);
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
  context.keep_text_ids = !options.decisions_path.empty();
  if (context.keep_text_ids) context.decision_fields = options.decision_fields;
  return context;
}

}  // namespace apf
