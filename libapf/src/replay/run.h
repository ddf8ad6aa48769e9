// One run over the logs of a server: from events to the engine, and on to the replays that follow the first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/output.h>
#include <apf/replay.h>

#include "logs/completeness.h"
#include "logs/event_reader.h"
#include "logs/join.h"
#include "replay/clients/client_links.h"
#include "replay/clients/client_models.h"
#include "replay/engine.h"
#include "replay/event_sink.h"
#include "replay/fill.h"
#include "replay/first_pass.h"
#include "replay/metrics_book.h"
#include "replay/metrics_scrapes.h"
#include "replay/other_replays.h"
#include "replay/pass_beside.h"
#include "replay/prelude.h"
#include "replay/prepare/clients.h"
#include "replay/prepare/survey.h"
#include "replay/run_options.h"
#include "replay/series_book.h"
#include "replay/sides.h"
#include "replay/traffic_book.h"

namespace apf {

// One run over the logs: from events to the engine.
class Run {
 public:
  // `sides`: for run_sides(); `decisions` and `timeline` are then those of the recorded server.
  // `sink`: who takes the events in place of the engine; null: nobody. `join_window`: how long the end of a request is
  // waited for, if longer than the options say; see longest().
  Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline, const OtherSides& sides = {},
      EventSink* sink = nullptr, Nanos join_window = 0);
  ~Run();

  ReplayReport run();
  // With options.recorded. The last of the others is OLD; if there is none, OLD is the recorded server.
  SidesReplay run_sides(const CompareOptions& comparison, SideFiles& files);
  // Requests came out of order, because some ran for longer than the window: a run with a window that is longer than
  // the longest of them finds their places. The reports of this one are not complete.
  bool has_too_long() const { return too_long_; }
  Nanos longest() const { return joiner_.sums().longest; }
  static constexpr Nanos kJoinMargin = 15 * kSecond;  // requests wait for the lines of another log, too

 private:
  // A server that the requests of a first pass are scheduled for.
  struct Side {
    const ReplayOptions& options;
    std::size_t configuration = 0;  // number of its first one
    OutputFile* decisions = nullptr;
    OutputFile* timeline = nullptr;
  };

  // What goes on over time in a replay.
  struct Books {
    MetricsBook metrics;
    MetricsScrapes scrapes;
    SeriesBook series;
  };

  // How they are, and who writes down what beside the report.
  struct Pass {
    bool by_log = false;  // clients behave as the log shows
    Nanos arrival_jitter = 0, execution_jitter = 0;
    std::uint64_t seed = 0;
    int replays = 1;         // of which it is the one in the middle
    Books* books = nullptr;  // with decisions, timeline and dumps
    TrafficBook* traffic = nullptr;
  };

  static constexpr std::size_t kMostMemory = 4;  // times the requests held, for a longer window
  // All further passes over so many requests together take less than a second of a processor.
  static constexpr std::uint64_t kShortLog = 20'000;
  using Reader = EventReader<Preparer>;

  void first_pass();
  void take(const Reader::Run& run);
  void take_event(PreparedBatch& batch, PreparedEvent& event);
  void begin(Nanos first_written);
  void take_watches_until(Nanos time);
  void resolve(PreparedEvent& event);
  void pass_on(Nanos now, JoinedEvent& joined, std::string id_text) {
    if (sink_ && !first_options_) return sink_->take(now, joined);
    if (first_options_) keep(now, joined, id_text);
    if (spool_) spool_->append(now, joined, id_text);
    prelude_.take(now, joined, std::move(id_text));
  }
  void add_filled(Nanos now) {
    fill_->until(now, [this](Nanos at, JoinedEvent& added) { pass_on(at, added, {}); });
  }
  RunContext first_context();
  void check_recorded_seats() const;
  void check_recorded_limits();
  void observe(Observers& observers, const ReplayOptions& options, Books& books);
  void keep(Nanos now, JoinedEvent& joined, std::string_view id_text);
  void read(Reader& reader);
  std::unique_ptr<Preparer> next_worker() { return std::make_unique<Preparer>(context_, next_worker_++); }
  std::size_t recorded_configuration() const { return 1 + options_.config_changes.size(); }
  void set_rules(RunContext& context) const;
  void finish_first_pass();
  bool clients_may_wait() const;
  void replay_again(ReplayReport& report);
  void schedule(ReplayReport& report, const Side& side, const Pass& pass);
  std::unique_ptr<SecondPass> begin_pass(const Side& side, const Pass& pass);
  bool can_run_beside() const;
  void run_beside();
  Pass usual(const Side& side, const Pass& pass, std::vector<ReplayReport>* reports = nullptr);
  void schedule_usual(ReplayReport& report, const Side& side, const Pass& pass, std::vector<ReplayReport>& others);
  void add_ranges(ReplayReport& report, std::vector<ReplayReport>&& others);
  void hand_over(ReplayReport& report);
  void use_first_rules(PreparedEvent& event) const;
  void fill_what_if(ReplayReport& report, const ReplayOptions& options);
  void fill_recorded(WhatIfReport& what_if) const;
  void find_old_changes(const ReplayOptions& old_side);
  std::vector<FlowReport> flows_of_log();
  SideReplay recorded_side(const TrafficBook& traffic);
  SideReplay replay_side(const Side& side);
  void replay_with_jitter(const Side& side, int times, SideReplay& out);
  bool is_interrupted() const { return options_.interrupted && *options_.interrupted; }
  ReplayReport replay_with_recorded_ends();
  void fill_books(ReplayReport& report, const ReplayOptions& options, Books& books);
  void fill(ReplayReport& report);
  void fill_reading(ReplayReport& report);

  const ReplayOptions& options_;
  const Nanos window_;
  EventSink* const sink_;
  const std::span<const ReplayOptions> others_;
  const std::optional<ReplayOptions> first_options_;  // set: the log is replayed twice
  const bool first_writes_;                           // the first time as one of the sides
  Pool<AdmissionAttributes> attributes_;
  FirstPass first_pass_;
  ClientLinks links_;
  std::optional<EventSpool> spool_;  // set: the log may have to be replayed again, and can be read only once
  ServerClock whole_clock_;          // with spool_: all that clock_ has learned, none of it used up
  OutputFile& decisions_;
  OutputFile& timeline_;
  OutputFile nowhere_{""};
  const std::vector<LogTrack> tracks_;
  const bool joined_;
  PrepareContext context_;
  Flows flows_;
  GlobalNumbers numbers_;
  ServerClock clock_;
  Books books_;
  Pool<std::string> texts_;  // ids that are no UUIDs
  Pool<Sender> senders_;     // of HTTP lines that wait for their audit events
  const RunContext run_context_;
  Observers observers_;
  Engine engine_;
  Prelude prelude_;
  Joiner<PreparedEvent> joiner_;
  std::optional<Clients> clients_;
  Survey survey_;
  std::optional<Fill> fill_;
  Completeness completeness_;
  std::size_t next_watch_ = 0;
  Nanos next_watch_time_ = INT64_MAX;
  std::uint32_t next_worker_ = 0;
  OldConfigurations old_configurations_;
  bool begun_ = false, too_long_ = false;
  std::optional<PassBeside> beside_;
  bool stepped_back_ = false;  // the first pass knows watches by times that hold no longer
  Nanos first_written_ = 0;
};

}  // namespace apf
