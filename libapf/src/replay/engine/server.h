// The server of a replay: requests from their arrival until their seats are free, through API Priority and Fairness
// (or max-in-flight) and the stages inside the handler.
#pragma once

#include <memory>
#include <vector>

#include "schedule/controller.h"

#include "base/pool.h"
#include "replay/books/dump_book.h"
#include "replay/books/live_request.h"
#include "replay/clients/client_side.h"
#include "replay/engine/configurations.h"
#include "replay/engine/request_cost.h"
#include "replay/engine/watches.h"
#include "replay/observers/observers.h"
#include "replay/stages/max_in_flight.h"

namespace apf {

class Server final : private ControllerListener {
 public:
  Server(const RunContext& context, const RunTime& time, Observers& observers, ClientSide& clients);

  void begin(const EngineStart& start);
  // An execution that the log will bring.
  void foresee(const PreparedEvent& event);
  Watches& watches() { return watches_; }
  void end_watch(Nanos now, const AuditId& id);
  Configurations& configurations() { return configurations_; }

  // What is due when, and what makes it happen.
  Filter& filter() { return *filter_; }
  // `sending`: null of a request as the log has it, where nobody is told: see Observers::are_books_alone().
  void arrive(Nanos now, const JoinedEvent& joined, Sending* sending);
  // What is so now.
  void dump(DumpBook& dumps);

  // Of WhatIfReport, if there is one, what a second pass finds out.
  void fill(ReplayReport& report);
  ReplayFacts facts(const EngineStart& start) const;

 private:
  // ControllerListener
  Nanos on_dispatch(std::uint64_t tag, Nanos now) override;
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) override;
  void on_finish(std::uint64_t tag, Nanos now) override {
    observers_.tell(&RunObserver::on_finish, now, request(tag));
    clients_.on_answer(now, request(tag));
  }
  void on_release(std::uint64_t tag, Nanos now) override;
  void on_round(const Round& round) override;
  Nanos next_adjustment(Nanos tick) override { return configurations_.next_adjustment(tick); }
  Pace pace(Nanos tick) const override { return configurations_.pace(tick); }
  void on_no_accommodation(std::uint64_t tag, Nanos now, std::uint64_t times) override {
    observers_.tell(&RunObserver::on_no_accommodation, now, request(tag), times);
  }

  LiveRequest& request(std::uint64_t tag) { return requests_.at(static_cast<std::uint32_t>(tag)); }
  void enter(LiveRequest& request, Nanos now, const JoinedEvent& joined, const Sending& sending);
  void queue(std::uint32_t slot, Nanos now);
  void tell_ended_watches();
  // A dispatched request is in its handler. Returns how much longer its stages keep it there than the log's did.
  Nanos admit(LiveRequest& request, Nanos now);

  const RunContext& context_;
  const RunTime& time_;
  Observers& observers_;
  ClientSide& clients_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<MaxInFlight> in_flight_;  // null: API Priority and Fairness is on
  Filter* filter_ = nullptr;                // the one of both that is asked
  std::vector<std::unique_ptr<HandlerStage>> handler_stages_;
  Configurations configurations_;
  Watches watches_;
  RequestCost cost_;
  Pool<LiveRequest> requests_;
  Nanos last_end_ = INT64_MIN;  // the last request was released or refused
  std::uint64_t arriving_ = 0;  // the request that arrived last: its slot
  bool refused_on_arrival_ = false;
  std::uint64_t fixed_flows_ = 0, missing_schemas_ = 0;
};

}  // namespace apf
