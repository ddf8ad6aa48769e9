#include "replay/books/agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/hash.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::size_t kMostCounted = 10;
constexpr std::size_t kCutNames = 64;  // HTTP lines cut names there
// A refusal before that was one at once: the server may take its time over the answer.
constexpr Nanos kAtOnce = 100 * kMillisecond;

bool same_name(const std::string& logged, const std::string& name) {
  return logged == name || (logged.size() == kCutNames && name.starts_with(logged));
}

Fared result_in_log(const PreparedEvent& event) {
  if (!event.recorded_refusal) return Fared::served;
  const Nanos wait = event.queue_wait != kNoTime && !event.derived_wait ? event.queue_wait
                     : event.stage_time != kNoTime                      ? event.stage_time - event.received
                                                                        : 0;
  return wait < kAtOnce ? Fared::refused_at_once : Fared::refused_after_wait;
}

Fared result_here(Outcome outcome) {
  if (outcome == Outcome::executed) return Fared::served;
  return is_refused_after_wait(outcome) ? Fared::refused_after_wait : Fared::refused_at_once;
}

// Those of one frequency stay in their order.
template <class Counted>
void keep_most_frequent(std::vector<Counted>& counted) {
  sort_stably(counted, [](const Counted& a, const Counted& b) { return a.requests > b.requests; });
  if (counted.size() > kMostCounted) counted.resize(kMostCounted);
}

// Means are weighed by how many there are.
double mean_of_both(double a, std::uint64_t of_a, double b, std::uint64_t of_b) {
  const auto m = static_cast<double>(of_a), n = static_cast<double>(of_b);
  return m + n == 0 ? 0 : (a * m + b * n) / (m + n);
}

}  // namespace

LastArrivals::Counts& LastArrivals::at(Nanos arrival) {
  const Nanos number = arrival / width_;
  Slot& slot = slots_[static_cast<std::uint64_t>(number) % std::size(slots_)];
  if (slot.number < number) slot = {number, {}};
  return slot.number == number ? slot.counts : earlier_;
}

LastArrivals::Counts LastArrivals::sum(Nanos end) const {
  Counts out;
  for (const Slot& slot : slots_) {
    if (slot.number == INT64_MIN || slot.number < end / width_ - static_cast<Nanos>(kSlots)) continue;
    out.refused_log += slot.counts.refused_log;
    out.refused_replay += slot.counts.refused_replay;
    out.waits += slot.counts.waits;
    out.wait_log += slot.counts.wait_log;
    out.wait_replay += slot.counts.wait_replay;
  }
  return out;
}

bool Agreement::alike(std::uint32_t place, std::uint32_t flow) const {
  return same_name(numbers_.places[place].flow_schema, flows_[flow].flow_schema) &&
         same_name(numbers_.places[place].priority_level, flows_[flow].priority_level);
}

Agreement::Level& Agreement::add_level(std::uint32_t flow) {
  if (level_of_flow_.size() <= flow) level_of_flow_.resize(flows_.size());
  return *(level_of_flow_[flow] = &levels_.try_emplace(flows_[flow].priority_level, longest_wait_).first->second);
}

void Agreement::compare_any(const PreparedEvent& event, std::uint32_t flow, Outcome outcome, Nanos wait,
                            Nanos overhead) {
  const bool has_place = event.recorded != 0 && !event.fixed_flow;
  const bool by_hand = is_by_hand(event);
  if (by_hand && !has_place) return;
  bool agrees = true;
  if (has_place) {
    const std::uint64_t key = static_cast<std::uint64_t>(event.recorded - 1) << 32 | flow;
    ++classified_[key];
    ++counts_.classified;
    agrees = alike(event.recorded - 1, flow);
    if (agrees) ++counts_.classified_alike;
  }
  ++counts_.compared;
  if (by_hand) {
    counts_.agreed += agrees ? 1 : 0;
    return;
  }
  Level& level = level_of(flow);
  LastArrivals::Counts& last = level.last.at(event.received);
  const Fared in_log = result_in_log(event), here = result_here(outcome);
  ++counts_.outcomes[static_cast<int>(in_log)][static_cast<int>(here)];
  const bool refused_log = in_log != Fared::served, refused_here = here != Fared::served;
  counts_.agreed += agrees && refused_log == refused_here ? 1 : 0;
  counts_.hung_up += event.hung_up ? 1 : 0;
  level.refused_log += refused_log ? 1 : 0;
  last.refused_log += refused_log ? 1 : 0;
  if (refused_log) {
    if (refused_of_.size() <= event.requester) refused_of_.resize(event.requester + 1);
    ++refused_of_[event.requester];
  }
  level.refused_replay += refused_here ? 1 : 0;
  last.refused_replay += refused_here ? 1 : 0;
  if (keeps_misfit_ && refused_log && event.queue_wait != kNoTime && !event.derived_wait)
    add_misfit(event, level, event.queue_wait, wait);
  if (event.queue_wait == kNoTime || refused_log) return;
  const Nanos recorded = event.derived_wait ? std::max<Nanos>(0, event.queue_wait - overhead) : event.queue_wait;
  if (keeps_misfit_) add_misfit(event, level, recorded, wait);
  if (!refused_here) {
    level.wait_log.add(recorded);
    level.wait_replay.add(wait);
    counts_.wait_error.add(std::abs(wait - recorded));
    ++counts_.waits_compared;
    const double seconds_log = static_cast<double>(recorded) / 1e9, seconds_here = static_cast<double>(wait) / 1e9;
    recorded_wait_sum_ += seconds_log;
    replayed_wait_sum_ += seconds_here;
    LastArrivals::Counts& waits = last_waits_.at(event.received);
    ++waits.waits;
    waits.wait_log += seconds_log;
    waits.wait_replay += seconds_here;
  }
}

void Agreement::compare_limits(const Round& round, const ServerClock& clock, const Controller& controller) {
  const ServerClock::Burst* logged = clock.at(round.time);
  if (!logged) return;
  for (const auto& [name, limit] : logged->limits) {
    const auto level = std::find_if(round.levels.begin(), round.levels.end(), [&, &name = name](const LevelRound& r) {
      return controller.level_name(r.level) == name;
    });
    const bool known = level != round.levels.end();
    if (known) {
      ++limits_compared_;
      limits_alike_ += level->current_cl == limit ? 1 : 0;
    }
    const bool allowed =
        known && (controller.limits(level->level).exempt || (limit >= level->min_cl && limit <= level->max_cl));
    if (allowed || contradiction_) continue;
    contradiction_ = {round.time, name, limit, known ? level->min_cl : -1, known ? level->max_cl : -1};
  }
}

// A request refused here waited, too: it counts for what fits.
void Agreement::add_misfit(const PreparedEvent& event, const Level& level, Nanos recorded, Nanos wait) {
  const std::uint64_t second = static_cast<std::uint64_t>(event.received / kSecond);
  fit_[mix64(second, reinterpret_cast<std::uintptr_t>(&level))] += static_cast<double>(wait - recorded) / 1e9;
}

double Agreement::misfit() const {
  // Added up in order of size, since the map's order is no one's.
  std::vector<double> parts;
  for (const auto& [key, sum] : fit_) parts.push_back(std::abs(sum));
  std::sort(parts.begin(), parts.end());
  double misfit = 0;
  for (const double part : parts) misfit += part;
  return misfit;
}

void Agreement::fill(RecordedReport& report) const {
  report = counts_;
  report.compared += served_in_both_;
  report.agreed += served_in_both_;
  report.outcomes[static_cast<int>(Fared::served)][static_cast<int>(Fared::served)] += served_in_both_;
  for (int log = 0; log < 3; ++log) {
    for (int here = 0; here < 3; ++here) {
      const std::uint64_t n = report.outcomes[log][here];
      if (log > 0) report.refused_in_log += n;
      if (log > 0 && here > 0) report.refused_in_both += n;
      if (log > 0 && here == 0) report.refused_only_in_log += n;
      if (log == 0 && here > 0) report.refused_only_in_replay += n;
    }
  }
  if (report.waits_compared > 0) {
    report.mean_wait_log = recorded_wait_sum_ / static_cast<double>(report.waits_compared);
    report.mean_wait_replay = replayed_wait_sum_ / static_cast<double>(report.waits_compared);
  }
  report.limits_compared = limits_compared_;
  report.limits_alike = limits_alike_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::uint64_t> disagreements;
  for (const auto& [key, requests] : classified_) {
    const auto place = static_cast<std::uint32_t>(key >> 32), flow = static_cast<std::uint32_t>(key);
    if (alike(place, flow)) continue;
    disagreements[{numbers_.places[place].flow_schema, numbers_.places[place].priority_level, flows_[flow].flow_schema,
                   flows_[flow].priority_level}] += requests;
  }
  for (const auto& [names, requests] : disagreements) {
    const auto& [logged_schema, logged_level, schema, level] = names;
    report.disagreements.push_back({logged_schema, logged_level, schema, level, requests});
  }
  keep_most_frequent(report.disagreements);
  const LastArrivals::Counts waits = last_waits_.sum(log_end_);
  report.at_end = {longest_wait_, waits.waits, waits.wait_log, waits.wait_replay};
  for (const auto& [name, level] : levels_) {
    if (level.wait_log.count() == 0 && level.refused_log + level.refused_replay == 0) continue;
    const LastArrivals::Counts last = level.last.sum(log_end_);
    report.levels.push_back({name, level.wait_log, level.wait_replay, level.refused_log, level.refused_replay,
                             level.seats.most_while_refusing(), last.refused_log, last.refused_replay});
  }
  std::sort(report.levels.begin(), report.levels.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  fill_refused_users(report);
}

// A user may be several requesters, with a user agent each.
void Agreement::fill_refused_users(RecordedReport& report) const {
  std::map<std::string, std::uint64_t> refused;
  for (std::size_t i = 0; i < refused_of_.size() && i < numbers_.requesters.size(); ++i)
    if (refused_of_[i] > 0) refused[numbers_.requesters[i].user] += refused_of_[i];
  for (const auto& [name, requests] : refused) report.refused_users.push_back({name, requests});
  keep_most_frequent(report.refused_users);
}

void merge(RecordedReport& into, const RecordedReport& report) {
  into.mean_wait_log =
      mean_of_both(into.mean_wait_log, into.waits_compared, report.mean_wait_log, report.waits_compared);
  into.mean_wait_replay =
      mean_of_both(into.mean_wait_replay, into.waits_compared, report.mean_wait_replay, report.waits_compared);
  using Count = std::uint64_t RecordedReport::*;
  for (const Count count :
       {&RecordedReport::refused_in_log, &RecordedReport::refused_in_both, &RecordedReport::refused_only_in_log,
        &RecordedReport::refused_only_in_replay, &RecordedReport::hung_up, &RecordedReport::waits_compared,
        &RecordedReport::classified, &RecordedReport::classified_alike, &RecordedReport::compared,
        &RecordedReport::agreed, &RecordedReport::limits_compared, &RecordedReport::limits_alike})
    into.*count += report.*count;
  for (int log = 0; log < 3; ++log)
    for (int here = 0; here < 3; ++here) into.outcomes[log][here] += report.outcomes[log][here];
  into.at_end.length = std::max(into.at_end.length, report.at_end.length);
  into.at_end.waits_compared += report.at_end.waits_compared;
  into.at_end.wait_log += report.at_end.wait_log;
  into.at_end.wait_replay += report.at_end.wait_replay;
  into.wait_error.merge(report.wait_error);
  for (const auto& d : report.disagreements) {
    const auto at = std::find_if(into.disagreements.begin(), into.disagreements.end(), [&](const auto& known) {
      return std::tie(known.logged_schema, known.logged_level, known.schema, known.level) ==
             std::tie(d.logged_schema, d.logged_level, d.schema, d.level);
    });
    if (at == into.disagreements.end()) into.disagreements.push_back(d);
    else at->requests += d.requests;
  }
  keep_most_frequent(into.disagreements);
  for (const auto& user : report.refused_users) {
    const auto at = std::find_if(into.refused_users.begin(), into.refused_users.end(),
                                 [&](const auto& known) { return known.name == user.name; });
    if (at == into.refused_users.end()) into.refused_users.push_back(user);
    else at->requests += user.requests;
  }
  keep_most_frequent(into.refused_users);
  for (const auto& level : report.levels) {
    const auto at = std::lower_bound(into.levels.begin(), into.levels.end(), level.name,
                                     [](const auto& known, const std::string& name) { return known.name < name; });
    if (at == into.levels.end() || at->name != level.name) {
      into.levels.insert(at, level);
      continue;
    }
    at->wait_log.merge(level.wait_log);
    at->wait_replay.merge(level.wait_replay);
    at->refused_log += level.refused_log;
    at->refused_replay += level.refused_replay;
    at->refused_log_at_end += level.refused_log_at_end;
    at->refused_replay_at_end += level.refused_replay_at_end;
    at->seats_while_refusing.reset();  // each server has its own
  }
}

}  // namespace apf
