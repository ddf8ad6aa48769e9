// replay(): log files in, report out. Reading and classification run in parallel, everything else in order.
#include <apf/error.h>
#include <apf/replay.h>

#include <charconv>
#include <cstdlib>

#include "base/releases.h"
#include "logs/completeness.h"
#include "logs/event_reader.h"
#include "logs/join.h"
#include "logs/zone.h"
#include "replay/clients/client_links.h"
#include "replay/clients/client_models.h"
#include "replay/compile.h"
#include "replay/engine.h"
#include "replay/event_sink.h"
#include "replay/fill.h"
#include "replay/load_scaler.h"
#include "replay/metrics_book.h"
#include "replay/other_replays.h"
#include "replay/prelude.h"
#include "replay/prepare/clients.h"
#include "replay/prepare/survey.h"
#include "replay/replay_into.h"
#include "replay/run_options.h"
#include "replay/series_book.h"
#include "replay/spread.h"

namespace apf {

std::optional<ReplayTime> ReplayTime::parse(std::string_view text) {
  Nanos nanos = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanos);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (const std::optional<Nanos> instant = whole ? nanos : parse_rfc3339(text))
    return is_time_in_range(*instant) ? std::optional(ReplayTime{false, *instant}) : std::nullopt;
  const std::optional<Nanos> duration = parse_go_duration(text);
  return duration && is_duration_in_range(*duration) ? std::optional(ReplayTime{true, *duration}) : std::nullopt;
}

namespace {

// One run over the logs: from events to the engine.
class Run {
 public:
  // `sink`: who takes the events in place of the engine; null: nobody.
  Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline, EventSink* sink = nullptr)
      : options_(options),
        sink_(sink),
        first_options_(first_options(options)),
        first_pass_(options.service_floor, options.refused_execution, attributes_),
        links_(options.client_models, numbers_.requesters()),
        decisions_(decisions),
        timeline_(timeline),
        tracks_(sort_into_tracks(options)),
        joined_(are_joined(tracks_)),
        context_(context_of(options)),
        flows_(context_.classifiers),
        numbers_(flows_, context_.objects.size() > 1),
        run_context_(first_context()),
        observers_(run_context_, first_options_ ? nowhere_ : decisions, first_options_ ? nowhere_ : timeline),
        engine_(run_context_, observers_),
        prelude_(run_context_, engine_),
        joiner_(
            options.reorder_window, options.reorder_limit,
            [this](Nanos now, JoinedEvent& joined) {
              if (fill_) add_filled(now);
              if (joined.kind == JoinedEvent::Kind::request)
                completeness_.add(now, joined.event.traits, joined.event.requester);
              if (joined_ && joined.kind == JoinedEvent::Kind::request) clients_->observe(joined.event);
              std::string id_text = texts_.take(joined.event.text_id);
              pass_on(now, joined, std::move(id_text));
            },
            [this](const PreparedEvent& event) {
              texts_.drop(event.text_id);
              senders_.drop(event.sender);
              attributes_.drop(event.attributes);
            },
            joined_ ? Joiner<PreparedEvent>::Resolve([this](PreparedEvent& event) { resolve(event); }) : nullptr) {
    context_.joined = joined_;
    context_.keeps_shapes = sink_ != nullptr;
    if (first_options_) observers_.teach(first_pass_);
    else observe(observers_);
    if (options.fill) fill_.emplace(options, context_.classifiers, flows_, sink_ != nullptr);
    if (options.jitter > 0) joiner_.jitter(options.jitter, options.jitter_seed);
    if (!sink_ && may_be_undecided(options) && !can_be_read_again(options)) spool_.emplace(attributes_);
  }

  ReplayReport run();

 private:
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
    if (spool_) spool_->append(spool_->keep(now, joined, id_text));
    prelude_.take(now, joined, std::move(id_text));
  }
  void add_filled(Nanos now) {
    fill_->until(now, [this](Nanos at, JoinedEvent& added) { pass_on(at, added, {}); });
  }
  RunContext first_context();
  void check_recorded_seats() const;
  void check_recorded_limits();
  void observe(Observers& observers);
  void keep(Nanos now, JoinedEvent& joined, std::string_view id_text);
  void replay_again(ReplayReport& report);
  void hand_over(ReplayReport& report);
  void fill_what_if(WhatIfReport& what_if) const;
  void schedule(ReplayReport& report, bool by_log, bool trial);
  ReplayReport replay_with_recorded_ends();
  void fill(ReplayReport& report);

  const ReplayOptions& options_;
  EventSink* const sink_;
  const std::optional<ReplayOptions> first_options_;  // set: the log is replayed twice
  Pool<AdmissionAttributes> attributes_;
  FirstPass first_pass_;
  ClientLinks links_;
  std::optional<EventSpool> spool_;  // set: the log may have to be replayed again, and can be read only once
  ServerClock whole_clock_;          // with spool_: what clock_ was told, none of it used up
  OutputFile& decisions_;
  OutputFile& timeline_;
  OutputFile nowhere_{""};
  const std::vector<LogTrack> tracks_;
  const bool joined_;
  PrepareContext context_;
  Flows flows_;
  GlobalNumbers numbers_;
  ServerClock clock_;
  MetricsBook metrics_;
  SeriesBook series_;
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
  bool begun_ = false;
  bool stepped_back_ = false;  // the first pass knows watches by times that hold no longer
  Nanos first_written_ = 0;
};

void Run::first_pass() {
  if (joined_) context_.zone = find_zone(tracks_, options_);
  const std::vector<LogTrack> tracks = Survey::tracks_to_read(tracks_, options_);
  if (tracks.empty()) return;
  next_worker_ = survey_.read(tracks, options_, context_, numbers_, clock_, 0);
}

// What was there before the first line, and what is yet to come.
void Run::begin(Nanos first_written) {
  begun_ = true;
  first_written_ = first_written;
  const auto& watches = survey_.watches();
  for (; next_watch_ < watches.size() && watches[next_watch_].event.received < first_written; ++next_watch_) {
    const PreparedEvent& watch = watches[next_watch_].event;
    if (!joined_ && watch.http && !outlasts(watch, options_.reorder_window)) continue;  // a request like others
    if (watch.watch_key == 0 || watch.code == 429) continue;
    engine_.add_standing_watch(watch.watch_key, watch.stage_time);
    if (sink_) sink_->add_standing_watch(watch.watch_key, watch.stage_time);
    if (first_options_) first_pass_.add_standing_watch(watch.watch_key, watch.stage_time);
    if (spool_) spool_->add_standing_watch(watch.watch_key, watch.stage_time);
  }
  if (!survey_.has_all_watches() || (next_watch_ < watches.size() && !watches[next_watch_].event.http))
    next_watch_ = watches.size();
  if (next_watch_ < watches.size()) next_watch_time_ = watches[next_watch_].event.received;
}

void Run::take_watches_until(Nanos time) {
  const auto& watches = survey_.watches();
  for (; next_watch_ < watches.size() && watches[next_watch_].event.received <= time; ++next_watch_) {
    PreparedEvent event = watches[next_watch_].event;
    event.sender = joined_ ? senders_.add(watches[next_watch_].sender) : 0;
    joiner_.add_early(std::move(event));
  }
  next_watch_time_ = next_watch_ < watches.size() ? watches[next_watch_].event.received : INT64_MAX;
}

void Run::take_event(PreparedBatch& batch, PreparedEvent& event) {
  if (event.note != 0) {
    if (survey_.done()) return;
    clock_.take(batch.notes[event.note - 1]);
    if (spool_) whole_clock_.take(batch.notes[event.note - 1]);
    return;
  }
  if (event.written() >= next_watch_time_) take_watches_until(event.written());
  numbers_.adopt(event, batch.worker);
  if (event.http && event.watch && survey_.has_all_watches() && !stepped_back_) {
    // One that began before the log: the audit log has it, if there is one.
    if (joined_ || event.received >= first_written_) return;
    if (outlasts(event, options_.reorder_window)) event.left_out = LeftOut::standing_watch;
  }
  if (joined_ && event.sender != 0) {
    const Sender& sender = batch.senders[event.sender - 1];
    clients_->see(sender, batch.worker);
    event.sender = event.http ? senders_.add(sender) : 0;
  }
  if (event.attributes != 0) event.attributes = attributes_.swap_in(batch.attributes[event.attributes - 1]);
  if (event.text_id != 0) event.text_id = texts_.add(std::move(batch.texts[event.text_id - 1]));
  joiner_.add(std::move(event));
}

void Run::take(const Reader::Run& run) {
  if (run.is_new) numbers_.extend(*run.batch);
  if (run.from == run.to) return;
  if (!begun_) begin(run.batch->events[run.from].written());
  for (std::size_t i = run.from; i < run.to; ++i) take_event(*run.batch, run.batch->events[i]);
}

void Run::resolve(PreparedEvent& event) {
  clients_->find(event, senders_.at(event.sender));
  senders_.drop(event.sender);
  event.sender = 0;
}

RunContext Run::first_context() {
  RunContext context{first_options_ ? *first_options_ : options_,
                     context_.classifiers,
                     flows_,
                     clock_,
                     numbers_.places(),
                     numbers_.lists(),
                     numbers_.requesters(),
                     numbers_.agents(),
                     &attributes_};
  if (first_options_) {
    context.attributes = nullptr;  // they are for the second pass
    context.first_configuration = context_.classifiers.size() - 1;
    context.log_sets_clock = true;
  }
  return context;
}

// The flags and the server's own log must agree.
void Run::check_recorded_seats() const {
  const auto logged = clock_.server_concurrency_limit();
  if (!first_options_ || !logged || *logged == run_context_.seats()) return;
  throw Error("the recorded server is said to have " + std::to_string(run_context_.seats()) +
              " seats, but its own log says " + std::to_string(*logged) + "; leave the number out, or correct it");
}

void Run::check_recorded_limits() {
  const auto& contradiction = observers_.agreement().contradiction();
  if (!contradiction) return;
  const Agreement::Contradiction& c = *contradiction;
  const std::string allowed = c.most < 0 ? "has no such priority level"
                                         : "allows it " + std::to_string(c.least) + " to " + std::to_string(c.most);
  throw Error("the server's own log gives priority level " + c.level + " " + std::to_string(c.seats) + " seats at " +
              format_rfc3339(c.time) + ", but the configuration that it is said to have had " + allowed +
              "; give the configuration with which the log was recorded");
}

void Run::observe(Observers& observers) {
  if (options_.in_flight) return;
  if (options_.metrics) observers.add(metrics_);
  if (options_.series) observers.add(series_);
}

// Each request of the log, with what the first pass found out about it, and what its client does.
void Run::keep(Nanos now, JoinedEvent& joined, std::string_view id_text) {
  first_pass_.add(now, joined, id_text);
  const PreparedEvent& event = joined.event;
  if (joined.kind != JoinedEvent::Kind::request || event.left_out != LeftOut::no || event.watch || event.filled) return;
  const ClientLinks::Link link = links_.add(event, run_context_.choice(event.flow, 0).level);
  if (!options_.retries && !options_.clients_need_first_replay()) return;
  if (link.before != ClientLinks::kNone) first_pass_.follow(link.before, link.think);
  if (link.retry_of != ClientLinks::kNone) first_pass_.repeat(link.retry_of);
}

// The same requests under the configuration in question, with the execution times that the first pass found.
void Run::replay_again(ReplayReport& report) {
  check_recorded_seats();
  check_recorded_limits();
  first_pass_.finish();
  const ClientModels by_log(options_, numbers_.requesters(), &first_pass_, &links_, true);
  if (options_.client_models_by_log && by_log.any_by_log()) {
    report.others.emplace_back();
    schedule(report.others.back(), false, true);
    report.others.back().all_flows = flows_.reports();
  }
  schedule(report, options_.client_models_by_log, false);
  WhatIfReport& what_if = *report.what_if;
  fill_what_if(what_if);
  what_if.width_unknown = options_.objects.empty() && options_.objects_at.empty() ? what_if.at_recorded_cap : 0;
  what_if.compared = report.recorded.compared;
  what_if.unchanged = report.recorded.agreed;
  for (Remark& remark : assumptions_of(what_if)) report.assumptions.push_back(std::move(remark));
  for (Remark& remark : assumptions_of_clients(report)) report.assumptions.push_back(std::move(remark));
  observers_.agreement().fill(report.recorded);
}

// The requests with the execution times that the first pass found, and all that a replay of them needs besides.
void Run::hand_over(ReplayReport& report) {
  EventSink::Log log{flows_, numbers_.places(), numbers_.lists(), numbers_.requesters(), numbers_.agents(),
                     clock_, nullptr,           INT64_MIN};
  if (first_options_) {
    check_recorded_seats();
    check_recorded_limits();
    first_pass_.finish();
    FirstPass::Item item;
    while (first_pass_.next(item)) {
      first_pass_.complete(item.joined, nullptr);
      attributes_.drop(item.joined.event.attributes);
      item.joined.event.attributes = 0;
      sink_->take(item.now, item.joined);
    }
    fill_what_if(report.what_if.emplace());
    observers_.agreement().fill(report.recorded);
    log.first = &engine_.start();
    log.end = first_pass_.last_arrival();
  }
  sink_->finish(log);
}

void Run::fill_what_if(WhatIfReport& what_if) const {
  what_if.recorded_seats = run_context_.seats();
  what_if.seats_by_log = clock_.server_concurrency_limit().has_value();
  what_if.recorded_version = options_.recorded->version;
  what_if.found_by_replay = first_pass_.found_by_replay();
  what_if.given_mean = first_pass_.given_mean();
}

// `by_log`: clients behave as the log shows. `trial`: nothing but the report is made.
void Run::schedule(ReplayReport& report, bool by_log, bool trial) {
  flows_.clear_tallies();
  first_pass_.rewind();
  const EngineStart& first = engine_.start();
  ServerClock clock = clock_.without_log(first.recorded, options_.seats_by_log);
  const RunContext context{options_,
                           context_.classifiers,
                           flows_,
                           clock,
                           numbers_.places(),
                           numbers_.lists(),
                           numbers_.requesters(),
                           numbers_.agents(),
                           &attributes_};
  Observers observers(context, trial ? nowhere_ : decisions_, trial ? nowhere_ : timeline_);
  if (!trial) observe(observers);
  ClientModels models(options_, numbers_.requesters(), &first_pass_, &links_, by_log);
  Engine engine(context, observers, &models);
  for (const auto& [key, end] : first_pass_.standing_watches()) engine.add_standing_watch(key, end);
  EngineStart start = first;
  if (options_.start) {
    start.known = EngineStart::Known::told;
    start.start =
        options_.start->relative ? later(first_pass_.first_arrival(), options_.start->value) : options_.start->value;
  }
  start.start -= context.clock_shift();
  if (!first_pass_.empty()) engine.begin(first_pass_.first_arrival(), start);
  engine.set_log_end(first_pass_.last_arrival());
  FirstPass::Item item;
  while (first_pass_.next(item)) {
    if (!models.is_sent_as_logged(item)) {
      context.drop_attributes(item.joined.event);
      continue;
    }
    first_pass_.complete(item.joined, nullptr);
    engine.take(item.now, item.joined, std::move(item.id_text));
  }
  engine.finish();
  engine.fill(report);
  engine.fill_what_if(report.what_if.emplace());
}

// The same requests, each with its recorded end.
ReplayReport Run::replay_with_recorded_ends() {
  const ReplayOptions options = with_recorded_ends(options_);
  flows_.clear_tallies();
  const RunContext context{options,
                           context_.classifiers,
                           flows_,
                           whole_clock_,
                           numbers_.places(),
                           numbers_.lists(),
                           numbers_.requesters(),
                           numbers_.agents(),
                           &attributes_};
  Observers observers(context, nowhere_, nowhere_);
  Engine engine(context, observers);
  for (const auto& [key, end] : spool_->standing_watches()) engine.add_standing_watch(key, end);
  Prelude prelude(context, engine);
  EventSpool::Item item;
  while (spool_->next(item)) prelude.take(item.now, item.joined, std::move(item.id_text));
  prelude.finish();
  engine.finish();
  ReplayReport report;
  engine.fill(report);
  report.all_flows = flows_.reports();
  return report;
}

ReplayReport Run::run() {
  ReplayReport report;
  first_pass();
  check_recorded_seats();
  Reader reader(tracks_, options_, [&] { return std::make_unique<Preparer>(context_, next_worker_++); });
  if (joined_) clients_.emplace(context_, numbers_, flows_, next_worker_);
  Reader::Run events;
  while (reader.next(events)) {
    stepped_back_ = reader.stepped_back();
    take(events);
    if (options_.progress && events.is_new) {
      const ChunkSourceStats stats = reader.stats();
      options_.progress({stats.input_bytes, stats.total_input_bytes, joiner_.sums().requests, engine_.now()});
    }
  }
  if (!reader.is_interrupted()) take_watches_until(INT64_MAX);
  joiner_.finish();
  if (fill_ && !reader.is_interrupted()) add_filled(INT64_MAX);
  prelude_.finish();
  engine_.finish();
  if (sink_) hand_over(report);
  else if (first_options_) replay_again(report);
  else engine_.fill(report);
  reader.fill(report);
  fill(report);
  if (report.undecided && spool_ && !report.interrupted) report.others.push_back(replay_with_recorded_ends());
  return report;
}

void Run::fill(ReplayReport& report) {
  report.server = options_.server;
  // The log's load was another one: it says nothing of this replay.
  if (!options_.scales.empty() && !first_options_) report.recorded = {};
  if (options_.metrics && !options_.in_flight) report.metrics = metrics_.families(flows_.schema_names());
  if (options_.series && !options_.in_flight) report.series = series_.series();
  if (options_.all_flows) {
    report.all_flows = std::move(flows_.reports());
    std::erase_if(report.all_flows, [](const FlowReport& flow) { return flow.filled; });
  }
  report.incomplete =
      completeness_.remarks([this](std::uint32_t client) { return numbers_.requesters()[client].user; });
  remark(joiner_.sums(), report);
  remark_zone(context_.zone, report);
  if (survey_.overfull()) report.warnings.push_back({.kind = RemarkKind::too_many_watches});
  if (report.join.joined) report.join.users_found = clients_ ? clients_->found() : 0;
}

// What the log alone comes to.
void add_without_fill(const ReplayOptions& options, ReplayReport& report) {
  ReplayOptions plain = options;
  plain.fill.reset();
  plain.spread = 0;
  plain.decisions_path.clear();
  plain.dump_at.clear();
  plain.timeline_path.clear();
  plain.metrics = plain.series = plain.all_flows = false;
  plain.progress = nullptr;
  auto without = std::make_shared<ReplayReport>(replay(plain));
  report.interrupted = report.interrupted || without->interrupted;
  report.without_fill = std::move(without);
}

}  // namespace

ReplayReport replay(const ReplayOptions& options) {
  OutputFile decisions(options.decisions_path), timeline(options.timeline_path);
  ReplayReport report = replay_into(options, decisions, timeline);
  if (report.interrupted) return report;  // a part must not replace a whole file
  decisions.commit();
  timeline.commit();
  return report;
}

ReplayReport replay_alone(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline) {
  return Run(options, decisions, timeline).run();
}

ReplayReport read_into(const ReplayOptions& options, EventSink& sink) {
  OutputFile nowhere("");
  return Run(options, nowhere, nowhere, &sink).run();
}

ReplayReport replay_into(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline) {
  if (options.spread > 0) check_can_be_read_again(options, "a spread");
  if (options.fill) check_can_be_read_again(options, "a fill");
  if (!options.scales.empty()) check_can_be_scaled(options);
  if (options.clients_need_first_replay() && !options.recorded)
    throw Error(
        "how clients wait for their answers is found by replaying the log under the recorded configuration, which "
        "is missing");
  ReplayReport report = replay_alone(options, decisions, timeline);
  if (report.undecided && report.others.empty() && !report.interrupted) add_recorded_ends(options, report);
  if (options.fill && options.compare_fill && !report.interrupted) add_without_fill(options, report);
  if (options.spread > 0 && !report.interrupted) add_spread(options, report);
  return report;
}

}  // namespace apf
