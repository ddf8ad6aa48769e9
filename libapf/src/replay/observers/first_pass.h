// A log that was written under another configuration than the replayed one is scheduled twice. The first pass, under
// the recorded configuration, finds out how long each request waited and so how long it ran, and whether its seats were
// cut; everything is kept, in order, for the second pass: see KeptLog.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "replay/books/live_request.h"
#include "replay/store/kept_log.h"

namespace apf {

class FirstPass {
 public:
  // As KeptLog has it.
  FirstPass(Nanos service_floor, std::optional<Nanos> refused_execution, Pool<AdmissionAttributes>& attributes)
      : attributes_(attributes), log_(service_floor, refused_execution, attributes) {}

  // Before add(). `ids`: of all requests, rather than of watches alone; `links`: follow() and repeat() may be called.
  void keep(bool ids, bool links);
  // Who gets each block as soon as all is known of it that the first pass finds out while it goes on. Returns blocks
  // that the log has to keep, as nobody else does; the others are gone.
  using Block = std::shared_ptr<const EventBlock>;
  using Taker = std::function<std::vector<Block>(const Block&)>;
  void hand_over_to(Taker taker) { taker_ = std::move(taker); }

  // The next event of the log, before the engine takes it: it gets its place.
  void add(Nanos now, JoinedEvent& joined, std::string_view id_text);
  // The event added last follows the answer to another one, or repeats one that was refused: ClientLinks.
  void follow(std::uint64_t before, Nanos think);
  void repeat(std::uint64_t refused);
  void add_standing_watch(WatchKey key, Nanos end) { log_.spool_.add_standing_watch(key, end); }

  // What the server of the first pass does. `cap`: the widest list that its level allows.
  void on_arrive(const LiveRequest& request, int cap);
  void on_dispatch(const LiveRequest& request, Nanos overhead);
  void on_refuse(const LiveRequest& request);
  // Nothing more will come.
  void finish();

  KeptLog& log() { return log_; }
  const KeptLog& log() const { return log_; }
  // Requests whose execution time is their total less the replayed wait.
  std::uint64_t found_by_replay() const { return found_by_replay_; }

 private:
  // Events of which something is still to be found out, and those between them.
  struct Open {
    struct State {
      int cap = 0;
      bool settled = false;
    };
    std::shared_ptr<EventBlock> block;
    std::vector<State> states;
    std::vector<RequestLinks> links;
    std::size_t unsettled = 0;
  };
  // Null: it is settled, and written.
  Open* open_of(std::uint64_t place) {
    return place < written_ ? nullptr : &open_[(place - written_) / EventBlock::kEvents];
  }
  template <class Change>
  void change(std::uint64_t place, Change change);
  void settle(const LiveRequest& request, Nanos wait, Nanos overhead);
  void settle(Open& open, const PreparedEvent& event, bool unfinished, Nanos wait, Nanos overhead);
  void write_settled(bool all);

  Pool<AdmissionAttributes>& attributes_;
  KeptLog log_;  // of what is settled
  bool keeps_ids_ = true;
  std::uint64_t added_ = 0, written_ = 0;
  std::deque<Open> open_;  // what follows
  Taker taker_;
  std::uint64_t found_by_replay_ = 0;
};

}  // namespace apf
