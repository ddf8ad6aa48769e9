// A stage of the admission pipeline that runs inside the handler, while the request holds its seats.
#pragma once

#include <string>

#include <apf/replay.h>

#include "replay/books/remarks.h"
#include "replay/prepare/attributes.h"

namespace apf {

// Requests come in order of time.
struct AskedWhen {
  Nanos now = 0;
  bool in_report = true;      // counts
  std::uint64_t request = 0;  // its number, the same in every replay of the log
};

class HandlerStage {
 public:
  enum class Verdict : std::uint8_t { bypassed, passed, refused };

  virtual ~HandlerStage() = default;
  virtual Outcome outcome() const = 0;  // of what it refuses: a row of one stage, always
  virtual Verdict ask(const AdmissionAttributes& request, const AskedWhen& when) = 0;
  // How long it kept the last one, beside what the log's execution holds of that.
  virtual Nanos held() const { return 0; }
  // The answer to the last one, if refused, its reason, as long as the program lives, and the server's text.
  virtual int code() const = 0;
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

}  // namespace apf
