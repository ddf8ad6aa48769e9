// The discrete-event loop of a replay, on one clock: requests come in order of time, from the log or later than it
// says, pass their client's limiter and go to the server. What happens to them the observers write down.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/books/dump_book.h"
#include "replay/clients/client_side.h"
#include "replay/engine/load_scaler.h"
#include "replay/engine/server.h"
#include "replay/observers/observers.h"

namespace apf {

class Engine {
 public:
  // `clients`: those of a second pass; else as the options say.
  explicit Engine(const RunContext& context, const RunOutputs& outputs = {}, ClientModels* clients = nullptr);

  // Before the first event, which will come at `first_arrival`.
  void begin(Nanos first_arrival, const EngineStart& start);
  // The last arrival of the log, where requests of the log come earlier or later; before finish().
  void set_log_end(Nanos time) { log_end_ = time; }
  // A watch that began before the log.
  void add_standing_watch(WatchKey key, Nanos end);
  // An execution that the log will bring.
  void foresee(const PreparedEvent& event) { server_.foresee(event); }
  // One event of the log, in order of time. The id's text, where it is no UUID.
  void take(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
    if (scaler_) take_often(now, joined, std::move(id_text));
    else take_once(now, joined, std::move(id_text));
  }
  // Everything that still runs or waits comes to its end.
  void finish();
  // Of WhatIfReport, if there is one, what a second pass finds out.
  void fill(ReplayReport& report);

  const EngineStart& start() const { return start_; }
  Nanos now() const { return time_.now; }
  Agreement& agreement() { return observers_.agreement(); }

 private:
  // As often as it comes.
  void take_often(Nanos now, const JoinedEvent& joined, std::string&& id_text);
  void take_once(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
    is_plain_ = is_plain_ && !(joined.event.recorded_refusal && clients_.follows_chains());
    if (is_plain_ && joined.kind == JoinedEvent::Kind::request && joined.event.left_out == LeftOut::no) [[likely]] {
      last_arrival_ = time_.now = now;
      if (server_.configurations().may_change()) server_.configurations().change_until(now);
      return server_.arrive(now, joined, nullptr);
    }
    take_any(now, joined, std::move(id_text));
  }
  void take_any(Nanos now, const JoinedEvent& joined, std::string&& id_text);
  // Configurations, ticks and clients that come back, up to `now`.
  void advance(Nanos now);
  // Dumps that are due before what happens at `now`.
  void take_dumps(Nanos now);
  void take_dumps_to_the_end();
  void take_changes_to_the_end();
  void run_later_arrivals(Nanos now);
  void take_later_arrival();
  void take_watch_end(Nanos now, const JoinedEvent& joined);
  void take_held_ends();
  // The next time at which a client may be answered.
  Nanos next_answer();
  // A request is at the server.
  void reach(Nanos now, const JoinedEvent& joined, Sending&& sending);

  const RunContext& context_;
  RunTime time_;
  EngineStart start_;
  Observers observers_;
  ClientSide clients_;
  Server server_;
  std::unique_ptr<LoadScaler> scaler_;                    // null: requests come as often as in the log
  std::vector<std::pair<Nanos, JoinedEvent>> held_ends_;  // of watches, since the last request
  std::unique_ptr<DumpBook> dumps_;                       // null: none is wanted
  Nanos reached_ = INT64_MIN;                             // by the server, while clients react
  Nanos last_arrival_ = 0, log_end_ = INT64_MIN;
  bool begun_ = false, finishing_ = false;
  // Requests come when the log says so, or the scaler, and nobody but the report's books is told; until a refusal in
  // the log after which some may not come.
  bool is_plain_ = false;
};

}  // namespace apf
