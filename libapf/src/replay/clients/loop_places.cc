#include "replay/clients/loop_places.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace apf {

namespace {

// Not all workers begin at once: what part of the log is left out.
constexpr Nanos kBegins = 10;
// A loop that has nothing in flight for longer has a pause.
constexpr Nanos kPause = kSecond;
// More than so many times the most in flight cannot be told apart from a client that does not wait.
constexpr int kMostTimes = 4;
// How much likelier more workers have to be, as a logarithm: some 2 standard deviations.
constexpr double kLeastGain = 2;

// The chains of a loop with as many workers as there are.
class Chains {
 public:
  explicit Chains(int workers) : workers_(workers) {}

  struct Before {
    std::uint64_t place = 0;
    Nanos think = 0;
  };
  // The answer that a request follows, the earliest one; nothing: it begins a chain, as all workers wait if there is
  // none yet.
  std::optional<Before> follow(Nanos arrival) {
    if (begun_ < workers_ || answers_.empty() || answers_.top().end > arrival) return begin();
    const Answer answer = answers_.top();
    answers_.pop();
    const Nanos think = arrival - answer.end;
    ++followed_;
    thinks_ += static_cast<double>(think);
    return Before{answer.place, think};
  }
  void add(std::uint64_t place, Nanos end) { answers_.push({end, place}); }
  Nanos mean_think() const { return followed_ == 0 ? 0 : static_cast<Nanos>(thinks_ / static_cast<double>(followed_)); }

 private:
  struct Answer {
    Nanos end = 0;
    std::uint64_t place = 0;
    bool operator>(const Answer& o) const { return end != o.end ? end > o.end : place > o.place; }
  };
  std::optional<Before> begin() {
    ++begun_;
    return std::nullopt;
  }

  const int workers_;
  int begun_ = 0;
  std::uint64_t followed_ = 0;
  double thinks_ = 0;
  std::priority_queue<Answer, std::vector<Answer>, std::greater<>> answers_;  // those yet to come, too
};

// Calls `take` with each request of the log that one of the clients sent.
template <class Client, class Take>
void for_each_request(KeptLog::Reader& events, const std::vector<std::optional<Client>>& clients, Take take) {
  for (std::uint64_t place = 0; place < events.log().size(); ++place) {
    const JoinedEvent joined = events.event_at(place);
    const std::uint32_t requester = joined.event.requester;
    const bool answered = joined.kind == JoinedEvent::Kind::request && is_answered(joined.event);
    if (answered && requester < clients.size() && clients[requester]) take(place, joined.event);
  }
}

void link_again(KeptLog& log, std::uint64_t place, const PreparedEvent& event, Chains& chains) {
  constexpr std::uint64_t kNone = RequestLinks::kNone;
  RequestLinks links = log.links(place);
  links.next = kNone;
  links.think = 0;
  links.follows = false;
  if (!links.repeats) {
    links.first = kNone;
    if (const auto before = chains.follow(event.received)) {
      RequestLinks previous = log.links(before->place);
      previous.next = place;
      previous.think = before->think;
      log.set_links(before->place, previous);
      links.follows = true;
      links.first = previous.first != kNone ? previous.first : before->place;
    }
  }
  log.set_links(place, links);
  if (links.retry != kNone) {
    RequestLinks retry = log.links(links.retry);
    retry.first = links.first != kNone ? links.first : place;
    log.set_links(links.retry, retry);
    return;  // its worker goes on after the retry
  }
  const Nanos end = answer_time(event);
  if (end != kNoTime) chains.add(place, end);
}

}  // namespace

void LoopPlaces::pass(Nanos until) {
  if (until <= last_) return;
  const std::size_t in_flight = ends_.size();
  if (seconds_.size() <= in_flight) seconds_.resize(in_flight + 1);
  if (in_flight > 0 || until - last_ <= kPause) seconds_[in_flight] += static_cast<double>(until - last_) / 1e9;
  last_ = until;
}

void LoopPlaces::add(Nanos arrival, Nanos end, bool thought) {
  for (; !ends_.empty() && ends_.top() <= arrival; ends_.pop()) pass(ends_.top());
  const bool pause = ends_.empty() && arrival - last_ > kPause;
  pass(arrival);
  if (thought && !pause && arrival > from_) {
    if (arrivals_.size() <= ends_.size()) arrivals_.resize(ends_.size() + 1);
    ++arrivals_[ends_.size()];
  }
  ends_.push(end);
}

// Up to what does not depend on the workers. More workers are less likely beforehand, as one does not know the scale.
double LoopPlaces::likelihood(int workers) const {
  double sum = 0, requests = 0, thinking = 0;
  for (std::size_t n = 0; n < arrivals_.size(); ++n) {
    if (arrivals_[n] == 0) continue;
    sum += arrivals_[n] * std::log(workers - static_cast<double>(n));
    requests += arrivals_[n];
  }
  for (std::size_t n = 0; n < seconds_.size(); ++n) thinking += seconds_[n] * (workers - static_cast<double>(n));
  return sum - requests * std::log(thinking) - std::log(workers);
}

int LoopPlaces::estimate(int least) const {
  least = std::max({least, static_cast<int>(arrivals_.size()), static_cast<int>(seconds_.size()) - 1, 1});
  int low = least, high = kMostTimes * least;
  const int most = high;
  while (low < high) {  // it has one peak
    const int middle = low + (high - low) / 2;
    if (likelihood(middle) < likelihood(middle + 1)) low = middle + 1;
    else high = middle;
  }
  const bool thinks = std::any_of(arrivals_.begin(), arrivals_.end(), [](double count) { return count > 0; });
  return thinks && low < most && likelihood(low) > likelihood(least) + kLeastGain ? low : least;
}

void find_loop_places(KeptLog& log, ClientLinks& links, const std::vector<bool>& wanted) {
  Pool<AdmissionAttributes> attributes;
  KeptLog::Reader events(log, attributes);
  std::vector<std::optional<LoopPlaces>> found(wanted.size());
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    const ClientLinks::Evidence evidence = links.evidence(i);
    found[i].emplace(evidence.first + (evidence.last - evidence.first) / kBegins);
  }
  for_each_request(events, found, [&](std::uint64_t place, const PreparedEvent& event) {
    const RequestLinks linked = log.links(place);
    Nanos end = answer_time(event);
    if (linked.retry != RequestLinks::kNone) end = events.event_at(linked.retry).event.received;
    found[event.requester]->add(event.received, end == kNoTime ? INT64_MAX : end, !linked.repeats);
  });
  std::vector<std::optional<Chains>> chains(wanted.size());
  std::vector<int> places(wanted.size());
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    if (!found[i]) continue;
    const int least = std::max(links.evidence(i).chains, links.evidence(i).most_in_flight);
    places[i] = found[i]->estimate(least);
    if (places[i] > least) chains[i].emplace(places[i]);
  }
  if (std::none_of(chains.begin(), chains.end(), [](const auto& client) { return client.has_value(); })) return;
  for_each_request(events, chains, [&](std::uint64_t place, const PreparedEvent& event) {
    link_again(log, place, event, *chains[event.requester]);
  });
  for (std::uint32_t i = 0; i < wanted.size(); ++i)
    if (chains[i]) links.set_loop(i, places[i], chains[i]->mean_think());
}

}  // namespace apf
