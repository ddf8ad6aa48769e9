// How fast audit logs are read, as ratios to simdjson reading the same fields of the same file in one thread.
//   read_bench FILE [ROUNDS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <time.h>

#include <simdjson.h>

#include "logs/chunk_source.h"

namespace {

// What every reader comes to: they must agree, and nothing is optimized away.
struct Sums {
  std::uint64_t events = 0, bytes = 0, code = 0;
  bool operator==(const Sums&) const = default;
};

void add_string(Sums& sums, std::string_view text) { sums.bytes += text.size(); }

Sums read_dom(const simdjson::padded_string& file) {
  Sums sums;
  simdjson::dom::parser parser;
  const char *at = file.data(), *end = at + file.size();
  while (at < end) {
    const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) newline = end;
    simdjson::dom::object event;
    if (parser.parse(at, static_cast<std::size_t>(newline - at), false).get(event) == simdjson::SUCCESS) {
      ++sums.events;
      for (const auto& [key, value] : event) {
        std::string_view text;
        if (key == "auditID" || key == "stage" || key == "requestURI" || key == "verb" || key == "userAgent" ||
            key == "requestReceivedTimestamp" || key == "stageTimestamp") {
          if (value.get(text) == simdjson::SUCCESS) add_string(sums, text);
        } else if (key == "user") {
          for (const auto& [user_key, user_value] : simdjson::dom::object(value)) {
            if (user_key == "username") {
              if (user_value.get(text) == simdjson::SUCCESS) add_string(sums, text);
            } else if (user_key == "groups") {
              for (const auto group : simdjson::dom::array(user_value)) add_string(sums, std::string_view(group));
            }
          }
        } else if (key == "responseStatus") {
          std::int64_t code = 0;
          if (value["code"].get(code) == simdjson::SUCCESS) sums.code += static_cast<std::uint64_t>(code);
        } else if (key == "annotations") {
          if (value["apiserver.latency.k8s.io/apf-queue-wait"].get(text) == simdjson::SUCCESS) add_string(sums, text);
        }
      }
    }
    at = newline + 1;
  }
  return sums;
}

Sums read_on_demand(const simdjson::padded_string& file) {
  Sums sums;
  simdjson::ondemand::parser parser;
  const char *at = file.data(), *end = at + file.size();
  while (at < end) {
    const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) newline = end;
    const auto size = static_cast<std::size_t>(newline - at);
    simdjson::ondemand::document document;
    simdjson::ondemand::object event;
    const simdjson::padded_string_view view(at, size, static_cast<std::size_t>(end - at) + simdjson::SIMDJSON_PADDING);
    if (parser.iterate(view).get(document) == simdjson::SUCCESS &&
        document.get_object().get(event) == simdjson::SUCCESS) {
      ++sums.events;
      for (auto field : event) {
        const simdjson::ondemand::raw_json_string raw = field.key();
        std::string_view text;
        const auto is = [&](std::string_view name) { return raw.unsafe_is_equal(name); };
        if (is("auditID") || is("stage") || is("requestURI") || is("verb") || is("userAgent") ||
            is("requestReceivedTimestamp") || is("stageTimestamp")) {
          if (field.value().get_string().get(text) == simdjson::SUCCESS) add_string(sums, text);
        } else if (is("user")) {
          for (auto user_field : field.value().get_object()) {
            const simdjson::ondemand::raw_json_string user_raw = user_field.key();
            if (user_raw.unsafe_is_equal("username")) {
              if (user_field.value().get_string().get(text) == simdjson::SUCCESS) add_string(sums, text);
            } else if (user_raw.unsafe_is_equal("groups")) {
              for (auto group : user_field.value().get_array()) {
                if (group.get_string().get(text) == simdjson::SUCCESS) add_string(sums, text);
              }
            }
          }
        } else if (is("responseStatus")) {
          std::int64_t code = 0;
          if (field.value().get_object()["code"].get(code) == simdjson::SUCCESS)
            sums.code += static_cast<std::uint64_t>(code);
        } else if (is("annotations")) {
          if (field.value().get_object()["apiserver.latency.k8s.io/apf-queue-wait"].get_string().get(text) ==
              simdjson::SUCCESS)
            add_string(sums, text);
        }
      }
    }
    at = newline + 1;
  }
  return sums;
}

// simdjson at its best: raw values, the user as one piece, nothing unescaped.
Sums read_on_demand_raw(const simdjson::padded_string& file) {
  Sums sums;
  simdjson::ondemand::parser parser;
  const char *at = file.data(), *end = at + file.size();
  while (at < end) {
    const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) newline = end;
    const auto size = static_cast<std::size_t>(newline - at);
    simdjson::ondemand::document document;
    simdjson::ondemand::object event;
    const simdjson::padded_string_view view(at, size, static_cast<std::size_t>(end - at) + simdjson::SIMDJSON_PADDING);
    if (parser.iterate(view).get(document) == simdjson::SUCCESS &&
        document.get_object().get(event) == simdjson::SUCCESS) {
      ++sums.events;
      for (auto field : event) {
        const simdjson::ondemand::raw_json_string raw = field.key();
        const auto is = [&](std::string_view name) { return raw.unsafe_is_equal(name); };
        if (is("auditID") || is("stage") || is("requestURI") || is("verb") || is("userAgent") ||
            is("requestReceivedTimestamp") || is("stageTimestamp")) {
          add_string(sums, field.value().raw_json_token());
        } else if (is("user") || is("responseStatus") || is("annotations")) {
          simdjson::ondemand::object object;
          std::string_view text;
          if (field.value().get_object().get(object) == simdjson::SUCCESS &&
              object.raw_json().get(text) == simdjson::SUCCESS)
            add_string(sums, text);
        }
      }
    }
    at = newline + 1;
  }
  return sums;
}

struct CountingSink final : apf::LogEventSink {
  Sums sums;
  std::uint64_t unusable = 0;
  void on_event(const apf::LogEvent& e, std::uint64_t) override {
    ++sums.events;
    add_string(sums, e.id);
    add_string(sums, e.uri);
    add_string(sums, e.verb);
    add_string(sums, e.user_agent);
    add_string(sums, e.user_json);
    sums.bytes += static_cast<std::uint64_t>(e.received & 1) + static_cast<std::uint64_t>(e.stage_time & 1) +
                  (e.queue_wait != apf::kNoTime);
    sums.code += static_cast<std::uint64_t>(e.code);
  }
  void on_unusable(apf::Unusable, std::uint64_t) override { ++unusable; }
};

Sums read_ours(const std::string& path, bool parse) {
  const std::vector<std::string> paths{path};
  apf::ChunkSource source(paths, apf::kAnyFormat);
  const auto parser = apf::make_audit_parser();
  CountingSink sink;
  apf::LogChunk chunk;
  while (source.next(chunk)) {
    if (parse) parser->parse(chunk, sink);
  }
  sink.sums.events += sink.unusable;
  return sink.sums;
}

std::vector<apf::LogChunk> load_chunks(const std::string& path) {
  const std::vector<std::string> paths{path};
  apf::ChunkSource source(paths, apf::kAnyFormat);
  std::vector<apf::LogChunk> chunks(1);
  while (source.next(chunks.back())) chunks.emplace_back();
  chunks.pop_back();
  return chunks;
}

Sums read_chunks(const std::vector<apf::LogChunk>& chunks) {
  const auto parser = apf::make_audit_parser();
  CountingSink sink;
  for (const apf::LogChunk& chunk : chunks) parser->parse(chunk, sink);
  sink.sums.events += sink.unusable;
  return sink.sums;
}

double seconds(const std::function<Sums()>& read, Sums& sums) {
  // The thread's own time: other work on the machine must not decide the ratios.
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const double begin = now();
  sums = read();
  return now() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: read_bench FILE [ROUNDS]\n");
    return 2;
  }
  const std::string path = argv[1];
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  simdjson::padded_string file;
  if (simdjson::padded_string::load(path).get(file) != simdjson::SUCCESS) {
    std::fprintf(stderr, "read_bench: cannot load %s\n", path.c_str());
    return 2;
  }
  struct Row {
    const char* name;
    std::function<Sums()> read;
    double best = 1e300;
    Sums sums;
  };
  std::vector<Row> rows;
  rows.push_back({"simdjson DOM, from memory", [&] { return read_dom(file); }, 1e300, {}});
  rows.push_back({"simdjson on-demand, from memory", [&] { return read_on_demand(file); }, 1e300, {}});
  rows.push_back({"simdjson on-demand, raw, from memory", [&] { return read_on_demand_raw(file); }, 1e300, {}});
  const std::vector<apf::LogChunk> chunks = load_chunks(path);
  rows.push_back({"audit parser, from memory", [&] { return read_chunks(chunks); }, 1e300, {}});
  rows.push_back({"chunks only, from the file", [&] { return read_ours(path, false); }, 1e300, {}});
  rows.push_back({"audit parser, from the file", [&] { return read_ours(path, true); }, 1e300, {}});
  for (int i = 0; i < rounds; ++i) {
    for (Row& row : rows) row.best = std::min(row.best, seconds(row.read, row.sums));
  }
  const double events = static_cast<double>(rows[0].sums.events), bytes = static_cast<double>(file.size());
  std::printf("kernel %s, %.0f events of %.0f bytes\n",
              std::string(simdjson::get_active_implementation()->name()).c_str(), events, bytes / events);
  for (const Row& row : rows) {
    std::printf("%-38s %7.0f MB/s %7.1f ns/event   %.2f x DOM, %.2f x on-demand raw\n", row.name,
                bytes / row.best / 1e6, row.best * 1e9 / events, rows[0].best / row.best, rows[2].best / row.best);
  }
  if (rows.back().sums.events != rows[0].sums.events || rows.back().sums.code != rows[0].sums.code) {
    std::fprintf(stderr, "read_bench: the readers do not agree (%llu and %llu events)\n",
                 static_cast<unsigned long long>(rows.back().sums.events),
                 static_cast<unsigned long long>(rows[0].sums.events));
    return 1;
  }
  return 0;
}
