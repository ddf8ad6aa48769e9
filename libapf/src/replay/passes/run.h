// One run over the logs of a server: its requests are replayed as they are read, or kept for the replays that follow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <apf/output.h>
#include <apf/replay.h>

#include "logs/log_order.h"
#include "replay/engine/engine.h"
#include "replay/engine/engine_beside.h"
#include "replay/engine/event_sink.h"
#include "replay/engine/prelude.h"
#include "replay/engine/request_source.h"
#include "replay/engine/run_options.h"
#include "replay/passes/second_passes.h"
#include "replay/store/event_spool.h"

namespace apf {

class Run final : private RequestSource::Sink {
 public:
  // `sides`: for replay_sides(). `sink`: who takes the events in place of the engine; null: nobody. `join_window`: see
  // longer_window().
  Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline, Nanos join_window,
      EventSink* sink = nullptr, const OtherSides& sides = {});
  // Over what was read already.
  Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline, std::unique_ptr<RequestSource> source,
      EventSink* sink = nullptr);

  ReplayReport run();
  // Reads the logs, and with options.recorded replays them under that configuration. False: see longer_window().
  bool read();
  // As RequestSource::longer_window(): what this run reports is not complete.
  std::optional<Nanos> longer_window() const;

  RequestSource& reader() { return *reader_; }
  // With options.recorded, once the logs are read.
  const RunContext& context() const { return context_; }
  Engine& engine() { return engine_; }
  SecondPasses& second_passes() { return *passes_; }

 private:
  // RequestSource::Sink
  void add_standing_watch(WatchKey key, Nanos end) override;
  void take_note(const KeptNote& note) override {
    if (spool_) whole_clock_.take(note);
  }
  void take(Nanos now, JoinedEvent& joined, std::string&& id_text) override;
  void pause() override {
    if (engine_beside_) engine_beside_->pause();
    if (passes_ && passes_->beside()) passes_->beside()->pause();
  }
  void resume() override {
    if (passes_ && passes_->beside()) passes_->beside()->resume();
    if (engine_beside_) engine_beside_->resume();
  }
  SideWorks side_work() override;
  std::uint64_t done() const override { return engine_beside_ ? engine_beside_->done() : kAll; }
  Nanos now() const override { return engine_beside_ ? engine_beside_->now() : engine_.now(); }

  // The next event in order of time.
  void schedule(Nanos now, JoinedEvent& joined, std::string&& id_text);
  void read_logs();
  RunContext first_context();
  RunOutputs first_outputs();
  void hand_over(ReplayReport& report);
  ReplayReport replay_again(const ReplayOptions& options);  // the same requests, from the spool

  const ReplayOptions& options_;
  EventSink* const sink_;
  OutputFile& decisions_;
  OutputFile& timeline_;
  const std::optional<ReplayOptions> first_options_;  // set: the log is replayed twice
  const std::unique_ptr<RequestSource> reader_;
  std::optional<SecondPasses> passes_;  // with first_options_
  std::optional<EventSpool> spool_;     // set: the log may have to be replayed again, and can be read only once
  ServerClock whole_clock_;             // with spool_: all that the clock has learned, none of it used up
  const RunContext context_;
  Engine engine_;
  Prelude prelude_;
  OwnedSideQueue<EngineBeside> engine_beside_;  // null: the engine takes events as they are read
};

// What `read` makes of a run, or of whatever else reads logs. Where lines are out of order, it begins once more, and
// where requests ran for longer than the window, with a longer one, each time after `begin_again`. `make`: makes the
// run with a window.
template <class Make, class Read, class BeginAgain>
auto run_with_window(const Make& make, const Read& read, const BeginAgain& begin_again) {
  Nanos window = 0;
  return until_in_order(
      [&] {
        if (window == 0) {
          auto run = make(window);
          auto out = read(run);
          const std::optional<Nanos> longer = run.longer_window();
          if (!longer) return out;
          window = *longer;
        }
        begin_again();
        auto run = make(window);
        return read(run);
      },
      begin_again);
}

}  // namespace apf
