// Sweeps: any division into tasks merges to what one process answers, and what is missing is named.
#include <apf/error.h>
#include <apf/report.h>
#include <apf/sweep.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "catch.h"
#include "support/vectors.h"
#include "sweep/cell.h"
#include "sweep/sums.h"

using namespace apf;

namespace {

const Nanos kT0 = *parse_rfc3339("2026-11-20T12:00:00Z");

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sweep-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string log_text(std::mt19937& random, int requests) {
  std::string out;
  Nanos time = kT0;
  for (int i = 0; i < requests; ++i) {
    if (random() % 5 == 0)
      out += fmt::format(
          "{{\"time\":\"{}\",\"user\":\"system:node:n1\",\"groups\":[\"system:nodes\",\"system:authenticated\"],"
          "\"verb\":\"create\",\"uri\":\"/api/v1/namespaces/shop/{}\",\"execution\":{},\"userAgent\":\"kubelet/1\"}}\n",
          format_rfc3339(time), random() % 2 ? "events" : "pods", 10 * kMillisecond);
    time += static_cast<Nanos>(random() % 20) * kMillisecond;
    out += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"system:serviceaccount:shop:s{}\",\"groups\":[\"system:serviceaccounts\","
        "\"system:authenticated\"],\"verb\":\"{}\",\"uri\":\"/api/v1/nodes/n1\",\"execution\":{}}}\n",
        format_rfc3339(time), random() % 4, random() % 2 ? "get" : "update", (50 + random() % 200) * kMillisecond);
  }
  return out;
}

std::string audit_text(int requests) {
  std::string out;
  for (int i = 0; i < requests; ++i) {
    const Nanos arrival = kT0 + i * 5 * kMillisecond;
    out += fmt::format(
        "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",\"auditID\":\"id-{}\","
        "\"stage\":\"ResponseComplete\",\"requestURI\":\"/api/v1/nodes/n1\",\"verb\":\"get\","
        "\"user\":{{\"username\":\"u\",\"groups\":[\"system:authenticated\"]}},\"responseStatus\":{{\"code\":200}},"
        "\"requestReceivedTimestamp\":\"{}\",\"stageTimestamp\":\"{}\"}}\n",
        i, format_rfc3339(arrival), format_rfc3339(arrival + 90 * kMillisecond));
  }
  return out;
}

// What only reading the log replays, and clients that hang up.
void add_stages(std::mt19937& random, SweepFlags& set) {
  switch (random() % 8) {
    case 0: {
      EventRateLimitConfiguration events;
      events.has_limits = true;
      events.limits.push_back({"Server", 1, 2, 0});
      set.replay.event_rate_limit = std::move(events);
      break;
    }
    case 1: {
      ResourceQuota& quota = set.replay.resource_quotas.emplace_back();
      quota.meta.name = "few";
      quota.ns = "shop";
      quota.spec.hard.emplace("pods", *Quantity::parse("2"));
      set.replay.scales.clear();
      break;
    }
    case 2:
      set.replay.client_limits = ClientLimits{{2, 3}, {}};
      set.replay.scales.clear();
      break;
    case 3:
      set.replay.client_models.push_back({"*", ClientModel::workers, 1});
      set.replay.scales.clear();
      break;
    case 4:
      set.replay.client_timeouts.push_back({"*", 300 * kMillisecond});
      break;
    case 5:
      set.replay.retries = true;
      break;
    default:
      break;
  }
}

// Logs in memory under configurations of the built-in objects with other shares, so that there are waits and refusals.
struct Case {
  std::vector<std::string> texts;
  SweepOptions options;
};

Case random_case(std::mt19937& random) {
  Case out;
  const std::size_t logs = 1 + random() % 4, configurations = 1 + random() % 3, flags = 1 + random() % 2;
  for (std::size_t i = 0; i < logs; ++i) out.texts.push_back(log_text(random, 40 + static_cast<int>(random() % 200)));
  SweepPlan plan;
  for (std::size_t i = 0; i < logs; ++i) {
    SweepLog& log = plan.logs.emplace_back();
    log.name = fmt::format("server {}", i);
    log.files = {fmt::format("{}.jsonl", i)};
  }
  for (std::size_t i = 0; i < flags; ++i) {
    SweepFlags& set = plan.flags.emplace_back();
    set.name = fmt::format("flags {}", i);
    set.server_concurrency = 4 + static_cast<int>(random() % 30);
    if (random() % 3 == 0) set.kubernetes_version = KubeVersion::parse("1.28");
    if (random() % 4 == 0) set.replay.scales.push_back({"", 1.5, false});
    add_stages(random, set);
    if (random() % 5 == 0) {
      set.replay.in_flight.emplace();
      set.max_requests_inflight = 3;
      set.max_mutating_requests_inflight = 2;
      set.server_concurrency.reset();
    }
  }
  std::vector<Config> configs;
  for (std::size_t i = 0; i < configurations; ++i) {
    plan.configurations.push_back({fmt::format("configuration {}", i), {}});
    for (const SweepFlags& set : plan.flags) {
      Config config = bootstrap_config(set.version());
      for (PriorityLevel& level : config.priority_levels)
        if (level.limited && level.meta.name == "workload-low")
          level.limited->nominal_concurrency_shares = 1 + static_cast<std::int32_t>(random() % 100);
      configs.push_back(std::move(config));
    }
  }
  plan.seeds.clear();
  for (std::size_t i = 0, n = 1 + random() % 3; i < n; ++i) plan.seeds.push_back(i * 7);
  if (random() % 3 == 0 && !plan.flags.front().replay.in_flight) plan.recorded = SweepPlan::Recorded{};
  out.options = sweep_options(plan, std::move(configs));
  out.options.digest = sweep_digest({"a plan"});
  out.options.threads = 1 + static_cast<int>(random() % 3);
  return out;
}

// The texts have their place now.
void connect(Case& of) {
  for (SweepOptions::Combination& combination : of.options.combinations)
    for (std::size_t i = 0; i < of.texts.size(); ++i)
      combination.replay.texts[fmt::format("{}.jsonl", i)] = of.texts[i];
}

template <class Make>
std::string all_formats(Make make) {
  SweepPieces json(SweepFormat::json), csv(SweepFormat::csv);
  std::string first, second;
  const SweepReport report = make([&](const SweepLogReport& log, const SweepReport& so_far) {
    first += json.add(log, so_far);
    second += csv.add(log, so_far);
  });
  first += json.end(report);
  second += csv.end(report);
  const Document document = document_of(report);
  return render(document, Notation::text) + render(document, Notation::markdown) + first + second;
}

std::vector<std::string> run_tasks(const SweepOptions& options, int of, const Folder& folder) {
  std::vector<std::string> files;
  for (int number = of; number >= 1; --number) {
    files.push_back(folder.file(sweep_file_name({number, of})));
    REQUIRE(sweep_task(options, {number, of}, files.back()));
  }
  return files;
}

std::string error_of(const std::vector<std::string>& files, bool allow_missing = false) {
  try {
    merge_sweep(files, {.allow_missing = allow_missing});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Any division of a sweep merges to the bytes of one process", "[sweep]") {
  const std::uint64_t seed = test::seed() + GENERATE(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
  INFO("APF_TEST_SEED=" << seed);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  Case of = random_case(random);
  connect(of);
  const std::string whole = all_formats([&](const SweepRows& rows) { return sweep(of.options, rows); });
  CHECK(whole.find("\"complete\":true") != std::string::npos);
  for (int tasks = 1; tasks <= 7; tasks += 1 + static_cast<int>(random() % 3)) {
    INFO(tasks << " tasks");
    const Folder folder;
    const std::vector<std::string> files = run_tasks(of.options, tasks, folder);
    CHECK(all_formats([&](const SweepRows& rows) { return merge_sweep(files, {}, rows); }) == whole);
    // Once more, with another number of threads.
    const std::string before = text_of(files.front());
    of.options.threads = 1 + of.options.threads % 3;
    REQUIRE(sweep_task(of.options, {tasks, tasks}, files.front()));
    CHECK(text_of(files.front()) == before);
  }
}

TEST_CASE("The replays of a sweep are those of replay()", "[sweep]") {
  const std::uint64_t seed = test::seed() + GENERATE(0u, 1u, 2u, 3u, 4u, 5u);
  INFO("APF_TEST_SEED=" << seed);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  Case of = random_case(random);
  for (const auto change :
       {+[](ReplayOptions& o) {
          o.in_flight = InFlightLimits{2, 2};
        },
        +[](ReplayOptions& o) {
          o.scales = {{"", 2, false}};
          o.client_models.clear();
          o.client_limits.reset();
          o.resource_quotas.clear();
        },
        +[](ReplayOptions& o) {
          o.client_timeouts = {{"*", 200 * kMillisecond}};
        },
        +[](ReplayOptions& o) {
          o.client_limits = ClientLimits{{2, 3}, {}};
          o.scales.clear();
        },
        +[](ReplayOptions& o) { o.retries = true; }, +[](ReplayOptions& o) { o.version = *KubeVersion::parse("1.24"); },
        +[](ReplayOptions& o) { o.request_timeout = 8 * kSecond; }}) {
    SweepOptions::Combination& combination = of.options.combinations.emplace_back(of.options.combinations.front());
    combination.flags = fmt::format("more {}", of.options.combinations.size());
    change(combination.replay);
  }
  connect(of);
  sweep(of.options, [&](const SweepLogReport& log, const SweepReport&) {
    for (const SweepResult& result : log.results) {
      ReplayOptions options = of.options.combinations[result.combination].replay;
      options.logs = {fmt::format("{}.jsonl", log.name.back())};
      const ReplayReport report = replay(options);
      CHECK(result.totals.front().requests == report.total.requests);
      CHECK(result.totals.front().rejected() == report.total.rejected());
      CHECK(result.totals.front().wait.quantile(0.99) == report.total.wait.quantile(0.99));
      CHECK(result.totals.front().seat_seconds == report.total.seat_seconds);
      for (const OutcomeRow& row : kOutcomeTable)
        CHECK(result.totals.front().outcomes[row.outcome] == report.total.outcomes[row.outcome]);
      CHECK(result.levels.size() == report.levels.size());
      CHECK(result.stages.front().retries == report.retries);
      for (const StageReport& stage : result.stages.front().stages) {
        const auto at = std::find_if(report.stages.begin(), report.stages.end(),
                                     [&](const StageReport& other) { return other.stage == stage.stage; });
        REQUIRE(at != report.stages.end());
        CHECK(stage.refused == at->refused);
        CHECK(stage.reasons == at->reasons);
        CHECK(stage.delayed == at->delayed);
        CHECK(stage.delay.max() == at->delay.max());
      }
    }
  });
}

TEST_CASE("Shares cover all replays once, in whole logs where they can", "[sweep]") {
  for (std::uint64_t logs = 1; logs <= 9; ++logs) {
    for (int of = 1; of <= 40; ++of) {
      const std::uint64_t each = 6;
      std::uint64_t at = 0;
      for (int number = 1; number <= of; ++number) {
        const SweepShare share = share_of({number, of}, logs, each);
        CHECK(share.first == at);
        CHECK(share.end >= share.first);
        if (static_cast<std::uint64_t>(of) <= logs) CHECK(share.end % each == 0);
        at = share.end;
      }
      CHECK(at == logs * each);
    }
  }
  // What is multiplied does not leave 64 bits.
  CHECK(share_of({kMostSweepTasks, kMostSweepTasks}, 100'000, 10'000).end == 1'000'000'000);
}

TEST_CASE("A cell is read as it was written", "[sweep]") {
  SweepCell cell;
  cell.number = 41;
  cell.log = {"a \"b\"\n", 1, 2, 3, 0x00ff12, {}};
  cell.log.warnings.push_back({.kind = RemarkKind::duplicate_events, .count = 12});
  cell.log.warnings.push_back({.kind = RemarkKind::log_empty, .name = "a.log"});
  SweepCell::Replay replay;
  replay.total.requests = 3;
  replay.total.outcomes[Outcome::executed] = 2;
  replay.total.outcomes[Outcome::time_out] = 1;
  replay.total.seat_seconds = 0.1 + 0.2;
  replay.total.too_wide = 1;
  replay.total.seats_wanted = 9;
  replay.total.seats_allowed = 4;
  replay.total.widest = 9;
  for (const Nanos wait : {Nanos{0}, Nanos{1}, Nanos{63}, kMillisecond, 3 * kSecond, 86'400 * kSecond})
    replay.total.wait.add(wait);
  replay.levels.push_back({"workload-low", false, replay.total});
  cell.replays = {replay, replay};
  const std::string line = write_cell(cell);
  const SweepCell read = read_cell(line);
  CHECK(write_cell(read) == line);
  CHECK(read.log == cell.log);
  CHECK(line.find("\"digest\":\"000000000000ff12\"") != std::string::npos);
  for (const char* digest : {"", "ff12", "000000000000fg12", "000000000000FF121"}) {
    std::string wrong = line;
    wrong.replace(wrong.find("000000000000ff12"), 16, digest);
    CHECK_THROWS_WITH(read_cell(wrong), "\"digest\" is not a string of 16 hexadecimal digits");
  }
  CHECK(read.replays.front().total.wait.mean() == replay.total.wait.mean());
  CHECK(read.replays.front().total.wait.quantile(0.5) == replay.total.wait.quantile(0.5));
  CHECK(read.replays.front().total.seat_seconds == replay.total.seat_seconds);
  for (const char* wrong : {"", "{}", "[1]", "{\"replay\":-1}", "{\"replay\":1,\"log\":7}"})
    CHECK_THROWS_AS(read_cell(wrong), Error);
}

TEST_CASE("Merging refuses what does not belong together, and names what is missing", "[sweep]") {
  std::mt19937 random(21);
  Case of = random_case(random);
  while (of.options.logs.size() < 3) of = random_case(random);
  connect(of);
  const Folder folder;
  const std::vector<std::string> files = run_tasks(of.options, 3, folder);
  const std::vector<std::string> two = {files[0], files[2]};
  CHECK(error_of(files).empty());
  CHECK(error_of({files[0], files[0], files[1], files[2]}).empty());  // twice the same
  CHECK(error_of(two) == "no partial result of task 2 of 3: run it, or merge the others with --allow-missing");
  const SweepReport part = merge_sweep(two, {.allow_missing = true});
  REQUIRE(part.missing.size() == 1);
  CHECK(part.missing.front().task.number == 2);
  CHECK(part.replayed < part.replays);
  CHECK(render(document_of(part), Notation::text).find("task 2 of 3") != std::string::npos);
  CHECK(render(document_of(part), Notation::markdown).find("task 2 of 3") != std::string::npos);

  const std::string good = text_of(files[1]);
  std::string bad = good;
  bad[good.find("\"queued\"") + 10] ^= 1;
  write(files[1], bad);
  CHECK(error_of(files) == files[1] + ": its checksum is wrong: it was changed or damaged; run its task again");
  const SweepReport damaged = merge_sweep(files, {.allow_missing = true});
  REQUIRE(damaged.missing.size() == 1);
  CHECK(damaged.missing.front().file == files[1]);
  for (const std::size_t size : {good.size() - 1, good.size() / 2, std::size_t{1}, std::size_t{0}}) {
    write(files[1], good.substr(0, size));
    INFO(size);
    CHECK(error_of(files).starts_with(files[1] + ": it "));
    CHECK(merge_sweep(files, {.allow_missing = true}).missing.size() >= 1);
  }
  write(files[1], good + "\n");
  CHECK(error_of(files).find("follows its checksum") != std::string::npos);
  write(files[1], good);

  SweepOptions other = of.options;
  other.digest = sweep_digest({"another plan"});
  const std::string stray = folder.file("stray.json");
  REQUIRE(sweep_task(other, {2, 3}, stray));
  CHECK(error_of({files[0], files[2], stray}, true).starts_with(stray + " is of another plan than " + files[0]));
  REQUIRE(sweep_task(of.options, {2, 4}, stray));
  CHECK(error_of({files[0], files[2], stray}, true) ==
        fmt::format("{} is one of 4 tasks, {} one of 3: merge the tasks of one division", stray, files[0]));
  std::string version = good;
  version.replace(version.find("\"format\":4"), 10, "\"format\":1");
  write(stray, version);
  CHECK(
      error_of({files[0], files[2], stray}, true).starts_with(stray + " is a partial result of format 1, written by"));
  CHECK(error_of({folder.file("absent.json")}).find("it cannot be opened") != std::string::npos);
  CHECK(error_of({}) == "there is no partial result to merge");
}

TEST_CASE("Tasks that have replayed other contents of a log are not merged", "[sweep]") {
  std::mt19937 random(5);
  Case of = random_case(random);
  of.options.seeds = {0, 1, 2};
  of.options.logs.resize(1);
  of.texts.resize(1);
  connect(of);
  const Folder folder;
  const std::vector<std::string> files = run_tasks(of.options, 3, folder);
  CHECK(error_of(files).empty());
  // As many bytes, lines and requests.
  std::string& text = of.texts.front();
  const std::size_t at = text.find("shop:s");
  REQUIRE(at != std::string::npos);
  text[at + 6] = text[at + 6] == '1' ? '2' : '1';
  connect(of);
  REQUIRE(sweep_task(of.options, {2, 3}, files[1]));
  for (const bool allow_missing : {false, true})
    CHECK(error_of(files, allow_missing) ==
          fmt::format("{} and {} are of different contents of the log server 0: a file of it was changed between these "
                      "tasks; run all tasks that replay this log again, with the same files",
                      files[2], files[1]));
  for (const int task : {1, 3}) REQUIRE(sweep_task(of.options, {task, 3}, files[static_cast<std::size_t>(3 - task)]));
  CHECK(error_of(files).empty());
}

TEST_CASE("A log that changes between two readings of a task is refused", "[sweep]") {
  std::mt19937 random(6);
  Case of = random_case(random);
  of.options.logs.resize(1);
  of.options.combinations.erase(of.options.combinations.begin() + 1, of.options.combinations.end());
  connect(of);
  std::string changed = of.texts.front();
  changed[changed.find("shop:s") + 6] ^= 1;
  SweepOptions::Combination& other = of.options.combinations.emplace_back(of.options.combinations.front());
  other.replay.version = *KubeVersion::parse("1.24");  // it is read apart
  CHECK_NOTHROW(sweep(of.options));
  other.replay.texts["0.jsonl"] = changed;
  CHECK_THROWS_WITH(sweep(of.options), "a file of the log server 0 was changed while it was replayed: start again");
}

TEST_CASE("Events that are in a log twice are said, whatever the division", "[sweep]") {
  const std::uint64_t seed = test::seed() + GENERATE(0u, 1u, 2u);
  INFO("APF_TEST_SEED=" << seed);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  Case of = random_case(random);
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < of.texts.size(); ++i) {
    const int requests = 20 + static_cast<int>(random() % 50);
    events += static_cast<std::uint64_t>(requests);
    of.texts[i] = audit_text(requests);
    of.options.logs[i].files.push_back(of.options.logs[i].files.front());
  }
  connect(of);
  const SweepReport report = sweep(of.options, [&](const SweepLogReport& log, const SweepReport&) {
    const auto twice = std::find_if(log.warnings.begin(), log.warnings.end(),
                                    [](const Remark& r) { return r.kind == RemarkKind::duplicate_events; });
    REQUIRE(twice != log.warnings.end());
    CHECK(twice->count == log.requests);
  });
  CHECK(report.requests == events);
  CHECK(report.doubtful.size() == of.options.logs.size());
  const std::string whole = all_formats([&](const SweepRows& rows) { return sweep(of.options, rows); });
  CHECK(whole.find("\"kind\":\"duplicate-events\"") != std::string::npos);
  for (const int tasks : {2, 5}) {
    const Folder folder;
    const std::vector<std::string> files = run_tasks(of.options, tasks, folder);
    CHECK(all_formats([&](const SweepRows& rows) { return merge_sweep(files, {}, rows); }) == whole);
  }
}

TEST_CASE("A log that leaves waits open is replayed for both assumptions", "[sweep]") {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"u\",\"groups\":[\"system:authenticated\"],\"verb\":\"get\","
        "\"uri\":\"/api/v1/nodes/n1\",\"recordedEnd\":\"{}\",\"code\":{}}}\n",
        format_rfc3339(kT0 + i * kMillisecond), format_rfc3339(kT0 + kSecond + i * kMillisecond),
        i % 9 == 8 ? 429 : 200);
  SweepPlan plan;
  plan.logs.emplace_back().files = {"0.jsonl"};
  plan.configurations.push_back({"built-in", {}});
  plan.flags.emplace_back().server_concurrency = 12;
  Case of;
  of.texts = {text};
  of.options = sweep_options(plan, {bootstrap_config(kNewestKubeVersion)});
  connect(of);
  ReplayOptions plain = of.options.combinations.front().replay;
  plain.logs = {"0.jsonl"};
  const ReplayReport whole = replay(plain);
  const SweepReport report = sweep(of.options);
  REQUIRE(report.results.size() == 1);
  REQUIRE(whole.undecided.has_value() == (report.undecided == 1));
  CHECK(report.results.front().totals.size() == (whole.undecided ? 2 : 1));
  if (whole.undecided) CHECK(report.results.front().totals[1].rejected() == whole.others.front().total.rejected());
}

TEST_CASE("A sweep whose files have not been read is refused", "[sweep]") {
  SweepPlan plan;
  plan.logs.emplace_back().files = {"0.jsonl"};
  plan.configurations.push_back({"built-in", {}});
  plan.flags.emplace_back().name = "limited";
  plan.flags.front().event_rate_limit_file = "limits.yaml";
  const std::vector<Config> configs = {bootstrap_config(kNewestKubeVersion)};
  const char* const wanted = "a sweep needs what the files of the flags \"limited\" say";
  CHECK_THROWS_WITH(sweep_options(plan, configs), wanted);
  plan.flags.front().event_rate_limit_file.clear();
  plan.flags.front().quota_files = {"quota.yaml"};
  CHECK_THROWS_WITH(sweep_options(plan, configs), wanted);
  plan.flags.front().replay.resource_quotas.emplace_back();
  CHECK_NOTHROW(sweep_options(plan, configs));
}

TEST_CASE("A cell is read as it was written, stages included", "[sweep]") {
  SweepCell cell;
  cell.log.name = "a";
  SweepCell::Replay& replay = cell.replays.emplace_back();
  for (const AdmissionStage of :
       {AdmissionStage::client_limiter, AdmissionStage::apf, AdmissionStage::resource_quota}) {
    StageReport& stage = replay.stages.stages.emplace_back();
    stage.stage = of;
    stage.passed = 3;
    stage.delayed = 1;
    stage.delay.add(5 * kMillisecond);
    stage.refused = 2;
    stage.reasons = {{"a \"reason\"", 1}, {"exceeded", 1}};
  }
  replay.stages.undecidable_quotas = 4;
  replay.stages.retries = 7;
  replay.stages.gave_up = 1;
  cell.replays.push_back(replay);
  cell.clients_open = true;
  const std::string line = write_cell(cell);
  const SweepCell read = read_cell(line);
  CHECK(write_cell(read) == line);
  CHECK(read.replays.back().stages.stages.back().reasons.size() == 2);
  CHECK(read.replays.back().stages.gave_up == 1);
  CHECK(read.clients_open);

  const auto error = [&](std::string_view from, std::string_view to) -> std::string {
    std::string bad = line;
    bad.replace(bad.find(from), from.size(), to);
    try {
      read_cell(bad);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(error("client-limiter", "client") == "\"stages\" has one that is unknown");
  CHECK(error("client-limiter", "apf") == "\"stages\" are not in their order");
  CHECK(error("\"refused\":2", "\"refused\":-2") == "\"refused\" is not a whole number");
  CHECK(error("\"gaveUp\":1", "\"gave\":1") == "\"gaveUp\" is missing");
}

TEST_CASE("Replays of a combination have the same stages, or are refused", "[sweep]") {
  SweepReport report;
  report.combinations.resize(1);
  report.seeds = {0, 1};
  report.logs = 1;
  report.replays = 2;
  const SweepRows no_rows;
  SweepSums sums(report, no_rows);
  for (const std::uint64_t number : {0u, 1u}) {
    SweepCell cell;
    cell.number = number;
    cell.log.name = "a";
    SweepCell::Replay& replay = cell.replays.emplace_back();
    if (number == 1) replay.stages.stages.emplace_back().stage = AdmissionStage::client_limiter;
    sums.add(std::move(cell));
  }
  CHECK_THROWS_WITH(sums.finish(), "the replays of a differ in their stages");
}
