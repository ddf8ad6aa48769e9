// What a first pass kept of a log, to be replayed as often as wanted: its requests with their execution times, and how
// those of a client follow each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "replay/store/event_spool.h"
#include "replay/store/similar_executions.h"

namespace apf {

// How requests of a client lie to each other.
struct RequestLinks {
  static constexpr std::uint64_t kNone = UINT64_MAX;
  std::uint64_t next = kNone, retry = kNone;  // places of the request that followed its answer, of its retry
  std::uint64_t first = kNone;                // place of the one that began its chain; kNone: it follows none
  Nanos think = 0;                            // from the answer to the one that followed
  bool follows = false, repeats = false;      // another one
};

class KeptLog {
 public:
  // `refused_execution`: how long requests run that were refused; else as SimilarExecutions has it. `attributes`: those
  // of events that the first pass takes.
  KeptLog(Nanos service_floor, std::optional<Nanos> refused_execution, const Pool<AdmissionAttributes>& attributes)
      : service_floor_(service_floor), refused_execution_(refused_execution), spool_(attributes) {}

  struct Item : SpooledEvent {
    RequestLinks links;
  };
  class Reader;

  RequestLinks links(std::uint64_t place) const;
  void set_links(std::uint64_t place, const RequestLinks& links);
  static bool is_complete(const JoinedEvent& joined);

  // A block that FirstPass::Taker did not want after all, before a reader comes to it.
  void keep(const EventBlock& block) { spool_.keep(block); }
  bool empty() const { return size() == 0; }
  std::uint64_t size() const { return spool_.size(); }
  Nanos first_arrival() const { return first_arrival_; }
  Nanos last_arrival() const { return last_arrival_; }
  const std::vector<std::pair<WatchKey, Nanos>>& standing_watches() const { return spool_.standing_watches(); }

 private:
  friend class FirstPass;
  // `kept`: else readers may come to it only after keep().
  void append(const EventBlock& block, std::span<const RequestLinks> links, bool kept);

  const Nanos service_floor_;
  const std::optional<Nanos> refused_execution_;
  EventSpool spool_;
  bool has_links_ = false;
  TemporaryFile links_;
  Nanos first_arrival_ = 0, last_arrival_ = 0;
  SimilarExecutions similar_;
};

// The log once more, in the same order, for one replay. Several read it side by side, each in a thread of its own.
class KeptLog::Reader {
 public:
  // `attributes`: those of the events that it returns.
  Reader(const KeptLog& log, Pool<AdmissionAttributes>& attributes)
      : log_(log), attributes_(attributes), events_(log.spool_, &attributes) {}

  // The first pass is over: next() goes on from the event at place `from`. Executions are moved by up to `jitter`,
  // evenly, the same way for the same seed; those that the log does not show are other ones for another seed.
  void begin(Nanos jitter, std::uint64_t seed, std::uint64_t from);
  bool next(Item& item);
  // The request at a place; next() goes on where it was.
  Item at(std::uint64_t place);
  // The request once more than in the log: no stage inside the handler looks at it, as its object exists already.
  Item repeated(std::uint64_t place);
  JoinedEvent event_at(std::uint64_t place) { return events_.event_at(place); }
  // The request runs as long as `other`, or as similar ones, if its own execution is not known.
  void complete(JoinedEvent& joined, const JoinedEvent* other);
  // Requests that got the execution of a similar one.
  std::uint64_t given_similar() const { return given_similar_; }
  const KeptLog& log() const { return log_; }

 private:
  void shake(PreparedEvent& event) const;

  const KeptLog& log_;
  Pool<AdmissionAttributes>& attributes_;
  EventSpool::Reader events_;
  std::optional<SimilarExecutions::Draws> similar_;
  std::vector<RequestLinks> links_;  // of the events from links_at_ on
  std::uint64_t links_at_ = 0, read_ = 0, given_similar_ = 0, seed_ = 0;
  Nanos jitter_ = 0;
};

}  // namespace apf
