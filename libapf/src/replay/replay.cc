// replay(): log files in, report out. Reading and classification run in parallel, everything else in order.
#include <apf/error.h>
#include <apf/replay.h>

#include <charconv>
#include <cstdlib>
#include <map>

#include "logs/event_reader.h"
#include "logs/join.h"
#include "logs/zone.h"
#include "replay/engine.h"
#include "replay/metrics_book.h"
#include "replay/prelude.h"
#include "replay/prepare/clients.h"
#include "replay/prepare/survey.h"
#include "replay/replay_into.h"
#include "replay/series_book.h"
#include "replay/spread.h"

namespace apf {

namespace {

std::vector<std::shared_ptr<const Classifier>> compile(const ReplayOptions& options) {
  std::vector<std::shared_ptr<const Classifier>> out{std::make_shared<Classifier>(options.config)};
  for (const auto& change : options.config_changes) out.push_back(std::make_shared<Classifier>(change.second));
  std::map<std::string_view, bool> exempt;
  for (const auto& classifier : out) {
    for (const Classifier::Level& level : classifier->levels()) {
      if (exempt.emplace(level.name, level.exempt).first->second == level.exempt) continue;
      // The API fixes which level is; the KEP's dialect does not.
      throw Error("priority level " + level.name +
                  " is exempt in one of the configurations and not in another; rename it in one");
    }
  }
  return out;
}

}  // namespace

std::optional<ReplayTime> ReplayTime::parse(std::string_view text) {
  ReplayTime time;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time.value);
  if (error == std::errc() && end == text.data() + text.size()) return time;
  if (const auto instant = parse_rfc3339(text)) {
    time.value = *instant;
    return time;
  }
  if (const auto duration = parse_go_duration(text)) {
    time.relative = true;
    time.value = *duration;
    return time;
  }
  return std::nullopt;
}

namespace {

PrepareContext context_of(const ReplayOptions& options) {
  PrepareContext context;
  context.classifiers = compile(options);
  context.rules = seat_rules(options);
  if (!options.objects.empty()) context.objects.push_back(&options.objects);
  for (const auto& [time, objects] : options.objects_at) context.objects.push_back(&objects);
  context.reorder_window = options.reorder_window;
  context.request_timeout = options.request_timeout;
  context.tells_clients = options.client_limits.has_value();
  context.classifies = !options.in_flight;
  context.attributes.events = options.event_rate_limit.has_value();
  context.attributes.objects = options.limits_resources();
  context.keep_text_ids = !options.decisions_path.empty();
  return context;
}

// One run over the logs: from events to the engine.
class Run {
 public:
  Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline)
      : options_(options),
        tracks_(sort_into_tracks(options)),
        joined_(are_joined(tracks_)),
        context_(context_of(options)),
        flows_(context_.classifiers),
        numbers_(flows_, context_.objects.size() > 1),
        run_context_{options,          context_.classifiers,  flows_,      clock_, numbers_.places(),
                     numbers_.lists(), numbers_.requesters(), &attributes_},
        observers_(run_context_, decisions, timeline),
        engine_(run_context_, observers_),
        prelude_(run_context_, engine_),
        joiner_(
            options.reorder_window, options.reorder_limit,
            [this](Nanos now, JoinedEvent& joined) {
              if (joined_ && joined.kind == JoinedEvent::Kind::request) clients_->observe(joined.event);
              prelude_.take(now, joined, texts_.take(joined.event.text_id));
            },
            [this](const PreparedEvent& event) {
              texts_.drop(event.text_id);
              senders_.drop(event.sender);
              attributes_.drop(event.attributes);
            },
            joined_ ? Joiner<PreparedEvent>::Resolve([this](PreparedEvent& event) { resolve(event); }) : nullptr) {
    context_.joined = joined_;
    if (options.metrics && !options.in_flight) observers_.add(metrics_);
    if (options.series && !options.in_flight) observers_.add(series_);
    if (options.jitter > 0) joiner_.jitter(options.jitter, options.jitter_seed);
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
  void fill(ReplayReport& report);

  const ReplayOptions& options_;
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
  Pool<AdmissionAttributes> attributes_;
  const RunContext run_context_;
  Observers observers_;
  Engine engine_;
  Prelude prelude_;
  Joiner<PreparedEvent> joiner_;
  std::optional<Clients> clients_;
  Survey survey_;
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
    if (watch.watch_key != 0 && watch.code != 429) engine_.add_standing_watch(watch.watch_key, watch.stage_time);
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
    if (!survey_.done()) clock_.take(batch.notes[event.note - 1]);
    return;
  }
  if (event.written() >= next_watch_time_) take_watches_until(event.written());
  numbers_.adopt(event, batch.worker);
  if (event.http && event.watch && survey_.has_all_watches() && !stepped_back_) {
    // One that began before the log: the audit log tells of it, if there is one.
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

ReplayReport Run::run() {
  ReplayReport report;
  first_pass();
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
  prelude_.finish();
  engine_.finish();
  engine_.fill(report);
  reader.fill(report);
  fill(report);
  return report;
}

void Run::fill(ReplayReport& report) {
  report.server = options_.server;
  if (options_.metrics && !options_.in_flight) report.metrics = metrics_.families(flows_.schema_names());
  if (options_.series && !options_.in_flight) report.series = series_.series();
  if (options_.all_flows) report.all_flows = std::move(flows_.reports());
  remark(joiner_.sums(), report);
  remark_zone(context_.zone, report);
  if (survey_.overfull()) report.warnings.push_back({.kind = RemarkKind::too_many_watches});
  if (report.join.joined) report.join.users_found = clients_ ? clients_->found() : 0;
}

}  // namespace

ReplayReport replay(const ReplayOptions& options) {
  OutputFile decisions(options.decisions_path), timeline(options.timeline_path);
  ReplayReport report = replay_into(options, decisions, timeline);
  decisions.commit();
  timeline.commit();
  return report;
}

ReplayReport replay_into(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline) {
  if (options.spread > 0) check_for_spread(options);
  ReplayReport report = Run(options, decisions, timeline).run();
  if (options.spread > 0 && !report.interrupted) add_spread(options, report);
  return report;
}

}  // namespace apf
