// What the answer to a request says of why it was not served, and the places of a request's time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <apf/logs.h>

#include "logs/log_event.h"

namespace apf {

// Annotations of how long parts of a request took.
inline constexpr std::string_view kLatencies = "apiserver.latency.k8s.io/";
inline constexpr std::string_view kQueueWait = "apiserver.latency.k8s.io/apf-queue-wait";
// The annotation of authorization, which comes behind API Priority and Fairness.
inline constexpr std::string_view kDecision = "authorization.k8s.io/decision";

// By the texts of kube-apiserver, v1.36; `reason` and `message` are those of its Status, empty where the log has none.
// What else the log says of an answer 429 is seen by set_course().
AnswerCause answer_cause(int code, std::string_view reason, std::string_view message);

// The webhook that the message of such an answer names; empty: none.
std::string_view webhook_of(AnswerCause cause, std::string_view message);

// A refusal of API Priority and Fairness, of max-in-flight in its place, or of what the log does not say.
inline bool may_be_apf(AnswerCause cause) {
  return cause == AnswerCause::apf || cause == AnswerCause::max_in_flight ||
         cause == AnswerCause::apf_or_max_in_flight || cause == AnswerCause::unknown;
}

// The same, or a request whose client left while it waited.
inline bool is_refusal(AnswerCause cause) { return may_be_apf(cause) || cause == AnswerCause::hung_up; }

// "7 evictions refused by a disruption budget, 2 answers …", of answers 429 by cause that may_be_apf() is not.
using CountedCause = std::pair<AnswerCause, std::uint64_t>;
std::string other_refusals(std::span<const CountedCause> counts);

// The name of a cause; nothing: it is none.
std::optional<AnswerCause> find_answer_cause(std::string_view name);

// Out of the annotations of an audit event, or out of recorded.latencies of a trace line, which has nanoseconds.
Latencies read_latencies(std::string_view annotations);

}  // namespace apf
