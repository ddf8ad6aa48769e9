// What senders of events do when EventRateLimit refuses one: ReplayOptions::event_sending.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include <apf/replay.h>

#include "replay/books/live_request.h"
#include "replay/books/run_context.h"
#include "replay/stages/later_arrivals.h"

namespace apf {

class EventSenders {
 public:
  explicit EventSenders(const RunContext& context) : context_(context), how_(context.options.event_sending) {}

  bool resends() const { return how_.sender == EventSender::retry; }
  bool abandons_some() const { return how_.sender == EventSender::abandon; }
  // The sender of this event has abandoned all events for now.
  bool abandons(Nanos now, const PreparedEvent& event);
  // An event was refused; the answer is there at `now`. `later`: where it comes again.
  void on_refused(Nanos now, const LiveRequest& request, std::string&& id_text, LaterArrivals& later);
  void fill(ReplayReport& report) const;

 private:
  bool is_event(const PreparedEvent& event) const;

  const RunContext& context_;
  const EventSending how_;
  std::unordered_map<std::uint32_t, Nanos> until_;  // by requester
  std::uint64_t abandoned_ = 0, resent_ = 0, given_up_ = 0;
};

}  // namespace apf
