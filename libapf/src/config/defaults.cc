// API defaulting as pkg/apis/flowcontrol/{v1,v1beta3,v1beta2,v1beta1}/defaults.go of kube-apiserver v1.36 has it.
// It goes by the presence of a stanza, not by the object's type.
#include "config/defaults.h"

#include <algorithm>

#include "config/api_dialect.h"
#include "config/dialect.h"
#include "config/schema.h"

namespace apf {

namespace {

constexpr std::int32_t kDefaultPrecedence = 1000;
constexpr std::int32_t kDefaultShares = 30;
constexpr std::int32_t kDefaultQueueLengthLimit = 50;

void default_if_zero(std::int32_t& value, std::int32_t fallback) {
  if (value == 0) value = fallback;
}

bool version_is(const ObjectMeta& meta, ApiVersion version) {
  return meta.api_version == std::string(kApiGroup) + "/" + std::string(api_version_name(version));
}

void default_shares(const ObjectMeta& meta, std::optional<std::int32_t>& shares) {
  if (version_is(meta, ApiVersion::v1)) {
    if (!shares) shares = kDefaultShares;
    return;
  }
  if (shares.value_or(0) != 0) return;
  const bool preserve = version_is(meta, ApiVersion::v1beta3) &&
                        std::any_of(meta.annotations.begin(), meta.annotations.end(),
                                    [](const auto& a) { return a.first == kPreserveZeroAnnotation; });
  shares = preserve ? 0 : kDefaultShares;
}

void default_limited(const ObjectMeta& meta, LimitedLevel& limited) {
  default_shares(meta, limited.nominal_concurrency_shares);
  if (!limited.lendable_percent) limited.lendable_percent = 0;
  if (limited.queuing) {
    default_if_zero(limited.queuing->queues, kDefaultQueues);
    default_if_zero(limited.queuing->hand_size, kDefaultHandSize);
    default_if_zero(limited.queuing->queue_length_limit, kDefaultQueueLengthLimit);
  }
}

}  // namespace

std::int32_t defaulted_precedence(const FlowSchema& schema) { return dialect_of(schema).precedence(schema); }

void apply_defaults(PriorityLevel& level) { dialect_of(level).apply_defaults(level); }

std::int32_t default_api_precedence(std::int32_t given) { return given == 0 ? kDefaultPrecedence : given; }

void apply_api_defaults(PriorityLevel& level) {
  if (level.limited) default_limited(level.meta, *level.limited);
  if (level.exempt) {
    if (!level.exempt->nominal_concurrency_shares) level.exempt->nominal_concurrency_shares = 0;
    if (!level.exempt->lendable_percent) level.exempt->lendable_percent = 0;
  }
}

void apply_defaults(Config& config) {
  for (FlowSchema& schema : config.flow_schemas) schema.matching_precedence = defaulted_precedence(schema);
  for (PriorityLevel& level : config.priority_levels) apply_defaults(level);
}

}  // namespace apf
