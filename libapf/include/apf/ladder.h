// The ladder: the order in which FlowSchemas are asked, and where on it another one would have to stand.
//
//   const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   for (const apf::LadderStep& step : apf::make_ladder(config).steps)
//     std::printf("%d %s\n", step.matching_precedence, step.flow_schema.c_str());
//
// Configurations must be complete (defaulted, with built-in objects) and in the API's own dialect. Which requests a
// FlowSchema takes is exact; see <apf/diff.h> for what counts as a request. Results are values; functions may be called
// from several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>

namespace apf {

struct LadderStep {
  std::int32_t matching_precedence = 0;
  std::string flow_schema, priority_level;
  std::string who;       // of whom it takes requests, in words
  bool tied = false;     // the one before it has the same number: names decide
  bool reached = false;  // it takes some request
};

struct Ladder {
  std::vector<LadderStep> steps;  // in the order in which the server asks them
};

APF_API Ladder make_ladder(const Config& config);

// A FlowSchema that would lose requests to another one before it.
struct LadderLoss {
  std::int32_t matching_precedence = 0;
  std::string flow_schema, priority_level;
  bool general = false;  // it is there for what no other takes: service-accounts, global-default, catch-all
  std::vector<std::string> requests;  // that it takes now and the other one matches, in words
  std::string command;                // shows one of them; ends with `flags`
};

// Free numbers, both ends included.
struct LadderGap {
  std::int32_t first = 0, last = 0;
};

struct LadderPlace {
  std::string flow_schema;
  std::vector<LadderLoss> losses;  // in the order in which the server asks them
  // Before all that take something of its requests now: it gets every one of them. Nothing: there is no free number.
  std::optional<LadderGap> for_all;
  // After the last FlowSchema that is not general and before the general ones: nothing is taken from anybody's own.
  // Nothing: it would get no request there, or there is no free number.
  std::optional<LadderGap> without_harm;
};

// Where `schema` would have to stand. One of the same name in the configuration is left out.
APF_API LadderPlace place_on_ladder(const Config& config, const FlowSchema& schema, const std::string& flags);

}  // namespace apf
