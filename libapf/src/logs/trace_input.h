// The events of logs, each with its request in the normal form, in the order in which they were written: as Input, but
// for trace_logs(), which wants the texts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "base/interner.h"
#include "classify/request_view.h"
#include "logs/chunk_source.h"
#include "logs/input.h"
#include "logs/prepare.h"

namespace apf {

struct TracedEvent {
  PreparedEvent event;   // what joining goes by
  TraceRequest request;  // texts; what became of the request is filled in when it is joined
};

// The places that the log names, by number: those of PreparedEvent::recorded, less one.
class RecordedPlaces {
 public:
  std::uint32_t number(const LogEvent& event);
  const RecordedPlace& at(std::uint32_t number) const { return places_[number]; }

 private:
  Interner names_;
  std::vector<RecordedPlace> places_;
};

class TraceInput final : public LogEventSink {
 public:
  enum class Wanted : std::uint8_t { all, watches };
  // `zone`: what to add to times of the HTTP log.
  TraceInput(const std::vector<LogTrack>& tracks, const TraceOptions& options, Nanos zone, RecordedPlaces& places,
             Wanted wanted = Wanted::all);

  // Valid until the next call, null at the end. Adds to the report's counts.
  TracedEvent* next(ReplayReport& report);
  // The time of the first line that tells anything, as of the first event.
  Nanos first_written() const { return first_written_; }
  bool stepped_back() const;
  // Names, notes, bytes.
  void fill(ReplayReport& report) const;

  void on_event(const LogEvent& event, std::uint64_t line) override;
  void on_unusable(Unusable reason, std::uint64_t line) override;
  void on_note(const ServerNote& note, std::uint64_t line) override;
  void on_other(std::uint64_t line) override;

 private:
  struct Track {
    std::unique_ptr<ChunkSource> source;
    std::vector<TracedEvent> events;  // of one chunk
    std::size_t at = 0;
    Nanos written = INT64_MIN;  // never decreases
    bool done = false;
    ClockSteps clock;
    explicit Track(Nanos window) : clock(window) {}
  };
  void fetch(Track& track, ReplayReport& report);
  void prepare(const LogEvent& event, PreparedEvent& out);

  const TraceOptions& options_;
  const Nanos zone_;
  const Wanted wanted_;
  std::vector<Track> tracks_;
  Track* current_ = nullptr;
  bool begun_ = false;
  Nanos first_written_ = INT64_MAX;
  LogParsers parsers_;
  LogChunk chunk_;
  RequestView view_;
  RequestInfo info_;
  RecordedPlaces& places_;
  Track* filled_ = nullptr;         // takes what is parsed
  ReplayReport* report_ = nullptr;  // likewise
};

}  // namespace apf
