// A log that is read once and kept with all that any of several replays looks at, each of which may differ from the
// others in what limits requests, in its clients, scales, seeds and phase, and in its configuration. A replay of it is
// the replay of the log, by the same parts; what a PreparedLog has no place for is kept, too.
//
//   KeptReading log(systems.front(), {.systems = systems}, 0, KeptReading::Flow::of_configurations);
//   log.read();
//   const ReplayReport report = log.replay(systems[1]);
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <apf/replay.h>

#include "replay/engine/request_reader.h"
#include "replay/prepare/shape_classes.h"
#include "replay/store/event_spool.h"

namespace apf {

class KeptReading final : private RequestSource::Sink {
 public:
  // Of replays under the configurations that the log was read for, or each under its own.
  enum class Flow : std::uint8_t { of_configurations, of_shapes };
  // `options`: of the reading, those of one of the replays; `sides.systems` are all of them. `join_window`: see
  // longer_window().
  KeptReading(const ReplayOptions& options, const OtherSides& sides, Nanos join_window, Flow flow);

  void read();
  // As RequestSource::longer_window(): nothing can be replayed.
  std::optional<Nanos> longer_window() const { return reader_.longer_window(); }
  bool by_all_fields() const { return by_all_fields_; }

  // What follows may be called by several threads at once. `options`: those of one of the replays, or less, and with
  // any jitter, seed, clock_shift, assumption about waits, from and to. `classes`: of its configurations, if it is
  // replayed often; null: they are found.
  using Classes = std::shared_ptr<const ShapeClasses>;
  Classes classify(const ReplayOptions& options, FlowBooks books = FlowBooks::of_flows) const;
  // What replay() would answer, less further replays for a spread, and decisions. Throws Error as replay() does.
  ReplayReport replay(const ReplayOptions& options, const Classes& classes = nullptr) const;
  // Without ReplayReport::others.
  ReplayReport replay_alone(const ReplayOptions& options, const Classes& classes = nullptr) const;
  // The requests as a reader of these options alone would hand them out.
  std::unique_ptr<RequestSource> source(const ReplayOptions& options, const Classes& classes = nullptr) const;

 private:
  class Source;

  // RequestSource::Sink
  void add_standing_watch(WatchKey key, Nanos end) override { spool_.add_standing_watch(key, end); }
  void take_note(const KeptNote&) override {}  // the reader's clock has it
  void take(Nanos now, JoinedEvent& joined, std::string&& id_text) override;
  Nanos now() const override { return now_; }

  const ReplayOptions options_;   // without jitter: each replay moves arrivals itself
  mutable RequestReader reader_;  // once it has read, it is only asked
  const bool by_all_fields_;
  mutable std::mutex filling_;  // reports from `reader_`
  EventSpool spool_;
  NumberTables by_name_;  // with PrepareContext::keeps_names: requesters are users
  Nanos now_ = 0;
};

// A log that has been read for replays of these options.
std::unique_ptr<KeptReading> read_and_keep(const ReplayOptions& options, KeptReading::Flow flow);

}  // namespace apf
