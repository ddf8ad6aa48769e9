// --decisions: one JSON line for each request, in order of arrival.
#pragma once

#include <apf/output.h>
#include <cstdint>
#include <deque>

#include <string>
#include <vector>

#include <apf/replay.h>
#include "schedule/controller.h"

#include "replay/books/live_request.h"
#include "replay/prepare/prepared.h"
#include "replay/stages/later_arrivals.h"

namespace apf {

struct Decision {
  std::uint64_t seq = 0;
  bool filled = false;  // the log does not hold the request: it has no seq
  int copy = 0;         // of a request of the log: see LoadScaler
  int attempt = 0;      // of a client that comes back
  bool beyond_log = false, repeated = false;
  AuditId id;
  std::string id_text;  // see decision_text()
  Nanos arrival = 0;
  std::uint32_t report = 0;  // index into the flow reports; means nothing when bypassed
  bool bypassed = false;
  LeftOut left_out = LeftOut::no;
  AdmissionStage stage = AdmissionStage::apf;  // that refused it, else the server's own
  Nanos delay = 0;                             // by the client's limiter, before it arrived
  int queue = -1;
  WorkEstimate seats;
  int wanted = 0;  // see LiveRequest
  Outcome outcome = Outcome::executed;
  const char* reason = nullptr;  // where the outcome does not say it all; lives as long as the program
  std::string message;           // the server's text, where it is more than that there are too many requests
  Nanos wait = 0, dispatch = kNoTime, finish = kNoTime, release = kNoTime;
  int retry_after = 0;
};

// `fields`: with what its text says besides the id.
std::string render_decision(const Decision& decision, const FlowReport* flow, const std::string& server,
                            bool fields = true);

// Decisions are made out of order; they are written in order as soon as all earlier ones are made.
class DecisionWriter {
 public:
  // `filter`: the server's own stage, apf or max-in-flight.
  DecisionWriter(OutputFile& file, const std::vector<FlowReport>& flows, AdmissionStage filter, std::string server,
                 bool fields)
      : file_(file), flows_(flows), filter_(filter), server_(std::move(server)), fields_(fields) {}
  bool active() const { return file_.active(); }
  // A request has arrived: its place in the order of arrival.
  std::uint64_t open(const LiveRequest& request, std::string&& id_text);
  // A request that never reaches the filter.
  void leave_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason);
  // It is known when the request's handler returns.
  void start(const LiveRequest& request, Nanos end);
  Decision& at(std::uint64_t place) { return pending_[place - first_].decision; }
  void close(std::uint64_t place);

 private:
  struct Entry {
    Decision decision;
    bool made = false;
  };
  OutputFile& file_;
  const std::vector<FlowReport>& flows_;
  const AdmissionStage filter_;
  const std::string server_;  // empty: there is only one
  const bool fields_;         // they carry what their text says besides the id
  std::deque<Entry> pending_;
  std::uint64_t first_ = 0;
};

}  // namespace apf
