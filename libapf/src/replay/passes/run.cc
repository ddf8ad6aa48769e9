#include "replay/passes/run.h"

#include <algorithm>

#include "replay/books/tally.h"
#include "replay/engine/request_reader.h"
#include "replay/passes/contradiction.h"

namespace apf {

namespace {

// With two threads both are busy, the one with putting requests in order and scheduling them, the other with reading.
bool may_run_beside(const ReplayOptions& options, const RequestSource& source) {
  constexpr int kLeastThreads = 3;
  return thread_count(options.threads) >= kLeastThreads && nothing_but_the_server_decides(options) &&
         source.has_requests_alone();
}

}  // namespace

Run::Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline, Nanos join_window, EventSink* sink,
         const OtherSides& sides)
    : Run(options, decisions, timeline, std::make_unique<RequestReader>(options, sides, join_window, sink != nullptr),
          sink) {}

Run::Run(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline,
         std::unique_ptr<RequestSource> source, EventSink* sink)
    : options_(options),
      sink_(sink),
      decisions_(decisions),
      timeline_(timeline),
      first_options_(first_options(options)),
      reader_(std::move(source)),
      context_(first_context()),
      engine_(context_, first_outputs()),
      prelude_(context_, engine_) {
  const bool once = !reader_->is_kept() && !can_be_read_again(options);
  if (!sink_ && (may_be_undecided(options) || differs_from_log(options)) && once) spool_.emplace(reader_->attributes());
}

RunContext Run::first_context() {
  RunContext context = reader_->context(first_options_ ? *first_options_ : options_, reader_->clock());
  if (differs_from_log(options_)) context.retries = &unknown_retries();
  if (!first_options_) return context;
  context.attributes = nullptr;  // they are for the second pass
  context.first_configuration = recorded_configuration(options_);
  context.log_sets_clock = true;
  return context;
}

RunOutputs Run::first_outputs() {
  RunOutputs outputs;
  if (!first_options_) outputs = {&decisions_, &timeline_, true};
  outputs.report = !first_options_;
  if (first_options_) outputs.first_pass = &passes_.emplace(options_, *reader_).first_pass();
  return outputs;
}

void Run::add_standing_watch(WatchKey key, Nanos end) {
  engine_.add_standing_watch(key, end);
  if (sink_) sink_->add_standing_watch(key, end);
  if (passes_) passes_->first_pass().add_standing_watch(key, end);
  if (spool_) spool_->add_standing_watch(key, end);
}

void Run::take(Nanos now, JoinedEvent& joined, std::string&& id_text) {
  if (sink_ && !passes_) return sink_->take(now, joined);
  if (spool_) spool_->append(now, joined, id_text);
  if (engine_beside_) engine_beside_->take(now, joined, std::move(id_text));
  else schedule(now, joined, std::move(id_text));
}

void Run::schedule(Nanos now, JoinedEvent& joined, std::string&& id_text) {
  if (passes_) passes_->keep(now, joined, id_text, context_);
  prelude_.take(now, joined, std::move(id_text));
  if (passes_ && passes_->beside() && passes_->beside()->wants_pass() && prelude_.over())
    passes_->begin_early(engine_.start(), context_.seats(), decisions_, timeline_);
}

std::optional<Nanos> Run::longer_window() const {
  if (!decisions_.can_begin_again() || !timeline_.can_begin_again()) return std::nullopt;
  return reader_->longer_window();
}

SideWorks Run::side_work() {
  SideWorks out;
  if (engine_beside_) out.push_back(engine_beside_.queue);
  if (passes_ && passes_->beside()) out.push_back(passes_->beside());
  return out;
}

void Run::read_logs() {
  try {
    reader_->read(*this);
  } catch (...) {
    // What the engine throws comes before what its log goes on to do.
    if (engine_beside_) engine_beside_->finish();
    throw;
  }
  if (engine_beside_) engine_beside_->finish();
}

bool Run::read() {
  reader_->survey();
  if (passes_) check_recorded_seats(context_);
  if ((!sink_ || passes_) && may_run_beside(options_, *reader_))
    engine_beside_.queue = std::make_shared<EngineBeside>(
        [this](Nanos now, JoinedEvent& joined, std::string&& id_text) { schedule(now, joined, std::move(id_text)); });
  read_logs();
  if (longer_window()) return false;
  reader_->finish();
  prelude_.finish();
  engine_.finish();
  return true;
}

ReplayReport Run::run() {
  ReplayReport report;
  if (passes_ && !sink_) passes_->allow_early();
  if (!read()) return report;
  if (passes_) passes_->begin(context_, engine_);
  if (sink_) hand_over(report);
  else if (passes_) passes_->replay(report, {options_, 0, &decisions_, &timeline_});
  else engine_.fill(report);
  reader_->fill(report);
  if (passes_ && is_interrupted(options_)) report.interrupted = true;  // ranges would be too narrow
  if (options_.all_flows && !passes_) {
    // A replay with recorded ends has these flows, too.
    report.all_flows = spool_ ? reader_->flows().reports() : std::move(reader_->flows().reports());
    drop_filled(report.all_flows);
  }
  if (!spool_ || report.interrupted) return report;
  if (report.undecided) report.others.push_back(replay_again(with_recorded_ends(options_)));
  if (differs_from_log(options_))
    hold_against_log(options_, report, [this](const ReplayOptions& own) { return replay_again(own); });
  return report;
}

void Run::hand_over(ReplayReport& report) {
  EventSink::Log log{reader_->shapes(), reader_->numbers(), reader_->clock(), nullptr, INT64_MIN};
  if (passes_) passes_->hand_over(*sink_, log, report);
  sink_->finish(log);
}

ReplayReport Run::replay_again(const ReplayOptions& options) {
  reader_->flows().clear_tallies();
  const RunContext context = reader_->context(options, whole_clock_);
  Engine engine(context);
  for (const auto& [key, end] : spool_->standing_watches()) engine.add_standing_watch(key, end);
  Prelude prelude(context, engine);
  EventSpool::Reader events(*spool_, &reader_->attributes());
  const bool leaves_out = classifies(options) && !classifies(options_);
  for (SpooledEvent item; events.next(item);) {
    PreparedEvent& event = item.joined.event;
    if (leaves_out && event.unplaced && event.left_out == LeftOut::no) event.left_out = LeftOut::unclassified;
    prelude.take(item.now, item.joined, std::move(item.id_text));
  }
  prelude.finish();
  engine.finish();
  ReplayReport report;
  engine.fill(report);
  report.all_flows = reader_->flows().reports();
  return report;
}

}  // namespace apf
