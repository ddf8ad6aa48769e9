// A replay of what a first pass kept, under the configuration in question: from its first event to its report.
#pragma once

#include <apf/output.h>
#include <apf/replay.h>

#include "replay/clients/client_models.h"
#include "replay/engine.h"
#include "replay/kept_log.h"
#include "replay/observers.h"

namespace apf {

class SecondPass {
 public:
  // `like`: all but its clock. `by_log`: clients behave as the log shows.
  SecondPass(const RunContext& like, ServerClock clock, KeptLog& log, const ClientLinks& links, bool by_log,
             OutputFile& decisions, OutputFile& timeline);
  // Observers are added before begin().
  Observers& observers() { return observers_; }
  // `first`: how the first pass began.
  void begin(const EngineStart& first);
  // The next event of the log, complete: see KeptLog.
  void take(KeptLog::Item& item);
  // The same, of all that the log goes on to bring, with arrivals moved by up to `jitter`.
  void take_all(Nanos jitter, std::uint64_t seed);
  // There is no more.
  void finish(ReplayReport& report);

 private:
  ServerClock clock_;
  const RunContext context_;
  KeptLog& log_;
  Observers observers_;
  ClientModels models_;
  Engine engine_;
};

}  // namespace apf
