// What trace_logs() makes of events in the reading threads: each with its request in the normal form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <apf/logs.h>

#include "base/interner.h"
#include "logs/completeness.h"
#include "logs/event_batch.h"
#include "logs/event_list.h"
#include "logs/event_view.h"
#include "logs/log_chunk.h"
#include "logs/packed_request.h"
#include "logs/request_event.h"
#include "logs/selection.h"
#include "logs/tracks.h"
#include "logs/write_counters.h"

namespace apf {

struct TracedEvent : RequestEvent {
  // 1 + index into the batch's requests, afterwards the run's number of a held one. 0 = none, of notes.
  std::uint32_t request = 0;
  std::uint8_t traits = 0;  // TrafficTraits, where they are counted
  bool decided = false;     // as LogEvent's
};

struct TracedBatch : EventBatch {
  EventList<TracedEvent> events;
  std::uint32_t page = 0;  // of the events: see HeldEvents
  // The first `request_count` count; the others keep their memory.
  std::vector<std::unique_ptr<PackedRequest>> requests;
  std::size_t request_count = 0;
  // What is new in this batch, numbered on from the worker's last one: numbers begin with 1.
  std::vector<User> new_users;
  std::vector<RecordedPlace> new_places;
  std::uint32_t worker = 0;
  // Where they are counted.
  VerbBits verbs = 0;                 // of requests that a server recorded
  std::vector<WriteCounters> writes;  // that the server made, in the order of the text
};

// A maker as EventReader wants it.
class TraceMaker final : public LogEventSink {
 public:
  using Batch = TracedBatch;
  enum class Wanted : std::uint8_t {
    all,
    watches,
    counts,  // all, and what LogCounter asks for
  };

  // `zone`: what to add to times of the HTTP log.
  TraceMaker(Nanos zone, Wanted wanted, std::uint32_t worker, EventMemory<TracedEvent>& memory)
      : zone_(zone), wanted_(wanted), worker_(worker), memory_(memory) {}

  void make(LogChunk& chunk, TracedBatch& batch);

  void on_event(const LogEvent& event, std::uint64_t line) override;
  void on_unusable(Unusable reason, std::uint64_t line) override;
  void on_note(const ServerNote& note, std::uint64_t line) override;
  void on_other(std::uint64_t line) override;

 private:
  const Nanos zone_;
  const Wanted wanted_;
  const std::uint32_t worker_;
  EventMemory<TracedEvent>& memory_;
  LogParsers parsers_;
  std::uint32_t user_of(const LogEvent& event);
  std::uint32_t number_of(std::string_view user_json);
  std::uint32_t place_of(const LogEvent& event);
  void count(const LogEvent& event, std::uint32_t user, TracedEvent& out);

  Interner user_texts_, place_names_;  // of what has a number
  std::string place_name_;
  std::vector<TrafficClient> clients_ = {{}};  // by number of the user
  std::string_view chunk_text_;
  RequestView view_;
  RequestInfo info_;
  TracedBatch* batch_ = nullptr;
};

}  // namespace apf
