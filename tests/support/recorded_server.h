// A server that never was: a workload is replayed, and what came out is written down as kube-apiserver would have
// written it, into an audit log and a log of its own. To replay those must come to the same.
#pragma once

#include <apf/config.h>
#include <apf/output.h>
#include <apf/replay.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/folder.h"

namespace apf::test {

inline const Nanos kServerStart = *parse_rfc3339("2026-11-20T12:00:00.25Z");

struct ServerRequest {
  Nanos arrival = 0;
  std::string user, verb, uri, agent, address;
  Nanos execution = 0;  // of a watch: its initialization
  Nanos open = 0;       // of a watch
  int seats = 1;
  bool audited = true;  // else the audit policy leaves it out
  std::string group() const { return user == "admin" ? "system:masters" : "system:serviceaccounts"; }
  bool watch() const { return verb == "watch"; }
  std::string metrics_verb() const {
    return verb == "list" ? "LIST" : verb == "watch" ? "WATCH" : verb == "create" ? "POST" : "GET";
  }
};

// Overload at workload-low, a little elsewhere, from `start` + 1 s on; all times are whole microseconds. `plain`:
// nothing that an audit log does not tell, seats and watches.
inline std::vector<ServerRequest> some_requests(std::mt19937_64& random, int count, bool plain) {
  std::vector<ServerRequest> out;
  Nanos at = kServerStart + kSecond;
  const auto up_to = [&](Nanos most) {
    return static_cast<Nanos>(random() % static_cast<std::uint64_t>(most / 1000)) * 1000;
  };
  for (int i = 0; i < count; ++i) {
    at += up_to(60 * kMillisecond) + 1000;
    ServerRequest r;
    r.arrival = at;
    const auto kind = random() % 20;
    const int n = static_cast<int>(random() % 6);
    r.user = kind == 0  ? "admin"
             : kind < 3 ? "system:serviceaccount:kube-system:controller"
                        : fmt::format("system:serviceaccount:ci:builder-{}", n);
    r.agent = kind == 0 ? "kubectl/v1.36" : kind < 3 ? "controller/v1" : fmt::format("builder-{}/v1", n);
    r.address = fmt::format("10.0.0.{}", kind == 0 ? 1 : kind < 3 ? 2 : 10 + n);
    r.execution = 5 * kMillisecond + up_to(3 * kSecond);
    const auto what = plain ? 4 + random() % 6 : random() % 10;
    if (what == 0) {
      r.verb = "watch";
      r.uri = "/api/v1/namespaces/ci/configmaps?watch=true&resourceVersion=7";
      r.execution = up_to(50 * kMillisecond);
      r.open = 2 * kSecond + up_to(100 * kSecond);
    } else if (what < 4) {
      r.verb = "list";
      r.uri = "/api/v1/namespaces/ci/pods?limit=500";
      // As many as the levels allow: one at workload-high, four at workload-low.
      if (kind != 1 && kind != 2) r.seats = 1 + static_cast<int>(random() % 3);
    } else {
      r.verb = what < 7 ? "create" : "get";
      r.uri = what < 7 ? "/api/v1/namespaces/ci/secrets" : fmt::format("/api/v1/namespaces/ci/pods/p-{}", random() % 9);
    }
    out.push_back(r);
  }
  return out;
}

inline std::string id_of(std::size_t i) { return fmt::format("00000000-0000-4000-8000-{:012x}", i + 1); }

inline std::string trace_of(const std::vector<ServerRequest>& requests) {
  std::string out;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ServerRequest& r = requests[i];
    TraceRequest t;
    t.time = r.arrival;
    t.id = id_of(i);
    t.user.name = r.user;
    t.user.groups = {r.group(), "system:authenticated"};
    t.verb = r.verb;
    t.uri = r.uri;
    if (r.watch()) t.init = r.execution, t.end = r.arrival + r.open;
    else t.execution = r.execution;
    t.seats = WorkEstimate{r.seats, 0, 0};
    out += render_trace_line(t) + "\n";
  }
  return out;
}

struct ServerLogs {
  std::string audit, klog;
  std::string both;  // as a container writes both to its output
};

inline std::string klog_time(Nanos time) {
  const std::time_t seconds = time / kSecond;
  std::tm tm{};
  ::gmtime_r(&seconds, &tm);
  return fmt::format("I{:02}{:02} {:02}:{:02}:{:02}.{:06}       1 ", tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
                     tm.tm_sec, time % kSecond / 1000);
}

inline std::string audit_line(const ServerRequest& r, const std::string& id, const char* stage, Nanos time, int code,
                              Nanos wait) {
  JsonWriter json;
  json.begin_object().field("kind", "Event").field("apiVersion", "audit.k8s.io/v1").field("level", "Metadata");
  json.field("auditID", id).field("stage", stage).field("requestURI", r.uri).field("verb", r.verb);
  json.key("user").begin_object().field("username", r.user).key("groups").begin_array();
  json.value(r.group()).value("system:authenticated").end_array().end_object();
  json.key("sourceIPs").begin_array().value(r.address).end_array().field("userAgent", r.agent);
  json.key("responseStatus").begin_object().field("code", code).end_object();
  json.field("requestReceivedTimestamp", format_rfc3339(r.arrival)).field("stageTimestamp", format_rfc3339(time));
  if (time - r.arrival > kSecond / 2 && !r.watch())
    json.key("annotations")
        .begin_object()
        .field("apiserver.latency.k8s.io/apf-queue-wait", format_go_duration(wait))
        .end_object();
  json.end_object();
  return json.take() + "\n";
}

// What the server would have written of these decisions and adjustments. `zone`: of its klog.
inline ServerLogs logs_of(const std::vector<ServerRequest>& requests, const std::string& decisions,
                          const std::string& timeline, Nanos zone = 0) {
  std::vector<std::pair<Nanos, std::string>> audit, klog;
  simdjson::dom::parser parser;
  const auto each = [&parser](const std::string& text, auto&& take) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const simdjson::padded_string line(text.substr(at, end - at));
      take(simdjson::dom::element(parser.parse(line)));
      at = end + 1;
    }
  };
  klog.emplace_back(kServerStart - 100'000,
                    "apf_controller.go:292] NewTestableController \"Controller\" with serverConcurrencyLimit=60, "
                    "name=Controller, asFieldManager=\"x\"");
  klog.emplace_back(kServerStart,
                    "apf_controller.go:385] Running API Priority and Fairness periodic rebalancing process");
  std::size_t i = 0;
  each(decisions, [&](simdjson::dom::element d) {
    const ServerRequest& r = requests[i];
    const std::string id = id_of(i++);
    const bool executed = std::string_view(d["outcome"]) == "executed";
    const auto wait = std::int64_t(d["waitNs"]);
    const Nanos end = r.watch() && executed ? std::max(r.arrival + r.open, r.arrival + wait + r.execution)
                                            : r.arrival + wait + (executed ? r.execution : 0);
    const int code = executed ? 200 : 429;
    if (r.audited) {
      if (r.watch() && executed)
        audit.emplace_back(r.arrival + wait, audit_line(r, id, "ResponseStarted", r.arrival + wait, code, wait));
      audit.emplace_back(end, audit_line(r, id, "ResponseComplete", end, code, wait));
    }
    std::string line = fmt::format(
        "httplog.go:134] \"HTTP\" verb=\"{}\" URI=\"{}\" latency=\"{}\" userAgent=\"{}\" audit-ID=\"{}\" "
        "srcIP=\"{}:4711\" apf_pl=\"{}\" apf_fs=\"{}\" apf_iseats={} apf_fseats=0 apf_additionalLatency=\"0s\"",
        r.metrics_verb(), r.uri, format_go_duration(end - r.arrival), r.agent, id, r.address,
        std::string_view(d["priorityLevel"]), std::string_view(d["flowSchema"]), r.seats);
    if (executed && r.watch()) line += fmt::format(" apf_init_latency=\"{}\"", format_go_duration(r.execution));
    if (executed) line += fmt::format(" apf_execution_time=\"{}\"", format_go_duration(r.execution));
    klog.emplace_back(end, line + fmt::format(" resp={}", code));
  });
  each(timeline, [&](simdjson::dom::element t) {
    const auto time = std::int64_t(t["timeNs"]);
    if (time == kServerStart) return;
    klog.emplace_back(time, fmt::format("apf_controller.go:493] \"Update CurrentCL\" plName=\"{}\" "
                                        "seatDemandHighWatermark=0 currentCL={} backstop=false",
                                        std::string_view(t["priorityLevel"]), std::int64_t(t["currentCL"])));
  });
  ServerLogs out;
  const auto by_time = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(audit.begin(), audit.end(), by_time);
  std::stable_sort(klog.begin(), klog.end(), by_time);
  for (const auto& [time, line] : audit) out.audit += line;
  for (auto& [time, line] : klog) {
    line = klog_time(time + zone) + line + "\n";
    out.klog += line;
  }
  audit.insert(audit.end(), klog.begin(), klog.end());
  std::stable_sort(audit.begin(), audit.end(), by_time);
  for (const auto& [time, line] : audit) out.both += line;
  return out;
}

inline ReplayOptions server_options() {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 60;
  return options;
}

// The requests' workload as the server ran it.
struct RecordedServer {
  std::vector<ServerRequest> requests;
  std::string decisions, timeline;
  ReplayReport report;

  RecordedServer(std::mt19937_64& random, int count, const Folder& folder, bool plain = false)
      : requests(some_requests(random, count, plain)) {
    ReplayOptions options = server_options();
    options.logs = {folder.write("workload.jsonl", trace_of(requests))};
    options.start = ReplayTime{false, kServerStart};
    options.decisions_path = folder.path + "/served.jsonl";
    options.timeline_path = folder.path + "/adjusted.jsonl";
    report = replay(options);
    decisions = folder.read("served.jsonl");
    timeline = folder.read("adjusted.jsonl");
  }
};

}  // namespace apf::test
