// What the rules about seats and queues ask of the given levels: their limits, and how many flows lead to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lint/rule.h"

namespace apf {

struct GivenLevel {
  const PriorityLevel* level = nullptr;     // as stored, type Limited
  const LevelLimits* limits = nullptr;      // at the given server limits
  const PriorityLevel* built_in = nullptr;  // of the same name; null if there is none
  bool queues_as_built_in() const;          // it has the queues that the server's own level of this name has
};

// The given levels of type Limited that the server takes, but those that are just as the release's own, and catch-all,
// which nobody can change.
std::vector<GivenLevel> given_limited_levels(const LintContext& context);

// Null if there is no such level, or one that the server ignores.
const LevelLimits* limits_of(const LimitsTable& table, std::string_view level);

// The flows that FlowSchemas can tell apart: one without a distinguisher, else one for each user or namespace.
struct FlowCount {
  std::int64_t known = 0;
  bool unbounded = false;  // subjects or namespaces that mean many
  bool several() const { return unbounded || known > 1; }
  // How many of `wanted` heavy flows there can be if there is a light one too.
  int heavy(int wanted) const;
};
// By the name of the level that they lead to; no entry: no FlowSchema leads there.
using FlowCounts = std::unordered_map<std::string_view, FlowCount>;
FlowCounts count_flows(const Config& effective);
bool has_several_flows(const FlowCounts& flows, const std::string& level);

// The field that holds a level's shares, by API version.
const char* shares_field(const PriorityLevel& level);

// "ceil(600 * 10 / 255) = 24": how a level's nominal seats follow from its shares.
std::string nominal_arithmetic(const LintContext& context, const LevelLimits& limits);

// "1 seat", "2 seats".
std::string count_of(std::int64_t count, std::string_view noun);
// "24 seats", of a level's nominal limit; "seats" where it has none.
std::string seats_in(const LintContext& context, std::string_view level);

}  // namespace apf
