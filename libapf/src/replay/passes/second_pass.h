// A replay of what a first pass kept, under a configuration in question: from its first event to its report.
#pragma once

#include <cstddef>
#include <cstdint>

#include <apf/replay.h>

#include "replay/clients/client_models.h"
#include "replay/engine/engine.h"
#include "replay/engine/request_source.h"
#include "replay/store/kept_log.h"

namespace apf {

class SecondPass {
 public:
  struct Kept {
    KeptLog& log;
    const ClientLinks& links;
    const EngineStart& start;  // of the first pass
  };
  // `configuration`: number of its first one. `by_log`: clients behave as the log shows.
  SecondPass(RequestSource& reader, const Kept& kept, const ReplayOptions& options, std::size_t configuration,
             bool by_log, const RunOutputs& outputs);

  // The next event of the log.
  void take(KeptLog::Item& item);
  // All that the log goes on to bring, with arrivals moved by up to `jitter`.
  void take_all(Nanos jitter, std::uint64_t seed);
  // There is no more.
  void finish(ReplayReport& report);

 private:
  void begin(EngineStart start);

  ServerClock clock_;
  const RunContext context_;
  KeptLog& log_;
  ClientModels models_;
  Engine engine_;
};

}  // namespace apf
