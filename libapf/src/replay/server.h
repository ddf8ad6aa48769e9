// The server of a replay: requests from their arrival until their seats are free, through API Priority and Fairness
// (or max-in-flight) and the stages inside the handler.
#pragma once

#include <memory>
#include <vector>

#include "schedule/controller.h"

#include "base/pool.h"
#include "replay/clients/client_models.h"
#include "replay/clients/event_senders.h"
#include "replay/clients/patience.h"
#include "replay/configurations.h"
#include "replay/dump_book.h"
#include "replay/live_request.h"
#include "replay/observers.h"
#include "replay/request_cost.h"
#include "replay/stages/later_arrivals.h"
#include "replay/stages/max_in_flight.h"
#include "replay/watches.h"

namespace apf {

class Server final : private ControllerListener {
 public:
  // Clients of refused requests come back through `later`.
  Server(const RunContext& context, const RunTime& time, Observers& observers, LaterArrivals& later);

  void begin(const EngineStart& start);
  // An execution that the log will bring.
  void foresee(const PreparedEvent& event);
  // Clients that do not send at the recorded times want to know of their answers.
  void set_clients(ClientModels* clients) { clients_ = clients; }
  Watches& watches() { return watches_; }
  void end_watch(Nanos now, const AuditId& id);
  Configurations& configurations() { return configurations_; }

  // Everything that is due at `now`.
  void run_until(Nanos now) { in_flight_ ? in_flight_->run_until(now) : controller_->run_until(now); }
  Nanos next_event() const { return in_flight_ ? in_flight_->next_event() : controller_->next_event(); }
  Nanos next_step() const { return in_flight_ ? in_flight_->next_event() : controller_->next_step(); }
  void arrive(Nanos now, const JoinedEvent& joined, Sending&& sending);
  // Until nothing runs or waits.
  void drain() { in_flight_ ? in_flight_->drain() : controller_->drain(); }

  EventSenders& event_senders() { return event_senders_; }
  // What is so now.
  void dump(DumpBook& dumps);

  void fill(ReplayReport& report);
  void fill_what_if(WhatIfReport& report) const;
  // How much the log leaves open: see UnknownWaits.
  struct Unknown {
    std::uint64_t waited_in_log = 0, refused_in_log = 0;
    std::uint64_t without_wait = 0;  // requests
    std::uint64_t undecided = 0;     // of these, those whose end depends on it
  };
  Unknown unknown() const;
  std::uint64_t odd_deviations() const { return controller_ ? controller_->odd_deviations() : 0; }
  void add_facts(ReplayFacts& facts) const;

 private:
  // ControllerListener
  Nanos on_dispatch(std::uint64_t tag, Nanos now) override;
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) override;
  void on_finish(std::uint64_t tag, Nanos now) override {
    observers_.on_finish(now, request(tag));
    if (clients_) clients_->answered(now, request(tag).event);
  }
  void on_release(std::uint64_t tag, Nanos now) override;
  void on_round(const Round& round) override;
  Nanos next_adjustment(Nanos tick) override { return configurations_.next_adjustment(tick); }
  Pace pace(Nanos tick) const override { return configurations_.pace(tick); }
  void on_no_accommodation(std::uint64_t tag, Nanos now, std::uint64_t times) override {
    observers_.on_no_accommodation(now, request(tag), times);
  }

  LiveRequest& request(std::uint64_t tag) { return requests_.at(static_cast<std::uint32_t>(tag)); }
  void enter(LiveRequest& request, Nanos now, const JoinedEvent& joined, const Sending& sending);
  void queue(std::uint32_t slot, Nanos now);
  void tell_ended_watches();
  int seats_of(const LiveRequest& request) const;
  // A dispatched request is in its handler. Returns how much longer its stages keep it there than the log's did.
  Nanos admit(LiveRequest& request, Nanos now);

  const RunContext& context_;
  const RunTime& time_;
  Observers& observers_;
  LaterArrivals& later_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<MaxInFlight> in_flight_;  // null: API Priority and Fairness is on
  std::vector<std::unique_ptr<HandlerStage>> handler_stages_;
  Configurations configurations_;
  Watches watches_;
  RequestCost cost_;
  Patience patience_;
  EventSenders event_senders_;
  ClientModels* clients_ = nullptr;
  Pool<LiveRequest> requests_;
  Nanos last_end_ = INT64_MIN;  // the last request was released or refused
  std::uint64_t arriving_ = 0;  // the request that arrived last: its slot
  bool refused_on_arrival_ = false;
  std::uint64_t fixed_flows_ = 0, missing_schemas_ = 0;
  std::uint64_t waited_in_log_ = 0, refused_in_log_ = 0;
};

}  // namespace apf
