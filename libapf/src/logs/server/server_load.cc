// What kube-apiserver counted between two scrapes, or since it started.
#include <apf/error.h>
#include <apf/server.h>
#include <apf/time.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <tuple>

#include <fmt/core.h>

#include "base/saturated.h"

namespace apf {

namespace {

constexpr std::string_view kCounters[] = {"dispatched_requests_total",     "rejected_requests_total",
                                          "request_execution_seconds",     "request_dispatch_no_accommodation_total",
                                          "request_wait_duration_seconds", "work_estimated_seats"};
constexpr double kSameStart = 1;  // seconds
// Counters of the server's first requests may be read while they change.
constexpr double kSlack = 0.5;

using Series = ServerScrape::Series;

// What a server shows of its levels from its start on, in one release or another.
constexpr std::string_view kFromTheStart[] = {"request_concurrency_limit", "nominal_limit_seats",
                                              "current_limit_seats",       "lower_limit_seats",
                                              "upper_limit_seats",         "demand_seats",
                                              "demand_seats_average",      "demand_seats_high_watermark",
                                              "demand_seats_smoothed",     "priority_level_seat_utilization"};

std::string started(double seconds) { return format_rfc3339(nanos_of(seconds) / kSecond * kSecond); }

template <class Key>
void subtract(std::map<Key, double>& from, const std::map<Key, double>& earlier) {
  for (const auto& [key, count] : earlier)
    if (const auto at = from.find(key); at != from.end()) at->second = std::max(0.0, at->second - count);
}

// By their own times; else by what their levels count.
std::optional<double> seconds_between(const ServerScrape& before, const ServerScrape& after) {
  if (before.time && after.time && *after.time > *before.time)
    return static_cast<double>(*after.time - *before.time) / 1e9;
  if (before.age && after.age && *after.age > *before.age) return *after.age - *before.age;
  return std::nullopt;
}

void check_same_run(const ServerScrape& before, const ServerScrape& after) {
  if (before.process_start && after.process_start &&
      std::abs(*before.process_start - *after.process_start) > kSameStart)
    throw Error(
        fmt::format("{} and {} are of different servers, or of different runs of one: it started at {}, and at "
                    "{}; give two scrapes of the run that wrote the log",
                    before.name, after.name, started(*before.process_start), started(*after.process_start)));
  if (before.time && after.time && *before.time > *after.time)
    throw Error(fmt::format("{} is later than {}; give the earlier scrape first", before.name, after.name));
  for (const auto& [key, earlier] : before.series) {
    const auto at = after.series.find(key);
    const Series later = at == after.series.end() ? Series() : at->second;
    for (const auto& [what, a, b] : {std::tuple("dispatched", earlier.dispatched, later.dispatched),
                                     std::tuple("rejected", earlier.rejected, later.rejected)}) {
      if (b >= a - kSlack) continue;
      throw Error(
          fmt::format("the counters run backwards from {} to {} (FlowSchema {} {} {:.0f} requests, later {:.0f}): "
                      "give the earlier scrape first, and two of one server that did not restart between them",
                      before.name, after.name, key.first, what, a, b));
    }
  }
}

// What it does not count had not happened: soon a server has counted a request, and what was not picked out says when
// the process started. Else it is a smaller part of what the server showed.
bool shows_as_much(const ServerScrape& before, const ServerScrape& after) {
  return (before.has("dispatched_requests_total") || before.process_start) &&
         std::all_of(std::begin(kFromTheStart), std::end(kFromTheStart),
                     [&](std::string_view family) { return before.has(family) || !after.families.contains(family); });
}

std::optional<Nanos> instant(const std::optional<double>& seconds) {
  if (!seconds || !(*seconds > 0) || *seconds > 9e9) return std::nullopt;
  return static_cast<Nanos>(*seconds * 1e3) * kMillisecond;
}

}  // namespace

ServerLoad load_between(const ServerScrape& before, const ServerScrape& after) {
  check_same_run(before, after);
  const bool from_zero = shows_as_much(before, after);
  ServerLoad out{after.series,
                 after.levels,
                 before.time,
                 after.time,
                 seconds_between(before, after),
                 before.name + " and " + after.name,
                 instant(after.process_start),
                 after.families,
                 from_zero && after.whole};
  for (const std::string_view counter : kCounters)
    if (!from_zero && !before.has(counter)) out.families.erase(std::string(counter));
  if (!out.begin) out.begin = out.started;  // not earlier, at the least
  for (auto& [key, series] : out.series) {
    const auto at = before.series.find(key);
    if (at == before.series.end()) continue;
    const Series& earlier = at->second;
    for (double Series::*const counter :
         {&Series::dispatched, &Series::rejected, &Series::execution_sum, &Series::execution_count, &Series::wait_sum,
          &Series::wait_count, &Series::seats_sum, &Series::seats_count, &Series::not_accommodated})
      series.*counter = std::max(0.0, series.*counter - earlier.*counter);
    subtract(series.rejected_by, earlier.rejected_by);
    subtract(series.execution_buckets, earlier.execution_buckets);
    subtract(series.wait_buckets, earlier.wait_buckets);
    subtract(series.seats_buckets, earlier.seats_buckets);
  }
  return out;
}

ServerLoad load_since_start(const ServerScrape& scrape) {
  std::optional<double> seconds = scrape.age;
  if (scrape.time && scrape.process_start)
    seconds = std::max(0.0, static_cast<double>(*scrape.time) / 1e9 - *scrape.process_start);
  return {scrape.series, scrape.levels, instant(scrape.process_start), scrape.time,
          seconds,       scrape.name,   instant(scrape.process_start), scrape.families,
          scrape.whole};
}

}  // namespace apf
