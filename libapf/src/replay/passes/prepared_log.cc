#include "replay/passes/prepared_log.h"

#include <apf/error.h>

#include <algorithm>

#include "base/process_limits.h"
#include "classify/dialect.h"
#include "replay/books/tally.h"
#include "replay/engine/central_run.h"
#include "replay/engine/prelude.h"
#include "replay/engine/run_options.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/kept_reading.h"
#include "replay/prepare/shape_classes.h"
#include "replay/store/shaken_events.h"

namespace apf {

// What the numbers of events mean, and what the log says of its server.
struct PreparedLog::Numbers {
  std::vector<std::shared_ptr<const RequestShape>> shapes;
  NumberTables tables;
  ServerClock clock;
  Nanos log_end = INT64_MIN;
};

struct PreparedLog::Classes : ShapeClasses {
  using ShapeClasses::ShapeClasses;
  std::optional<EngineStart> start;  // nothing: the log's
};

PreparedLog::~PreparedLog() = default;

const std::vector<std::shared_ptr<const RequestShape>>& PreparedLog::shapes() const { return numbers_->shapes; }
const NumberTables& PreparedLog::numbers() const { return numbers_->tables; }

const char* why_not_prepared(const ReplayOptions& options) {
  return options.event_rate_limit || options.limits_resources() ? "admission inside the handler"
         : !options.client_models.empty() || options.client_models_by_log || options.client_limits ? "clients that wait"
         : options.retries ? "clients that come back"
                           : nullptr;
}

namespace {

void check(const ReplayOptions& options) {
  check_releases(options);
  if (const char* what = why_not_prepared(options))
    throw Error(std::string("a log cannot be read once and replayed often together with ") + what);
}

struct Item {
  Nanos now = 0;
  JoinedEvent joined;
};

auto shaken(const CompactEvents& events, const ReplayOptions& options) {
  auto next = [reader = CompactEvents::Reader(events)](Item& item) mutable {
    return reader.next(item.now, item.joined);
  };
  return ShakenEvents<Item, decltype(next)>(std::move(next), options.jitter, options.jitter_seed);
}

bool depends_on_options(EngineStart::Known known) {
  return known == EngineStart::Known::fitted || known == EngineStart::Known::guessed;
}

// Without what moves or multiplies requests, and without outputs.
ReplayOptions of_log_alone(ReplayOptions options) {
  options.decisions_path.clear();
  options.timeline_path.clear();
  options.decision_fields.clear();
  options.metrics = options.series = options.all_flows = false;
  options.scales.clear();
  options.jitter = 0;
  options.clock_shift = 0;
  return options;
}

}  // namespace

PreparedLog::PreparedLog(const ReplayOptions& options, const KeptReading* reading)
    : events_(memory_for_logs(options.memory)) {
  check(options);
  const ReplayOptions own = of_log_alone(options);
  learned_ = own.recorded.has_value();
  by_all_fields_ = reading ? reading->by_all_fields() : looks_at_all_fields(Classifier(own.config));
  read_ = reading ? read_into(own, *this, reading->source(own)) : read_into(own, *this);
  if (!start_ && events_.size() > 0) start_ = find_start(own, *classify(own), foreseen_);
}

void PreparedLog::finish(const Log& log) {
  auto numbers = std::make_unique<Numbers>();
  numbers->shapes = log.shapes;
  numbers->tables = log.numbers;
  numbers->clock = log.clock;
  numbers->log_end = log.end;
  if (log.first && events_.size() > 0) start_ = *log.first;
  numbers_ = std::move(numbers);
}

std::shared_ptr<PreparedLog::Classes> PreparedLog::compile(const ReplayOptions& options, FlowBooks books) const {
  ReplayOptions own;
  own.config = options.config;
  own.config_changes = options.config_changes;
  return std::make_shared<Classes>(own, numbers_->shapes, by_all_fields_, books);
}

std::shared_ptr<const PreparedLog::Classes> PreparedLog::classify(const ReplayOptions& options, FlowBooks books) const {
  return compile(options, books);
}

std::shared_ptr<const PreparedLog::Classes> PreparedLog::classify_alone(const ReplayOptions& options) const {
  const std::shared_ptr<Classes> classes = compile(options, FlowBooks::of_flows);
  if (learned_ || !start_ || !depends_on_options(start_->known)) return classes;
  std::uint64_t events = 0;
  classes->start = find_start(of_log_alone(options), *classes, events);
  return classes;
}

std::vector<Remark> PreparedLog::unused_entries_of(const ReplayOptions& options) const {
  return read_.interrupted ? std::vector<Remark>() : unused_entries(options, numbers_->tables);
}

std::vector<PreparedLog::FlowPlace> PreparedLog::places_of_flows(const ReplayOptions& options) const {
  const std::shared_ptr<const Classes> classes = classify(options);
  const std::vector<Classifier::Level>& levels = classes->classifiers.front()->levels();
  const std::vector<std::string> schemas = classes->flows->schema_names();
  std::vector<FlowPlace> out;
  for (std::size_t flow = 0; flow < numbers_->shapes.size(); ++flow) {
    const Flows::Choice& choice = classes->flows->choice(static_cast<FlowId>(flow), 0);
    const Classifier::Level& level = levels[choice.level];
    out.push_back({user_of(*numbers_->shapes[flow]), schemas[choice.schema], level.name, level.exempt});
  }
  return out;
}

EngineStart PreparedLog::find_start(const ReplayOptions& options, const Classes& classes, std::uint64_t& events) const {
  Flows flows = classes.flows->frozen();
  ServerClock clock = numbers_->clock;
  const RunContext context{options, classes.classifiers, flows, clock, numbers_->tables};
  Engine engine(context);
  Prelude prelude(context, engine);
  CompactEvents::Reader reader(events_);
  Nanos now = 0;
  for (JoinedEvent joined; !prelude.over() && reader.next(now, joined); ++events) prelude.take(now, joined, {});
  prelude.finish();
  return engine.start();
}

// The start of a replay whose first request arrives at `first`, which may be earlier than the log says.
EngineStart PreparedLog::start_at(Nanos first, const ReplayOptions& options, const Classes& classes) const {
  EngineStart start = classes.start ? *classes.start : *start_;
  if (start.known == EngineStart::Known::guessed) start.start = first;
  if (learned_ && options.start) {
    start.known = EngineStart::Known::given;
    start.start = options.start->relative ? later(first, options.start->value) : options.start->value;
  }
  if (start.start > first)
    start.start = start.known == EngineStart::Known::given ? first : start.start - kBorrowingPeriod;
  start.start -= options.clock_shift;
  return start;
}

ReplayReport PreparedLog::replay(const ReplayOptions& options, const Classes& classes, const Decided& decided,
                                 const Experiment& experiment) const {
  check(options);
  if (!options.scales.empty()) check_can_be_scaled(options);
  Flows flows = classes.flows->frozen();
  ServerClock clock =
      learned_ && start_ ? numbers_->clock.without_log(start_->recorded, options.seats_by_log) : numbers_->clock;
  RunContext context{options, classes.classifiers, flows, clock, numbers_->tables};
  const RetryChains* const retries = retries_in(retries_, events_.size());
  const auto is_another = [&] {
    return learned_ && options.recorded && !is_recorded_server(options, read_.what_if->recorded_seats, context.seats());
  };
  if (retries && (options.leaves_out_retries || is_another())) context.retries = retries;
  else if (differs_from_log(options)) context.retries = &unknown_retries();
  Engine engine(context, {.over_time = options.series});
  for (const auto& [key, end] : standing_watches_) engine.add_standing_watch(key, end);
  ReplayReport report = read_;
  report.server = options.server;
  auto events = shaken(events_, options);
  Item item;
  bool more = events.next(item);
  if (more) {
    const EngineStart start = start_at(item.now, options, classes);
    if (!learned_ && (start.known == EngineStart::Known::given || context.clock_shift() != 0)) clock.stop_following();
    engine.begin(item.now, start);
    engine.set_log_end(numbers_->log_end);
  }
  if (more && !learned_) {
    auto ahead = shaken(events_, options);
    Item foreseen;
    for (std::uint64_t i = 0; i < foreseen_ && ahead.next(foreseen); ++i)
      if (foreseen.joined.kind == JoinedEvent::Kind::request) engine.foresee(foreseen.joined.event);
  }
  for (std::uint64_t taken = 0; more; more = events.next(item)) {
    if ((++taken & 0xfff) == 0 && is_interrupted(options)) {
      report.interrupted = true;
      break;
    }
    if ((taken & 0x3ff) == 0 && decided && decided(flows.reports())) break;
    if (!experiment || experiment(item.joined)) engine.take(item.now, item.joined, {});
  }
  engine.finish();
  engine.fill(report);
  if (learned_) report.recorded = read_.recorded;
  if (options.all_flows) {
    report.all_flows = std::move(flows.reports());
    drop_filled(report.all_flows);
  }
  return report;
}

bool PreparedLog::is_one_of_several(const ReplayOptions& options, const ReplayReport& report) const {
  return learned_ && options.candidates > 0 && events_.size() <= kShortLog && !nothing_waits(report);
}

}  // namespace apf
