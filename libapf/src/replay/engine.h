// The discrete-event loop of a replay, on one clock: requests come in order of time, from the log or later than it
// says, pass their client's limiter and go to the server. What happens to them the observers write down.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/dump_book.h"
#include "replay/load_scaler.h"
#include "replay/server.h"
#include "replay/stages/client_limiter.h"

namespace apf {

class Engine {
 public:
  // `clients`: those of a second pass; else as the options say.
  Engine(const RunContext& context, Observers& observers, ClientModels* clients = nullptr);

  // Before the first event, which will come at `first_arrival`.
  void begin(Nanos first_arrival, const EngineStart& start);
  // A watch that began before the log.
  void add_standing_watch(WatchKey key, Nanos end);
  // An execution that the log will bring.
  void foresee(const PreparedEvent& event) { server_.foresee(event); }
  // One event of the log, in order of time. The id's text, where it is no UUID.
  void take(Nanos now, const JoinedEvent& joined, std::string id_text);
  // The last arrival of the log, where requests of the log come earlier or later.
  void set_log_end(Nanos time) { log_end_ = time; }
  // Everything that still runs or waits comes to its end.
  void finish();
  void fill(ReplayReport& report);
  void fill_what_if(WhatIfReport& report) const { server_.fill_what_if(report); }
  // Nothing: the log decides how long requests run, or it makes no difference.
  std::optional<UndecidedReport> undecided() const;
  const EngineStart& start() const { return start_; }

  Nanos now() const { return time_.now; }

 private:
  // One event, as often as it comes.
  void take_scaled(Nanos now, const JoinedEvent& joined, std::string&& id_text);
  // Configurations, ticks and clients that come back, up to `now`.
  void advance(Nanos now);
  // Dumps that are due before what happens at `now`.
  void take_dumps(Nanos now);
  void take_dumps_to_the_end();
  void run_later_arrivals(Nanos now);
  void take_later_arrival();
  void take_watch_end(Nanos now, const JoinedEvent& joined);
  void take_held_ends();
  void end_watch(Nanos now, const AuditId& id);
  // Whether clients do something when they are answered; whether requests come at other times than the log says.
  bool reacts() const { return context_.options.retries || clients_; }
  bool comes_later() const { return reacts() || limiter_ || resends_; }
  // The next time at which a client may be answered.
  Nanos next_answer() const {
    return clients_ ? server_.next_step() : context_.options.retries || resends_ ? server_.next_event() : kNever;
  }
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
  std::unique_ptr<LoadScaler> scaler_;                    // null: requests come as often as in the log
  std::unique_ptr<ClientLimiter> limiter_;                // null: clients are not held back
  std::vector<std::pair<Nanos, JoinedEvent>> held_ends_;  // of watches, since the last request
  std::unique_ptr<DumpBook> dumps_;                       // null: none is wanted
  std::unique_ptr<ClientModels> own_clients_;
  ClientModels* clients_ = nullptr;  // null: all send at the recorded times
  Nanos reached_ = INT64_MIN;        // by the server, while clients react
  Nanos last_arrival_ = 0, log_end_ = INT64_MIN;
  const bool resends_;  // events that were refused
  bool begun_ = false, finishing_ = false;
};

}  // namespace apf
