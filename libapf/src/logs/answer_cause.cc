#include "logs/answer_cause.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/thousands.h"
#include "logs/formats/json_index.h"
#include "logs/formats/json_walk.h"

namespace apf {
namespace {

struct CauseRow {
  AnswerCause cause;
  const char* name;
  const char* one;
  const char* many;
};
constexpr CauseRow kCauses[] = {
    {AnswerCause::none, "", "answer", "answers"},
    {AnswerCause::apf, "apf", "refusal by API Priority and Fairness", "refusals by API Priority and Fairness"},
    {AnswerCause::max_in_flight, "max-in-flight", "refusal by max-in-flight", "refusals by max-in-flight"},
    {AnswerCause::apf_or_max_in_flight, "apf-or-max-in-flight", "refusal by API Priority and Fairness or max-in-flight",
     "refusals by API Priority and Fairness or max-in-flight"},
    {AnswerCause::event_rate_limit, "event-rate-limit", "event refused by EventRateLimit",
     "events refused by EventRateLimit"},
    {AnswerCause::resource_quota, "quota", "request denied by a ResourceQuota", "requests denied by a ResourceQuota"},
    {AnswerCause::quota_conflict, "quota-conflict", "request lost in updates of a ResourceQuota",
     "requests lost in updates of a ResourceQuota"},
    {AnswerCause::disruption_budget, "eviction", "eviction refused by a disruption budget",
     "evictions refused by a disruption budget"},
    {AnswerCause::aggregated_server, "aggregated-server", "answer of an aggregated API server",
     "answers of aggregated API servers"},
    {AnswerCause::storage_initializing, "storage-initializing", "request while storage was (re)initializing",
     "requests while storage was (re)initializing"},
    {AnswerCause::resource_version_too_large, "too-large-resource-version", "request for a too large resource version",
     "requests for a too large resource version"},
    {AnswerCause::consistent_list_fallback, "consistent-list-fallback",
     "consistent list that the watch cache was late for", "consistent lists that the watch cache was late for"},
    {AnswerCause::shutting_down, "shutting-down", "request to a server that was shutting down",
     "requests to a server that was shutting down"},
    {AnswerCause::webhook_denied, "webhook", "request denied by an admission webhook",
     "requests denied by an admission webhook"},
    {AnswerCause::webhook_failed, "webhook-failed", "failed call of an admission webhook",
     "failed calls of an admission webhook"},
    {AnswerCause::admission_denied, "admission", "request denied by an admission plugin",
     "requests denied by admission plugins"},
    {AnswerCause::conflict, "conflict", "conflict with another write", "conflicts with other writes"},
    {AnswerCause::apply_conflict, "apply-conflict", "conflict of field managers", "conflicts of field managers"},
    {AnswerCause::already_exists, "already-exists", "create of an object that exists", "creates of objects that exist"},
    {AnswerCause::expired, "expired", "request for an expired resource version",
     "requests for an expired resource version"},
    {AnswerCause::forbidden, "rbac", "request that its user may not make", "requests that their user may not make"},
    {AnswerCause::unauthenticated, "unauthenticated", "request without valid credentials",
     "requests without valid credentials"},
    {AnswerCause::not_found, "not-found", "request for an object that is not there",
     "requests for objects that are not there"},
    {AnswerCause::invalid, "invalid", "request that is invalid", "requests that are invalid"},
    {AnswerCause::hung_up, "hung-up", "request whose client left while it waited",
     "requests whose clients left while they waited"},
    {AnswerCause::time_out, "time-out", "request that took too long", "requests that took too long"},
    {AnswerCause::unavailable, "unavailable", "request to an unavailable API", "requests to an unavailable API"},
    {AnswerCause::internal_error, "internal-error", "internal error", "internal errors"},
    {AnswerCause::etcd_failed, "etcd", "request that etcd failed", "requests that etcd failed"},
    {AnswerCause::unknown, "unknown", "answer whose cause is not in the log", "answers whose cause is not in the log"},
    {AnswerCause::other, "other", "error of another kind", "errors of other kinds"},
};
static_assert(std::size(kCauses) == static_cast<std::size_t>(AnswerCause::kCount));
static_assert([] {
  for (std::size_t i = 0; i < std::size(kCauses); ++i)
    if (static_cast<std::size_t>(kCauses[i].cause) != i) return false;
  return true;
}());

constexpr const char* kParts[] = {"total",
                                  "apf-queue-wait",
                                  "etcd",
                                  "mutating-webhook",
                                  "validating-webhook",
                                  "transform-response-object",
                                  "serialize-response-object",
                                  "response-write",
                                  "authentication",
                                  "authorization",
                                  "decode-response-object",
                                  "storage"};
static_assert(std::size(kParts) == kLatencyParts);

constexpr std::string_view kQuotaTexts[] = {"Operation cannot be fulfilled on resourcequotas ",
                                            "resource quota evaluation timed out",
                                            "is forbidden: exceeded quota: ",
                                            "is forbidden: failed quota: ",
                                            "is forbidden: status unknown for quota: ",
                                            "is forbidden: insufficient quota to consume: "};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_of_quota(std::string_view message) {
  return has(message, "quota") && std::any_of(std::begin(kQuotaTexts), std::end(kQuotaTexts),
                                              [&](std::string_view text) { return has(message, text); });
}

// "storage is (re)initializing"; objects may be called initializing.
constexpr std::string_view kInitializing = "storage is (re)initializing";

// What a webhook writes may be anything.
AnswerCause cause_of_webhook(std::string_view message) {
  if (has(message, "admission webhook ") && has(message, "denied the request")) return AnswerCause::webhook_denied;
  return has(message, "failed calling webhook") ? AnswerCause::webhook_failed : AnswerCause::none;
}

// Of webhooks and of a server that stops, whatever the code.
AnswerCause cause_by_message(std::string_view message) {
  if (has(message, "ValidatingAdmissionPolicy '")) return AnswerCause::admission_denied;
  if (const AnswerCause cause = cause_of_webhook(message); cause != AnswerCause::none) return cause;
  if (has(message, "shutting down")) return AnswerCause::shutting_down;
  if (has(message, "Too large resource version")) return AnswerCause::resource_version_too_large;
  if (has(message, kInitializing)) return AnswerCause::storage_initializing;
  if (has(message, "etcdserver: ")) return AnswerCause::etcd_failed;
  return AnswerCause::none;
}

// Of a 403: the authorizers name the user, and what it cannot do; plugins of admission say what is wrong with the
// object.
AnswerCause cause_of_403(std::string_view message) {
  const bool of_admission =
      has(message, "forbidden: ") && !has(message, " cannot ") && !has(message, "RBAC permissions");
  return of_admission ? AnswerCause::admission_denied : AnswerCause::forbidden;
}

// The filters answer with plain text, which the audit event does not hold; refusals from further inside are Status
// objects with a reason and a message.
AnswerCause cause_of_429(std::string_view reason, std::string_view message) {
  if (message.empty() && reason.empty()) return AnswerCause::unknown;
  if (const AnswerCause cause = cause_of_webhook(message); cause != AnswerCause::none) return cause;
  if (has(message, "limit reached on type ")) return AnswerCause::event_rate_limit;
  if (has(message, "disruption budget")) return AnswerCause::disruption_budget;
  // The error that a consistent list ends with elsewhere, whole, as the message of another one.
  if (message.starts_with("Timeout: Too large resource version")) return AnswerCause::consistent_list_fallback;
  if (has(message, "Too large resource version")) return AnswerCause::resource_version_too_large;
  if (const AnswerCause cause = cause_by_message(message); cause != AnswerCause::none) return cause;
  return has(message, "Too many requests, please try again later") ? AnswerCause::apf_or_max_in_flight
                                                                   : AnswerCause::other;
}

}  // namespace

const char* to_string(AnswerCause cause) { return kCauses[static_cast<std::size_t>(cause)].name; }

std::string counted_answers(AnswerCause cause, std::uint64_t count) {
  const CauseRow& row = kCauses[static_cast<std::size_t>(cause)];
  return fmt::format("{} {}", with_thousands(count), count == 1 ? row.one : row.many);
}

std::string other_refusals(std::span<const CountedCause> counts) {
  std::string out;
  for (const auto& [cause, count] : counts) {
    if (count == 0 || is_refusal(cause)) continue;
    out += out.empty() ? "" : ", ";
    out += cause == AnswerCause::other ? fmt::format("{} from further inside the server, cause not in the log", count)
                                       : counted_answers(cause, count);
  }
  return out;
}

const char* to_string(LatencyPart part) { return kParts[static_cast<std::size_t>(part)]; }

std::optional<AnswerCause> find_answer_cause(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kCauses), std::end(kCauses), [&](const CauseRow& row) { return row.name == name; });
  return at == std::end(kCauses) || name.empty() ? std::nullopt : std::optional(at->cause);
}

AnswerCause answer_cause(int code, std::string_view reason, std::string_view message) {
  if (code < 400) return AnswerCause::none;
  if (code == 429) return cause_of_429(reason, message);
  if ((code == 409 || code == 500) && is_of_quota(message)) return AnswerCause::quota_conflict;
  if (code == 403 && is_of_quota(message)) return AnswerCause::resource_quota;
  if (const AnswerCause cause = cause_by_message(message); cause != AnswerCause::none) return cause;
  switch (code) {
    case 400:
    case 422:
      return AnswerCause::invalid;
    case 401:
      return AnswerCause::unauthenticated;
    case 403:
      return cause_of_403(message);
    case 404:
      return AnswerCause::not_found;
    case 409:
      if (has(message, "Apply failed with ")) return AnswerCause::apply_conflict;
      return reason == "AlreadyExists" || has(message, "already exists") ? AnswerCause::already_exists
                                                                         : AnswerCause::conflict;
    case 410:
      return AnswerCause::expired;
    case 500:
      return AnswerCause::internal_error;
    case 503:
      return AnswerCause::unavailable;
    case 504:
      return AnswerCause::time_out;
    default:
      return AnswerCause::other;
  }
}

std::string_view webhook_of(AnswerCause cause, std::string_view message) {
  if (cause != AnswerCause::webhook_denied && cause != AnswerCause::webhook_failed) return {};
  const std::size_t at = message.find(cause == AnswerCause::webhook_denied ? "admission webhook " : "calling webhook ");
  const std::size_t from = at == message.npos ? at : message.find('"', at);
  if (from == message.npos) return {};
  return message.substr(from + 1, message.find('"', from + 1) - from - 1);
}

Latencies read_latencies(std::string_view annotations) {
  Latencies out;
  const std::string text(annotations);  // the index wants to read one byte more
  JsonIndex index;
  if (index.build(text.data(), text.size()) != JsonIndex::Result::ok || index.begin() == index.end()) return out;
  const JsonText json{text.data(), static_cast<std::uint32_t>(text.size())};
  if (json.first(index.begin()) != '{') return out;
  walk_object(json, index.begin(), [&](std::string_view key, JsonToken value) -> JsonToken {
    if (key.starts_with(kLatencies)) key.remove_prefix(kLatencies.size());
    const auto part = std::find(std::begin(kParts), std::end(kParts), key);
    const JsonToken next = json.skip(value);
    if (part == std::end(kParts) || next == nullptr) return next;
    std::optional<Nanos>& of = out[static_cast<std::size_t>(part - std::begin(kParts))];
    JsonScratch scratch;
    std::string_view duration;
    std::int64_t nanos = 0;
    if (json.first(value) != '"') {
      if (parse_json_integer(json.between(value, next), nanos)) of = nanos;
    } else if (json_text(json.string(value), scratch, duration)) {
      of = parse_go_duration(duration);
    }
    return next;
  });
  return out;
}

}  // namespace apf
