// Clients that do not send at the recorded times: those that wait for their answers, and those that send a refused
// request again. See ReplayOptions::client_models and ClientLinks.
//
// A loop is a chain of requests, each of which follows the answer to the one before. A chain that still ran at the end
// of the log, and is through sooner in the replay, begins once more: its client would not have stopped there.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <apf/replay.h>

#include "replay/books/live_request.h"
#include "replay/clients/client_links.h"
#include "replay/stages/later_arrivals.h"
#include "replay/store/kept_log.h"

namespace apf {

class ClientModels {
 public:
  // `log` and `links`: of the first pass; null without one. `by_log`: clients that options.client_models does not name
  // wait if the log shows it.
  ClientModels(const ReplayOptions& options, const std::vector<Requester>& requesters, KeptLog::Reader* log,
               const ClientLinks* links, bool by_log);
  // Where requests go that are sent later.
  void begin(LaterArrivals& later) { later_ = &later; }
  // Nothing more is sent.
  void end() { later_ = nullptr; }

  // Whether any client may do otherwise than the log says; else nobody needs to ask.
  bool react() const { return !options_.client_models.empty() || by_log_ || (log_ && options_.retries); }

  // A request of the log, in order. False: it does not come now; the answer to another one brings it, or a refusal.
  bool is_sent_as_logged(KeptLog::Item& item);
  // A client has something to send. False: it waits there until a request is answered.
  bool send(Nanos now, const JoinedEvent& joined, Sending& sending);
  // A client has its answer, and does not come back for another one.
  void answered(Nanos now, const PreparedEvent& event);

  // Whether the log shows that a client waits which the options do not name.
  bool any_by_log() const;
  // The clients that wait, or seem to: those with the most requests first.
  std::vector<ClientReport> reports() const;
  std::uint64_t retries_dropped() const { return retries_dropped_; }
  // Requests of loops that would come after the log's end.
  std::uint64_t beyond_log() const;

 private:
  struct Held {
    Nanos now = 0;
    LaterArrival arrival;
  };
  struct Client {
    ClientModel model = ClientModel::open;
    bool known = false, asked_for = false, retries = false;
    int places = 0, in_flight = 0;
    std::deque<Held> held;
    Nanos mean_think = 0;
    std::uint64_t delayed = 0, followers = 0, followed = 0, repeated = 0;
    double delay_sum = 0;
    Nanos delay_max = 0;
  };
  Client& client(std::uint32_t requester);
  // Its execution is that of the retry that was served, and so is what followed.
  void leave_retries_to_replay(KeptLog::Item& item);
  // A place in its queue of work is free.
  void send_held(Nanos now, Client& of);
  // A loop sends what followed the answer in the log, or begins once more.
  void send_next(Nanos now, const PreparedEvent& answered, Client& of);
  // How long a loop thinks after its last answer in the log: longer than it was silent there. Nothing: it had ended.
  std::optional<Nanos> think_at_log_end(std::uint64_t place, const Client& of);

  const ReplayOptions& options_;
  const std::vector<Requester>& requesters_;
  KeptLog::Reader* const log_;
  const ClientLinks* const links_;
  const bool by_log_;
  LaterArrivals* later_ = nullptr;
  std::vector<Client> clients_;  // by requester
  std::uint64_t retries_dropped_ = 0;
};

}  // namespace apf
