#include "replay/passes/second_pass.h"

#include <utility>

#include "replay/books/tally.h"
#include "replay/engine/run_options.h"
#include "replay/passes/shaken_pass.h"

namespace apf {

namespace {

RunContext with_configuration(RunContext context, std::size_t configuration, const SecondPass::Kept& kept) {
  context.first_configuration = configuration;
  if (kept.retries && !is_recorded_server(context.options, kept.recorded_seats, context.seats()))
    context.retries = kept.retries;
  return context;
}

std::optional<Flows> frozen_unless(const Flows* given, RequestSource& reader) {
  return given ? std::nullopt : std::optional(reader.flows().frozen());
}

}  // namespace

SecondPass::SecondPass(RequestSource& reader, const Kept& kept, const ReplayOptions& options, std::size_t configuration,
                       bool by_log, const RunOutputs& outputs, Flows* flows)
    : clock_(reader.clock().without_log(kept.start.recorded, options.seats_by_log)),
      own_flows_(frozen_unless(flows, reader)),
      context_(with_configuration(reader.context(options, clock_, flows ? *flows : *own_flows_, attributes_),
                                  configuration, kept)),
      log_(kept.log),
      events_(log_, attributes_),
      models_(options, reader.numbers().requesters, &events_, &kept.links, by_log),
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
  events_.complete(item.joined, nullptr);
  engine_.take(item.now, item.joined, std::move(item.id_text));
}

void SecondPass::take_all(Nanos arrival_jitter, Nanos execution_jitter, std::uint64_t seed, std::uint64_t from) {
  events_.begin(execution_jitter, seed, from);
  ShakenPass requests(events_, arrival_jitter, seed);
  KeptLog::Item item;
  while (requests.next(item)) take(item);
}

ReplayReport SecondPass::finish(int replays) {
  engine_.set_log_end(log_.last_arrival());
  engine_.finish();
  ReplayReport report;
  WhatIfReport& what_if = report.what_if.emplace();
  what_if.replays = replays;
  what_if.given_similar = events_.given_similar();
  engine_.fill(report);
  if (!models_.react()) report.clients = models_.reports();
  return report;
}

std::vector<FlowReport> SecondPass::take_flows() {
  std::vector<FlowReport> out = std::move(context_.flows.reports());
  drop_filled(out);
  return out;
}

}  // namespace apf
