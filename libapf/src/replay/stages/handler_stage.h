// A stage of the admission pipeline that runs inside the handler, while the request holds its seats.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "replay/prepare/attributes.h"
#include "replay/remarks.h"

namespace apf {

class HandlerStage {
 public:
  enum class Verdict : std::uint8_t { bypassed, passed, refused };

  virtual ~HandlerStage() = default;
  virtual Outcome outcome() const = 0;  // of what it refuses
  // Requests come in order of time. `in_report`: counts.
  virtual Verdict ask(const AdmissionAttributes& request, Nanos now, bool in_report) = 0;
  // Why the last one was refused, as long as the program lives, and the server's text.
  virtual const char* reason() const = 0;
  virtual std::string message(const AdmissionAttributes& request) const = 0;
  virtual bool refused_in_log(const AdmissionAttributes& request) const = 0;
  // The last request that was asked about ends then.
  virtual void settle(Nanos end) { (void)end; }
  // At `now`, the end of the replay.
  virtual void fill(ReplayReport& report, Nanos now) = 0;
  virtual void add_facts(ReplayFacts& facts) const = 0;

  AdmissionStage stage() const { return row_of(outcome()).stage; }
};

// The stages that the options switch on, in the order in which requests pass them.
std::vector<std::unique_ptr<HandlerStage>> handler_stages(const ReplayOptions& options);

}  // namespace apf
