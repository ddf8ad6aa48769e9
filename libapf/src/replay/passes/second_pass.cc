#include "replay/passes/second_pass.h"

#include <utility>

#include "replay/passes/shaken_pass.h"

namespace apf {

namespace {

RunContext context_of_pass(RequestSource& reader, const ReplayOptions& options, ServerClock& clock,
                           std::size_t configuration) {
  RunContext context = reader.context(options, clock);
  context.first_configuration = configuration;
  return context;
}

}  // namespace

SecondPass::SecondPass(RequestSource& reader, const Kept& kept, const ReplayOptions& options, std::size_t configuration,
                       bool by_log, const RunOutputs& outputs)
    : clock_(reader.clock().without_log(kept.start.recorded, options.seats_by_log)),
      context_(context_of_pass(reader, options, clock_, configuration)),
      log_(kept.log),
      models_(options, reader.numbers().requesters, &log_, &kept.links, by_log),
      engine_(context_, outputs, models_.react() ? &models_ : nullptr) {
  for (const auto& [key, end] : log_.standing_watches()) engine_.add_standing_watch(key, end);
  if (!log_.empty()) begin(kept.start);
}

void SecondPass::begin(EngineStart start) {
  if (const auto& given = context_.options.start) {
    start.known = EngineStart::Known::given;
    start.start = given->relative ? later(log_.first_arrival(), given->value) : given->value;
  }
  start.start -= context_.clock_shift();
  engine_.begin(log_.first_arrival(), start);
}

void SecondPass::take(KeptLog::Item& item) {
  if (models_.react() && !models_.is_sent_as_logged(item)) return context_.drop_attributes(item.joined.event);
  log_.complete(item.joined, nullptr);
  engine_.take(item.now, item.joined, std::move(item.id_text));
}

void SecondPass::take_all(Nanos jitter, std::uint64_t seed) {
  ShakenPass requests(log_, jitter, seed);
  KeptLog::Item item;
  while (requests.next(item)) take(item);
}

void SecondPass::finish(ReplayReport& report) {
  engine_.set_log_end(log_.last_arrival());
  engine_.finish();
  engine_.fill(report);
  if (!models_.react()) report.clients = models_.reports();
}

}  // namespace apf
