#include "replay/second_pass.h"

#include <utility>

#include "replay/shaken_pass.h"

namespace apf {

SecondPass::SecondPass(const RunContext& like, ServerClock clock, KeptLog& log, const ClientLinks& links, bool by_log,
                       OutputFile& decisions, OutputFile& timeline)
    : clock_(std::move(clock)),
      context_{like.options,        like.classifiers, like.flows,    clock_,          like.places,
               like.lists,          like.requesters,  like.agents,   like.attributes, like.first_configuration,
               like.log_sets_clock, like.rule_set,    like.rule_sets},
      log_(log),
      observers_(context_, decisions, timeline),
      models_(context_.options, context_.requesters, &log, &links, by_log),
      engine_(context_, observers_, models_.react() ? &models_ : nullptr) {}

void SecondPass::begin(const EngineStart& first) {
  for (const auto& [key, end] : log_.standing_watches()) engine_.add_standing_watch(key, end);
  if (log_.empty()) return;
  EngineStart start = first;
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
  engine_.fill_what_if(report.what_if.emplace());
}

}  // namespace apf
