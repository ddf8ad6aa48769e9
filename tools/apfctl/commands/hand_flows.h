// hand --log: the flows of a log at one priority level, and which of them share queues.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/report.h>

namespace apfctl {

struct LoggedFlows {
  struct Flow {
    std::string flow_schema, distinguisher;
    std::uint64_t hash = 0, requests = 0;
    std::vector<std::uint32_t> hand;  // as dealt
    std::size_t sharing = 0;          // other flows with which it has queues in common
    std::size_t closest = 0;          // of these, the one with which it has most; an index, its own where there is none
    int closest_queues = 0;           // in common with it
    int own_queues = 0;               // that no other flow has
  };
  std::string level;
  int queues = 0, hand_size = 0;
  std::uint64_t requests = 0, unclassified = 0;  // of the log
  std::vector<apf::Remark> damaged;              // RemarkKind::log_damaged
  std::vector<Flow> flows;                       // most requests first
  double covered = 0;  // odds that a further flow finds all its queues among those of these flows
};

// Throws apf::Error for a log that cannot be read, or that has no flow of the level.
LoggedFlows flows_of_log(const std::string& log, const apf::Config& config, const std::string& level, int queues,
                         int hand_size);
apf::Document document_of(const LoggedFlows& flows);
std::string render_json(const LoggedFlows& flows);

}  // namespace apfctl
