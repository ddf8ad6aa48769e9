// replay(): log files in, report out. Reading and classification run in parallel, everything else in order.
#include <apf/error.h>
#include <apf/replay.h>

#include <algorithm>
#include <charconv>

#include "logs/zone.h"
#include "replay/load_scaler.h"
#include "replay/one_reading.h"
#include "replay/replay_into.h"
#include "replay/run.h"
#include "replay/shaken_pass.h"
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
  if (run.is_new) {
    numbers_.extend(*run.batch);
    for (const WriteCounters& write : run.batch->writes) completeness_.note(write);
  }
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
    context.first_configuration = recorded_configuration();
    context.log_sets_clock = true;
  }
  set_rules(context);
  return context;
}

void Run::set_rules(RunContext& context) const {
  const std::vector<SeatRules>& rules = context_.rules;
  context.rule_sets = rules.size();
  context.rule_set =
      static_cast<std::size_t>(std::find(rules.begin(), rules.end(), seat_rules(context.options)) - rules.begin());
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

void Run::observe(Observers& observers, const ReplayOptions& options, Books& books) {
  if (options.in_flight) return;
  if (options.metrics && options.metrics_step > 0) {  // before the book: a scrape does not see what comes after it
    books.scrapes.start(options.metrics_step, [this, &books](Nanos now) {
      books.metrics.advance(now);
      return books.metrics.families(flows_.schema_names(), numbers_.endpoints());
    });
    observers.add(books.scrapes);
  }
  if (options.metrics) observers.add(books.metrics);
  if (options.series) observers.add(books.series);
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

void Run::finish_first_pass() {
  check_recorded_seats();
  check_recorded_limits();
  first_pass_.finish();
}

// Whether replays differ in whether they do.
bool Run::clients_may_wait() const {
  return options_.client_models_by_log &&
         ClientModels(options_, numbers_.requesters(), nullptr, &links_, true).any_by_log();
}

// The same requests under the configuration in question, with the execution times that the first pass found.
void Run::replay_again(ReplayReport& report) {
  finish_first_pass();
  const Side side{options_, 0, &decisions_, &timeline_};
  std::vector<ReplayReport> more;
  if (clients_may_wait()) {
    report.others.emplace_back();
    schedule_usual(report.others.back(), side, {}, more);
    report.others.back().all_flows = flows_.reports();
    fill_what_if(report.others.back(), options_);
  }
  schedule_usual(report, side, {.by_log = options_.client_models_by_log, .books = &books_}, more);
  fill_what_if(report, options_);
  if (options_.spread > 0 && !is_interrupted()) add_ranges(report, std::move(more));
}

void Run::fill_what_if(ReplayReport& report, const ReplayOptions& options) {
  WhatIfReport& what_if = *report.what_if;
  fill_recorded(what_if);
  what_if.width_unknown = options.objects.empty() && options.objects_at.empty() ? what_if.at_recorded_cap : 0;
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
    finish_first_pass();
    FirstPass::Item item;
    while (first_pass_.next(item)) {
      first_pass_.complete(item.joined, nullptr);
      attributes_.drop(item.joined.event.attributes);
      item.joined.event.attributes = 0;
      use_first_rules(item.joined.event);
      sink_->take(item.now, item.joined);
    }
    fill_recorded(report.what_if.emplace());
    observers_.agreement().fill(report.recorded);
    log.first = &engine_.start();
    log.end = first_pass_.last_arrival();
  }
  sink_->finish(log);
}

// A sink knows the rules of one server.
void Run::use_first_rules(PreparedEvent& event) const {
  if (context_.rules.size() == 1) return;
  if ((event.one_seat & 1) != 0) event.seat_kind = SeatKind::one;
  else if (event.seat_kind == SeatKind::list && context_.objects.size() <= 1)
    event.list_seats = numbers_.lists()[static_cast<std::size_t>(event.list_seats)].front();
  event.one_seat = 0;
}

void Run::fill_recorded(WhatIfReport& what_if) const {
  what_if.recorded_seats = run_context_.seats();
  what_if.seats_by_log = clock_.server_concurrency_limit().has_value();
  what_if.recorded_version = options_.recorded->version;
  what_if.found_by_replay = first_pass_.found_by_replay();
  what_if.given_similar = first_pass_.given_similar();
}

void Run::schedule(ReplayReport& report, const Side& side, const Pass& pass) {
  const ReplayOptions& options = side.options;
  flows_.clear_tallies();
  first_pass_.rewind(pass.execution_jitter, pass.seed);
  const EngineStart& first = engine_.start();
  ServerClock clock = clock_.without_log(first.recorded, options.seats_by_log);
  RunContext context{options,
                     context_.classifiers,
                     flows_,
                     clock,
                     numbers_.places(),
                     numbers_.lists(),
                     numbers_.requesters(),
                     numbers_.agents(),
                     &attributes_,
                     side.configuration};
  set_rules(context);
  const auto file = [&](OutputFile* of) -> OutputFile& { return pass.books && of ? *of : nowhere_; };
  Observers observers(context, file(side.decisions), file(side.timeline));
  if (pass.books) observe(observers, options, *pass.books);
  if (pass.traffic) observers.count(*pass.traffic);
  ClientModels models(options, numbers_.requesters(), &first_pass_, &links_, pass.by_log);
  Engine engine(context, observers, &models);
  for (const auto& [key, end] : first_pass_.standing_watches()) engine.add_standing_watch(key, end);
  EngineStart start = first;
  if (options.start) {
    start.known = EngineStart::Known::given;
    start.start =
        options.start->relative ? later(first_pass_.first_arrival(), options.start->value) : options.start->value;
  }
  start.start -= context.clock_shift();
  if (!first_pass_.empty()) engine.begin(first_pass_.first_arrival(), start);
  engine.set_log_end(first_pass_.last_arrival());
  ShakenPass requests(first_pass_, pass.arrival_jitter, pass.seed);
  FirstPass::Item item;
  while (requests.next(item)) {
    if (!models.is_sent_as_logged(item)) {
      context.drop_attributes(item.joined.event);
      continue;
    }
    first_pass_.complete(item.joined, nullptr);
    engine.take(item.now, item.joined, std::move(item.id_text));
  }
  engine.finish();
  engine.fill(report);
  if (pass.books) fill_books(report, options, *pass.books);
  engine.fill_what_if(report.what_if.emplace());
  report.what_if->replays = pass.replays;
}

// While their engine lasts.
void Run::fill_books(ReplayReport& report, const ReplayOptions& options, Books& books) {
  if (options.in_flight) return;
  if (options.metrics) report.metrics = books.metrics.families(flows_.schema_names(), numbers_.endpoints());
  report.metrics_over_time = books.scrapes.take();
  if (options.series) report.series = books.series.series();
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

void Run::read(Reader& reader) {
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
  too_long_ = !reader.is_interrupted() && window_ == options_.reorder_window && joiner_.sums().out_of_window > 0 &&
              longest() > window_ && can_be_read_again(options_) && decisions_.can_begin_again() &&
              timeline_.can_begin_again();
  if (too_long_) return;
  if (fill_ && !reader.is_interrupted()) add_filled(INT64_MAX);
  prelude_.finish();
  engine_.finish();
}

Run::Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline, const OtherSides& sides,
         EventSink* sink, Nanos join_window)
    : options_(options),
      window_(std::max(options.reorder_window, join_window)),
      sink_(sink),
      others_(sides.others),
      first_options_(first_options(options, sides)),
      first_writes_(sides.recorded != nullptr),
      first_pass_(options.service_floor, options.refused_execution, attributes_),
      links_(options.client_models, numbers_.requesters()),
      decisions_(decisions),
      timeline_(timeline),
      tracks_(sort_into_tracks(options)),
      joined_(are_joined(tracks_)),
      context_(context_of(options, sides)),
      flows_(context_.classifiers),
      numbers_(flows_, context_.several_estimates()),
      run_context_(first_context()),
      observers_(run_context_, first_options_ && !first_writes_ ? nowhere_ : decisions,
                 first_options_ && !first_writes_ ? nowhere_ : timeline),
      engine_(run_context_, observers_),
      prelude_(run_context_, engine_),
      joiner_(
          window_, window_ > options.reorder_window ? kMostMemory * options.reorder_limit : options.reorder_limit,
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
          joined_ ? Joiner<PreparedEvent>::Resolve([this](PreparedEvent& event) { resolve(event); }) : nullptr,
          options.reorder_window) {
  context_.joined = joined_;
  context_.keeps_shapes = sink_ != nullptr;
  if (first_options_) observers_.teach(first_pass_);
  if (!first_options_ || first_writes_) observe(observers_, run_context_.options, books_);
  if (options.fill) fill_.emplace(options, context_.classifiers, flows_, sink_ != nullptr);
  if (options.jitter > 0) joiner_.jitter(options.jitter, options.jitter_seed);
  if (!sink_ && may_be_undecided(options) && !can_be_read_again(options)) spool_.emplace(attributes_);
}

Run::~Run() = default;

ReplayReport Run::run() {
  ReplayReport report;
  first_pass();
  check_recorded_seats();
  Reader reader(tracks_, options_, [this] { return next_worker(); });
  read(reader);
  if (too_long_) return report;
  if (sink_) {
    hand_over(report);
  } else if (first_options_) {
    replay_again(report);
  } else {
    engine_.fill(report);
    fill_books(report, options_, books_);
  }
  reader.fill(report);
  if (first_options_ && is_interrupted()) report.interrupted = true;  // ranges would be too narrow
  fill(report);
  if (report.undecided && spool_ && !report.interrupted) report.others.push_back(replay_with_recorded_ends());
  return report;
}

void Run::fill(ReplayReport& report) {
  // The log's load was another one: it says nothing of this replay.
  if (!options_.scales.empty() && !first_options_) report.recorded = {};
  if (options_.all_flows) {
    report.all_flows = std::move(flows_.reports());
    std::erase_if(report.all_flows, [](const FlowReport& flow) { return flow.filled; });
  }
  fill_reading(report);
}

// What the log and its reading say.
void Run::fill_reading(ReplayReport& report) {
  report.server = options_.server;
  report.incomplete =
      completeness_.remarks([this](std::uint32_t client) { return numbers_.requesters()[client].user; });
  remark(joiner_.sums(), report);
  remark_zone(context_.zone, report);
  if (survey_.overfull()) report.warnings.push_back({.kind = RemarkKind::too_many_watches});
  if (report.join.joined) report.join.users_found = clients_ ? clients_->found() : 0;
}

namespace {

// What the log alone comes to.
void add_without_fill(const ReplayOptions& options, ReplayReport& report) {
  ReplayOptions plain = without_outputs(options);
  plain.fill.reset();
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
  Nanos longest = 0;
  {
    Run run(options, decisions, timeline);
    ReplayReport report = run.run();
    if (!run.has_too_long()) return report;
    longest = run.longest();
  }
  decisions.begin_again();
  timeline.begin_again();
  return Run(options, decisions, timeline, {}, nullptr, longest + Run::kJoinMargin).run();
}

ReplayReport read_into(const ReplayOptions& options, EventSink& sink) {
  OutputFile nowhere("");
  Nanos longest = 0;
  {
    Run run(options, nowhere, nowhere, {}, &sink);
    ReplayReport report = run.run();
    if (!run.has_too_long()) return report;
    longest = run.longest();
  }
  sink.begin_again();
  return Run(options, nowhere, nowhere, {}, &sink, longest + Run::kJoinMargin).run();
}

ReplayReport replay_into(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline) {
  check_releases(options);
  if (options.spread > 0 && !options.recorded) check_can_be_read_again(options, "a spread");
  if (options.fill) check_can_be_read_again(options, "a fill");
  if (!options.scales.empty()) check_can_be_scaled(options);
  if (options.clients_need_first_replay() && !options.recorded)
    throw Error(
        "how clients wait for their answers is found by replaying the log under the recorded configuration, which "
        "is missing");
  const bool once = options.spread > 0 && can_be_read_once(options);
  std::unique_ptr<const PreparedLog> log = once && is_for_report_alone(options) ? read_once(options) : nullptr;
  ReplayReport report = log ? log->replay(options) : replay_alone(options, decisions, timeline);
  if (once && !log && !report.interrupted) log = read_once(options);
  if (report.undecided && report.others.empty() && !report.interrupted) add_recorded_ends(options, report, log.get());
  if (options.fill && options.compare_fill && !report.interrupted) add_without_fill(options, report);
  if (options.spread > 0 && !options.recorded && !report.interrupted) add_spread(options, report, log.get());
  return report;
}

}  // namespace apf
