// The logs of a server are replayed to what the server did: with any number of threads, however the logs are cut into
// files.
#include "catch.h"

#include "support/recorded_server.h"
#include "support/vectors.h"

using namespace apf;
using namespace apf::test;

namespace {

using Random = std::mt19937_64;

// What a decision says, without its place in the input, which is that of the log.
std::map<std::string, std::string> by_id(const std::string& decisions) {
  std::map<std::string, std::string> out;
  for (std::size_t at = 0; at < decisions.size();) {
    const std::size_t end = decisions.find('\n', at);
    const std::string line = decisions.substr(at, end - at);
    const std::size_t id = line.find("\"id\":\"");
    out[line.substr(id + 6, 36)] = line.substr(id);
    at = end + 1;
  }
  return out;
}

// Cut at ends of lines into up to four files.
std::vector<std::string> cut(Random& random, const Folder& folder, const std::string& name, const std::string& text) {
  std::vector<std::string> paths;
  std::size_t at = 0;
  for (int part = 0; at < text.size(); ++part) {
    std::size_t end = part == 3 ? text.size() : at + random() % (text.size() - at + 1);
    end = std::min(text.find('\n', end) + 1, text.size());
    if (end == 0) end = text.size();
    paths.push_back(folder.write(name + std::to_string(part), text.substr(at, end - at)));
    at = end;
  }
  return paths;
}

struct Replayed {
  ReplayReport report;
  std::string decisions, timeline;
};

Replayed run(const Folder& folder, const std::vector<std::string>& logs, int threads) {
  ReplayOptions options = server_options();
  options.logs = logs;
  options.threads = threads;
  options.decisions_path = folder.path + "/decisions.jsonl";
  options.timeline_path = folder.path + "/timeline.jsonl";
  Replayed out;
  out.report = replay(options);
  out.decisions = folder.read("decisions.jsonl");
  out.timeline = folder.read("timeline.jsonl");
  return out;
}

}  // namespace

TEST_CASE("the two logs of a server are replayed to what it did", "[property][replay][joined]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 6; ++round) {
    INFO("round " << round);
    const Folder folder("apf-joined-");
    const RecordedServer server(random, 900, folder);
    REQUIRE(server.report.total.outcomes[Outcome::time_out] > 0);
    const Nanos zone = round % 3 == 0 ? 0 : (static_cast<Nanos>(random() % 97) - 48) * 15 * 60 * kSecond;
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline, zone);
    const auto expected = by_id(server.decisions);
    std::string first;
    for (const int threads : {1, 2, 3}) {
      std::vector<std::string> paths = cut(random, folder, "audit", logs.audit);
      for (const std::string& path : cut(random, folder, "klog", logs.klog)) paths.push_back(path);
      const Replayed replayed = run(folder, paths, threads);
      CHECK(replayed.report.join.requests == server.requests.size());
      CHECK(replayed.report.join.audit_only + replayed.report.join.http_only == 0);
      const auto decisions = by_id(replayed.decisions);
      REQUIRE(decisions.size() == expected.size());
      int refused = 0;
      for (const auto& [id, decision] : expected) {
        // A refused request's seats are the log's, its course is alike.
        if (decisions.at(id) != decision && ++refused < 3) CHECK(decisions.at(id) == decision);
      }
      CHECK(refused == 0);
      CHECK(replayed.report.recorded.agreed == replayed.report.recorded.compared);
      CHECK(replayed.report.recorded.limits_alike == replayed.report.recorded.limits_compared);
      if (first.empty()) first = replayed.decisions;
      CHECK(replayed.decisions == first);
    }
  }
}

TEST_CASE("both logs may stand mixed in one file, and parts in any order", "[property][replay][joined]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-joined-");
  const RecordedServer server(random, 900, folder);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  const auto expected = by_id(server.decisions);
  const Replayed one = run(folder, {folder.write("all.log", logs.both)}, 2);
  CHECK(one.report.join.requests == server.requests.size());
  CHECK((by_id(one.decisions) == expected));
  std::vector<std::string> parts = cut(random, folder, "audit", logs.audit);
  for (const std::string& path : cut(random, folder, "klog", logs.klog)) parts.push_back(path);
  std::shuffle(parts.begin(), parts.end(), random);
  const Replayed shuffled = run(folder, parts, 2);
  CHECK((by_id(shuffled.decisions) == expected));
}

TEST_CASE("requests that the audit policy leaves out get their users from others of the client",
          "[property][replay][joined]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-joined-");
  RecordedServer server(random, 900, folder);
  std::uint64_t left_out = 0;
  for (std::size_t i = 200; i < server.requests.size(); ++i) {
    if (random() % 3 != 0) continue;
    server.requests[i].audited = false;
    ++left_out;
  }
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  const Replayed replayed = run(folder, {folder.write("audit.log", logs.audit), folder.write("klog", logs.klog)}, 2);
  CHECK(replayed.report.join.http_only == left_out);
  CHECK(replayed.report.join.users_found == left_out);
  const auto expected = by_id(server.decisions), decisions = by_id(replayed.decisions);
  REQUIRE(decisions.size() == expected.size());
  int apart = 0;
  for (const auto& [id, decision] : expected) apart += decisions.at(id) != decision ? 1 : 0;
  CHECK(apart == 0);
}

TEST_CASE("the HTTP log alone is replayed where it names the place", "[property][replay][joined]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-joined-");
  const RecordedServer server(random, 900, folder);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  ReplayOptions options = server_options();
  options.logs = {folder.write("klog", logs.klog)};
  options.log_year = 2026;
  const ReplayReport report = replay(options);
  CHECK(report.requests == server.requests.size());
  CHECK(report.out_of_window == 0);  // watches among them, whose lines come at their ends
  for (const LevelReport& level : server.report.levels) {
    const auto same = std::find_if(report.levels.begin(), report.levels.end(),
                                   [&](const LevelReport& l) { return l.name == level.name; });
    REQUIRE(same != report.levels.end());
    CHECK(same->tally.requests == level.tally.requests);
  }
}

TEST_CASE("without a word of the server the phase of its clock is found", "[property][replay][joined]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  const Folder folder("apf-joined-");
  const RecordedServer server(random, 1500, folder, true);
  const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline);
  const Replayed replayed = run(folder, {folder.write("audit.log", logs.audit)}, 2);
  // The start it took, from the first adjustment in it.
  const std::size_t at = replayed.timeline.find("\"timeNs\":");
  const Nanos start = std::stoll(replayed.timeline.substr(at + 9));
  Nanos off = (start - kServerStart) % (10 * kSecond);
  if (off < 0) off += 10 * kSecond;
  INFO("off by " << off);
  CHECK(std::min(off, 10 * kSecond - off) <= 600 * kMillisecond);
}

TEST_CASE("the logs of a server joined as trace lines are replayed to the same", "[property][replay][joined][trace]") {
  INFO("APF_TEST_SEED=" << seed());
  Random random(seed());
  for (int round = 0; round < 4; ++round) {
    INFO("round " << round);
    const Folder folder("apf-joined-");
    RecordedServer server(random, 900, folder);
    // Lines that the audit log lacks find their users by their clients, of which there must have been a word.
    for (std::size_t i = 200; i < server.requests.size(); ++i) server.requests[i].audited = random() % 8 != 0;
    const Nanos zone = round % 2 == 0 ? 0 : (static_cast<Nanos>(random() % 97) - 48) * 15 * 60 * kSecond;
    const ServerLogs logs = logs_of(server.requests, server.decisions, server.timeline, zone);
    LogOptions options;
    options.logs = cut(random, folder, "audit", logs.audit);
    for (const std::string& path : cut(random, folder, "klog", logs.klog)) options.logs.push_back(path);
    std::shuffle(options.logs.begin(), options.logs.end(), random);
    std::string lines;
    Nanos last = 0;
    const LogReport traced = trace_logs(options, [&](const TraceRequest& request) {
      CHECK(request.time >= last);
      last = request.time;
      lines += render_trace_line(request) + "\n";
    });
    CHECK(traced.requests == server.requests.size());
    CHECK(traced.out_of_window == 0);
    // The clock's phase is not in the lines.
    ReplayOptions replay_lines = server_options();
    replay_lines.logs = {folder.write("trace", lines)};
    replay_lines.start = ReplayTime{false, kServerStart};
    replay_lines.decisions_path = folder.path + "/decisions.jsonl";
    replay(replay_lines);
    const auto decisions = by_id(folder.read("decisions.jsonl")),
               expected = by_id(run(folder, options.logs, 2).decisions);
    REQUIRE(decisions.size() == expected.size());
    int apart = 0;
    for (const auto& [id, decision] : expected)
      if (decisions.at(id) != decision && ++apart < 3) CHECK(decisions.at(id) == decision);
    CHECK(apart == 0);
  }
}
