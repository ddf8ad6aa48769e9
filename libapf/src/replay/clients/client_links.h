// What a log shows about its clients: who waits for an answer before sending the next request, and who sends a refused
// request again.
//
// A client that waits sends the next request a think time after an answer. Each request is linked to the earliest
// answered one of its client that has no successor yet. Evidence for waiting: with more requests in flight, such a
// client sends fewer; the rate of a client that does not wait does not depend on it. Compared are the requests in
// flight that its arrivals meet with those over time: the difference, in standard deviations, is about normally
// distributed for a client that does not wait, and far below 0 for one that does.
//
// A retry is the same request again, as many seconds after the refusal as Retry-After said, which follows from the
// refusals of the level. Evidence for retries: many more of these than at other times.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include <apf/replay.h>
#include "base/prefetch.h"
#include "schedule/event_queue.h"
#include "schedule/retry_after.h"

#include "replay/prepare/prepared.h"

namespace apf {

// When the log says that a request was answered; kNoTime: it does not.
Nanos answer_time(const PreparedEvent& event);
// A client can wait for its answer: it is sent, ends soon, and is of the log.
inline bool is_answered(const PreparedEvent& event) {
  return event.left_out == LeftOut::no && !event.watch && !event.filled;
}

class ClientLinks {
 public:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  // `models`: where they name a number of places for a loop, so many requests begin a chain, the first ones, and one
  // that comes while so many are in flight follows one of these.
  ClientLinks(const std::vector<ClientModelOf>& models, const std::vector<Requester>& requesters)
      : models_(models), requesters_(requesters) {}

  struct Link {
    std::uint64_t before = kNone;  // place of the request whose answer this one followed
    Nanos think = 0;
    std::uint64_t retry_of = kNone;  // place of the refused request that this one seems to repeat
  };
  // A request, in order of arrival; `level`: where it went in the log.
  Link add(const PreparedEvent& event, std::uint32_t level);
  // It is about to be added: what is known of its client is on its way from memory.
  [[gnu::always_inline]] void fetch(const PreparedEvent& event) const {
    if (event.requester < clients_.size()) prefetch(clients_[event.requester]);
  }

  struct Evidence {
    std::uint64_t requests = 0;
    Nanos first = 0, last = 0;  // arrival
    int most_in_flight = 0, chains = 0;
    int places = 0;  // of a loop: its workers, see LoopPlaces; else most_in_flight
    double mean_in_flight = 0;
    double waiting = 0;      // see above
    double think_slope = 0;  // of think times over the durations before them: -1 for a fixed period
    Nanos mean_think = 0;
    // Answers while as many requests as ever were in flight, and those that the next request followed at once; requests
    // that followed no answer at once.
    std::uint64_t full = 0, full_prompt = 0, apart = 0;
    std::uint64_t repeated = 0, repeated_by_chance = 0;
    // Strong enough to be acted upon.
    bool waits() const;
    bool has_queue() const;  // of work, rather than a loop
    bool retries() const;
    ClientModel model() const {
      return !waits() ? ClientModel::open : has_queue() ? ClientModel::workers : ClientModel::loop;
    }
  };
  Evidence evidence(std::uint32_t requester) const;
  // A loop has so many workers, who think so long.
  void set_loop(std::uint32_t requester, int places, Nanos mean_think) {
    clients_[requester].loop_places = places;
    clients_[requester].loop_think = mean_think;
  }
  std::uint32_t requesters() const { return static_cast<std::uint32_t>(clients_.size()); }

 private:
  struct Answer {
    Answer() = default;
    Answer(Nanos end, Nanos of_request, std::uint64_t place, bool is_refusal)
        : time(end), order(place << 1 | (is_refusal ? 1 : 0)), duration(of_request) {}
    std::uint64_t place() const { return order >> 1; }
    bool refused() const { return (order & 1) != 0; }
    bool operator>(const Answer& o) const { return time != o.time ? time > o.time : order > o.order; }

    Nanos time = 0;  // of the answer
    std::uint64_t order = 0;
    Nanos duration = 0;
  };
  // The same of answers that come in order, nearly always.
  class Queue {
   public:
    bool empty() const { return first_ == answers_.size(); }
    const Answer& top() const { return answers_[first_]; }
    void push(const Answer& answer) {
      if (empty() || answer > answers_.back()) answers_.push_back(answer);
      else insert(answer);
    }
    void pop() {
      if (++first_ == answers_.size() || (first_ >= kManyGone && 2 * first_ >= answers_.size())) forget();
    }

   private:
    static constexpr std::size_t kManyGone = 256;
    void insert(const Answer& answer);
    void forget();
    std::vector<Answer> answers_;
    std::size_t first_ = 0;
  };
  struct Refusal {
    Nanos end = 0;
    std::uint64_t place = 0;
    std::uint32_t requester = 0, request = 0, level = 0;
    Nanos retry_at = 0;
    bool repeated = false, met_beside = false;
    bool operator>(const Refusal& o) const { return end != o.end ? end > o.end : place > o.place; }
  };
  struct Client {
    TimedHeap<Answer> running;
    Queue answered, refused;                                           // without a successor yet
    std::unordered_map<std::uint32_t, std::vector<Refusal>> refusals;  // by request
    Nanos first = 0, last = 0, last_end = INT64_MIN, full_end = INT64_MIN;
    std::uint64_t requests = 0, chains = 0, linked = 0, full = 0, full_prompt = 0, apart = 0;
    int in_flight = 0, most = 0, places = -1;  // places: 0 = not said, -1 = not looked up
    int loop_places = 0;                       // 0: not found
    Nanos loop_think = 0;
    double met = 0, sum = 0, squares = 0;  // requests in flight: that arrivals met, times nanoseconds, their squares
    double x = 0, y = 0, xx = 0, xy = 0;   // duration, think time
    std::uint64_t repeated = 0, by_chance = 0;
  };

  Client& client(const PreparedEvent& event);
  static void note(Client& client, Nanos until);
  static void advance(Client& client, Nanos now);
  static void meet(Client& client, Nanos now);
  void learn_refusals(Nanos now) {
    while (!refusals_.empty() && refusals_.top().end <= now) learn_refusal();
  }
  void learn_refusal();
  static std::uint64_t repeats(Client& client, const PreparedEvent& event);
  static void link(Client& client, const PreparedEvent& event, Link& link);

  const std::vector<ClientModelOf>& models_;
  const std::vector<Requester>& requesters_;
  std::vector<Client> clients_;                                                  // by requester
  std::priority_queue<Refusal, std::vector<Refusal>, std::greater<>> refusals_;  // yet to come
  std::vector<RetryAfter> levels_;
};

}  // namespace apf
