// A log that has been read once, to be replayed any number of times: under other configurations, seats, loads and
// seeds, by several threads at once. A replay of it is the replay of the log.
//
//   const PreparedLog log(options);
//   ReplayOptions other = options;
//   other.config = …;
//   const ReplayReport report = log.replay(other);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <apf/replay.h>

#include "replay/clients/retry_chains.h"
#include "replay/engine/event_sink.h"
#include "replay/prepare/shape_classes.h"
#include "replay/store/compact_events.h"

namespace apf {

class KeptReading;

class PreparedLog final : private EventSink {
 public:
  // Reads the logs. With options.recorded they are scheduled under that configuration once, which finds out how long
  // requests ran. Beyond options.memory events are kept in a temporary file. Throws Error as replay() does, and for
  // options of which a prepared log knows nothing: admission inside the handler, client models, decisions. `reading`:
  // of the same logs, for these options too; null: they are read now.
  explicit PreparedLog(const ReplayOptions& options, const KeptReading* reading = nullptr);

  // The configurations of options, compiled, and where all requests of the log go under them. It belongs to this log.
  struct Classes;
  std::shared_ptr<const Classes> classify(const ReplayOptions& options, FlowBooks books = FlowBooks::of_flows) const;
  // The same for replays as apf::replay() makes them of these options alone: where the waits of the log say how its
  // server's clock ticked, they say so under this configuration, these seats and this borrowing. Else, and with
  // classify(), it ticked as it fits the log's own options, whatever is replayed.
  std::shared_ptr<const Classes> classify_alone(const ReplayOptions& options) const;

  // Where the requests of each flow go under options.config.
  struct FlowPlace {
    std::string user;  // as FlowReport::user; empty: nobody knows
    std::string flow_schema, priority_level;
    bool exempt = false;
  };
  std::vector<FlowPlace> places_of_flows(const ReplayOptions& options) const;

  // What replay() would answer, less further replays (ReplayReport::others, spread) and decisions. `options` may differ
  // from those of the log in configurations, seats, borrowing, scales, jitter, clock_shift, unknown_waits, in_flight,
  // from and to, client_timeouts (if is_about_clients() was true of the log's options), and in what is wanted in the
  // report. Several threads may call it at once.
  ReplayReport replay(const ReplayOptions& options) const { return replay(options, *classify(options)); }
  // Asked now and then with what is counted so far; true: nobody wants the rest of the replay.
  using Decided = std::function<bool(const std::vector<FlowReport>&)>;
  // What an experiment makes of an event of the log: false leaves it out.
  using Experiment = std::function<bool(JoinedEvent&)>;
  // The same with configurations that are classified already: those of `options`.
  ReplayReport replay(const ReplayOptions& options, const Classes& classes, const Decided& decided = nullptr,
                      const Experiment& experiment = nullptr) const;

  // Whether apf::replay() would make more replays than the one that `report` is of, and choose the one in the middle:
  // see ReplayOptions::candidates.
  bool is_one_of_several(const ReplayOptions& options, const ReplayReport& report) const;

  // Of `options`, whose clients the reading tells apart.
  std::vector<Remark> unused_entries_of(const ReplayOptions& options) const;

  // What was read; nothing of a replay.
  const ReplayReport& read() const { return read_; }
  const CompactEvents& events() const { return events_; }
  // What PreparedEvent::flow of its events, and their other numbers, mean.
  const std::vector<std::shared_ptr<const RequestShape>>& shapes() const;
  const NumberTables& numbers() const;

 private:
  struct Numbers;

  void add_standing_watch(WatchKey key, Nanos end) override { standing_watches_.emplace_back(key, end); }
  void take(Nanos now, const JoinedEvent& joined) override {
    if (may_retry(joined)) retries_.add(joined.event);
    events_.append(now, joined);
  }
  void begin_again() override {
    events_.clear();
    retries_ = {};
    standing_watches_.clear();
  }
  void finish(const Log& log) override;
  std::shared_ptr<Classes> compile(const ReplayOptions& options, FlowBooks books) const;
  // Reads as many events as it needs.
  EngineStart find_start(const ReplayOptions& options, const Classes& classes, std::uint64_t& events) const;
  EngineStart start_at(Nanos first, const ReplayOptions& options, const Classes& classes) const;

  CompactEvents events_;
  std::vector<std::pair<WatchKey, Nanos>> standing_watches_;
  std::unique_ptr<const Numbers> numbers_;
  std::optional<EngineStart> start_;  // nothing: the log has no events
  std::uint64_t foreseen_ = 0;        // so many events were read before the start was known
  bool learned_ = false;              // options.recorded was set
  RetryChains retries_;
  bool by_all_fields_ = false;  // the configuration looks at more than the usual fields of a request
  ReplayReport read_;

 public:
  ~PreparedLog() override;
};

// What of the options a prepared log cannot be replayed with; null: it can be replayed.
const char* why_not_prepared(const ReplayOptions& options);

}  // namespace apf
