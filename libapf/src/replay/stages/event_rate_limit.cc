// The configuration of kube-apiserver's EventRateLimit admission plugin: how many events are taken from whom
// (eventratelimit.admission.k8s.io/v1alpha1, kind Configuration).
#include "replay/stages/event_rate_limit.h"

#include <algorithm>
#include <iterator>

namespace apf {

namespace {

constexpr const char* kReasons[] = {"server-limit", "namespace-limit", "user-limit", "source-and-object-limit"};

}  // namespace

EventRateLimitStage::EventRateLimitStage(const EventRateLimitConfiguration& configuration)
    : limiter_(configuration), counts_(configuration.limits.size()) {
  for (const auto& limit : configuration.limits) cache_sizes_.push_back(limit.buckets());
}

EventRateLimitStage::Verdict EventRateLimitStage::ask(const AdmissionAttributes& request, const AskedWhen& when) {
  if (!request.is_event || request.dry_run) return Verdict::bypassed;
  if (is_turned_away(request.code)) {
    if (when.in_report) ++report_.turned_away;
    return Verdict::bypassed;
  }
  EventKeys keys;
  keys.at(EventLimitType::ns) = event_key(request.ns);
  if (request.user_known) keys.at(EventLimitType::user) = event_key(request.user);
  if (request.source_and_object) keys.at(EventLimitType::source_and_object) = event_key(*request.source_and_object);
  const bool passes = limiter_.ask(keys, when.now);
  if (!when.in_report) return passes ? Verdict::passed : Verdict::refused;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const EventRateLimiter::Answer& answer = limiter_.answers()[i];
    ++(answer.asked ? counts_[i].asked : counts_[i].undecidable);
    counts_[i].refused += answer.refused ? 1 : 0;
    counts_[i].evicted += answer.evicted ? 1 : 0;
  }
  if (request.refused_by_event_limit) ++(passes ? report_.refused_only_in_log : report_.refused_in_both);
  else if (!passes && request.code != 0) ++report_.refused_only_in_replay;
  return passes ? Verdict::passed : Verdict::refused;
}

const char* EventRateLimitStage::reason() const {
  const auto& answers = limiter_.answers();
  const auto first =
      std::find_if(answers.begin(), answers.end(), [](const EventRateLimiter::Answer& a) { return a.refused; });
  return kReasons[static_cast<std::size_t>(limiter_.limits()[static_cast<std::size_t>(first - answers.begin())].type)];
}

std::string EventRateLimitStage::message(const AdmissionAttributes& request) const {
  std::array<std::string_view, kEventLimitTypes> keys;
  keys[static_cast<std::size_t>(EventLimitType::ns)] = request.ns;
  keys[static_cast<std::size_t>(EventLimitType::user)] = request.user;
  if (request.source_and_object)
    keys[static_cast<std::size_t>(EventLimitType::source_and_object)] = *request.source_and_object;
  return limiter_.message(keys);
}

std::uint64_t EventRateLimitStage::undecidable(EventLimitType type) const {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (limiter_.limits()[i].type == type) most = std::max(most, counts_[i].undecidable);
  return most;
}

void EventRateLimitStage::add_facts(ReplayFacts& facts) const {
  facts.event_limits = {undecidable(EventLimitType::source_and_object), undecidable(EventLimitType::user), true};
}

void EventRateLimitStage::fill(ReplayReport& replay, Nanos) {
  EventRateLimitReport& report = replay.event_rate_limit.emplace(report_);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const EventRateLimiter::Limit& limit = limiter_.limits()[i];
    const bool one = limit.type == EventLimitType::server;
    EventLimitReport& out = report.limits.emplace_back();
    out.type = to_string(limit.type);
    out.qps = limit.qps;
    out.burst = static_cast<std::int32_t>(limit.rate.burst);
    out.cache_size = one ? 0 : cache_sizes_[i];
    out.asked = counts_[i].asked;
    out.refused = counts_[i].refused;
    out.undecidable = counts_[i].undecidable;
    out.buckets = one ? 1 : limit.buckets.size();
    out.evicted = counts_[i].evicted;
  }
}

}  // namespace apf
