#include "config/kep/validate.h"

#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

#include "config/closest.h"
#include "config/codes.h"
#include "config/kep/created.h"
#include "config/kep/decode.h"
#include "config/reader.h"

namespace apf {

namespace {

constexpr int kMostKepQueues = 1 << 26;
constexpr std::uint64_t kMostHands = std::uint64_t{1} << 60;

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
    std::vector<std::string_view> names;
    for (const PriorityLevel& level : effective_.priority_levels) names.push_back(level.meta.name);
    if (std::find(names.begin(), names.end(), wanted) != names.end() || is_broken(wanted)) return;
    Diagnostic& d = add(schema, "spec.requestPriority.name", kKepDanglingPriority,
                        fmt::format("spec.requestPriority.name: there is no RequestPriority \"{}\"", wanted));
    if (const std::string_view near = closest(wanted, names); !near.empty())
      d.notes.push_back({fmt::format("did you mean \"{}\"?", near), {}});
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
    if (!limited || has_broken_priority() || std::any_of(levels.begin(), levels.end(), is_catch_all)) return;
    if (std::any_of(config_.flow_schemas.begin(), config_.flow_schemas.end(), accepts_everything)) return;
    add(*limited, "meta.name", kKepNoCatchAll,
        "no RequestPriority has catchAll: true, and no FlowSchema matches everything: there is no priority for "
        "requests that none accepts");
  }

  // The priorities that are implied while none of their sort is given have names that must be free.
  void check_implied_names() {
    for (const PriorityLevel& level : config_.priority_levels) {
      const bool exempt = level.type == "Exempt";
      const char* const taken = exempt ? "workload-low" : "system-top";
      if (level.meta.name != taken || has_broken_priority()) continue;
      const bool other = std::any_of(config_.priority_levels.begin(), config_.priority_levels.end(),
                                     [&](const PriorityLevel& l) { return (l.type == "Exempt") != exempt; });
      if (other) continue;
      add(level, "meta.name", kKepTakenName,
          fmt::format("meta.name: without {} RequestPriority one named {} is implied, but this one has the name",
                      exempt ? "a non-exempt" : "an exempt", taken));
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
  bool is_broken(const std::string& name) const {
    return std::any_of(broken_.begin(), broken_.end(), [&](const Diagnostic& d) {
      return d.kind == kKepPriorityKind && d.severity == Severity::error &&
             (d.object_name == name || d.object_name.empty());
    });
  }
  bool has_broken_priority() const {
    return std::any_of(broken_.begin(), broken_.end(),
                       [](const Diagnostic& d) { return d.kind == kKepPriorityKind && d.severity == Severity::error; });
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

bool accepts_everything(const FlowSchema& schema) {
  return schema.kep && std::any_of(schema.kep->any_of.begin(), schema.kep->any_of.end(),
                                   [](const auto& tests) { return tests.empty(); });
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
