// A replay of what a first pass kept, under a configuration in question: from its first event to its report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <apf/replay.h>

#include "replay/clients/client_models.h"
#include "replay/engine/engine.h"
#include "replay/engine/request_source.h"
#include "replay/store/kept_log.h"

namespace apf {

class SecondPass {
 public:
  struct Kept {
    const KeptLog& log;
    const ClientLinks& links;
    const RetryChains* retries = nullptr;  // null: nobody is refused in the log
    const EngineStart& start;              // of the first pass
    int recorded_seats = 0;
  };
  // `configuration`: number of its first one. `by_log`: clients behave as the log shows. `flows`: the reader's, which
  // still reads; null: as they are now, with books of its own.
  SecondPass(RequestSource& reader, const Kept& kept, const ReplayOptions& options, std::size_t configuration,
             bool by_log, const RunOutputs& outputs, Flows* flows = nullptr);

  // The next event of the log.
  void take(KeptLog::Item& item);
  // All that the log brings from the event at place `from` on, with arrivals and executions moved by up to so much.
  void take_all(Nanos arrival_jitter, Nanos execution_jitter, std::uint64_t seed, std::uint64_t from);
  // There is no more. `replays`: of which it is the one in the middle.
  ReplayReport finish(int replays);
  // All of the report; they are gone afterwards.
  std::vector<FlowReport> take_flows();
  const RunContext& context() const { return context_; }

 private:
  void begin(EngineStart start);

  ServerClock clock_;
  std::optional<Flows> own_flows_;
  Pool<AdmissionAttributes> attributes_;
  const RunContext context_;
  const KeptLog& log_;
  KeptLog::Reader events_;
  ClientModels models_;
  Engine engine_;
};

}  // namespace apf
