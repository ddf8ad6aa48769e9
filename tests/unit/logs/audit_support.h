// What the tests of log reading share: a sink that keeps copies, and parsing of a text as one chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/error.h>

#include "catch.h"
#include "logs/answer_cause.h"
#include "logs/chunk_source.h"
#include "logs/formats/audit.h"
#include "logs/log_event.h"

namespace apf::test {

struct KeptEvent {
  LogEvent event;  // its views point into the strings below
  std::string id, verb, method, uri, request_info, user, user_agent, source_ip, flow_schema, priority_level;
  Latencies latencies;
  std::uint64_t line = 0;
};

struct KeptNote {
  ServerNote::Kind kind;
  Nanos time;
  std::string level;
  std::int64_t value;
};

struct KeepingSink final : LogEventSink {
  std::vector<KeptEvent> events;
  std::vector<KeptNote> notes;
  std::uint64_t other_lines = 0;
  std::vector<std::pair<Unusable, std::uint64_t>> unusable;  // reason, line

  void on_event(const LogEvent& e, std::uint64_t line) override {
    KeptEvent kept;
    kept.event = e;
    kept.id = e.id;
    kept.verb = e.verb;
    kept.method = e.method;
    kept.uri = e.uri;
    kept.request_info = e.request_info_json;
    kept.user = e.user_json;
    kept.user_agent = e.user_agent;
    kept.source_ip = e.source_ip;
    kept.flow_schema = e.recorded_flow_schema;
    kept.priority_level = e.recorded_priority_level;
    kept.latencies = read_latencies(e.latencies);
    kept.line = line;
    events.push_back(std::move(kept));
  }
  void on_note(const ServerNote& n, std::uint64_t) override {
    notes.push_back({n.kind, n.time, std::string(n.level), n.value});
  }
  void on_other(std::uint64_t) override { ++other_lines; }
  void on_unusable(Unusable reason, std::uint64_t line) override { unusable.emplace_back(reason, line); }
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::string with(std::string line, const std::string& from, const std::string& to) {
  const std::size_t at = line.find(from);
  REQUIRE(at != std::string::npos);
  return line.replace(at, from.size(), to);
}

// What it throws; empty if nothing.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

using Lost = std::vector<std::pair<Unusable, std::uint64_t>>;

inline LogChunk make_chunk(std::string_view text, bool documents = false) {
  LogChunk chunk;
  chunk.buffer = std::string(text) + std::string(64, '\0');
  chunk.size = text.size();
  chunk.whole_documents = documents;
  return chunk;
}

inline KeepingSink parse_with(LogParser& parser, std::string_view text, bool documents = false) {
  KeepingSink sink;
  parser.parse(make_chunk(text, documents), sink);
  return sink;
}

inline KeepingSink parse_audit(std::string_view text, bool documents = false) {
  const auto parser = make_audit_parser();
  return parse_with(*parser, text, documents);
}

inline KeepingSink parse_trace(std::string_view text) {
  const auto parser = make_trace_parser();
  return parse_with(*parser, text);
}

// A sound event of kube-apiserver.
inline std::string audit_line(const std::string& id) {
  return R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":")" + id +
         R"(","stage":"ResponseComplete","requestURI":"/api/v1/pods?limit=5\u0026watch=0","verb":"list",)"
         R"("user":{"username":"jane","uid":"7","groups":["dev","system:authenticated"],"extra":{"a":["b"]}},"sourceIPs":["10.0.0.1","10.0.0.2"],)"
         R"("userAgent":"kubectl/v1.36","objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},)"
         R"("requestReceivedTimestamp":"2026-11-20T12:00:00.000001Z","stageTimestamp":"2026-11-20T12:00:01.5Z",)"
         R"("annotations":{"authorization.k8s.io/decision":"allow","apiserver.latency.k8s.io/apf-queue-wait":"250.178185ms"}})";
}

}  // namespace apf::test
