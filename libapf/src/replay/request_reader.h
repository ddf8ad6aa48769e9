// Reads the logs of one server: its requests in order of arrival, prepared, joined and numbered, and those that are
// added to them. Reading and classification run in parallel, everything else in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "logs/completeness.h"
#include "logs/event_reader.h"
#include "logs/join.h"
#include "replay/fill.h"
#include "replay/prepare/clients.h"
#include "replay/prepare/survey.h"
#include "replay/run_context.h"
#include "replay/run_options.h"

namespace apf {

class RequestReader {
 public:
  // Who takes what is read.
  class Sink {
   public:
    virtual ~Sink() = default;
    // A watch that began before the log, before the first request is taken.
    virtual void add_standing_watch(WatchKey key, Nanos end) = 0;
    // A line of the server's own log that the clock has taken in, unless the survey has read it.
    virtual void take_note(const KeptNote& note) = 0;
    // A request arrives, or a watch ends. `id_text`: of an id that is no UUID.
    virtual void take(Nanos now, JoinedEvent& joined, std::string&& id_text) = 0;
    // What the numbers in requests mean is about to grow: nobody else looks at it before resume().
    virtual void pause() {}
    virtual void resume() {}
    // What threads that read do meanwhile; null: nothing.
    virtual std::shared_ptr<SideWork> side_work() { return nullptr; }
    // How far the replay is.
    virtual Nanos now() const = 0;
  };

  // `join_window`: how long the end of a request is waited for, if longer than the options say; see longer_window().
  // `keeps_shapes`: see FlowDefinition::shape.
  RequestReader(const ReplayOptions& options, const OtherSides& sides, Nanos join_window, bool keeps_shapes);

  // What must be known before the first line.
  void survey();
  // Hands out everything but what Fill adds after the last line: finish() does.
  void read(Sink& sink);
  void finish();
  // What the log and its reading say.
  void fill(ReplayReport& report);

  // Requests came out of order, because some ran for longer than the window: a reader with this one finds their places.
  std::optional<Nanos> longer_window() const;
  // All that is known of the server's clock, and of what numbers mean, comes with the requests themselves.
  bool has_requests_alone() const;
  bool is_interrupted() const { return events_->is_interrupted(); }

  // Of a server that the requests are replayed for; it belongs to this reader.
  RunContext context(const ReplayOptions& options, ServerClock& clock);
  const PrepareContext& prepared_for() const { return context_; }
  Flows& flows() { return flows_; }
  const NumberTables& numbers() const { return numbers_.tables(); }
  ServerClock& clock() { return clock_; }
  Pool<AdmissionAttributes>& attributes() { return attributes_; }

 private:
  using Events = EventReader<Preparer>;

  void take(const Events::Run& run);
  void take_event(PreparedBatch& batch, PreparedEvent& event);
  void begin(Nanos first_written);
  void take_watches_until(Nanos time);
  void pass_on(Nanos now, JoinedEvent& joined);
  void add_filled(Nanos now) {
    fill_->until(now, [this](Nanos at, JoinedEvent& added) { sink_->take(at, added, {}); });
  }

  const ReplayOptions& options_;
  const Nanos window_;
  Sink* sink_ = nullptr;
  const std::vector<LogTrack> tracks_;
  const bool joined_;  // there is an HTTP log beside the audit log
  PrepareContext context_;
  Flows flows_;
  GlobalNumbers numbers_;
  ServerClock clock_;
  Pool<AdmissionAttributes> attributes_;
  Pool<std::string> texts_;  // ids that are no UUIDs
  Pool<Sender> senders_;     // of HTTP lines that wait for their audit events
  Joiner<PreparedEvent> joiner_;
  std::optional<Events> events_;
  std::optional<Clients> clients_;
  Survey survey_;
  std::optional<Fill> fill_;
  Completeness completeness_;
  std::size_t next_watch_ = 0;
  Nanos next_watch_time_ = INT64_MAX;
  std::uint32_t next_worker_ = 0;
  bool begun_ = false;
  bool stepped_back_ = false;  // the survey knows watches by times that hold no longer
  Nanos first_written_ = 0;
};

}  // namespace apf
