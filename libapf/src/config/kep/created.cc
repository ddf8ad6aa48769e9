#include "config/kep/created.h"

#include <algorithm>
#include <memory>

#include "config/kep/kep.h"
#include "config/kep/pattern.h"

namespace apf {

namespace {

struct DefaultPriority {
  std::string_view name;
  bool catch_all;
  std::int32_t shares;  // 0: exempt
  Queuing queuing;
};
constexpr DefaultPriority kPriorities[] = {
    {"system-top", false, 0, {}},
    {"system-high", false, 100, {128, 6, 100}},
    {"system-low", false, 30, {1, 1, 1000}},
    {"workload-high", false, 30, {128, 6, 100}},
    {"workload-low", true, 100, {128, 6, 100}},
};

KepTest test_of(KepOperator op, KepField field) {
  KepTest out;
  out.op = op;
  out.field = field;
  return out;
}
KepTest equals(KepField field, const char* value) {
  KepTest out = test_of(KepOperator::equals, field);
  out.value = value;
  return out;
}
KepTest set_test(KepOperator op, KepField field, std::vector<std::string> set) {
  KepTest out = test_of(op, field);
  out.set = std::move(set);
  return out;
}
KepTest pattern_test(KepField field, const char* pattern, bool inverse) {
  KepTest out = test_of(KepOperator::pattern_match, field);
  out.inverse = inverse;
  out.value = pattern;
  out.pattern = std::make_shared<const KepPattern>(pattern);
  return out;
}

FlowSchema default_schema(const char* name, std::int32_t precedence, const char* priority, const char* distinguisher,
                          std::vector<std::vector<KepTest>> any_of) {
  FlowSchema out;
  out.meta.name = name;
  out.matching_precedence = precedence;
  out.priority_level = priority;
  if (distinguisher) out.distinguisher_method = distinguisher;
  auto match = std::make_shared<KepMatch>();
  match->any_of = std::move(any_of);
  match->created = true;
  out.kep = std::move(match);
  return out;
}

// As the document has them: workload-low leads to workload-high.
std::vector<FlowSchema> default_schemas() {
  using enum KepField;
  constexpr std::int32_t kUsual = 1000;
  const KepTest nodes = set_test(KepOperator::super_set, groups, {"system:nodes"});
  const KepTest kube_system = equals(ns, "kube-system");
  return {
      default_schema("system-top", kUsual, "system-top", nullptr,
                     {{set_test(KepOperator::super_set, groups, {kMastersGroup})}}),
      default_schema("system-high", kUsual, "system-high", "ByUser",
                     {{nodes, equals(resource, "nodes")},
                      {nodes, kube_system},
                      {pattern_test(user, "system:controller:.*", false),
                       set_test(KepOperator::in_set, resource, {"endpoints", "configmaps", "leases"}), kube_system}}),
      default_schema("system-low", 900, "system-low", "ByUser",
                     {{equals(user, "system:controller:garbage-collector")}}),
      default_schema("workload-high", kUsual, "workload-high", "ByNamespace",
                     {{pattern_test(user, "system:serviceaccount:.*", true)}}),
      default_schema("workload-low", 9999, "workload-high", "ByNamespace", {{}}),
  };
}

template <class Object>
const Object* find_named(const std::vector<Object>& objects, std::string_view name) {
  const auto at =
      std::find_if(objects.begin(), objects.end(), [&](const Object& object) { return object.meta.name == name; });
  return at == objects.end() ? nullptr : &*at;
}

bool is_exempt(const PriorityLevel& level) { return level.type == "Exempt"; }

bool leads_to_exempt(const Config& config, const FlowSchema& schema) {
  const PriorityLevel* level = find_named(config.priority_levels, schema.priority_level);
  return level && is_exempt(*level);
}

constexpr const char* kSystemTop = "system-top";
constexpr const char* kWorkloadLow = "workload-low";
constexpr const char* kBackstop = "non-top-backstop";
// "(doesn't really matter)": a backstop comes after all others.
constexpr std::int32_t kBackstopPrecedence = 10000;

const PriorityLevel* find_level(const Config& config, std::string_view name) {
  const auto at = std::find_if(config.priority_levels.begin(), config.priority_levels.end(),
                               [&](const PriorityLevel& level) { return level.meta.name == name; });
  return at == config.priority_levels.end() ? nullptr : &*at;
}

void imply_level(Config& config, const char* name, bool exempt) {
  const bool there = std::any_of(config.priority_levels.begin(), config.priority_levels.end(),
                                 [&](const PriorityLevel& level) { return (level.type == "Exempt") == exempt; });
  if (there) return;
  PriorityLevel level = default_priority(name);
  if (find_level(config, name)) level.meta.name += kKepBackstopSuffix;
  config.priority_levels.push_back(std::move(level));
}

// The level that best serves: `preferred` says how well, and of equals the first by name.
template <class Preferred>
std::string best_level(const Config& config, const Preferred& preferred) {
  const PriorityLevel* best = nullptr;
  int score = 0;
  for (const PriorityLevel& level : config.priority_levels) {
    const int here = preferred(level);
    if (here < score || here == 0 || (here == score && best && best->meta.name <= level.meta.name)) continue;
    best = &level;
    score = here;
  }
  return best ? best->meta.name : std::string();
}

void add_backstop(Config& config, std::string name, std::string level, std::vector<KepTest> tests,
                  const char* distinguisher) {
  if (level.empty()) return;
  FlowSchema schema;
  schema.meta.name = std::move(name);
  schema.priority_level = std::move(level);
  schema.matching_precedence = kBackstopPrecedence;
  if (distinguisher) schema.distinguisher_method = distinguisher;
  auto match = std::make_shared<KepMatch>();
  match->any_of.push_back(std::move(tests));
  match->backstop = true;
  schema.kep = std::move(match);
  config.flow_schemas.push_back(std::move(schema));
}

}  // namespace

PriorityLevel default_priority(std::string_view name) {
  const DefaultPriority& given = *std::find_if(std::begin(kPriorities), std::end(kPriorities),
                                               [&](const DefaultPriority& p) { return p.name == name; });
  PriorityLevel level;
  level.meta.name = name;
  level.type = given.shares == 0 ? "Exempt" : "Limited";
  if (given.shares == 0) level.exempt = ExemptLevel{0, 0};
  else level.limited = LimitedLevel{given.shares, 0, {}, "Queue", given.queuing};
  level.kep = std::make_shared<const KepPriority>(KepPriority{given.catch_all, true});
  return level;
}

void create_default_objects(Config& config) {
  if (std::none_of(config.priority_levels.begin(), config.priority_levels.end(), is_exempt)) {
    for (const DefaultPriority& priority : kPriorities) {
      if (!find_named(config.priority_levels, priority.name))
        config.priority_levels.push_back(default_priority(priority.name));
    }
  }
  const bool has_exempt = std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(),
                                      [&](const FlowSchema& schema) { return leads_to_exempt(config, schema); });
  if (has_exempt) return;
  for (FlowSchema& schema : default_schemas()) {
    if (find_named(config.flow_schemas, schema.meta.name)) continue;
    if (find_named(config.priority_levels, schema.priority_level)) config.flow_schemas.push_back(std::move(schema));
  }
}

Config with_backstops(Config config) {
  if (!is_kep(config)) return config;
  create_default_objects(config);
  imply_level(config, kSystemTop, true);
  imply_level(config, kWorkloadLow, false);
  const auto is_backstop = [](const FlowSchema& schema) { return schema.kep && schema.kep->backstop; };
  if (std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(), is_backstop)) return config;
  const bool taken = std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(),
                                 [](const FlowSchema& schema) { return schema.meta.name == kSystemTop; });
  KepTest masters;
  masters.op = KepOperator::super_set;
  masters.field = KepField::groups;
  masters.set = {kMastersGroup};
  // The KEP names system-top; where the exempt priority has another name, that one is meant.
  add_backstop(config, taken ? std::string(kSystemTop) + std::string(kKepBackstopSuffix) : kSystemTop,
               best_level(config,
                          [](const PriorityLevel& level) {
                            return level.type != "Exempt" ? 0 : level.meta.name == kSystemTop ? 2 : 1;
                          }),
               {masters}, nullptr);
  // A given catchAll comes before a created one. Without any, validation says so; what is classified all the same must
  // go somewhere.
  add_backstop(config, kBackstop,
               best_level(config,
                          [](const PriorityLevel& level) {
                            const bool exempt = level.type == "Exempt";
                            if (!level.kep->catch_all) return exempt ? 1 : 2;
                            return exempt ? 3 : level.kep->implied ? 4 : 5;
                          }),
               {}, "ByUser");
  return config;
}

}  // namespace apf
