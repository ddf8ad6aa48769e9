// The spec of a PriorityLevelConfiguration, rule by rule in the server's order (pkg/apis/flowcontrol/validation,
// v1.36).
#include <fmt/core.h>

#include <apf/hand.h>

#include "base/releases.h"
#include "config/go_json.h"
#include "config/schema.h"
#include "config/validate_object.h"

namespace apf {

namespace {

constexpr std::int32_t kMaxQueues = 10'000'000;
constexpr int kMaxEntropyBits = 60;
constexpr const char* kPercentText = "must be between 0 and 100, inclusive";

bool is_percent(std::int32_t number) { return number >= 0 && number <= 100; }

void check_hand_size(const Queuing& queuing, const FieldPath& path, FieldErrors& errors) {
  const std::int32_t queues = queuing.queues, hand_size = queuing.hand_size;
  if (hand_size <= 0) return errors.invalid(kInvalidHandSize, path, hand_size, "must be positive");
  if (hand_size > queues) {
    return errors.invalid(kInvalidHandSize, path, hand_size,
                          fmt::format("should not be greater than queues ({})", queues));
  }
  // A hand of more than 60 comes from at least 61 queues and so has more than 60 bits.
  if (hand_size > kMaxEntropyBits || required_entropy_bits(queues, hand_size) > kMaxEntropyBits) {
    errors.invalid(kInvalidHandSize, path, hand_size,
                   fmt::format("required entropy bits of deckSize {} and handSize {} should not be greater than {}",
                               queues, hand_size, kMaxEntropyBits));
  }
}

void check_queuing(const Queuing& queuing, const FieldPath& path, FieldErrors& errors) {
  if (queuing.queue_length_limit <= 0) {
    errors.invalid(kInvalidQueueLengthLimit, path.child("queueLengthLimit"), queuing.queue_length_limit,
                   "must be positive");
  }
  if (queuing.queues <= 0) {
    errors.invalid(kInvalidQueues, path.child("queues"), queuing.queues, "must be positive");
  } else if (queuing.queues > kMaxQueues) {
    errors.invalid(kInvalidQueues, path.child("queues"), queuing.queues,
                   fmt::format("must not be greater than {}", kMaxQueues));
  }
  check_hand_size(queuing, path.child("handSize"), errors);
}

// Whether generated rules say which stanzas a level has: check_generated_rules().
bool has_generated_rules(const FieldErrors& errors) { return has(errors.version(), Feature::declarative_levels); }

// A type that is none of the known ones.
void check_type_word(const ConfigCode& code, const FieldPath& path, const std::string& word,
                     std::initializer_list<std::string_view> known, FieldErrors& errors) {
  if (word.empty() && has_generated_rules(errors)) return;
  if (word.empty() && has(errors.version(), Feature::required_level_types)) errors.required(code, path);
  else errors.not_supported(code, path, go_json(word), known);
}

void check_limit_response(const LimitedLevel& limited, const FieldPath& path, FieldErrors& errors) {
  const FieldPath queuing = path.child("queuing");
  const bool handwritten = !has_generated_rules(errors);
  if (limited.limit_response == "Reject") {
    if (limited.queuing && handwritten) {
      errors.forbidden(kMismatchedQueuing, queuing, "must be nil if limited.limitResponse.type is not Limited");
    }
  } else if (limited.limit_response == "Queue") {
    if (limited.queuing) check_queuing(*limited.queuing, queuing, errors);
    else if (handwritten)
      errors.required(kMismatchedQueuing, queuing, "must not be empty if limited.limitResponse.type is Limited");
  } else {
    check_type_word(kInvalidLimitResponse, path.child("type"), limited.limit_response, {"Queue", "Reject"}, errors);
  }
}

void check_limited(const PriorityLevel& level, const LimitedLevel& limited, bool zero_shares_allowed,
                   const FieldPath& path, FieldErrors& errors) {
  const std::string_view version =
      std::string_view(level.meta.api_version).substr(level.meta.api_version.find('/') + 1);
  const bool assured = version == "v1beta1" || version == "v1beta2" || version == "v1alpha1";
  const std::int32_t shares = limited.nominal_concurrency_shares.value_or(0);
  if (shares < 0 || (shares == 0 && !zero_shares_allowed)) {
    errors.invalid(kInvalidShares, path.child(assured ? "assuredConcurrencyShares" : "nominalConcurrencyShares"),
                   shares, zero_shares_allowed ? "must be a non-negative integer" : "must be positive");
  }
  const FieldPath response = path.child("limitResponse");
  check_limit_response(limited, response, errors);
  if (!has(errors.version(), Feature::borrowing)) return;
  if (limited.lendable_percent && !is_percent(*limited.lendable_percent))
    errors.invalid(kInvalidPercent, path.child("lendablePercent"), *limited.lendable_percent, kPercentText);
  if (limited.borrowing_limit_percent && *limited.borrowing_limit_percent < 0) {
    errors.invalid(kInvalidPercent, path.child("borrowingLimitPercent"), *limited.borrowing_limit_percent,
                   "if specified, must be a non-negative integer");
  }
}

void check_exempt(const ExemptLevel& exempt, const FieldPath& path, FieldErrors& errors) {
  if (exempt.nominal_concurrency_shares.value_or(0) < 0) {
    errors.invalid(kInvalidShares, path.child("nominalConcurrencyShares"), *exempt.nominal_concurrency_shares,
                   "must be a non-negative integer");
  }
  if (!is_percent(exempt.lendable_percent.value_or(0)))
    errors.invalid(kInvalidPercent, path.child("lendablePercent"), *exempt.lendable_percent, kPercentText);
}

bool same_stanza(const std::optional<ExemptLevel>& a, const std::optional<ExemptLevel>& b) {
  return a.has_value() == b.has_value() && (!a || (a->nominal_concurrency_shares == b->nominal_concurrency_shares &&
                                                   a->lendable_percent == b->lendable_percent));
}

bool same_stanza(const std::optional<Queuing>& a, const std::optional<Queuing>& b) {
  return a.has_value() == b.has_value() && (!a || (a->queues == b->queues && a->hand_size == b->hand_size &&
                                                   a->queue_length_limit == b->queue_length_limit));
}

void check_generated_limit_response(const LimitedLevel& limited, const LimitedLevel* old, FieldErrors& errors) {
  const FieldPath spec("spec"), limits = spec.child("limited"), path = limits.child("limitResponse");
  const std::string& type = limited.limit_response;
  const bool same_type = old && old->limit_response == type;
  if (!same_type || !same_stanza(limited.queuing, old->queuing)) {
    if (type == "Queue" && !limited.queuing) errors.required(kMismatchedQueuing, path.child("queuing"));
    if (type != "Queue" && limited.queuing) errors.forbidden(kMismatchedQueuing, path.child("queuing"), {});
  }
  if (!same_type && type.empty()) errors.required(kInvalidLimitResponse, path.child("type"));
}

}  // namespace

bool same_stanza(const std::optional<LimitedLevel>& a, const std::optional<LimitedLevel>& b) {
  return a.has_value() == b.has_value() &&
         (!a ||
          (a->nominal_concurrency_shares == b->nominal_concurrency_shares &&
           a->lendable_percent == b->lendable_percent && a->borrowing_limit_percent == b->borrowing_limit_percent &&
           a->limit_response == b->limit_response && same_stanza(a->queuing, b->queuing)));
}

// pkg/apis/flowcontrol/v1/zz_generated.validations.go. What an update leaves as it was is not looked at.
void check_generated_rules(const PriorityLevel& level, const PriorityLevel* old, FieldErrors& errors) {
  if (!has_generated_rules(errors)) return;
  const FieldPath spec("spec");
  const bool same_type = old && old->type == level.type;
  if ((!same_type || !same_stanza(level.exempt, old->exempt)) && level.exempt && level.type != "Exempt")
    errors.forbidden(kMismatchedStanza, spec.child("exempt"), {});
  const bool same_limited = old && same_stanza(level.limited, old->limited);
  if (!same_type || !same_limited) {
    if (level.type == "Limited" && !level.limited) errors.required(kMismatchedStanza, spec.child("limited"));
    if (level.type != "Limited" && level.limited) errors.forbidden(kMismatchedStanza, spec.child("limited"), {});
  }
  if (!same_type && level.type.empty()) errors.required(kInvalidLevelType, spec.child("type"));
  if (level.limited && !same_limited)
    check_generated_limit_response(*level.limited, old && old->limited ? &*old->limited : nullptr, errors);
}

void validate_level_spec(const PriorityLevel& level, bool zero_shares_allowed, FieldErrors& errors) {
  const FieldPath path("spec");
  const FieldPath type = path.child("type"), limited = path.child("limited"), exempt = path.child("exempt");
  const bool knows_exempt = has(errors.version(), Feature::exempt_level_has_seats);
  const bool handwritten = !has_generated_rules(errors);
  if ((level.meta.name == "exempt") != (level.type == "Exempt")) {
    errors.invalid(kMisplacedExemptType, type, go_json(level.type),
                   has(errors.version(), Feature::short_field_errors)
                       ? "must be 'Exempt' if and only if `name` is 'exempt'"
                       : "type must be 'Exempt' if and only if name is 'exempt'");
  }
  if (level.type == "Exempt") {
    if (level.limited && handwritten)
      errors.forbidden(kMismatchedStanza, limited, "must be nil if the type is not Limited");
    if (level.exempt && knows_exempt) check_exempt(*level.exempt, exempt, errors);
  } else if (level.type == "Limited") {
    if (level.exempt && knows_exempt && handwritten)
      errors.forbidden(kMismatchedStanza, exempt, "must be nil if the type is Limited");
    if (level.limited) check_limited(level, *level.limited, zero_shares_allowed, limited, errors);
    else if (handwritten) errors.required(kMismatchedStanza, limited, "must not be empty when type is Limited");
  } else {
    check_type_word(kInvalidLevelType, type, level.type, {"Exempt", "Limited"}, errors);
  }
}

}  // namespace apf
