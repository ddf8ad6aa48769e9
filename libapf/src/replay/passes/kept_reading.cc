#include "replay/passes/kept_reading.h"

#include <algorithm>
#include <utility>

#include "classify/dialect.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/replay_into.h"
#include "replay/passes/run.h"
#include "replay/store/shaken_events.h"

namespace apf {

namespace {

ReplayOptions unmoved(ReplayOptions options) {
  options.jitter = 0;
  return options;
}

bool looks_at_all_fields(const PrepareContext& context) {
  return std::any_of(context.classifiers.begin(), context.classifiers.end(),
                     [](const auto& classifier) { return apf::looks_at_all_fields(*classifier); });
}

}  // namespace

// The log was prepared for all replays together; here it is as this one alone would have it.
class KeptReading::Source final : public RequestSource {
 public:
  Source(const KeptReading& log, const ReplayOptions& options, Classes classes)
      : log_(log),
        options_(options),
        classes_(std::move(classes)),
        context_(log.reader_.prepared_for()),
        by_name_(context_.keeps_names && !is_about_clients(options)),
        leaves_out_(classifies(options) && !context_.classifies),
        asks_inside_(options.event_rate_limit || options.limits_resources()),
        flows_(classes_ ? classes_->flows->frozen() : log.reader_.flows().frozen()),
        clock_(log.reader_.clock()) {
    if (classes_) context_.classifiers = classes_->classifiers;
  }

  void survey() override {}
  void read(Sink& sink) override;
  void finish() override {}
  void fill(ReplayReport& report) override {
    {
      const std::lock_guard lock(log_.filling_);
      log_.reader_.fill(report);
    }
    // The reader names those of its own options.
    std::erase_if(report.warnings, is_of_unused_entry);
    if (!report.interrupted)
      for (Remark& remark : unused_entries(options_, log_.reader_.numbers()))
        report.warnings.push_back(std::move(remark));
    report.server = options_.server;
    report.interrupted = report.interrupted || stopped_;
  }
  std::optional<Nanos> longer_window() const override { return std::nullopt; }
  bool has_requests_alone() const override { return false; }
  bool is_kept() const override { return true; }

  const PrepareContext& prepared_for() const override { return context_; }
  Flows& flows() override { return flows_; }
  const Shapes& shapes() const override { return log_.reader_.shapes(); }
  const NumberTables& numbers() const override { return by_name_ ? log_.by_name_ : log_.reader_.numbers(); }
  ServerClock& clock() override { return clock_; }
  Pool<AdmissionAttributes>& attributes() override { return attributes_; }

 private:
  const KeptReading& log_;
  const ReplayOptions& options_;
  const Classes classes_;  // null: flows are those of the reading's configurations
  PrepareContext context_;
  const bool by_name_, leaves_out_, asks_inside_;
  Flows flows_;
  ServerClock clock_;
  Pool<AdmissionAttributes> attributes_;
  bool stopped_ = false;
};

void KeptReading::Source::read(Sink& sink) {
  for (const auto& [key, end] : log_.spool_.standing_watches()) sink.add_standing_watch(key, end);
  EventSpool::Reader reader(log_.spool_, asks_inside_ ? &attributes_ : nullptr);
  auto next = [&](SpooledEvent& item) { return reader.next(item); };
  ShakenEvents<SpooledEvent, decltype(next)> events(next, options_.jitter, options_.jitter_seed);
  const std::vector<std::uint32_t>& name_of = log_.by_name_.name_of;
  SpooledEvent item;
  for (std::uint64_t taken = 1; !stopped_ && events.next(item); ++taken) {
    PreparedEvent& event = item.joined.event;
    if (by_name_ && event.requester < name_of.size()) event.requester = name_of[event.requester];
    if (leaves_out_ && event.unplaced && event.left_out == LeftOut::no) event.left_out = LeftOut::unclassified;
    sink.take(item.now, item.joined, std::move(item.id_text));
    // A reading that was interrupted is replayed as far as it came.
    stopped_ = taken % 4096 == 0 && !log_.reader_.is_interrupted() && is_interrupted(options_);
  }
}

KeptReading::KeptReading(const ReplayOptions& options, const OtherSides& sides, Nanos join_window, Flow flow)
    : options_(unmoved(options)),
      reader_(options_, sides, join_window, flow == Flow::of_shapes),
      by_all_fields_(looks_at_all_fields(reader_.prepared_for())),
      spool_(reader_.attributes()) {}

void KeptReading::read() {
  reader_.survey();
  reader_.read(*this);
  by_name_ = reader_.numbers();
  by_name_.requesters = by_name_.names;
}

void KeptReading::take(Nanos now, JoinedEvent& joined, std::string&& id_text) {
  now_ = now;
  spool_.append(now, joined, id_text);
  reader_.attributes().drop(joined.event.attributes);
}

KeptReading::Classes KeptReading::classify(const ReplayOptions& options, FlowBooks books) const {
  return reader_.prepared_for().keeps_shapes
             ? std::make_shared<const ShapeClasses>(options, reader_.shapes(), by_all_fields_, books)
             : nullptr;
}

std::unique_ptr<RequestSource> KeptReading::source(const ReplayOptions& options, const Classes& classes) const {
  return std::make_unique<Source>(*this, options, classes ? classes : classify(options));
}

ReplayReport KeptReading::replay_alone(const ReplayOptions& options, const Classes& classes) const {
  OutputFile no_decisions(""), no_timeline("");
  return Run(options, no_decisions, no_timeline, source(options, classes)).run();
}

ReplayReport KeptReading::replay(const ReplayOptions& options, const Classes& classes) const {
  check_options(options);
  ReplayReport report = replay_alone(options, classes);
  if (!report.undecided || !report.others.empty() || report.interrupted) return report;
  const ReplayOptions other_options = with_recorded_ends(options);
  ReplayReport other = replay_alone(other_options, classes);
  report.interrupted = other.interrupted;
  report.others.push_back(std::move(other));
  return report;
}

std::unique_ptr<KeptReading> read_and_keep(const ReplayOptions& options, KeptReading::Flow flow) {
  const std::vector<ReplayOptions> systems = {options};
  std::unique_ptr<KeptReading> kept;
  const auto read = [&](Nanos window) {
    return until_in_order(
        [&] {
          kept = std::make_unique<KeptReading>(options, OtherSides{.systems = systems}, window, flow);
          kept->read();
          return kept->longer_window();
        },
        [] {});
  };
  if (const std::optional<Nanos> longer = read(0)) read(*longer);
  return kept;
}

}  // namespace apf
