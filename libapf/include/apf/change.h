// What a change of a configuration does, without a log: which requests get another FlowSchema or level, which seats,
// queues and hands change, and where on the ladder of FlowSchemas another one would have to stand.
//
//   const apf::Config old_config = apf::bootstrap_config({29}), new_config = apf::bootstrap_config({36});
//   const apf::ConfigDiff diff = apf::diff_configs({&old_config}, {&new_config});
//   for (const apf::MovedRegion& region : diff.regions) std::puts(region.requests.c_str());
//   std::printf("the limits of %zu levels change\n", diff.limits.size());  // <apf/findings_report.h> renders all of it
//   for (const apf::LadderStep& step : apf::make_ladder(new_config).steps)
//     std::printf("%d %s\n", step.matching_precedence, step.flow_schema.c_str());
//
// Regions are exact: each request of a region goes from where it says to where it says, and a request in none of them
// stays. They count every request that an HTTP client can send, by users in any groups, except: service accounts and
// anonymous users are in those groups alone that authentication gives them, and no other users are in these; nodes are
// in system:nodes, and components (users system:…, members of system:nodes) in no groups that are not called system:….
// Configurations must be complete (defaulted, with built-in objects) and in the API's own dialect. Results are values;
// functions may be called from several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/limits.h>
#include <apf/version.h>

namespace apf {

// --- the difference ---

// One side of a comparison. The configuration must outlive the call.
struct DiffSide {
  const Config* config = nullptr;
  KubeVersion version = kNewestKubeVersion;
  int server_concurrency_limit = 600;    // seats: --max-requests-inflight + --max-mutating-requests-inflight
  std::string name{};                    // in texts: "flowcontrol/", "git:main"
  std::string flags{};                   // what a command ends with that asks about this side: " -f flowcontrol/"
  std::vector<Maintained> maintained{};  // what its server has changed by itself in the configuration, or created
  bool assumes_seats = false;            // nothing says how many
};

struct RequestPlace {
  std::string flow_schema, priority_level;
  bool operator==(const RequestPlace&) const = default;
};

// Requests that go to another FlowSchema or level.
struct MovedRegion {
  RequestPlace from, to;
  bool renamed = false;  // only names differ: the same requests, a level of the same seats and queues
  bool system = false;   // of the cluster's own components, or from a level that is there to protect something
  std::string requests;  // which ones, in words
  // One of them, and the commands that show where it goes. The commands are empty where no real request is like this.
  User user;
  RequestInfo request;
  std::string old_command, new_command;
};

// Seats, queues or widths of a level that differ. Nothing: there is no such level on that side.
struct LimitsChange {
  std::string priority_level;
  std::optional<LevelLimits> old_limits, new_limits;
};

// A FlowSchema that is not the same on both sides.
struct SchemaChange {
  enum class What : std::uint8_t { added, removed, renamed, changed } what = What::changed;
  std::string name, new_name;  // new_name: of a renamed one
  bool moves = false;          // some request goes to another FlowSchema or level because of it
};

// The flows of a FlowSchema that keeps requests are told apart or dealt to queues in another way.
struct FlowChange {
  enum class What : std::uint8_t { distinguisher, hand } what = What::distinguisher;
  std::string flow_schema, priority_level;  // of the new side
  std::string old_text, new_text;           // "ByUser"; "128 queues, hands of 6"; the hashed name
};

struct ConfigDiff {
  std::vector<MovedRegion> regions;  // what hurts most first
  std::vector<LimitsChange> limits;  // the same
  std::vector<SchemaChange> schemas;
  std::vector<FlowChange> flows;
  LimitsTable old_limits, new_limits;
  DiffSide old_side, new_side;  // without their configurations
  bool one_group_each = false;  // of very many groups, no user is assumed to be in two
  bool complete = true;         // false: a region had too many corners, and part of it is missing

  // Every request is treated as before.
  bool equal() const { return regions.empty() && limits.empty() && flows.empty(); }
  APF_API bool moves() const;  // more than a rename
};

APF_API ConfigDiff diff_configs(const DiffSide& old_side, const DiffSide& new_side);

// --- the ladder ---

struct LadderStep {
  std::int32_t matching_precedence = 0;
  std::string flow_schema, priority_level;
  std::string who;       // the users whose requests it takes, in words
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
// Where a FlowSchema for this one request would have to stand. `words`: of the request, as apfctl explain takes them.
APF_API LadderPlace place_on_ladder(const Config& config, const RequestInfo& request, const User& user,
                                    const std::string& words, const std::string& flags);

}  // namespace apf
