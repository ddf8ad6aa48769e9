// What the answer to a request says of why it was not served, and the places of a request's time.
#pragma once

#include <optional>
#include <string_view>

#include <apf/logs.h>

#include "logs/log_event.h"

namespace apf {

// Annotations of how long parts of a request took.
inline constexpr std::string_view kLatencies = "apiserver.latency.k8s.io/";
inline constexpr std::string_view kQueueWait = "apiserver.latency.k8s.io/apf-queue-wait";

// By the texts of kube-apiserver, v1.36; `reason` and `message` are those of its Status, empty where the log has none.
AnswerCause answer_cause(int code, std::string_view reason, std::string_view message);

// A refusal of API Priority and Fairness, or of max-in-flight in its place.
inline bool is_apf_refusal(AnswerCause cause) {
  return cause == AnswerCause::apf || cause == AnswerCause::max_in_flight;
}

// The same, or a request whose client left while it waited.
inline bool is_refusal(AnswerCause cause) { return is_apf_refusal(cause) || cause == AnswerCause::hung_up; }

// The name of a cause; nothing: it is none.
std::optional<AnswerCause> find_answer_cause(std::string_view name);

// Out of the annotations of an audit event, or out of recorded.latencies of a trace line, which has nanoseconds.
Latencies read_latencies(std::string_view annotations);

}  // namespace apf
