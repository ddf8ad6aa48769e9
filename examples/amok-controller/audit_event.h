// Audit events as kube-apiserver v1.36 writes them at level Metadata: the same keys in the same order, HTML-escaped
// JSON, microsecond times, latency annotations on requests of more than 500 ms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace amok {

using Micros = std::int64_t;  // since 1970-01-01T00:00:00Z
inline constexpr Micros kMs = 1000;
inline constexpr Micros kSecond = 1000 * kMs;

// xorshift64*, seeded through splitmix64: the same numbers on every machine, unlike <random>'s distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    state_ = (z ^ (z >> 31)) | 1;
  }
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>((next() >> 33) % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

inline std::string uuid(Random& random) {
  const std::uint64_t a = random.next(), b = random.next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff, a & 0xfff,
                     0x8000 | ((b >> 48) & 0x3fff), b & 0xffffffffffffull);
}

// Days to civil date (proleptic Gregorian), for RFC 3339 in UTC with the six decimals of a metav1.MicroTime.
inline void append_time(std::string& out, Micros time) {
  static thread_local std::int64_t known_second = -1;
  static thread_local std::string known;
  const std::int64_t second = time / kSecond;
  if (second != known_second) {
    const std::int64_t z = second / 86400 + 719468, era = z / 146097, doe = z - era * 146097;
    const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
                       doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const std::int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    const std::int64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0), clock = second % 86400;
    known =
        fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, month, day, clock / 3600, clock / 60 % 60, clock % 60);
    known_second = second;
  }
  out += fmt::format("{}.{:06}Z", known, time % kSecond);
}

// Go's encoding/json escapes & < > in strings.
inline void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "\\u0026";
        break;
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
}

// Go's Duration.String for durations below a minute, given in ns.
inline std::string go_duration(std::int64_t ns) {
  if (ns < 1000) return fmt::format("{}ns", ns);
  const std::int64_t unit = ns < 1'000'000 ? 1'000 : ns < 1'000'000'000 ? 1'000'000 : 1'000'000'000;
  const char* name = unit == 1'000 ? "µs" : unit == 1'000'000 ? "ms" : "s";
  const int digits = unit == 1'000 ? 3 : unit == 1'000'000 ? 6 : 9;
  std::string fraction = fmt::format("{:0{}}", ns % unit, digits);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}{}{}{}", ns / unit, fraction.empty() ? "" : ".", fraction, name);
}

struct Client {
  std::string user;          // JSON of the event's user
  std::string source;        // JSON from sourceIPs to userAgent, escaped
  std::string reason;        // why it is authorized, escaped
  std::string impersonated;  // JSON of the impersonated user, or empty
};

struct Target {
  std::string uri;
  const char* verb = "get";
  std::string object;  // JSON of objectRef, or empty for non-resource requests
  std::string subresource;
};

enum class EventStage { response_started, response_complete };

struct Event {
  const Client* client = nullptr;
  const Target* target = nullptr;
  std::string_view audit_id;
  EventStage stage = EventStage::response_complete;
  int code = 200;
  Micros received = 0, stage_time = 0;
};

inline std::string_view response_status(int code, bool is_delete) {
  switch (code) {
    case 401:
      return R"({"metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})";
    case 403:
      return R"({"metadata":{},"status":"Failure","reason":"Forbidden","code":403})";
    case 404:
      return R"({"metadata":{},"status":"Failure","reason":"NotFound","code":404})";
    case 409:
      return R"({"metadata":{},"status":"Failure","reason":"Conflict","code":409})";
    case 101:
      return R"({"metadata":{},"code":101})";
    case 201:
      return R"({"metadata":{},"code":201})";
    default:
      return is_delete ? R"({"metadata":{},"status":"Success","code":200})" : R"({"metadata":{},"code":200})";
  }
}

inline void append_event(std::string& out, const Event& event, Random& random) {
  const Client& client = *event.client;
  const Target& target = *event.target;
  const bool unauthorized = event.code == 401;
  out += R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":")";
  out += event.audit_id;
  out += event.stage == EventStage::response_started ? R"(","stage":"ResponseStarted","requestURI":")"
                                                     : R"(","stage":"ResponseComplete","requestURI":")";
  append_escaped(out, target.uri);
  out += R"(","verb":")";
  out += target.verb;
  out += R"(","user":)";
  out += unauthorized ? "{}" : client.user;
  if (!client.impersonated.empty())
    out += R"(,"impersonatedUser":)" + client.impersonated +
           R"(,"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"})";
  out += ',';
  out += client.source;
  if (!target.object.empty()) out += R"(,"objectRef":)" + target.object;
  out += R"(,"responseStatus":)";
  out += response_status(event.code, std::string_view(target.verb) == "delete");
  out += R"(,"requestReceivedTimestamp":")";
  append_time(out, event.received);
  out += R"(","stageTimestamp":")";
  append_time(out, event.stage_time);
  out += '"';
  if (unauthorized) {
    out += "}\n";
    return;
  }
  out += R"(,"annotations":{)";
  const std::int64_t total = (event.stage_time - event.received) * 1000 - random.below(900);
  if (event.stage == EventStage::response_complete && total > 500'000'000 && std::string_view(target.verb) != "watch") {
    out +=
        fmt::format(R"("apiserver.latency.k8s.io/apf-queue-wait":"{}","apiserver.latency.k8s.io/authentication":"{}",)"
                    R"("apiserver.latency.k8s.io/authorization":"{}","apiserver.latency.k8s.io/etcd":"{}",)"
                    R"("apiserver.latency.k8s.io/response-write":"{}","apiserver.latency.k8s.io/total":"{}",)",
                    go_duration(random.between(18'000, 95'000)), go_duration(random.between(9'000, 60'000)),
                    go_duration(random.between(4'000, 40'000)), go_duration(total - total / 5 - random.below(900'000)),
                    go_duration(random.between(700, 3'000)), go_duration(total));
  }
  out += R"("authorization.k8s.io/decision":")";
  out += event.code == 403 ? "forbid" : "allow";
  out += R"(","authorization.k8s.io/reason":")";
  if (event.code != 403) out += client.reason;
  out += "\"}}\n";
}

}  // namespace amok
