#include "replay/clients/client_links.h"

#include <algorithm>
#include <cmath>

#include "replay/clients/client_entry.h"

namespace apf {

namespace {

// Fewer requests show nothing.
constexpr std::uint64_t kLeastRequests = 100, kLeastFull = 20;
// In recordings, clients that do not wait stay above -4; those that do are below -10.
constexpr double kWaits = -6;
// A think time that shrinks as answers slow down belongs to a timer.
constexpr double kTimer = -0.5;
// What follows an answer at once, in a client whose work queues.
constexpr Nanos kPrompt = 5 * kMillisecond;
// What a client needs beside Retry-After.
constexpr Nanos kRetryPrompt = 20 * kMillisecond, kRetryEarly = 3 * kMillisecond;
// Where no retry is due: what comes at such a time is there by chance.
constexpr Nanos kBeside = kSecond / 2;

// Clocks, and jitter, may bring one a little early.
bool is_at(Nanos time, Nanos due) { return time >= due - kRetryEarly && time <= due + kRetryPrompt; }

}  // namespace

Nanos answer_time(const PreparedEvent& event) {
  if (event.stage_time != kNoTime || event.execution == kNoTime) return event.stage_time;
  return later(later(event.received, std::max<Nanos>(event.queue_wait == kNoTime ? 0 : event.queue_wait, 0)),
               event.execution);
}

ClientLinks::Client& ClientLinks::client(const PreparedEvent& event) {
  if (clients_.size() <= event.requester) clients_.resize(event.requester + 1);
  Client& client = clients_[event.requester];
  if (client.places < 0) {
    const ClientModelOf* model =
        event.requester < requesters_.size() ? entry_of(models_, requesters_[event.requester]) : nullptr;
    client.places = model && model->model == ClientModel::loop ? model->places : 0;
  }
  return client;
}

void ClientLinks::Queue::insert(const Answer& answer) {
  auto at = answers_.end();
  for (; at - answers_.begin() > static_cast<std::ptrdiff_t>(first_) && *(at - 1) > answer; --at) {
  }
  answers_.insert(at, answer);
}

// Those that were taken.
void ClientLinks::Queue::forget() {
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

void ClientLinks::note(Client& client, Nanos until) {
  if (until == client.last) return;
  const auto span = static_cast<double>(until - client.last);
  client.sum += client.in_flight * span;
  client.squares += static_cast<double>(client.in_flight) * client.in_flight * span;
  client.last = until;
}

void ClientLinks::advance(Client& client, Nanos now) {
  while (client.running.next_time() <= now) {
    const Answer answer = client.running.top();
    client.running.pop();
    note(client, std::max(client.last, answer.time));
    client.last_end = answer.time;
    if (client.in_flight == client.most && client.most > 1) client.full_end = answer.time;
    --client.in_flight;
    (answer.refused() ? client.refused : client.answered).push(answer);
  }
  note(client, std::max(client.last, now));
}

// How an arrival lies to the answers before it.
void ClientLinks::meet(Client& client, Nanos now) {
  client.met += client.in_flight;
  if (client.last_end == INT64_MIN || now - client.last_end > kPrompt) ++client.apart;
  if (client.full_end == INT64_MIN) return;
  ++client.full;
  client.full_prompt += now - client.full_end <= kPrompt ? 1 : 0;
  client.full_end = INT64_MIN;
}

// The next refusal, with the Retry-After that the server sent.
void ClientLinks::learn_refusal() {
  Refusal refusal = refusals_.top();
  refusals_.pop();
  if (levels_.size() <= refusal.level) levels_.resize(refusal.level + 1);
  refusal.retry_at = refusal.end + levels_[refusal.level].refuse(refusal.end) * kSecond;
  clients_[refusal.requester].refusals[refusal.request].push_back(refusal);
}

// The earliest refusal of the same request that a retry would follow at this time. Each counts once for a retry, and
// once for what comes beside.
std::uint64_t ClientLinks::repeats(Client& client, const PreparedEvent& event) {
  if (client.refusals.empty()) return kNone;
  const auto it = client.refusals.find(event.target);
  if (it == client.refusals.end()) return kNone;
  auto& refusals = it->second;
  const Nanos now = event.received;
  std::erase_if(refusals, [&](const Refusal& r) { return now > r.retry_at + kBeside + kRetryPrompt; });
  const auto beside = std::find_if(refusals.begin(), refusals.end(),
                                   [&](const Refusal& r) { return !r.met_beside && is_at(now, r.retry_at + kBeside); });
  if (beside != refusals.end()) {
    beside->met_beside = true;
    ++client.by_chance;
  }
  const auto found = std::find_if(refusals.begin(), refusals.end(),
                                  [&](const Refusal& r) { return !r.repeated && is_at(now, r.retry_at); });
  std::uint64_t place = kNone;
  if (found != refusals.end()) {
    found->repeated = true;
    place = found->place;
    ++client.repeated;
  }
  if (refusals.empty()) client.refusals.erase(it);
  return place;
}

void ClientLinks::link(Client& client, const PreparedEvent& event, Link& link) {
  Answer answer;
  const auto take = [&](auto& from) {
    answer = from.top();
    from.pop();
  };
  const auto places = static_cast<std::uint64_t>(client.places);
  if (client.chains < places) {
    ++client.chains;
    return;
  }
  if (!client.answered.empty()) {
    take(client.answered);
  } else if (!client.refused.empty()) {
    take(client.refused);
  } else if (places > 0 && !client.running.empty()) {
    take(client.running);  // it can only have followed the one that is answered next
    --client.in_flight;
  } else {
    ++client.chains;
    return;
  }
  link.before = answer.place();
  link.think = std::max<Nanos>(event.received - answer.time, 0);
  const double duration = static_cast<double>(answer.duration) / 1e9, think = static_cast<double>(link.think) / 1e9;
  ++client.linked;
  client.x += duration;
  client.y += think;
  client.xx += duration * duration;
  client.xy += duration * think;
}

ClientLinks::Link ClientLinks::add(const PreparedEvent& event, std::uint32_t level) {
  learn_refusals(event.received);
  Client& of = client(event);
  if (of.requests++ == 0) of.first = of.last = event.received;
  advance(of, event.received);
  Link out;
  out.retry_of = repeats(of, event);
  meet(of, event.received);
  if (out.retry_of == kNone) link(of, event, out);
  const Nanos end = answer_time(event);
  if (end == kNoTime) return out;  // it may run for ever
  const bool refused = event.recorded_refusal && !event.hung_up;
  of.running.push({end, end - event.received, event.place, refused});
  const int in_flight = ++of.in_flight;
  if (in_flight > of.most) {
    of.most = in_flight;
    of.full = of.full_prompt = 0;
    of.full_end = INT64_MIN;
  }
  if (refused) refusals_.push({end, event.place, event.requester, event.target, level});
  return out;
}

ClientLinks::Evidence ClientLinks::evidence(std::uint32_t requester) const {
  const Client& c = clients_[requester];
  Evidence e;
  e.requests = c.requests;
  e.first = c.first;
  e.last = c.last;
  e.most_in_flight = c.most;
  e.chains = static_cast<int>(c.chains);
  e.places = c.loop_places > 0 ? c.loop_places : c.most;
  e.full = c.full;
  e.full_prompt = c.full_prompt;
  e.apart = c.apart;
  e.repeated = c.repeated;
  e.repeated_by_chance = c.by_chance;
  const double span = static_cast<double>(c.last - c.first), n = static_cast<double>(c.requests);
  if (span > 0) {
    e.mean_in_flight = c.sum / span;
    const double variance = c.squares / span - e.mean_in_flight * e.mean_in_flight;
    if (variance > 1e-9) e.waiting = (c.met / n - e.mean_in_flight) * std::sqrt(n / variance);
  }
  if (c.linked > 1) {
    const auto m = static_cast<double>(c.linked);
    const double spread = c.xx - c.x * c.x / m;
    e.mean_think = static_cast<Nanos>(c.y / m * 1e9);
    if (spread > 1e-9) e.think_slope = (c.xy - c.x * c.y / m) / spread;
  }
  if (c.loop_places > 0) e.mean_think = c.loop_think;
  return e;
}

bool ClientLinks::Evidence::waits() const {
  return requests >= kLeastRequests && waiting <= kWaits && think_slope > kTimer;
}

// Work comes at its own times, unless as much is in flight as can be: then an answer is followed at once.
bool ClientLinks::Evidence::has_queue() const {
  return full >= kLeastFull && full_prompt * 2 >= full && apart * 5 >= requests;
}

bool ClientLinks::Evidence::retries() const { return repeated > 2 * repeated_by_chance + 2; }

}  // namespace apf
