// What a configuration of the KEP's dialect implies: KEP-1040, "Default Behavior".
#include "config/kep/kep.h"

#include <algorithm>
#include <memory>

#include <apf/config.h>

#include "base/go_quote.h"
#include "config/kep/created.h"
#include "config/kep/decode.h"

namespace apf {

namespace {

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

bool is_kep(const Config& config) {
  if (!config.priority_levels.empty()) return config.priority_levels.front().kep != nullptr;
  return !config.flow_schemas.empty() && config.flow_schemas.front().kep != nullptr;
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

std::string kep_test_name(const KepTest& test) {
  const auto at = std::find_if(std::begin(kKepTests), std::end(kKepTests),
                               [&](const KepTestName& t) { return t.op == test.op && t.inverse == test.inverse; });
  return std::string(at->name);
}

std::string_view kep_field_name(KepField field) { return kKepFields[static_cast<std::size_t>(field)]; }

std::string to_string(const KepTest& test) {
  std::string out = kep_test_name(test) + ' ' + std::string(kep_field_name(test.field)) + ' ';
  if (test.op == KepOperator::equals) return out + go_quote(test.value);
  if (test.op == KepOperator::pattern_match) return out + test.value;
  out += '[';
  for (std::size_t i = 0; i < test.set.size(); ++i) {
    if (i == 8) return out + ", … " + std::to_string(test.set.size()) + " in all]";
    out += (i > 0 ? ", " : "") + go_quote(test.set[i]);
  }
  return out + ']';
}

}  // namespace apf
