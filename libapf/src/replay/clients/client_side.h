// The clients of a replay, where they do not just send what the log says when it says so: limiters hold requests back,
// loops and workers wait for their answers, whoever is refused comes back or gives up. The engine asks before a request
// reaches the server; the server says what became of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "replay/clients/client_models.h"
#include "replay/clients/event_senders.h"
#include "replay/clients/patience.h"
#include "replay/clients/retry_chains.h"
#include "replay/observers/observers.h"
#include "replay/stages/client_limiter.h"
#include "replay/stages/later_arrivals.h"

namespace apf {

class ClientSide {
 public:
  // `models`: those of a second pass; null: as the options say.
  ClientSide(const RunContext& context, Observers& observers, ClientModels* models);

  // What is sent later than the log says.
  LaterArrivals& later() { return later_; }
  // Whether requests come at other times than the log says.
  bool comes_later() const { return awaits_answers() || limiter_; }
  // Whether clients do something when they are answered; loops and workers do so whatever the answer is.
  bool awaits_answers() const { return models_ || options_.retries || event_senders_.resends(); }
  bool has_models() const { return models_ != nullptr; }
  // Every client sends what the log says, when it says so.
  bool sends_as_logged() const { return !comes_later() && !event_senders_.abandons_some(); }
  bool follows_chains() const { return chains_.has_value(); }
  bool has_limiter() const { return limiter_ != nullptr; }

  // A client has something to send. False: it comes later.
  bool send(Nanos now, const JoinedEvent& joined, Sending& sending) {
    sending.sent = joined.event.filled || joined.event.left_out == LeftOut::standing_watch;
    if (models_ && !joined.event.filled && !models_->send(now, joined, sending)) return false;
    return pass_limiter(now, joined, sending);
  }
  // It is about to leave the client. False: its limiter holds it back.
  bool pass_limiter(Nanos now, const JoinedEvent& joined, Sending& sending) {
    return !limiter_ || sending.sent || !hold_back(now, joined, sending);
  }
  // Of an event: its sender has abandoned all events for now.
  bool abandons(Nanos now, const PreparedEvent& event) { return event_senders_.abandons(now, event); }

  // A request of the log is a further attempt at one that is not refused here: its client does not send it.
  bool leaves_out(const JoinedEvent& joined, Sending& sending) {
    if (!chains_ || !may_retry(joined)) return false;
    const RetryChains::Link link = chains_->add(joined.event);
    if (link.chain == 0) return false;
    if (link.gap && !refused_[link.chain]) return true;
    refused_.resize(std::max<std::size_t>(refused_.size(), link.chain + 1));
    refused_[link.chain] = false;
    sending.chain = link.chain;
    return false;
  }

  // How long the client waits for its answer, and how long its request may queue: see Patience.
  Nanos patience(const PreparedEvent& event) { return patience_.of(event); }
  Nanos wait_limit(const LiveRequest& request) const { return patience_.wait_limit(request.event, request.patience); }

  // A request has been answered.
  void on_answer(Nanos now, const LiveRequest& request) {
    if (models_) models_->answered(now, request.event);
  }
  // A request has been refused: what it is called on the client's side of the wire.
  Outcome on_refuse(Nanos now, const LiveRequest& request, Outcome outcome, int retry_after_seconds);
  // An event has been refused inside the handler.
  void on_event_refused(Nanos now, const LiveRequest& request);
  // Nothing more is sent.
  void end() {
    if (models_) models_->end();
  }
  void fill(ReplayReport& report) const;

 private:
  bool hold_back(Nanos now, const JoinedEvent& joined, Sending& sending);

  const RunContext& context_;
  const ReplayOptions& options_;
  Observers& observers_;
  LaterArrivals later_;
  Patience patience_;
  EventSenders event_senders_;
  std::optional<ClientModels> own_models_;
  ClientModels* models_;                    // null: all send at the recorded times
  std::unique_ptr<ClientLimiter> limiter_;  // null: nobody is held back
  std::optional<RetryChains> chains_;       // nothing: what the log has is sent, whatever was refused there
  std::vector<bool> refused_;               // by chain: its last attempt, here
};

}  // namespace apf
