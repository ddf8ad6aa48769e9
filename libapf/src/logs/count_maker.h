// What stat_logs() makes of events in the reading threads: the events themselves, with the texts it counts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "classify/request_view.h"
#include "logs/completeness.h"
#include "logs/event_batch.h"
#include "logs/log_event.h"
#include "logs/tracks.h"
#include "logs/write_counters.h"

namespace apf {

struct CountedEvent {
  // Its texts but those that are hashed, and uri, objects and request_info_json, which are empty.
  LogEvent event;
  std::uint64_t id = 0, user = 0, agent = 0, address = 0;  // hashes; 0 = none
  std::uint8_t traits = 0;                                 // TrafficTraits
  bool write = false;                                      // a change that the server made
  WriteCounters counters;                                  // of a write
};

struct CountedBatch : EventBatch {
  std::vector<CountedEvent> events;  // those that have a time
  std::deque<std::string> texts;     // of the events, where the chunk does not hold them; the first `text_count` count
  std::size_t text_count = 0;
  std::uint64_t seen = 0;  // events, with and without a time
  bool is_empty = true;    // the chunk had no text
};

// A maker as TrackReader wants it. Its batches point into the chunks they were made of.
class CountMaker final : public LogEventSink {
 public:
  using Batch = CountedBatch;

  void make(LogChunk& chunk, CountedBatch& batch);

  void on_event(const LogEvent& event, std::uint64_t line) override;
  void on_unusable(Unusable reason, std::uint64_t line) override;
  void on_note(const ServerNote& note, std::uint64_t line) override;
  void on_other(std::uint64_t line) override;

 private:
  std::string_view keep(std::string_view text);

  std::uint8_t traits_of(const LogEvent& event, std::uint64_t user);
  void read_counters(const LogEvent& event, CountedEvent& out) const;

  LogParsers parsers_;
  RequestView view_;
  RequestInfo info_;
  std::unordered_map<std::uint64_t, TrafficClient> clients_;  // by the hash of the user's text
  const LogChunk* chunk_ = nullptr;
  CountedBatch* batch_ = nullptr;
};

}  // namespace apf
