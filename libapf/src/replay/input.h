// The input side of a replay: files read and prepared in parallel, handed out in order, and what was noticed on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "replay/flows.h"
#include "replay/origins.h"
#include "replay/parallel.h"
#include "replay/prepare.h"

namespace apf {

class Input {
 public:
  // threads 0: as many as there are processors. Throws Error for logs that cannot be opened or no such format.
  Input(const std::vector<std::string>& logs, const std::string& format, const PrepareContext& context, int threads,
        int log_year = 0);
  ~Input();

  // The next batch, valid until the next call; null at the end. Adds to the report's counts.
  PreparedBatch* next(ReplayReport& report);
  // As of the batch handed out last.
  const ChunkSourceStats& stats() const { return stats_; }
  // Names, notes, bytes.
  void fill(ReplayReport& report);

 private:
  ChunkSource source_;
  ChunkSourceStats stats_;
  Origins origins_;
  std::uint64_t implied_groups_ = 0;
  std::unique_ptr<OrderedWork<PrepareJob, Preparer>> work_;
};

// Parses the --log-format value; throws Error naming the formats there are.
LogFormat parse_log_format(const std::string& name);

// Workers number flows on their own; here those numbers meet.
class FlowNumbers {
 public:
  void extend(const PreparedBatch& batch, Flows& flows) {
    if (by_worker_.size() <= batch.worker) by_worker_.resize(batch.worker + 1);
    for (const FlowDefinition& flow : batch.new_flows) by_worker_[batch.worker].push_back(flows.add(flow));
  }
  FlowId global(std::uint32_t worker, LocalFlow flow) const {
    return flow < by_worker_[worker].size() ? by_worker_[worker][flow] : 0;
  }

 private:
  std::vector<std::vector<FlowId>> by_worker_;
};

// Ids that are no UUIDs, from the batch to the decision; 0 = none.
class IdTexts {
 public:
  std::uint32_t put(std::string text);
  std::string take(std::uint32_t id);

 private:
  std::vector<std::string> texts_;
  std::vector<std::uint32_t> free_;
};

}  // namespace apf
