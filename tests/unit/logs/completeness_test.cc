// What a log betrays of requests that it does not hold, and that whole logs betray nothing.
#include "logs/completeness.h"

#include <algorithm>
#include <random>

#include "catch.h"
#include "logs/remarks.h"

using namespace apf;

namespace {

constexpr Nanos kT0 = 1'763'640'000 * kSecond;

std::vector<Remark> remarks_of(const Completeness& log) {
  return log.remarks([](std::uint32_t client) { return "user-" + std::to_string(client); });
}

bool has(const std::vector<Remark>& remarks, RemarkKind kind) {
  return std::any_of(remarks.begin(), remarks.end(), [&](const Remark& remark) { return remark.kind == kind; });
}

std::uint8_t traits(unsigned bits) { return static_cast<std::uint8_t>(bits); }

// Minutes of a small cluster: nodes, controllers that renew leases, watches, people.
struct Cluster {
  bool nodes = true, leases = true, watches = true, reads = true;
  double keep = 1;                   // of all requests
  Nanos gap_begin = 0, gap_end = 0;  // after kT0
  Nanos span = 900 * kSecond;

  std::vector<Remark> remarks() const {
    std::mt19937_64 random(7);
    Completeness log;
    const auto add = [&](Nanos at, unsigned bits, std::uint32_t client) {
      if (at >= gap_begin && at < gap_end) return;
      if (static_cast<double>(random() % 1000) >= keep * 1000) return;
      log.add(kT0 + at, traits(bits), client);
    };
    for (Nanos t = 0; t < span; t += 100 * kMillisecond) {
      const auto tick = static_cast<std::uint64_t>(t / (100 * kMillisecond));
      if (reads) add(t, kReading, 20 + tick % 5);
      if (tick % 7 == 0) add(t, kChanging | kComponent | kControllerWrite, 2);
      if (tick % 11 == 0 && reads) add(t, kReading | kComponent, 2);
      if (tick % 50 == 0) add(t, kBinding | kComponent | kControllerWrite, 3);
      for (std::uint32_t node = 0; nodes && node < 6; ++node)
        if (tick % 100 == node) add(t, kOfNode | kLeaseUpdate | kComponent, 4 + node);
      if (leases && tick % 20 == 0) add(t, kLeaseUpdate | kComponent | kControllerWrite, 2);
      if (watches && tick % 300 == 0) add(t, kWatching | kComponent, 2);
    }
    return remarks_of(log);
  }
};

}  // namespace

TEST_CASE("A whole log betrays nothing", "[completeness]") {
  CHECK(Cluster().remarks().empty());
  CHECK(Completeness().remarks([](std::uint32_t) { return std::string(); }).empty());
  Cluster one_minute;
  one_minute.span = 60 * kSecond;
  CHECK(one_minute.remarks().empty());
}

TEST_CASE("Pods are bound to nodes that send nothing", "[completeness]") {
  Cluster cluster;
  cluster.nodes = false;
  const auto remarks = cluster.remarks();
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].kind == RemarkKind::nodes_missing);
  CHECK(remarks[0].count == 180u);
}

TEST_CASE("Controllers that hold no lease", "[completeness]") {
  Cluster cluster;
  cluster.leases = cluster.nodes = false;
  CHECK(has(cluster.remarks(), RemarkKind::lease_updates_missing));
}

TEST_CASE("No watch, once some would have ended", "[completeness]") {
  Cluster cluster;
  cluster.watches = false;
  cluster.span = 1200 * kSecond;
  CHECK(has(cluster.remarks(), RemarkKind::watches_missing));
  cluster.span = 100 * kSecond;
  CHECK_FALSE(has(cluster.remarks(), RemarkKind::watches_missing));
}

TEST_CASE("Nobody reads, or one client never does", "[completeness]") {
  Cluster cluster;
  cluster.reads = cluster.watches = false;
  CHECK(has(cluster.remarks(), RemarkKind::reads_missing));
  Completeness log;
  for (int i = 0; i < 2000; ++i) log.add(kT0 + i * kSecond, traits(i % 2 ? kReading : kChanging), i % 2 ? 1 : 2);
  const auto remarks = remarks_of(log);
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].kind == RemarkKind::only_writes);
  CHECK(remarks[0].name == "user-2");
  CHECK(remarks[0].other == 1000u);
}

TEST_CASE("A part of the log is missing, which is more than a pause", "[completeness]") {
  Cluster cluster;
  cluster.gap_begin = 300 * kSecond;
  cluster.gap_end = 340 * kSecond;
  const auto remarks = cluster.remarks();
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].kind == RemarkKind::gap_in_time);
  CHECK(std::abs(*remarks[0].time - (kT0 + 300 * kSecond)) < kSecond);
  CHECK(std::abs(*remarks[0].duration - 40 * kSecond) < 2 * kSecond);
  // Work that comes once a minute pauses by itself.
  Completeness bursts;
  for (int minute = 0; minute < 30; ++minute)
    for (int i = 0; i < 200; ++i) bursts.add(kT0 + minute * 60 * kSecond + i * 10 * kMillisecond, kReading, 1);
  CHECK(remarks_of(bursts).empty());
  // A load that ends, and a last scrape.
  Completeness ends;
  for (int i = 0; i < 3000; ++i) ends.add(kT0 + i * 20 * kMillisecond, kReading, 1);
  ends.add(kT0 + 300 * kSecond, kReading, 2);
  CHECK(remarks_of(ends).empty());
}

TEST_CASE("A sample shows in the intervals of leases", "[completeness]") {
  Cluster cluster;
  cluster.keep = 0.5;
  const auto remarks = cluster.remarks();
  REQUIRE(has(remarks, RemarkKind::requests_sampled));
  for (const Remark& remark : remarks)
    if (remark.kind == RemarkKind::requests_sampled) CHECK(std::abs(static_cast<int>(*remark.total) - 50) < 10);
}

TEST_CASE("What outlives a gap does not hide it", "[completeness]") {
  Completeness log;
  for (int i = 0; i < 60'000; ++i) {
    const Nanos at = i * 10 * kMillisecond;
    const bool missing = at >= 200 * kSecond && at < 280 * kSecond;
    if (!missing) log.add(kT0 + at, kReading, 1);
    else if (i % 500 == 0) log.add(kT0 + at, kWatching | kReading, 2);  // written when it ends
    else if (i == 24'001) log.add(kT0 + at, kReading, 3);               // an answer that took very long
  }
  const auto remarks = remarks_of(log);
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].kind == RemarkKind::gap_in_time);
  CHECK(std::abs(*remarks[0].duration - 80 * kSecond) < 2 * kSecond);
}

TEST_CASE("A tenth of the log shows in the leases of all nodes together", "[completeness]") {
  const auto remarks_at = [](unsigned percent, int gap = 0) {
    std::mt19937_64 random(11);
    Completeness log;
    for (std::uint32_t node = 0; node < 100; ++node) {
      Nanos at = kT0 + static_cast<Nanos>(random() % 10'000) * kMillisecond;
      for (int i = 0; i < 33; ++i, at += 9500 * kMillisecond + static_cast<Nanos>(random() % 1000) * kMillisecond)
        if (random() % 100 < percent && (i < 12 || i >= 12 + gap))
          log.add(at, kOfNode | kLeaseUpdate | kComponent, node);
    }
    log.add(kT0, kWatching, 0);
    return remarks_of(log);
  };
  const auto remarks = remarks_at(10);
  REQUIRE(has(remarks, RemarkKind::requests_sampled));
  for (const Remark& remark : remarks)
    if (remark.kind == RemarkKind::requests_sampled) CHECK(std::abs(static_cast<int>(*remark.total) - 10) <= 4);
  CHECK(has(remarks_at(50), RemarkKind::requests_sampled));
  CHECK_FALSE(has(remarks_at(100), RemarkKind::requests_sampled));
  CHECK_FALSE(has(remarks_at(97), RemarkKind::requests_sampled));
  CHECK_FALSE(has(remarks_at(100, 9), RemarkKind::requests_sampled));  // which is a gap
}

TEST_CASE("Revisions and counts of events rise faster than the log", "[completeness]") {
  Completeness log;
  for (int i = 0; i < 100; ++i) log.note_write(1000 + i * 50);
  for (int i = 1; i < 40; ++i) log.note_event(7, i * 5);
  const auto remarks = remarks_of(log);
  REQUIRE(has(remarks, RemarkKind::revisions_missing));
  REQUIRE(has(remarks, RemarkKind::event_counts_missing));
  Completeness whole;
  for (int i = 0; i < 5000; ++i) whole.note_write(i % 10 ? 0 : 1000 + i);
  for (int i = 1; i < 400; ++i) whole.note_event(7, i);
  CHECK(remarks_of(whole).empty());
}

TEST_CASE("A gap that is long beside others is no pause", "[completeness]") {
  // One of 40 s, and four of 12 s, which are less than a third of it.
  Completeness log;
  for (Nanos at = 0; at < 900 * kSecond; at += 100 * kMillisecond) {
    const Nanos second = at / kSecond;
    if ((second >= 300 && second < 340) || (second >= 500 && second % 100 < 12)) continue;
    log.add(kT0 + at, kReading, 1);
  }
  const auto remarks = remarks_of(log);
  REQUIRE(has(remarks, RemarkKind::gap_in_time));
  for (const Remark& remark : remarks)
    if (remark.kind == RemarkKind::gap_in_time) CHECK(remark.count == 5);
}

TEST_CASE("Only audit logs can lack waits", "[completeness]") {
  const auto lacks_waits = [](const LogStat& stat) { return has(missing_of(stat), RemarkKind::waits_missing); };
  LogStat stat;
  stat.requests = 10;
  CHECK(lacks_waits(stat));
  stat.traces = 10;
  CHECK_FALSE(lacks_waits(stat));
  stat.traces = 4, stat.http = 6;
  CHECK_FALSE(lacks_waits(stat));
  stat.http = 5;
  CHECK(lacks_waits(stat));
  stat.with_queue_wait = 1;
  CHECK_FALSE(lacks_waits(stat));
}

TEST_CASE("An interval a tenth off a multiple still belongs to regular renewals", "[completeness]") {
  // Every client renews at 10 s and twice at once; of some intervals every other renewal is missing.
  const auto is_sampled = [](Nanos at_once) {
    Completeness log;
    for (std::uint32_t client = 0; client < 4; ++client) {
      Nanos at = kT0;
      log.add(at, traits(kLeaseUpdate), client);
      for (int i = 0; i < 20; ++i) {
        at += i < 2 ? at_once : i < 14 ? 10 * kSecond : 20 * kSecond;
        log.add(at, traits(kLeaseUpdate), client);
      }
    }
    return has(remarks_of(log), RemarkKind::requests_sampled);
  };
  CHECK(is_sampled(kSecond));
  CHECK_FALSE(is_sampled(kSecond + kMillisecond));
  // Twenty intervals at once are a pause, not missing renewals.
  CHECK(is_sampled(190 * kSecond));
  CHECK_FALSE(is_sampled(200 * kSecond));
}

TEST_CASE("A second without a request is a gap, less is none", "[completeness]") {
  const auto has_gap = [](Nanos length) {
    Completeness log;
    for (Nanos at = 0; at < 60 * kSecond; at += 10 * kMillisecond)
      if (at < 20 * kSecond || at >= 20 * kSecond + length) log.add(kT0 + at, kReading, 1);
    return has(remarks_of(log), RemarkKind::gap_in_time);
  };
  CHECK(has_gap(kSecond));
  CHECK_FALSE(has_gap(kSecond * 3 / 4));
}

TEST_CASE("In a busy log a request in a gap does not end it", "[completeness]") {
  // 20 requests in a quarter of a second, on average, are busy.
  const auto gap_of = [](int requests) {
    Completeness log;
    const auto bin = [](int i) { return kT0 + i * kSecond / 4; };
    int left = requests - 1;
    for (int i = 0; i < 200; ++i) {
      if (i >= 100 && i < 110) continue;
      const int here = i == 199 ? left : std::min(left, (requests - 1) / 190);
      left -= here;
      for (int k = 0; k < here; ++k) log.add(bin(i) + k * kMillisecond, kReading, 1);
      if (i == 99) log.add(bin(105), kReading, 1);
    }
    for (const Remark& remark : remarks_of(log))
      if (remark.kind == RemarkKind::gap_in_time) return std::pair(remark.count.value_or(0), *remark.duration);
    return std::pair(std::uint64_t{0}, Nanos{0});
  };
  CHECK(gap_of(4000) == std::pair(std::uint64_t{1}, 10 * kSecond / 4));
  CHECK(gap_of(3999) == std::pair(std::uint64_t{0}, Nanos{0}));
}
