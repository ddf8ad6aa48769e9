// What lists took by the histograms of a server's seats: never another width than the server gave them.
#include <apf/setup.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Random = std::mt19937_64;

int below(Random& random, int end) { return static_cast<int>(random() % static_cast<std::uint64_t>(end)); }

// A server whose resources have one width each, which levels bound.
struct DrawnServer {
  explicit DrawnServer(Random& random) {
    const int resources = 1 + below(random, 5), places = 1 + below(random, 4);
    for (int i = 0; i < resources; ++i)
      widths["r" + std::to_string(i)] = below(random, 3) == 0 ? 1 : 2 + below(random, 20);
    for (int i = 0; i < places; ++i) {
      const std::string level = "level" + std::to_string(i), schema = "schema" + std::to_string(i);
      LevelLimits& limit = limits.levels.emplace_back();
      limit.name = level;
      limit.max_seats = 1 + below(random, 15);
      LoggedLoad::Schema& in_log = logged.schemas[{schema, level}];
      ServerScrape::Series& series = scrape.series[{schema, level}];
      for (const double bound : {1., 2., 4., 8., 16., 32., 64., 100., std::numeric_limits<double>::infinity()})
        series.seats_buckets[bound] = 0;
      const auto add = [&](int seats, int count) {
        series.seats_count += count;
        series.seats_sum += static_cast<double>(seats) * count;
        for (auto& [bound, number] : series.seats_buckets)
          if (seats <= bound) number += count;
        in_log.served += static_cast<std::uint64_t>(count);
      };
      add(1, below(random, 50));  // requests of other kinds
      for (const auto& [resource, width] : widths) {
        if (below(random, 2) == 0) continue;
        const int count = 1 + below(random, 40);
        in_log.listed[resource] += static_cast<std::uint64_t>(count);
        add(std::min(width, limit.max_seats), count);
      }
      if (below(random, 4) == 0) ++in_log.served;  // the server did not count it: another time, or configuration
    }
  }

  std::map<std::string, int> widths;
  LimitsTable limits;
  LoggedLoad logged;
  ServerScrape scrape;
};

}  // namespace

TEST_CASE("widths by a server's histograms are those that its lists had", "[property][setup][widths]") {
  INFO("APF_TEST_SEED=" << test::seed());
  Random random(test::seed());
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    INFO("round " << round);
    const DrawnServer server(random);
    const MeasuredWidths measured = measured_widths(server.scrape, server.logged, server.limits, kNewestKubeVersion);
    for (const std::string& resource : measured.resources) {
      ++found;
      const ObjectStats stats = measured.counts.find("", resource);
      REQUIRE(stats.state == ObjectStats::State::known);
      const auto seats = static_cast<int>(stats.count * stats.average_size / 100'000);
      for (const auto& [key, schema] : server.logged.schemas) {
        const auto series = server.scrape.series.find(key);
        if (!schema.listed.contains(resource) || static_cast<double>(schema.served) != series->second.seats_count)
          continue;
        for (const LevelLimits& level : server.limits.levels)
          if (level.name == key.second)
            CHECK(std::min(seats, level.max_seats) == std::min(server.widths.at(resource), level.max_seats));
      }
    }
  }
  CHECK(found > 300);
}
