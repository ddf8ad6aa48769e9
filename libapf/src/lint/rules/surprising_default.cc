// APF503: a value that the server replaces, or a default that doesn't suit the other fields.
#include <array>

#include <fmt/core.h>

#include <apf/hand.h>

#include "lint/fix_edits.h"
#include "lint/given_levels.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr const char* kQueuing = "spec.limited.limitResponse.queuing";
constexpr int kMaxEntropyBits = 60;

bool is_written(const ObjectMeta& meta, std::string_view field) {
  const FieldPosition position = find_field(*meta.source.tree, field);
  return position.exact && position.value && !position.value->is_null();
}

// Who writes 0 hardly means what is stored. To write that instead changes nothing, and hides it: it is no safe fix.
template <class Object>
Diagnostic& report_zero(const Object& object, const std::string& field, std::int32_t stored, const std::string& meant,
                        Findings& findings) {
  Diagnostic& d =
      findings.add(object, field, fmt::format("the server treats 0 as \"not set\" and stores {}{}", stored, meant));
  offer_fix(d, fmt::format("write {}, if that is meant", stored), false,
            replace_scalar(*object.meta.source.tree, field, stored));
  return d;
}

bool is_valid_hand(const Queuing& queuing) {
  return queuing.hand_size <= queuing.queues &&
         required_entropy_bits(queuing.queues, queuing.hand_size) <= kMaxEntropyBits;
}

void check_queuing(const PriorityLevel& level, const Queuing& written, const Queuing& stored, Findings& findings) {
  struct Number {
    const char* name;
    std::int32_t written, stored;
    const char* meant;
  };
  const std::array<Number, 3> numbers = {{{"queues", written.queues, stored.queues, ""},
                                          {"handSize", written.hand_size, stored.hand_size, ""},
                                          {"queueLengthLimit", written.queue_length_limit, stored.queue_length_limit,
                                           "; for a level without waiting, use limitResponse Reject"}}};
  for (const Number& number : numbers) {
    const std::string field = fmt::format("{}.{}", kQueuing, number.name);
    if (number.written == 0 && is_written(level.meta, field))
      report_zero(level, field, number.stored, number.meant, findings);
  }
  const std::string queues = fmt::format("{}.queues", kQueuing), hand = fmt::format("{}.handSize", kQueuing);
  if (is_written(level.meta, hand) || written.queues <= 0) return;
  if (is_valid_hand(stored) && stored.hand_size < stored.queues) return;
  const bool refused = !is_valid_hand(stored);
  Diagnostic& d = findings.add(
      level, queues,
      refused ? fmt::format("handSize isn't set and defaults to {}, which the server rejects for {} queues",
                            stored.hand_size, stored.queues)
              : fmt::format("handSize isn't set and defaults to {}: every flow may fill all of the {} queues",
                            stored.hand_size, stored.queues));
  d.notes.push_back({"set a handSize that suits the number of queues", {}});
}

void check_level(const PriorityLevel& written, const PriorityLevel& stored, Findings& findings) {
  if (!written.limited || !stored.limited) return;
  const std::optional<std::int32_t> before = written.limited->nominal_concurrency_shares,
                                    after = stored.limited->nominal_concurrency_shares;
  if (const char* field = shares_field(stored);
      before == 0 && after.value_or(0) != 0 && is_written(stored.meta, field)) {
    Diagnostic& d = report_zero(stored, field, *after, "", findings);
    d.notes.push_back(
        {"if a level without seats of its own is meant, write apiVersion flowcontrol.apiserver.k8s.io/v1, "
         "which keeps shares of 0 (Kubernetes 1.30 and newer)",
         {}});
  }
  // With Reject the server takes no queues at all.
  if (written.limited->queuing && stored.limited->queuing && stored.limited->limit_response != "Reject") {
    check_queuing(stored, *written.limited->queuing, *stored.limited->queuing, findings);
  }
}

void check_surprising_default(const LintContext& context, Findings& findings) {
  for (std::size_t i = 0; i < context.stored.flow_schemas.size(); ++i) {
    const FlowSchema& stored = context.stored.flow_schemas[i];
    constexpr const char* kField = "spec.matchingPrecedence";
    if (context.loaded.config.flow_schemas[i].matching_precedence == 0 && is_written(stored.meta, kField)) {
      report_zero(stored, kField, stored.matching_precedence, ": it isn't evaluated first, but with the others of 1000",
                  findings);
    }
  }
  for (std::size_t i = 0; i < context.stored.priority_levels.size(); ++i) {
    check_level(context.loaded.config.priority_levels[i], context.stored.priority_levels[i], findings);
  }
}

}  // namespace

extern const Rule rule_surprising_default = {
    .code = "APF503",
    .name = "surprising-default",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "the server stores another value than the one in the file",
    .what = R"(matchingPrecedence, queues, handSize or queueLengthLimit is 0, or the shares are 0 in a version before
v1. Or handSize is missing, and its default 8 doesn't suit the given queues.)",
    .why = R"(In these fields 0 means that the field isn't set. Precedence 0 becomes 1000, not the first.
queueLengthLimit 0 becomes 50, not "no waiting". Shares of 0 become 30. A missing handSize becomes 8, whatever the
number of queues.)",
    .example = R"(limitResponse:
  type: Queue
  queuing:
    queues: 8
)",
    .instead =
        R"(# Write the value that you mean, or remove the field for its default: matchingPrecedence 1000, queues 64,
# handSize 8, queueLengthLimit 50, 30 shares. For no waiting write limitResponse: {type: Reject}; for 0 shares use v1.
limitResponse:
  type: Queue
  queuing:
    queues: 8
    handSize: 2
    queueLengthLimit: 50
)",
    .check = check_surprising_default,
};

}  // namespace apf
