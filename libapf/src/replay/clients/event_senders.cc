#include "replay/clients/event_senders.h"

namespace apf {

bool EventSenders::is_event(const PreparedEvent& event) const {
  return event.attributes != 0 && context_.attributes && context_.attributes->at(event.attributes).is_event;
}

bool EventSenders::abandons(Nanos now, const PreparedEvent& event) {
  if (how_.sender != EventSender::abandon || until_.empty() || !is_event(event)) return false;
  const auto at = until_.find(event.requester);
  if (at == until_.end() || now >= at->second) return false;
  ++abandoned_;
  return true;
}

void EventSenders::on_refused(Nanos now, const LiveRequest& request, std::string&& id_text, LaterArrivals& later) {
  const Nanos time = apf::later(now, how_.pause);
  if (how_.sender == EventSender::abandon) until_[request.event.requester] = time;
  if (how_.sender != EventSender::retry || !is_event(request.event)) return;
  if (request.attempt + 1 >= how_.tries) {
    ++given_up_;
    return;
  }
  LaterArrival again;
  again.joined.event = request.event;
  again.joined.seq = request.seq;
  again.joined.unfinished = request.unfinished;
  // What the log says of the first attempt says nothing of this one.
  AdmissionAttributes attributes = context_.attributes->at(request.event.attributes);
  attributes.code = 0;
  attributes.refused_by_event_limit = false;
  again.joined.event.attributes = context_.attributes->add(std::move(attributes));
  move_later(again.joined.event, time - request.arrival);
  again.sending.id_text = std::move(id_text);
  again.sending.attempt = static_cast<std::uint8_t>(request.attempt + 1);
  later.push(time, std::move(again));
  ++resent_;
}

void EventSenders::fill(ReplayReport& report) const {
  if (!report.event_rate_limit || how_.sender == EventSender::server) return;
  report.event_rate_limit->sending = how_;
  report.event_rate_limit->abandoned = abandoned_;
  report.event_rate_limit->resent = resent_;
  report.event_rate_limit->given_up = given_up_;
}

}  // namespace apf
