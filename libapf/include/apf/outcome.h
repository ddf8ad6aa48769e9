// What becomes of a request: the stages of the admission pipeline, the outcomes they have, and the one table of how
// every output names them. A new outcome is a row here; decisions, reports, metrics and expectations follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <apf/version.h>

namespace apf {

// In the order in which requests pass them. A server has either apf or max_in_flight. The stages behind these run
// inside the handler, while the request holds its seats.
enum class AdmissionStage : std::uint8_t {
  client_limiter,
  apf,
  max_in_flight,
  event_rate_limit,
  resource_quota,
  kCount
};
APF_API const char* to_string(AdmissionStage stage);  // "client-limiter", …

constexpr bool is_in_handler(AdmissionStage stage) { return stage > AdmissionStage::max_in_flight; }

// Served, or why refused.
enum class Outcome : std::uint8_t {
  executed,
  queue_full,
  concurrency_limit,
  time_out,
  max_in_flight,
  event_rate_limit,
  resource_quota
};

struct OutcomeRow {
  Outcome outcome;
  AdmissionStage stage;  // that has this outcome
  const char* name;      // in decisions, stage reports, metrics and expectations; "" for executed
  const char* json;      // member of "rejected" in JSON reports
  const char* column;    // of CSV
  const char* heading;   // of text tables, one column for all outcomes of the same heading; "" = no column
  const char* label;     // behind a number, in sentences and charts
  const char* mark;      // class of its part of a bar in HTML
};

inline constexpr OutcomeRow kOutcomeTable[] = {
    {Outcome::executed, AdmissionStage::apf, "", "", "executed", "EXECUTED", "served", "served"},
    {Outcome::queue_full, AdmissionStage::apf, "queue-full", "queueFull", "queue_full", "FULL", "queue full", "full"},
    {Outcome::concurrency_limit, AdmissionStage::apf, "concurrency-limit", "concurrencyLimit", "concurrency_limit",
     "LIMIT", "over the limit", "over"},
    {Outcome::time_out, AdmissionStage::apf, "time-out", "timeOut", "time_out", "TIME-OUT", "waited too long", "late"},
    {Outcome::max_in_flight, AdmissionStage::max_in_flight, "max-in-flight", "maxInFlight", "max_in_flight", "",
     "over max-in-flight", "over"},
    {Outcome::event_rate_limit, AdmissionStage::event_rate_limit, "event-rate-limit", "eventRateLimit",
     "event_rate_limit", "ADMISSION", "over EventRateLimit", "over"},
    {Outcome::resource_quota, AdmissionStage::resource_quota, "resource-quota", "resourceQuota", "resource_quota",
     "ADMISSION", "over a ResourceQuota", "over"},
};
inline constexpr std::size_t kOutcomes = std::size(kOutcomeTable);
static_assert([] {
  for (std::size_t i = 0; i < kOutcomes; ++i)
    if (static_cast<std::size_t>(kOutcomeTable[i].outcome) != i) return false;
  return true;
}());

constexpr const OutcomeRow& row_of(Outcome outcome) { return kOutcomeTable[static_cast<std::size_t>(outcome)]; }
constexpr const char* to_string(Outcome outcome) { return row_of(outcome).name; }
// All but `executed`.
constexpr std::span<const OutcomeRow> refusals() { return std::span(kOutcomeTable).subspan(1); }
// Refused inside the handler, while the request held its seats.
constexpr bool is_refused_in_handler(Outcome outcome) {
  return outcome != Outcome::executed && is_in_handler(row_of(outcome).stage);
}

// How many requests had each outcome.
class OutcomeCounts {
 public:
  std::uint64_t& operator[](Outcome outcome) { return counts_[static_cast<std::size_t>(outcome)]; }
  std::uint64_t operator[](Outcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }
  std::uint64_t refused() const {
    std::uint64_t sum = 0;
    for (const OutcomeRow& row : refusals()) sum += (*this)[row.outcome];
    return sum;
  }
  // By one stage.
  std::uint64_t refused(AdmissionStage stage) const {
    std::uint64_t sum = 0;
    for (const OutcomeRow& row : refusals()) sum += row.stage == stage ? (*this)[row.outcome] : 0;
    return sum;
  }
  OutcomeCounts& operator+=(const OutcomeCounts& other) {
    for (std::size_t i = 0; i < kOutcomes; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

 private:
  std::array<std::uint64_t, kOutcomes> counts_{};
};

}  // namespace apf
