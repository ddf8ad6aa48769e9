// A log that was written under another configuration than the replayed one is scheduled twice. The first pass, under
// the recorded configuration, finds out how long each request waited and so how long it ran, and whether its seats were
// cut; everything is kept, in order, for the second pass: see EventSpool.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/event_spool.h"
#include "replay/live_request.h"
#include "replay/similar_executions.h"

namespace apf {

class FirstPass {
 public:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  // `refused_execution`: how long requests run that were refused; else as SimilarExecutions has it.
  FirstPass(Nanos service_floor, std::optional<Nanos> refused_execution, Pool<AdmissionAttributes>& attributes)
      : service_floor_(service_floor),
        refused_execution_(refused_execution),
        attributes_(attributes),
        spool_(attributes) {}

  // The next event of the log, before the engine takes it: it gets its number.
  void add(Nanos now, JoinedEvent& joined, std::string_view id_text);
  // The event added last follows the answer to another one, or repeats one that was refused: ClientLinks.
  void follow(std::uint64_t before, Nanos think);
  void repeat(std::uint64_t refused);
  void add_standing_watch(WatchKey key, Nanos end) { spool_.add_standing_watch(key, end); }

  // What the server of the first pass does. `cap`: the widest list that its level allows.
  void on_arrive(const LiveRequest& request, int cap);
  void on_dispatch(const LiveRequest& request, Nanos overhead);
  void on_refuse(const LiveRequest& request);
  // Nothing more will come.
  void finish();

  // How requests of a client lie to each other.
  struct Links {
    std::uint64_t next = kNone, retry = kNone;  // places of the request that followed its answer, of its retry
    std::uint64_t first = kNone;                // place of the one that began its chain; kNone: it follows none
    Nanos think = 0;                            // from the answer to the one that followed
    bool follows = false, repeats = false;      // another one
  };
  // The log once more, in the same order, each request with its execution time.
  struct Item : EventSpool::Item {
    Links links;
  };
  bool next(Item& item);
  // The request at a place; next() goes on where it was.
  Item at(std::uint64_t place);
  // It comes once more than in the log: no stage inside the handler looks at it, as its object exists already.
  Item at_again(std::uint64_t place);
  JoinedEvent event_at(std::uint64_t place) { return spool_.event_at(place); }
  Links links(std::uint64_t place);
  // Executions are moved by up to `jitter`, evenly, the same way for the same seed; those that the log does not show
  // are other ones for another seed.
  void rewind(Nanos jitter = 0, std::uint64_t seed = 0) {
    spool_.rewind();
    similar_.rewind(jitter == 0 ? 0 : seed);
    read_ = given_similar_ = 0;
    jitter_ = jitter;
    seed_ = seed;
  }
  // The request runs as long as `other`, or as similar ones, if its own execution is not known.
  void complete(JoinedEvent& joined, const JoinedEvent* other);
  bool empty() const { return spool_.size() == 0; }
  std::uint64_t size() const { return spool_.size(); }
  Nanos first_arrival() const { return first_arrival_; }
  Nanos last_arrival() const { return last_arrival_; }
  const std::vector<std::pair<WatchKey, Nanos>>& standing_watches() const { return spool_.standing_watches(); }

  // Requests whose execution time is their total less the replayed wait, and those that got that of a similar one.
  std::uint64_t found_by_replay() const { return found_by_replay_; }
  std::uint64_t given_similar() const { return given_similar_; }

 private:
  struct Pending {
    EventSpool::Record record;
    Links links;
    int cap = 0;
    bool settled = false;
  };
  void shake(PreparedEvent& event) const;
  template <class Change>
  void change(std::uint64_t place, Change change);
  Pending* find(const LiveRequest& request);
  void settle(Pending& pending, Nanos wait, Nanos overhead);
  void settle_refused(Pending& pending);
  // What a request took whose own execution the log does not show.
  Nanos similar_to(const PreparedEvent& event);
  void write_settled();

  const Nanos service_floor_;
  const std::optional<Nanos> refused_execution_;
  Pool<AdmissionAttributes>& attributes_;
  EventSpool spool_;     // what is settled
  TemporaryFile links_;  // of these
  std::uint64_t read_ = 0;
  Nanos jitter_ = 0;
  std::uint64_t seed_ = 0;
  std::deque<Pending> pending_;  // what follows
  Nanos first_arrival_ = 0, last_arrival_ = 0;
  SimilarExecutions similar_;
  std::uint64_t found_by_replay_ = 0, given_similar_ = 0;
};

}  // namespace apf
