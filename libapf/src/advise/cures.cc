#include "advise/cures.h"

#include <apf/config.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "advise/clients.h"
#include "base/releases.h"
#include "base/sort_stably.h"
#include "config/maintenance.h"

namespace apf {

namespace {

constexpr std::size_t kLevels = 3;
constexpr double kTimes[] = {1.5, 2, 3, 4, 8};
constexpr Queuing kUsualQueuing{64, 8, 50};  // as the API defaults it
constexpr double kMostHandBits = 60;         // as the API server validates it

// The server restores an object that it suggests unless that annotation is false.
template <class Object>
bool restores(const std::vector<Object>& own, const ObjectMeta& meta) {
  return is_restored(meta) &&
         std::any_of(own.begin(), own.end(), [&](const Object& one) { return one.meta.name == meta.name; });
}
void keep_from_server(ObjectMeta& meta) {
  std::erase_if(meta.annotations, [](const auto& annotation) { return annotation.first == kAutoupdateAnnotation; });
  meta.annotations.emplace_back(kAutoupdateAnnotation, "false");
}

// The same in a patch.
std::string patch_of(bool restored, const std::string& spec) {
  const std::string keep =
      restored ? fmt::format(R"("metadata":{{"annotations":{{"{}":"false"}}}},)", kAutoupdateAnnotation) : "";
  return fmt::format("{{{}{}}}", keep, spec);
}

std::string both(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + "," + b; }

// What follows from the change of a level.
void complete(const ReplayOptions& options, CureCandidate& candidate) {
  const std::string& level = candidate.cure.object;
  PriorityLevel changed = *std::find_if(options.config.priority_levels.begin(), options.config.priority_levels.end(),
                                        [&](const PriorityLevel& one) { return one.meta.name == level; });
  const std::string queuing =
      candidate.in_queuing.empty() ? "" : fmt::format(R"("limitResponse":{{"queuing":{{{}}}}})", candidate.in_queuing);
  candidate.cure.patch = patch_of(candidate.is_restored,
                                  fmt::format(R"("spec":{{"limited":{{{}}}}})", both(candidate.in_limited, queuing)));
  candidate.change(*changed.limited);
  if (candidate.is_restored) keep_from_server(changed.meta);
  candidate.cure.yaml = render_yaml(changed);
  candidate.apply = [level, change = candidate.change](ReplayOptions& other) {
    if (PriorityLevel* const own = find_level(other.config, level)) change(*own->limited);
  };
}

class Candidates {
 public:
  explicit Candidates(const ReplayOptions& options) : options_(options) {}

  void add_level(const LevelReport& level) {
    PriorityLevel* const object = find_level(config_, level.name);
    if (level.name == "catch-all") add_levels_of_schemas(level.name);
    if (!object || !object->limited || is_mandatory_level(level.name)) return;
    const LimitedLevel limited = *object->limited;
    if (limited.limit_response == "Reject") {
      add(level.name, "spec.limited.limitResponse.type", "Reject", "Queue", 1,
          fmt::format(
              R"("limitResponse":{{"type":"Queue","queuing":{{"queues":{},"handSize":{},"queueLengthLimit":{}}}}})",
              kUsualQueuing.queues, kUsualQueuing.hand_size, kUsualQueuing.queue_length_limit),
          "", [](LimitedLevel& l) { l.limit_response = "Queue", l.queuing = kUsualQueuing; });
      out_.back().is_mistake = true;
    }
    if (limited.borrowing_limit_percent && has(options_.version, Feature::borrowing))
      add(level.name, "spec.limited.borrowingLimitPercent", std::to_string(*limited.borrowing_limit_percent), "none", 1,
          R"("borrowingLimitPercent":null)", "", [](LimitedLevel& l) { l.borrowing_limit_percent.reset(); });
    add_lendable(level.name, limited);
    const int shares = limited.nominal_concurrency_shares.value_or(30);
    for (const double times : kTimes) {
      const int to = std::max(shares + 1, static_cast<int>(std::ceil(shares * times)));
      const bool is_new = newest_served(options_.version) <= FlowControlVersion::v1beta3;
      const std::string field = is_new ? "nominalConcurrencyShares" : "assuredConcurrencyShares";
      add(level.name, "spec.limited." + field, std::to_string(shares), std::to_string(to), std::log2(times) + 0.5,
          fmt::format(R"("{}":{})", field, to), "", [to](LimitedLevel& l) { l.nominal_concurrency_shares = to; });
    }
    if (limited.queuing) add_queues(level, *limited.queuing);
    add_distinguishers(level.name);
  }

  std::vector<CureCandidate> take() && { return std::move(out_); }

 private:
  // What it lends comes back when others no longer want it.
  void add_lendable(const std::string& level, const LimitedLevel& limited) {
    const int lends = limited.lendable_percent.value_or(0);
    if (lends <= 1 || !has(options_.version, Feature::borrowing)) return;
    for (const int to : {lends / 2, 0})
      add(level, "spec.limited.lendablePercent", std::to_string(lends), std::to_string(to), to > 0 ? 1 : 1.5,
          fmt::format(R"("lendablePercent":{})", to), "", [to](LimitedLevel& l) { l.lendable_percent = to; });
  }

  // As many and as long as those of the built-in levels, with a hand that keeps flows apart.
  void add_usual_queues(const std::string& level, const Queuing& queuing) {
    constexpr std::pair<const char*, std::int32_t Queuing::*> kFields[] = {
        {"queues", &Queuing::queues},
        {"handSize", &Queuing::hand_size},
        {"queueLengthLimit", &Queuing::queue_length_limit}};
    constexpr Queuing kBuiltin{128, 6, 50};
    std::string fields, from, to, patch;
    Queuing changed = queuing;
    for (const auto& [name, member] : kFields) {
      if (queuing.*member >= kBuiltin.*member) continue;
      changed.*member = kBuiltin.*member;
      fields = both(fields, std::string("spec.limited.limitResponse.queuing.") + name);
      from = both(from, std::to_string(queuing.*member));
      to = both(to, std::to_string(changed.*member));
      patch = both(patch, fmt::format(R"("{}":{})", name, changed.*member));
    }
    if (fields.empty() || changed.hand_size * std::log2(changed.queues) > kMostHandBits) return;
    add(level, fields, from, to, 2, "", patch, [changed](LimitedLevel& l) { l.queuing = changed; });
  }

  void add_queues(const LevelReport& level, const Queuing& queuing) {
    add_usual_queues(level.name, queuing);
    const auto change = [&](const char* field, std::int32_t Queuing::*member, int to, double size) {
      add(level.name, std::string("spec.limited.limitResponse.queuing.") + field, std::to_string(queuing.*member),
          std::to_string(to), size, "", fmt::format(R"("{}":{})", field, to),
          [member, to](LimitedLevel& l) { (*l.queuing).*member = to; });
    };
    const int largest =
        std::min(queuing.queues, static_cast<int>(kMostHandBits / std::log2(std::max(queuing.queues, 2))));
    std::set<int> hands = {queuing.hand_size + 1, largest};
    for (const int times : {2, 4, 8}) {
      if (level.tally.outcomes[Outcome::queue_full] > 0)
        change("queueLengthLimit", &Queuing::queue_length_limit, queuing.queue_length_limit * times, std::log2(times));
      hands.insert(queuing.hand_size * times);
    }
    for (const int hand : hands)
      if (hand > queuing.hand_size && hand <= largest)
        change("handSize", &Queuing::hand_size, hand, std::log2(static_cast<double>(hand) / queuing.hand_size));
  }

  void add_distinguishers(const std::string& level) {
    for (const FlowSchema& schema : config_.flow_schemas)
      if (schema.priority_level == level && !schema.distinguisher_method)
        add_schema(schema, "spec.distinguisherMethod.type", "none", "ByUser",
                   R"("distinguisherMethod":{"type":"ByUser"})",
                   [](FlowSchema& one) { one.distinguisher_method = "ByUser"; });
  }

  // What leads to the level of what nothing else matches.
  void add_levels_of_schemas(const std::string& level) {
    constexpr const char* kUsual = "workload-low";
    if (!find_level(config_, kUsual)) return;
    for (const FlowSchema& schema : config_.flow_schemas) {
      if (schema.priority_level != level || schema.meta.name == level) continue;
      add_schema(schema, "spec.priorityLevelConfiguration.name", level, kUsual,
                 fmt::format(R"("priorityLevelConfiguration":{{"name":"{}"}})", kUsual),
                 [](FlowSchema& one) { one.priority_level = kUsual; });
      out_.back().is_mistake = true;
    }
  }

  void add_schema(const FlowSchema& schema, const char* field, const std::string& from, const char* to,
                  const std::string& in_spec, void (*change)(FlowSchema&)) {
    const std::string name = schema.meta.name;
    CureCandidate& out = out_.emplace_back();
    out.cure = {WhyCureKind::flow_schema, name, field, from, to};
    out.is_restored = restores(own_.flow_schemas, schema.meta);
    out.cure.patch = patch_of(out.is_restored, fmt::format(R"("spec":{{{}}})", in_spec));
    out.size = 1;
    out.apply = [name, change](ReplayOptions& options) {
      for (FlowSchema& one : options.config.flow_schemas)
        if (one.meta.name == name) change(one);
    };
    FlowSchema changed = schema;
    change(changed);
    if (out.is_restored) keep_from_server(changed.meta);
    out.cure.yaml = render_yaml(changed);
  }

  void add(const std::string& level, std::string field, std::string from, std::string to, double size,
           std::string in_limited, std::string in_queuing, std::function<void(LimitedLevel&)> change) {
    CureCandidate& out = out_.emplace_back();
    out.cure = {WhyCureKind::level, level, std::move(field), std::move(from), std::move(to)};
    out.size = size;
    out.in_limited = std::move(in_limited);
    out.in_queuing = std::move(in_queuing);
    out.change = std::move(change);
    const PriorityLevel* const object = find_level(config_, level);
    out.is_restored = object && restores(own_.priority_levels, object->meta);
    complete(options_, out);
  }

  const ReplayOptions& options_;
  Config config_ = options_.config;
  const Config own_ = bootstrap_config(options_.version);  // what the server suggests
  std::vector<CureCandidate> out_;
};

}  // namespace

bool is_in_trouble(const LevelReport& level) {
  return !level.exempt &&
         (level.tally.outcomes.refused(AdmissionStage::apf) > 0 || level.tally.wait.quantile(0.99) >= kSecond);
}

std::vector<CureCandidate> configuration_cures(const ReplayOptions& options, const ReplayReport& report) {
  std::vector<const LevelReport*> levels;
  for (const LevelReport& level : report.levels)
    if (is_in_trouble(level)) levels.push_back(&level);
  sort_stably(levels, [](const LevelReport* a, const LevelReport* b) {
    if (a->tally.rejected() != b->tally.rejected()) return a->tally.rejected() > b->tally.rejected();
    return a->waiting_seconds > b->waiting_seconds;
  });
  Candidates out(options);
  for (std::size_t i = 0; i < levels.size() && i < kLevels; ++i) out.add_level(*levels[i]);
  return std::move(out).take();
}

std::optional<CureCandidate> both_cures(const ReplayOptions& options, const CureCandidate& a, const CureCandidate& b) {
  if (!a.change || !b.change || a.cure.object != b.cure.object) return std::nullopt;
  if (("," + a.cure.field + ",").find("," + b.cure.field + ",") != std::string::npos) return std::nullopt;
  CureCandidate out = a;
  out.cure.field += "," + b.cure.field;
  out.cure.from += "," + b.cure.from;
  out.cure.to += "," + b.cure.to;
  out.size += b.size;
  out.in_limited = both(a.in_limited, b.in_limited);
  out.in_queuing = both(a.in_queuing, b.in_queuing);
  out.change = [first = a.change, second = b.change](LimitedLevel& level) { first(level), second(level); };
  complete(options, out);
  return out;
}

std::vector<CureCandidate> seat_cures(const ReplayOptions& options) {
  std::vector<CureCandidate> out;
  const int seats = options.server_concurrency_limit;
  for (const double times : {1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0}) {
    const int to = std::max(seats + 1, static_cast<int>(std::ceil(seats * times)));
    CureCandidate& one = out.emplace_back();
    one.cure = {WhyCureKind::server, "kube-apiserver", "seats", std::to_string(seats), std::to_string(to)};
    one.size = std::log2(times);
    one.apply = [to](ReplayOptions& changed) {
      changed.server_concurrency_limit = to;
      changed.seats_by_log = false;
    };
  }
  return out;
}

}  // namespace apf
