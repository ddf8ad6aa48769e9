// Comparing configurations on the traffic of a log: who waits longer, who is refused, who goes to another level.
//
//   apf::CompareOptions options;
//   options.old_side.logs = {"audit.log"};
//   options.old_side.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   options.new_sides = {options.old_side};
//   options.new_sides[0].server_concurrency_limit = 300;
//   const apf::CompareReport comparison = apf::compare(options);
//   for (const apf::ComparedChange& change : comparison.changes) std::puts(change.name.c_str());
//
// Each side is replayed as <apf/replay.h> has it. A log shows one configuration: for a NEW side ReplayOptions::recorded
// should say which, else it is taken to have been the side's own. Errors and threads: as replay().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

struct CompareOptions {
  ReplayOptions old_side;
  std::vector<ReplayOptions> new_sides;  // of the same logs
  // Further replays of each side with jitter: a difference counts only beyond what they differ by.
  int spread = 3;
};

// A number of a level, a FlowSchema or a flow that has requests on both sides and is not the same there.
struct ComparedChange {
  enum class What : std::uint8_t { level, flow_schema, flow } what = What::level;
  enum class Metric : std::uint8_t { rejected, mean_wait, p99_wait } metric = Metric::rejected;
  enum class Verdict : std::uint8_t { better, worse, same } verdict = Verdict::same;
  std::size_t new_side = 0;
  std::string name;                                  // of a flow: its distinguisher, in whichever FlowSchema
  double old_value = 0, new_value = 0;               // requests; nanoseconds
  std::uint64_t old_requests = 0, new_requests = 0;  // of what is named
  bool beyond_chance = false;                        // no replay of one side came as far as the other side's
};

// Requests that get another FlowSchema or level.
struct ComparedMove {
  std::size_t new_side = 0;
  std::string from_schema, from_level, to_schema, to_level;
  std::uint64_t requests = 0;
};

struct CompareReport {
  ReplayReport old_report;
  std::vector<ReplayReport> new_reports;
  int spread = 0;
  std::vector<ComparedMove> moved;      // the most first
  std::vector<ComparedChange> changes;  // what got worse first, the largest part of the traffic first
  // How many requests of a side's log go elsewhere.
  APF_API std::uint64_t moved_requests(std::size_t new_side) const;
  // Is there a difference beyond chance?
  APF_API bool differs(std::size_t new_side) const;
};

APF_API const char* to_string(ComparedChange::What what);        // "flowSchema"
APF_API const char* to_string(ComparedChange::Metric metric);    // "rejected", "meanWaitNs", "p99WaitNs"
APF_API const char* to_string(ComparedChange::Verdict verdict);  // "better"

// Throws Error: as replay().
APF_API CompareReport compare(const CompareOptions& options);

}  // namespace apf
