// Logs of a busy server, written by tests: the same ones each time.
#pragma once

#include <apf/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/times.h"

namespace apf::test {

inline constexpr unsigned kLogSeed = 17;

inline std::string audit_event(int id, const char* stage, Nanos received, Nanos at, const std::string& user,
                               const char* verb, const std::string& uri, int code) {
  const std::string groups = user.starts_with("system:node:") ? "\"system:nodes\",\"system:authenticated\""
                             : user.starts_with("system:serviceaccount:")
                                 ? "\"system:serviceaccounts\",\"system:serviceaccounts:shop\",\"system:authenticated\""
                                 : "\"system:authenticated\"";
  return fmt::format(
      "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\","
      "\"auditID\":\"00000000-0000-4000-8000-{:012}\",\"stage\":\"{}\",\"requestURI\":\"{}\",\"verb\":\"{}\","
      "\"user\":{{\"username\":\"{}\",\"groups\":[{}]}},\"sourceIPs\":[\"10.0.0.7\"],\"userAgent\":\"a/{}\","
      "\"responseStatus\":{{\"code\":{}}},\"requestReceivedTimestamp\":\"{}\",\"stageTimestamp\":\"{}\"}}\n",
      id, stage, uri, verb, user, groups, id % 3, code, format_rfc3339(received), format_rfc3339(at));
}

inline std::string in_order(std::vector<std::pair<Nanos, std::string>> lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [at, line] : lines) out += line;
  return out;
}

// A busy server of few seats: reads, writes, lists, watches that end and some that do not, refusals.
inline std::string audit_log(int requests) {
  std::mt19937 random(kLogSeed);
  std::vector<std::pair<Nanos, std::string>> lines;
  const auto put = [&](Nanos at, std::string text) { lines.emplace_back(at, std::move(text)); };
  for (int i = 0; i < requests; ++i) {
    const Nanos at = kNoon + static_cast<Nanos>(i) * 3 * kMillisecond + static_cast<Nanos>(random() % 2000) * 1000;
    const std::string user = i % 3 == 0   ? fmt::format("system:node:n{}", random() % 5)
                             : i % 3 == 1 ? fmt::format("system:serviceaccount:shop:s{}", random() % 4)
                                          : fmt::format("user{}", random() % 3);
    const Nanos takes = static_cast<Nanos>(random() % 200) * kMillisecond;
    switch (random() % 6) {
      case 0:
        put(at + kMillisecond, audit_event(i, "ResponseStarted", at, at + kMillisecond, user, "watch",
                                           fmt::format("/api/v1/namespaces/ns{}/pods?watch=1", random() % 4), 200));
        if (i % 2 == 0)
          put(at + takes * 20, audit_event(i, "ResponseComplete", at, at + takes * 20, user, "watch",
                                           "/api/v1/namespaces/ns1/pods?watch=1", 200));
        break;
      case 1:
        put(at + takes, audit_event(i, "ResponseComplete", at, at + takes, user, "update",
                                    fmt::format("/api/v1/namespaces/ns{}/pods/p{}", random() % 4, random() % 9), 200));
        break;
      case 2:
        put(at + takes,
            audit_event(i, "ResponseComplete", at, at + takes, user, "list", "/api/v1/pods?limit=500", 200));
        break;
      case 3:
        put(at, audit_event(i, "ResponseComplete", at, at, user, "get", "/api/v1/namespaces/ns1/pods/p1", 429));
        break;
      default:
        put(at + takes, audit_event(i, "ResponseComplete", at, at + takes, user, "get", "/api/v1/nodes/n1", 200));
    }
  }
  return in_order(std::move(lines));
}

// A request each second, and some that run for minutes on few seats.
inline std::string log_of_minutes() {
  std::vector<std::pair<Nanos, std::string>> lines;
  const auto put = [&](int id, Nanos at, Nanos takes, const char* user) {
    const char* uri = "/api/v1/nodes/n1";
    lines.emplace_back(at + takes, audit_event(id, "ResponseComplete", at, at + takes, user, "get", uri, 200));
  };
  for (int i = 0; i < 400; ++i) put(i, kNoon + i * kSecond, 700 * kMillisecond, i % 2 == 0 ? "user0" : "user1");
  for (int i = 0; i < 12; ++i) put(1000 + i, kNoon + (10 + 9 * i) * kSecond, (90 + 7 * i) * kSecond, "slow");
  return in_order(std::move(lines));
}

inline std::string time_of_day(Nanos time) {
  const std::string text = format_rfc3339(time + kMicrosecond);  // its decimals end with it
  return text.substr(11, 15);
}

// What kube-apiserver itself logs of requests like those; some with a level, some that nobody classified.
inline std::string http_log(int requests) {
  std::mt19937 random(kLogSeed);
  std::string out =
      "I1120 12:00:00.000001       1 apf_controller.go:385] Running API Priority and Fairness periodic rebalancing "
      "process\n";
  for (int i = 0; i < requests; ++i) {
    const Nanos at = kNoon + static_cast<Nanos>(i + 1) * 5 * kMillisecond;
    const Nanos takes = static_cast<Nanos>(1 + random() % 40) * kMillisecond, waits = random() % 2 == 0 ? 0 : takes;
    const char* verb = i % 5 == 0 ? "WATCH" : i % 3 == 0 ? "POST" : "LIST";
    out += fmt::format(
        "I1120 {}       1 httplog.go:134] \"HTTP\" verb=\"{}\" URI=\"/api/v1/namespaces/ns{}/pods{}\" latency=\"{}ms\" "
        "userAgent=\"a/{}\" audit-ID=\"00000000-0000-4000-8000-{:012}\" srcIP=\"10.0.0.{}:1\"{} resp={}\n",
        time_of_day(at + takes + waits), verb, random() % 4, i % 5 == 0 ? "?watch=1" : "",
        (takes + waits) / kMillisecond, i % 3, i, i % 7,
        i % 4 == 0 ? std::string()
                   : fmt::format(" apf_pl=\"workload-low\" apf_fs=\"service-accounts\" apf_iseats=1 apf_fseats=0 "
                                 "apf_additionalLatency=\"0s\" apf_execution_time=\"{}ms\"",
                                 takes / kMillisecond),
        i % 11 == 0 ? 429 : 200);
  }
  return out;
}

}  // namespace apf::test
