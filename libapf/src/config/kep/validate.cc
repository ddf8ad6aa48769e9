#include "config/kep/validate.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include <fmt/core.h>

#include "config/closest.h"
#include "config/codes.h"
#include "config/kep/created.h"
#include "config/kep/decode.h"
#include "config/kep/pattern.h"
#include "config/reader.h"

namespace apf {

namespace {

constexpr int kMostKepQueues = 1 << 26;
constexpr std::uint64_t kMostHands = std::uint64_t{1} << 60;

using KepTests = std::vector<KepTest>;

bool same_operand(const KepTest& a, const KepTest& b) {
  return a.op == b.op && a.field == b.field && a.value == b.value && a.set == b.set;
}

// Do the lists accept every request between them? Assumes that a test holds, and then that it does not.
bool accept_everything(const std::vector<KepTests>& lists, int& steps) {
  if (std::any_of(lists.begin(), lists.end(), [](const KepTests& tests) { return tests.empty(); })) return true;
  if (lists.empty()) return false;
  if (--steps < 0) return true;
  const KepTest assumed = lists.front().front();
  for (const bool holds : {true, false}) {
    std::vector<KepTests> left;
    for (KepTests tests : lists) {
      std::erase_if(
          tests, [&](const KepTest& t) { return same_operand(t, assumed) && (t.inverse == assumed.inverse) == holds; });
      const bool fails =
          std::any_of(tests.begin(), tests.end(), [&](const KepTest& t) { return same_operand(t, assumed); });
      if (!fails) left.push_back(std::move(tests));
    }
    if (!accept_everything(left, steps)) return false;
  }
  return true;
}

bool has_level(const Config& config, std::string_view name) {
  return std::any_of(config.priority_levels.begin(), config.priority_levels.end(),
                     [&](const PriorityLevel& level) { return level.meta.name == name; });
}

class KepValidation {
 public:
  KepValidation(const LoadedConfig& loaded, std::vector<Diagnostic>& out)
      : config_(loaded.config), broken_(loaded.diagnostics), effective_(with_backstops(loaded.config)), out_(out) {}

  void check_priority(const PriorityLevel& level) {
    if (!level.limited) return;
    if (*level.limited->nominal_concurrency_shares < 0)
      add(level, "spec.assuredConcurrencyShares", kKepWrongValue,
          fmt::format("spec.assuredConcurrencyShares: {} is negative", *level.limited->nominal_concurrency_shares));
    const Queuing& queuing = *level.limited->queuing;
    if (queuing.queue_length_limit < 1)
      add(level, "spec.queueLengthLimit", kKepWrongValue,
          fmt::format("spec.queueLengthLimit: {} isn't positive: no request could wait", queuing.queue_length_limit));
    if (queuing.queues < 1) {
      add(level, "spec.queues", kKepWrongValue,
          fmt::format("spec.queues: {} isn't positive: there must be a queue", queuing.queues));
    } else if (const std::string error = kep_hand_error(queuing.queues, queuing.hand_size); !error.empty()) {
      add(level, "spec.handSize", kKepUndealableHand,
          fmt::format("spec.handSize: {} doesn't suit {} queues: {}", queuing.hand_size, queuing.queues, error));
    }
  }

  void check_reference(const FlowSchema& schema) {
    const std::string& wanted = schema.priority_level;
    if (has_level(effective_, wanted) || is_broken(kKepPriorityKind, wanted)) return;
    std::vector<std::string_view> names;
    for (const PriorityLevel& level : effective_.priority_levels) names.push_back(level.meta.name);
    Diagnostic& d = add(schema, "spec.requestPriority.name", kKepDanglingPriority,
                        fmt::format("spec.requestPriority.name: there is no RequestPriority \"{}\"", wanted));
    if (const std::string_view near = closest(wanted, names); !near.empty())
      d.notes.push_back({did_you_mean(near), {}});
  }

  // The backstops need exactly one priority for requests that no FlowSchema matches.
  void check_catch_all() {
    const PriorityLevel* first = nullptr;
    const PriorityLevel* limited = nullptr;
    for (const PriorityLevel& level : config_.priority_levels) {
      if (!level.kep->catch_all) {
        if (!limited && level.limited) limited = &level;
      } else if (first) {
        add(level, "spec.catchAll", kKepTwoCatchAlls,
            fmt::format("spec.catchAll: RequestPriority \"{}\" already has it; only one may", first->meta.name))
            .notes.push_back({"it stands here", first->meta.source.span_of("spec.catchAll")});
      } else {
        first = &level;
      }
    }
    const auto is_catch_all = [](const PriorityLevel& level) { return level.kep->catch_all; };
    const auto& levels = effective_.priority_levels;  // also those that are created
    if (!limited || std::any_of(levels.begin(), levels.end(), is_catch_all)) return;
    if (is_broken(kKepPriorityKind) || is_broken("FlowSchema")) return;
    if (all_requests_match(effective_)) return;
    add(*limited, "meta.name", kKepNoCatchAll,
        "no RequestPriority has catchAll: true, and the FlowSchemas don't match everything: there is no priority for "
        "requests that none accepts");
  }

  // A priority that is implied while none of its sort is given has another name than the given ones.
  void check_implied_names() {
    if (is_broken(kKepPriorityKind)) return;
    for (const PriorityLevel& level : config_.priority_levels) {
      const bool exempt = level.type == "Exempt";
      if (level.meta.name != (exempt ? "workload-low" : "system-top")) continue;
      const std::string implied = level.meta.name + std::string(kKepBackstopSuffix);
      if (!has_level(effective_, implied)) continue;
      add(level, "meta.name", kKepTakenName,
          fmt::format("meta.name: without {} RequestPriority one like the {} of KEP-1040 is implied, but this one has "
                      "its name; it is called {} here",
                      exempt ? "a non-exempt" : "an exempt", level.meta.name, implied))
          .severity = Severity::warning;
    }
  }

 private:
  template <class Object>
  Diagnostic& add(const Object& object, std::string field, const ConfigCode& code, std::string message) {
    constexpr bool is_schema = std::is_same_v<Object, FlowSchema>;
    Diagnostic& d = out_.emplace_back();
    d.code = code.code;
    d.name = code.name;
    d.message = std::move(message);
    d.span = object.meta.source.span_of(field);
    d.document = object.meta.source.document;
    d.kind = is_schema ? "FlowSchema" : kKepPriorityKind;
    d.object_name = name_to_tell(object.meta.name);
    d.field = std::move(field);
    return d;
  }

  // An object that could not be decoded has been reported already, and may be the missing one.
  bool is_broken(std::string_view kind, std::string_view name = {}) const {
    return std::any_of(broken_.begin(), broken_.end(), [&](const Diagnostic& d) {
      return d.kind == kind && d.severity == Severity::error &&
             (name.empty() || d.object_name == name || d.object_name.empty());
    });
  }

  const Config& config_;
  const std::vector<Diagnostic>& broken_;
  Config effective_;
  std::vector<Diagnostic>& out_;
};

}  // namespace

std::string kep_hand_error(int queues, int hand_size) {
  if (hand_size < 1) return fmt::format("a hand of {} has no queue", hand_size);
  if (hand_size > queues) return fmt::format("a hand of {} needs as many queues", hand_size);
  if (queues > kMostKepQueues) return fmt::format("more than {} queues are impractical", kMostKepQueues);
  std::uint64_t hands = 1;  // ff(queues, hand_size)
  for (int i = 0; i < hand_size; ++i) {
    const auto left = static_cast<std::uint64_t>(queues - i);
    if (hands > (kMostHands - 1) / left)
      return fmt::format("ff({}, {}) must be less than 2^60 for a hash of 64 bits to choose them evenly", queues,
                         hand_size);
    hands *= left;
  }
  return {};
}

bool always_holds(const KepTest& test) {
  switch (test.op) {
    case KepOperator::equals:
      return false;
    case KepOperator::in_set:
      return test.inverse && test.set.empty();
    case KepOperator::pattern_match:
      return !test.inverse && test.pattern->is_anything();
    case KepOperator::super_set:
      break;
  }
  if (!test.inverse) return test.set.empty();
  const std::set<std::string> distinct(test.set.begin(), test.set.end());
  return test.field != KepField::groups && distinct.size() > 1;
}

bool all_requests_match(const Config& effective) {
  constexpr int kMostSteps = 10'000;
  std::vector<KepTests> lists;
  for (const FlowSchema& schema : effective.flow_schemas) {
    if (schema.kep->backstop || !has_level(effective, schema.priority_level)) continue;
    lists.insert(lists.end(), schema.kep->any_of.begin(), schema.kep->any_of.end());
  }
  for (KepTests& tests : lists) std::erase_if(tests, always_holds);
  int steps = kMostSteps;
  return accept_everything(lists, steps);
}

void validate_kep(const LoadedConfig& loaded, std::vector<Diagnostic>& out) {
  if (!is_kep(loaded.config)) return;
  KepValidation validation(loaded, out);
  for (const Config* config : {&loaded.config, &loaded.replaced}) {
    for (const PriorityLevel& level : config->priority_levels) validation.check_priority(level);
    for (const FlowSchema& schema : config->flow_schemas) validation.check_reference(schema);
  }
  validation.check_catch_all();
  validation.check_implied_names();
}

}  // namespace apf
