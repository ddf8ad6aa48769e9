// The discrete-event loop of a replay, on one clock: requests come in order of time, from the log or later than it
// says, pass their client's limiter and go to the server. What happens to them the observers write down.
#pragma once

#include <memory>
#include <string>

#include "replay/server.h"
#include "replay/stages/client_limiter.h"

namespace apf {

class Engine {
 public:
  Engine(const RunContext& context, Observers& observers);

  // Before the first event, which will come at `first_arrival`.
  void begin(Nanos first_arrival, const EngineStart& start);
  // A watch that began before the log.
  void add_standing_watch(WatchKey key, Nanos end) { server_.watches().add_standing(key, end); }
  // An execution that the log will bring.
  void foresee(const PreparedEvent& event) { server_.foresee(event); }
  // One event of the log, in order of time. The id's text, where it is no UUID.
  void take(Nanos now, const JoinedEvent& joined, std::string id_text);
  // Everything that still runs or waits comes to its end.
  void finish();
  void fill(ReplayReport& report);
  void fill_what_if(WhatIfReport& report) const { server_.fill_what_if(report); }
  // Nothing: the log decides how long requests run, or it makes no difference.
  std::optional<UndecidedReport> undecided() const;
  const EngineStart& start() const { return start_; }

  Nanos now() const { return time_.now; }

 private:
  // Configurations, ticks and clients that come back, up to `now`.
  void advance(Nanos now);
  void run_later_arrivals(Nanos now);
  void take_later_arrival();
  void end_watch(Nanos now, const AuditId& id);
  // A client sends: its limiter may hold the request back.
  void send(Nanos now, const JoinedEvent& joined, Sending&& sending);
  // A request is at the server.
  void reach(Nanos now, const JoinedEvent& joined, Sending&& sending);
  ReplayFacts facts(const EngineStart& start);

  const RunContext& context_;
  Observers& observers_;
  RunTime time_;
  EngineStart start_;
  LaterArrivals later_;
  Server server_;
  std::unique_ptr<ClientLimiter> limiter_;  // null: clients are not held back
  Nanos last_arrival_ = 0;
  bool begun_ = false;
};

}  // namespace apf
