// Reads the logs of one server: its requests in order of arrival, prepared, joined and numbered, and those that are
// added to them. Reading and classification run in parallel, everything else in order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "logs/completeness.h"
#include "logs/event_reader.h"
#include "logs/join.h"
#include "logs/selection.h"
#include "replay/engine/fill.h"
#include "replay/engine/request_source.h"
#include "replay/engine/run_options.h"
#include "replay/prepare/clients.h"
#include "replay/prepare/survey.h"

namespace apf {

class RequestReader final : public RequestSource {
 public:
  // `join_window`: how long the end of a request is waited for, if longer than the options say; see longer_window().
  // `keeps_shapes`: see FlowDefinition::shape.
  RequestReader(const ReplayOptions& options, const OtherSides& sides, Nanos join_window, bool keeps_shapes);

  void survey() override;
  void read(Sink& sink) override;
  void finish() override;
  void fill(ReplayReport& report) override;
  std::optional<Nanos> longer_window() const override;
  bool has_requests_alone() const override;
  bool is_kept() const override { return false; }
  bool is_interrupted() const { return events_->is_interrupted(); }

  const PrepareContext& prepared_for() const override { return context_; }
  Flows& flows() override { return flows_; }
  const Shapes& shapes() const override { return flows_.shapes(); }
  const NumberTables& numbers() const override { return numbers_.tables(); }
  ServerClock& clock() override { return clock_; }
  Pool<AdmissionAttributes>& attributes() override { return attributes_; }

 private:
  using Events = EventReader<Preparer>;

  void take(const Events::Run& run);
  void take_joined(PreparedBatch& batch, JoinedEvent& joined);
  // False: it adds nothing to a request.
  bool take_event(PreparedBatch& batch, PreparedEvent& event);
  void begin(Nanos first_written);
  void take_watches_until(Nanos time);
  // Whether the sink is through with it.
  bool pass_on(Nanos now, JoinedEvent& joined);
  void take_back();
  void add_filled(Nanos now) {
    fill_->until(now, [this](Nanos at, JoinedEvent& added) { sink_->take(at, added, {}); });
  }

  const ReplayOptions& options_;
  const Nanos window_;
  Sink* sink_ = nullptr;
  bool sink_keeps_ = false;  // it is not always through with a request when take() returns
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
  std::deque<JoinedEvent*> passed_on_;  // at which the sink may still look
  std::uint64_t taken_back_ = 0;
  std::optional<Events> events_;
  std::optional<Clients> clients_;
  Survey survey_;
  std::optional<Fill> fill_;
  Completeness completeness_;
  Selection selection_;
  std::size_t next_watch_ = 0;
  Nanos next_watch_time_ = INT64_MAX;
  std::uint32_t next_worker_ = 0;
  bool begun_ = false;
  Nanos first_written_ = 0;
};

}  // namespace apf
