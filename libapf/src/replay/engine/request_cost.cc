#include "replay/engine/request_cost.h"

#include <algorithm>

#include "base/releases.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

// What each seat that a write takes for its watches is worth.
constexpr Nanos kFinalSeatTime = 5 * kMillisecond;

// Shorter ones come without a full level, too: a queue is passed in some microseconds, and what is left of a total
// without the execution is the server's own work. How long a watch took to begin may be its initialization.
bool shows_wait(const PreparedEvent& event) {
  return !event.watch && event.queue_wait != kNoTime && event.queue_wait > kMillisecond;
}

}  // namespace

SeatRules seat_rules(const ReplayOptions& options) {
  SeatRules rules = SeatRules::of(options.version);
  rules.bytes_of_lists = options.list_widths.bytes > 0;
  if (options.consistent_list_from_cache) rules.consistent_list_from_cache = *options.consistent_list_from_cache;
  return rules;
}

RequestCost::RequestCost(const RunContext& context, const Watches& watches)
    : options_(context.options),
      has_handler_stages_(options_.event_rate_limit || options_.limits_resources()),
      lists_(context.numbers.lists),
      watches_(watches),
      rules_(seat_rules(context.options)),
      rule_set_(context.rule_set),
      rule_sets_(context.rule_sets),
      estimates_exempt_(has(context.options.version, Feature::exempt_level_has_seats)),
      scaler_(context),
      widths_{options_.list_widths} {}

void RequestCost::begin(const RunTime& time, Nanos overhead) {
  overhead_ = overhead;
  const std::size_t first = options_.objects.empty() ? 0 : 1;
  for (std::size_t i = 0; i < options_.objects_at.size(); ++i)
    scrapes_.emplace_back(time.resolve(options_.objects_at[i].first), first + i);
  sort_stably(scrapes_, [](const auto& a, const auto& b) { return a.first < b.first; });
  if (first == 0 && !scrapes_.empty()) scrape_ = scrapes_.front().second;
}

void RequestCost::foresee(const PreparedEvent& event, std::uint32_t schema) {
  if (event.left_out != LeftOut::no || event.watch || event.recorded_refusal) return;
  Nanos time = logged_execution(event, overhead_);
  // The server records the wait only above half a second; below, all of the time may have been execution.
  if (time == kNoTime && event.stage_time != kNoTime && event.stage_time - event.received < kSecond / 2)
    time = event.stage_time - event.received;
  if (time != kNoTime && time >= 0) services_.foresee(schema, event.service, time);
}

void RequestCost::note(const PreparedEvent& event) {
  if (event.copy != 0) return;
  refusals_in_log_ += event.recorded_refusal ? 1 : 0;
  waits_in_log_ += shows_wait(event) ? 1 : 0;
}

std::optional<UndecidedReport> RequestCost::undecided_report() const {
  if (undecided_ == 0 || waits_in_log_ + refusals_in_log_ == 0) return std::nullopt;
  return UndecidedReport{waits_in_log_, refusals_in_log_, without_wait_, {}};
}

int RequestCost::list_estimate(const PreparedEvent& event, Nanos now) {
  const std::size_t counts = options_.objects_at.size() + (options_.objects.empty() ? 0 : 1);
  if (counts <= 1 && rule_sets_ == 1) return event.list_seats;
  for (; next_scrape_ < scrapes_.size() && scrapes_[next_scrape_].first <= now; ++next_scrape_)
    scrape_ = scrapes_[next_scrape_].second;
  return lists_[static_cast<std::size_t>(event.list_seats)][rule_set_ * std::max<std::size_t>(counts, 1) + scrape_];
}

// What follows a write keeps its work, on as many seats as the level allows.
void RequestCost::fit_final_seats(WorkEstimate& work, int most) {
  if (work.final_seats <= 0 || work.additional_latency <= 0) return;
  const double seat_time = static_cast<double>(work.final_seats) * static_cast<double>(work.additional_latency);
  const int wanted = static_cast<int>(seat_time / static_cast<double>(kFinalSeatTime) + 0.5);
  if (wanted > most) {
    ++too_wide_;
    wanted_ = wanted;
  }
  work.final_seats = std::clamp(wanted, 1, std::max(most, 1));
  work.additional_latency = static_cast<Nanos>(seat_time / work.final_seats);
}

int RequestCost::seats_of_list(const PreparedEvent& event, std::optional<int> given, Nanos now) {
  int estimate = list_estimate(event, now);
  if (rules_.bytes_of_lists) {
    const ListSize size = ListSize::unpacked(estimate);
    if (size.known) {
      ++widths_.by_bytes;
      list_bytes_ = size.bytes;
      const std::int64_t each = options_.list_widths.bytes;
      return static_cast<int>(std::min<std::int64_t>(size.bytes / each + (size.bytes % each > 0 ? 1 : 0), kAllSeats));
    }
    estimate = size.seats;
  }
  // What another configuration allowed may be less than it needs.
  const bool has_counts = !options_.objects.empty() || !options_.objects_at.empty();
  if (given && event.learned && event.at_cap && has_counts) return std::max(*given, estimate);
  return given.value_or(estimate);
}

// The level's cap holds for what another configuration allowed, too.
WorkEstimate RequestCost::list_work(const PreparedEvent& event, WorkEstimate work, const LevelLimits& limits,
                                    Nanos now) {
  const int asked = options_.list_widths.most;
  const int of_release = std::max(effective_max_seats(limits.max_seats, rules_.max_list_seats), 1);
  const int most = asked > 0 ? std::max(effective_max_seats(limits.max_seats, asked), 1) : of_release;
  const int seats =
      seats_of_list(event, event.has_fixed_seats ? std::optional<int>(work.initial_seats) : std::nullopt, now);
  if (event.learned && event.at_cap) ++at_cap_;
  if (event.learned && seats > most) ++too_wide_;
  if (seats > most && seats != kAllSeats) wanted_ = seats;
  work.initial_seats = std::clamp(seats, 1, most);
  if (event.watch) return work;
  ++widths_.lists;
  if (std::min(seats, of_release) > most) ++widths_.cut;
  return work;
}

WorkEstimate RequestCost::write_work(const PreparedEvent& event, WorkEstimate work, const LevelLimits& limits) {
  if (!event.has_fixed_seats && event.keys.count > 0 && watches_.any()) {
    const std::int64_t watches = watches_.count(event.keys);
    const std::int64_t wanted = wanted_final_seats(watches);
    work = mutating_estimate(watches, limits.max_seats, rules_);
    if (wanted > work.final_seats) wanted_ = static_cast<int>(std::min<std::int64_t>(wanted, kAllSeats));
  } else if (event.has_fixed_seats && event.learned) {
    fit_final_seats(work, effective_max_seats(limits.max_seats, rules_.max_mutating_seats));
  }
  return work;
}

WorkEstimate RequestCost::estimate(const PreparedEvent& event, const LevelLimits& limits, Nanos now) {
  wanted_ = 0;
  list_bytes_ = 0;
  WorkEstimate work;
  if (event.has_fixed_seats) work = event.fixed;
  const SeatKind kind = (event.one_seat >> rule_set_ & 1) != 0 ? SeatKind::one : event.seat_kind;
  if (kind == SeatKind::list && !event.has_fixed_seats) ++list_estimates_;
  const bool other_width = kind == SeatKind::list && options_.list_widths.any();
  if (event.has_fixed_seats && !event.http && !event.learned && !other_width) return work;
  if (limits.exempt && !estimates_exempt_) return work;
  if (kind == SeatKind::list) return list_work(event, work, limits, now);
  if (kind == SeatKind::mutating) return write_work(event, work, limits);
  return work;
}

Nanos RequestCost::typical(const LiveRequest& request) {
  ++given_typical_;
  if (request.event.recorded_refusal) ++refused_in_log_;
  if (options_.refused_execution) return *options_.refused_execution;
  return services_.typical(request.schema, request.event.service, options_.service_floor);
}

Nanos RequestCost::end_of(const LiveRequest& request, Nanos now) {
  Nanos end = recorded_or_typical_end(request, now);
  if (scaler_.any() && !request.event.watch)
    end = later(now, static_cast<Nanos>(static_cast<double>(end - now) * scaler_.factor(request)));
  // Who is refused inside the handler gets the answer at once.
  return request.outcome == Outcome::executed ? end : std::min(end, later(now, options_.service_floor));
}

Nanos RequestCost::end_without_wait(const PreparedEvent& event, Nanos now) {
  ++without_wait_;
  const Nanos total = std::max<Nanos>(event.stage_time - event.received, 0);
  const Nanos recorded_end = std::max(later(now, std::min(options_.service_floor, total)), event.stage_time);
  if (options_.unknown_waits == UnknownWaits::recorded_ends) return recorded_end;
  const Nanos end = later(now, total);
  undecided_ += recorded_end != end ? 1 : 0;
  return end;
}

// What a watch holds seats for: its initialization. The log has it, or when its first bytes were sent: until then it
// waited, or was initialized. Others take as long as those like them.
Nanos RequestCost::end_of_watch(const LiveRequest& request, Nanos now) {
  const PreparedEvent& event = request.event;
  const Nanos began = event.stage == Stage::response_started && event.stage_time != kNoTime && !event.recorded_refusal
                          ? event.stage_time - event.received
                          : 0;
  Nanos end;
  if (event.execution != kNoTime) {
    end = later(now, std::max<Nanos>(event.execution, 0));
  } else if (began >= kSecond / 2) {  // what is shorter may be of the handler alone
    end = event.queue_wait == kNoTime ? end_without_wait(event, now)
                                      : later(now, std::max(options_.service_floor, began - event.queue_wait));
  } else {
    const Nanos typical = inits_.typical(request.schema, event.service, kNoTime);
    if (typical != kNoTime) return later(now, typical);
    ++watches_without_init_;
    refused_watches_ += event.recorded_refusal;
    return later(now, options_.watch_init);
  }
  if (!event.learned && event.copy == 0) inits_.add(request.schema, event.service, end - now);
  return end;
}

Nanos RequestCost::recorded_or_typical_end(const LiveRequest& request, Nanos now) {
  const PreparedEvent& event = request.event;
  if (event.watch) return end_of_watch(request, now);
  if (request.refused_inside_in_log)
    return later(now, request.outcome == Outcome::executed ? typical(request) : options_.service_floor);
  Nanos end;
  if (event.execution != kNoTime) {
    if (event.learned && event.recorded_refusal && !event.comes_back) ++refused_in_log_;
    end = later(now, std::max<Nanos>(logged_execution(event, overhead_), 0));
  } else if (event.recorded_refusal || request.unfinished || event.stage_time == kNoTime) {
    return later(now, typical(request));
  } else if (event.queue_wait != kNoTime) {
    end = later(now, std::max(options_.service_floor, logged_execution(event, overhead_)));
  } else {
    end = end_without_wait(event, now);
  }
  // Of a second pass all executions are known, but of those that a stage inside the handler refused in the log.
  if (!event.filled && event.copy == 0 && (!event.learned || has_handler_stages_))
    services_.add(request.schema, event.service, end - now);
  return end;
}

ServiceFacts RequestCost::facts() const {
  ServiceFacts facts;
  facts.overhead = overhead_;
  facts.service_floor = options_.service_floor;
  if (options_.unknown_waits == UnknownWaits::recorded_ends) facts.anchored = without_wait_;
  if (undecided_ > 0 && !undecided_report()) facts.totals = without_wait_;
  facts.given_typical = given_typical_;
  facts.refused_in_log = refused_in_log_;
  facts.typical = options_.refused_execution;
  facts.retries = options_.retries;
  facts.watches_without_init = watches_without_init_;
  facts.refused_watches = refused_watches_;
  facts.watch_init = options_.watch_init;
  if (options_.objects.empty() && options_.objects_at.empty()) facts.lists_without_counts = list_estimates_;
  facts.lists = widths_.lists;
  if (options_.list_widths.bytes > 0) facts.lists_of_unknown_bytes = widths_.lists - widths_.by_bytes;
  return facts;
}

}  // namespace apf
