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
#include "logs/kept_facts.h"
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
  // Where requests are counted, what they have in common with others is a number: 0 where it is in the request alone.
  std::uint32_t asked = 0;  // of a request of the same user that differs by the name of its object at most
  std::uint32_t agent = 0, address = 0;
  std::uint64_t path = 0;  // path_hash()
  std::string_view uri;    // with `asked`: in the memory of its batch
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
  std::vector<std::unique_ptr<PackedRequest>> new_asked;
  std::vector<std::string> new_agents, new_addresses;
  std::uint32_t worker = 0;
  // Where they are counted.
  VerbBits verbs = 0;                 // of requests that a server recorded
  std::vector<WriteCounters> writes;  // that the server made, in the order of the text
};

// What follows from the user, the verb and the URI alone.
struct UriFacts : RequestTraits {
  bool usable = false;  // false: its RequestInfo cannot be read
  bool of_resource = false, of_event = false, mutating = false;
  std::uint8_t traits = 0;  // TrafficTraits
  VerbBits verb = 0;
  std::uint32_t asked = 0;  // as TracedEvent's
  Nanos wait_limit = 0;
  std::uint64_t path = 0;  // path_hash(), but for the name that the facts are shared without
};

// Texts as numbers of one worker, from 1 on.
class LocalTexts {
 public:
  // That of the user's last event is compared first. 0: there are too many. What is new is put into `added`.
  std::uint32_t number_of(std::string_view text, std::uint32_t user, std::vector<std::string>& added);

 private:
  Interner texts_;
  std::vector<std::uint32_t> last_;  // by user
};

// A maker as EventReader wants it.
class TraceMaker final : public LogEventSink {
 public:
  using Batch = TracedBatch;
  enum class Wanted : std::uint8_t {
    all,
    watches,
    counts,            // all, and what LogCounter asks for
    counts_by_number,  // that with numbers, where no request is joined with a line of another log
  };

  // `zone`: what to add to times of the HTTP log.
  TraceMaker(Nanos zone, Wanted wanted, std::uint32_t worker, EventMemory<TracedEvent>& memory)
      : zone_(zone), wanted_(wanted), worker_(worker), memory_(memory) {}

  void make(LogChunk& chunk, TracedBatch& batch);

  void on_start(std::string_view verb, std::string_view uri, std::uint32_t user_memo) override;
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
  const UriFacts& facts_of(const LogEvent& event, std::uint32_t user);
  void find_facts(const LogEvent& event, const FactsKey& key, UriFacts& out);
  std::uint32_t asked_of(const LogEvent& event, const FactsKey& key);
  void count(const LogEvent& event, const UriFacts& facts, TracedEvent& out);
  void pack(const LogEvent& event, PackedRequest::Users users, TracedEvent& out);
  bool number(const LogEvent& event, std::uint32_t user, const UriFacts& facts, TracedEvent& out);

  bool counts() const { return wanted_ >= Wanted::counts; }

  KeptFacts<UriFacts> facts_{false};
  UriFacts uncached_;
  FactsKey key_;              // of the event that is read
  bool has_started_ = false;  // key_ is of an event of which no more than the start was read
  LocalTexts agents_, addresses_;
  Interner asked_;
  std::string asked_key_;
  Interner user_texts_, place_names_;  // of what has a number
  std::string place_name_;
  std::vector<TrafficClient> clients_ = {{}};  // by number of the user
  std::string_view chunk_text_;
  RequestView view_;
  RequestInfo info_;
  TracedBatch* batch_ = nullptr;
};

}  // namespace apf
