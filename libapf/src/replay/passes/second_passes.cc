#include "replay/passes/second_passes.h"

#include <apf/error.h>

#include "base/parallel.h"
#include "replay/books/traffic_book.h"
#include "replay/books/worst_case.h"
#include "replay/clients/client_entry.h"
#include "replay/clients/loop_places.h"
#include "replay/engine/central_run.h"

namespace apf {

namespace {

// The configuration and the server's own log must agree.
void check_limits(const Agreement& agreement) {
  if (!agreement.contradiction()) return;
  const Agreement::Contradiction& c = *agreement.contradiction();
  const std::string allowed = c.most < 0 ? "has no such priority level"
                                         : "allows it " + std::to_string(c.least) + " to " + std::to_string(c.most);
  throw Error("the server's own log gives priority level " + c.level + " " + std::to_string(c.seats) + " seats at " +
              format_rfc3339(c.time) + ", but the configuration that it is said to have had " + allowed +
              "; give the configuration with which the log was recorded");
}

// A sink knows the rules of one server.
void use_first_rules(PreparedEvent& event, const PrepareContext& prepared, const NumberTables& numbers) {
  if (prepared.rules.size() == 1) return;
  if ((event.one_seat & 1) != 0) event.seat_kind = SeatKind::one;
  else if (event.seat_kind == SeatKind::list && prepared.objects.size() <= 1)
    event.list_seats = numbers.lists[static_cast<std::size_t>(event.list_seats)].front();
  event.one_seat = 0;
}

}  // namespace

void check_recorded_seats(const RunContext& recorded) {
  const auto logged = recorded.clock.server_concurrency_limit();
  if (!logged || *logged == recorded.seats()) return;
  throw Error("the recorded server is said to have " + std::to_string(recorded.seats()) +
              " seats, but its own log says " + std::to_string(*logged) + "; leave the number out, or correct it");
}

// What its client does follows from the requests before.
void SecondPasses::keep(Nanos now, JoinedEvent& joined, std::string_view id_text, const RunContext& recorded) {
  const PreparedEvent& event = joined.event;
  links_.fetch(event);
  first_pass_.add(now, joined, id_text);
  if (!may_retry(joined)) return;
  retries_.add(event);
  const ClientLinks::Link link = links_.add(event, recorded.choice(event.flow, 0).level);
  if (!options_.retries && !options_.clients_need_first_replay()) return;
  if (link.before != ClientLinks::kNone) first_pass_.follow(link.before, link.think);
  if (link.retry_of != ClientLinks::kNone) first_pass_.repeat(link.retry_of);
}

void SecondPasses::begin(const RunContext& recorded, Engine& first) {
  check_recorded_seats(recorded);
  check_limits(first.agreement());
  first_pass_.finish();
  if (options_.clients_need_first_replay()) find_loop_places(first_pass_.log(), links_, uncounted_loops());
  start_ = first.start();
  recorded_seats_ = recorded.seats();
  first.agreement().fill(recorded_);
}

std::vector<bool> SecondPasses::uncounted_loops() const {
  std::vector<bool> out(std::min<std::size_t>(links_.requesters(), reader_.numbers().requesters.size()));
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const ClientLinks::Evidence evidence = links_.evidence(i);
    const ClientModelOf* asked = entry_of(options_.client_models, reader_.numbers().requesters[i]);
    const bool loop = asked ? asked->model == ClientModel::loop && asked->places == 0
                            : options_.client_models_by_log && evidence.model() == ClientModel::loop;
    out[i] = loop && evidence.waits();
  }
  return out;
}

bool SecondPasses::clients_may_wait() const {
  return options_.client_models_by_log &&
         ClientModels(options_, reader_.numbers().requesters, nullptr, &links_, true).any_by_log();
}

void SecondPasses::replay(ReplayReport& report, const Side& side) {
  std::vector<ReplayReport> more, others;
  if (clients_may_wait()) {
    ReplayOptions options = side.options;
    options.top = kMostListed;
    others.push_back(schedule_median({options, side.configuration}, {}, more));
    fill(others.back(), side.options);
  }
  std::optional<ReplayReport> begun = finish_early();
  report = begun ? std::move(*begun)
                 : schedule_median(side, {.by_log = side.options.client_models_by_log, .writes = true}, more);
  report.others = std::move(others);
  if (!side.options.all_flows) report.all_flows.clear();
  fill(report, side.options);
  if (side.options.spread > 0 && !is_interrupted()) add_ranges(report, side, std::move(more));
}

void SecondPasses::fill(ReplayReport& report, const ReplayOptions& options) const {
  WhatIfReport& what_if = *report.what_if;
  fill_recorded(what_if);
  what_if.width_unknown = options.objects.empty() && options.objects_at.empty() ? what_if.at_recorded_cap : 0;
  what_if.compared = report.recorded.compared;
  what_if.unchanged = report.recorded.agreed;
  for (Remark& remark : assumptions_of(what_if)) report.assumptions.push_back(std::move(remark));
  const bool by_log = options.client_models_by_log && !clients_may_wait();
  for (Remark& remark : assumptions_of_clients(report, by_log)) report.assumptions.push_back(std::move(remark));
  report.recorded = recorded_;
}

void SecondPasses::fill_recorded(WhatIfReport& what_if) const {
  what_if.recorded_seats = recorded_seats_;
  what_if.seats_by_log = reader_.clock().server_concurrency_limit().has_value();
  what_if.recorded_version = options_.recorded->version;
  what_if.found_by_replay = first_pass_.found_by_replay();
}

void SecondPasses::hand_over(EventSink& sink, EventSink::Log& log, ReplayReport& report) {
  KeptLog::Reader events(first_pass_.log(), reader_.attributes());
  events.begin(0, 0, 0);
  for (KeptLog::Item item; events.next(item);) {
    events.complete(item.joined, nullptr);
    reader_.attributes().drop(item.joined.event.attributes);
    item.joined.event.attributes = 0;
    use_first_rules(item.joined.event, reader_.prepared_for(), reader_.numbers());
    sink.take(item.now, item.joined);
  }
  fill_recorded(report.what_if.emplace());
  report.what_if->given_similar = events.given_similar();
  report.recorded = recorded_;
  log.first = &start_;
  log.end = first_pass_.log().last_arrival();
}

std::unique_ptr<SecondPass> SecondPasses::make_pass(const Side& side, const RunOutputs& outputs, bool by_log,
                                                    Flows* flows) const {
  const RetryChains* const retries = beside() ? &unknown_retries() : retries_in(retries_, first_pass_.log().size());
  const SecondPass::Kept kept{first_pass_.log(), links_, retries, start_, recorded_seats_};
  return std::make_unique<SecondPass>(reader_, kept, side.options, side.configuration, by_log, outputs, flows);
}

SecondPasses::Result SecondPasses::schedule(const Side& side, const Pass& pass) const {
  std::optional<TrafficBook> traffic;
  if (pass.compared_with) traffic.emplace(*pass.compared_with);
  RunOutputs outputs{.traffic = traffic ? &*traffic : nullptr};
  if (pass.writes) outputs = {side.decisions, side.timeline, true, nullptr, outputs.traffic};
  const std::unique_ptr<SecondPass> scheduled = make_pass(side, outputs, pass.by_log, nullptr);
  scheduled->take_all(pass.arrival_jitter, pass.execution_jitter, pass.seed, 0);
  Result out;
  out.report = scheduled->finish(pass.replays);
  if (traffic) {
    out.subjects = traffic->subjects(scheduled->context(), out.report);
    out.moved = traffic->moved(scheduled->context());
  }
  out.report.all_flows = scheduled->take_flows();
  return out;
}

std::optional<ReplayReport> SecondPasses::finish_early() {
  if (!beside()) return std::nullopt;
  PassBeside::Result begun = beside()->finish();
  beside_.queue.reset();
  for (const FirstPass::Block& block : begun.left) first_pass_.log().keep(*block);
  if (!begun.pass) return std::nullopt;
  begun.pass->take_all(0, 0, 0, begun.next);
  ReplayReport out = begun.pass->finish(1);
  out.all_flows = begun.pass->take_flows();
  return out;
}

void SecondPasses::allow_early() {
  if (options_.spread > 0 || !options_.dump_at.empty() || !nothing_but_the_server_decides(options_) ||
      thread_count(options_.threads) == 1 || !reader_.has_requests_alone())
    return;
  beside_.queue = std::make_shared<PassBeside>(kShortLog + 1);
  first_pass_.hand_over_to([this](const FirstPass::Block& block) { return beside()->take(block); });
}

void SecondPasses::begin_early(const EngineStart& first, int seats, OutputFile& decisions, OutputFile& timeline) {
  start_ = first;
  recorded_seats_ = seats;
  beside()->start(
      make_pass({options_, 0, &decisions, &timeline}, {&decisions, &timeline, true}, false, &reader_.flows()));
}

}  // namespace apf
