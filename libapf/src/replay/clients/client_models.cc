#include "replay/clients/client_models.h"

#include <algorithm>

#include "base/sort_stably.h"
#include "replay/clients/client_entry.h"

namespace apf {

namespace {

// A client with less in flight does not change much by waiting.
constexpr double kLeastInFlight = 0.5;
// A loop that has sent nothing for so many mean think times, and a second more, has come to its end; after a refusal it
// may have waited as long as Retry-After can be.
constexpr Nanos kThinksToEnd = 10, kSlackToEnd = kSecond, kLongestRetryAfter = 32 * kSecond;
// Between the log's end and what comes next.
constexpr Nanos kLeastThink = kMillisecond;

}  // namespace

const char* to_string(ClientModel model) {
  return model == ClientModel::open ? "open" : model == ClientModel::workers ? "workers" : "loop";
}

ClientModels::ClientModels(const ReplayOptions& options, const std::vector<Requester>& requesters, KeptLog::Reader* log,
                           const ClientLinks* links, bool by_log)
    : options_(options), requesters_(requesters), log_(log), links_(links), by_log_(by_log) {}

ClientModels::Client& ClientModels::client(std::uint32_t requester) {
  if (requester >= clients_.size()) clients_.resize(requester + 1);
  Client& client = clients_[requester];
  if (client.known) return client;
  client.known = true;
  const ClientModelOf* asked =
      requester < requesters_.size() ? entry_of(options_.client_models, requesters_[requester]) : nullptr;
  ClientLinks::Evidence evidence;
  if (links_ && requester < links_->requesters()) evidence = links_->evidence(requester);
  client.asked_for = asked != nullptr;
  client.mean_think = evidence.mean_think;
  if (asked) client.model = asked->model;
  else if (by_log_) client.model = evidence.model();
  client.places = asked && asked->places > 0 ? asked->places : std::max(evidence.places, 1);
  client.retries = log_ && options_.retries && evidence.retries();
  return client;
}

void ClientModels::leave_retries_to_replay(KeptLog::Item& item) {
  std::uint64_t last = item.links.retry;
  for (std::uint64_t next = last; next != RequestLinks::kNone; next = log_->log().links(next).retry) last = next;
  const JoinedEvent served = log_->event_at(last);
  log_->complete(item.joined, &served);
  item.joined.event.comes_back = true;
}

bool ClientModels::is_sent_as_logged(KeptLog::Item& item) {
  PreparedEvent& event = item.joined.event;
  if (item.joined.kind != JoinedEvent::Kind::request || !is_answered(event)) return true;
  Client& of = client(event.requester);
  if (of.retries && item.links.repeats) {
    ++retries_dropped_;
    return false;
  }
  if (of.model == ClientModel::loop && item.links.follows) {
    ++of.followers;
    return false;
  }
  if (of.retries && item.links.retry != RequestLinks::kNone) leave_retries_to_replay(item);
  return true;
}

bool ClientModels::send(Nanos now, const JoinedEvent& joined, Sending& sending) {
  if (!is_answered(joined.event)) return true;
  Client& of = client(joined.event.requester);
  if (of.model != ClientModel::workers) return true;
  if (of.in_flight < of.places) {
    ++of.in_flight;
    return true;
  }
  of.held.push_back({now, {joined, std::move(sending)}});
  return false;
}

void ClientModels::answered(Nanos now, const PreparedEvent& event) {
  if (!is_answered(event) || !later_) return;
  Client& of = client(event.requester);
  if (of.model == ClientModel::workers) send_held(now, of);
  else if (of.model == ClientModel::loop && log_) send_next(now, event, of);
}

void ClientModels::send_held(Nanos now, Client& of) {
  if (of.held.empty()) {
    --of.in_flight;
    return;
  }
  Held held = std::move(of.held.front());
  of.held.pop_front();
  const Nanos delay = now - held.now;
  ++of.delayed;
  of.delay_sum += static_cast<double>(delay);
  of.delay_max = std::max(of.delay_max, delay);
  held.arrival.sending.delay += delay;
  move_later(held.arrival.joined.event, delay);
  later_->push(now, std::move(held.arrival));
}

std::optional<Nanos> ClientModels::think_at_log_end(std::uint64_t place, const Client& of) {
  const PreparedEvent event = log_->event_at(place).event;
  const Nanos end = answer_time(event);
  const Nanos silence = end == kNoTime ? 0 : std::max<Nanos>(log_->log().last_arrival() - end, 0);
  const Nanos slack = event.recorded_refusal && of.retries ? kLongestRetryAfter : kSlackToEnd;
  if (silence > later(kThinksToEnd * of.mean_think, slack)) return std::nullopt;
  return std::max(of.mean_think, silence + kLeastThink);
}

void ClientModels::send_next(Nanos now, const PreparedEvent& answered, Client& of) {
  std::uint64_t place = answered.place;
  RequestLinks links = log_->log().links(place);
  while (of.retries && links.retry != RequestLinks::kNone) links = log_->log().links(place = links.retry);
  const bool begins = links.next == RequestLinks::kNone;
  if (begins && links.first == RequestLinks::kNone) return;
  const std::optional<Nanos> think = begins ? think_at_log_end(place, of) : links.think;
  if (!think || later(now, *think) > log_->log().last_arrival()) return;
  const Nanos time = now + *think;
  const bool repeats = begins || answered.repeated;
  const std::uint64_t next = begins ? links.first : links.next;
  KeptLog::Item item = repeats ? log_->repeated(next) : log_->at(next);
  ++(repeats ? of.repeated : of.followed);
  if (of.retries && item.links.retry != RequestLinks::kNone) leave_retries_to_replay(item);
  log_->complete(item.joined, nullptr);
  move_later(item.joined.event, time - item.now);
  later_->push(time, {item.joined, {std::move(item.id_text)}});
}

bool ClientModels::any_by_log() const {
  if (!links_) return false;
  for (std::uint32_t i = 0; i < links_->requesters() && i < requesters_.size(); ++i)
    if (!entry_of(options_.client_models, requesters_[i]) && links_->evidence(i).waits()) return true;
  return false;
}

std::uint64_t ClientModels::beyond_log() const {
  std::uint64_t sum = 0;
  for (const Client& of : clients_) sum += of.followers - of.followed;
  return sum;
}

std::vector<ClientReport> ClientModels::reports() const {
  std::vector<ClientReport> out;
  for (std::uint32_t i = 0; i < requesters_.size(); ++i) {
    const Client of = i < clients_.size() ? clients_[i] : Client();
    ClientLinks::Evidence evidence;
    if (links_ && i < links_->requesters()) evidence = links_->evidence(i);
    const bool seems = evidence.waits() && evidence.mean_in_flight >= kLeastInFlight;
    const bool applied = of.known && of.model != ClientModel::open;
    if (!applied && (!seems || of.asked_for)) continue;
    ClientReport& report = out.emplace_back();
    report.user = requesters_[i].user;
    report.user_agent = requesters_[i].user_agent;
    report.model = applied ? of.model : evidence.model();
    report.applied = applied;
    report.asked_for = of.asked_for;
    report.requests = evidence.requests;
    report.places = applied ? of.places : evidence.places;
    report.mean_in_flight = evidence.mean_in_flight;
    report.evidence = evidence.waiting;
    report.mean_think = evidence.mean_think;
    report.beyond_log = of.followers - of.followed;
    report.repeated = of.repeated;
    report.held = of.delayed;
    report.held_sum = of.delay_sum;
    report.held_max = of.delay_max;
  }
  sort_stably(out, [](const ClientReport& a, const ClientReport& b) { return a.requests > b.requests; });
  return out;
}

}  // namespace apf
