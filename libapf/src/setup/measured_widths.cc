// measured_widths(): what lists took, by the server's histograms of seats.
#include <apf/setup.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedule/seats.h"

namespace apf {

namespace {

constexpr std::size_t kMostResources = 16;  // listed in a FlowSchema: each choice of them is tried
constexpr std::int64_t kBytesOfASeat = 100'000;

// What a FlowSchema says of the resources that are listed in it: the seats of their lists, 1 where they are narrow.
using Widths = std::map<std::string, int>;

struct WideRequests {
  std::uint64_t count = 0;
  int seats = 0;       // on average; 0: that is no whole number
  bool alike = false;  // each of them takes as many
};

// `cap`: the most that one of them may take.
WideRequests wide_requests(const ServerScrape::Series& series, int cap) {
  WideRequests out;
  double narrow = 0;
  for (const auto& [bound, count] : series.seats_buckets)
    if (bound <= 1) narrow = std::max(narrow, count);
  out.count = static_cast<std::uint64_t>(std::llround(series.seats_count - narrow));
  if (out.count == 0) return out;
  const double mean = 1 + (series.seats_sum - series.seats_count) / static_cast<double>(out.count);
  const auto seats = static_cast<int>(std::lround(mean));
  if (std::abs(mean - seats) > 1e-9) return out;
  out.seats = seats;
  // All are alike where none may be wider, or where they are all in one bucket as its least number.
  double below = 0, up_to_below = 0;
  for (const auto& [bound, count] : series.seats_buckets) {
    if (bound >= seats) break;
    below = bound;
    up_to_below = count;
  }
  const bool in_one_bucket = up_to_below == narrow && below + 1 == seats;
  out.alike = seats == cap || in_one_bucket;
  return out;
}

// The only choice of resources whose lists are as many; nothing: there is none, or several.
std::optional<std::set<std::string>> only_choice(const std::map<std::string, std::uint64_t>& listed,
                                                 std::uint64_t count) {
  if (listed.size() > kMostResources) return std::nullopt;
  const std::vector<std::pair<std::string, std::uint64_t>> each(listed.begin(), listed.end());
  std::optional<std::set<std::string>> out;
  for (std::size_t choice = 0; choice < std::size_t{1} << each.size(); ++choice) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < each.size(); ++i) sum += (choice >> i & 1) != 0 ? each[i].second : 0;
    if (sum != count) continue;
    if (out) return std::nullopt;
    out.emplace();
    for (std::size_t i = 0; i < each.size(); ++i)
      if ((choice >> i & 1) != 0) out->insert(each[i].first);
  }
  return out;
}

// Nothing: the log has not all of its requests, or they do not say. Lists of one resource whose average is a whole
// number are taken to be alike; writes that watches make wide are not thought of, as their number would have to fit by
// chance.
std::optional<Widths> widths_of(const ServerScrape::Series& series, const LoggedLoad::Schema& logged, int cap) {
  if (std::llround(series.seats_count) != static_cast<long long>(logged.served + logged.refused)) return std::nullopt;
  const WideRequests wide = wide_requests(series, cap);
  const auto choice = only_choice(logged.listed, wide.count);
  if (!choice || (wide.count > 0 && (wide.seats == 0 || (!wide.alike && choice->size() > 1)))) return std::nullopt;
  Widths out;
  for (const auto& [resource, count] : logged.listed) out[resource] = choice->contains(resource) ? wide.seats : 1;
  return out;
}

}  // namespace

bool measures_widths(const ServerScrape& scrape, KubeVersion version) {
  if (!SeatRules::of(version).size_based) return false;  // by count, lists of one resource differ by their limits
  return std::any_of(scrape.series.begin(), scrape.series.end(),
                     [](const auto& of) { return of.second.seats_sum > of.second.seats_count; });
}

MeasuredWidths measured_widths(const ServerScrape& scrape, const LoggedLoad& logged, const LimitsTable& limits,
                               KubeVersion version) {
  MeasuredWidths out;
  if (!measures_widths(scrape, version)) return out;
  const SeatRules rules = SeatRules::of(version);
  struct Seen {
    int seats = 0, cap = 0;
  };
  std::map<std::string, std::vector<Seen>> seen;
  std::map<std::string, int> most_elsewhere;  // that they may take where it is not known
  std::set<std::string> open;
  for (const auto& [key, schema] : logged.schemas) {
    const auto level = std::find_if(limits.levels.begin(), limits.levels.end(),
                                    [&, &key = key](const LevelLimits& each) { return each.name == key.second; });
    const auto series = scrape.series.find(key);
    open.insert(schema.listed_by_name.begin(), schema.listed_by_name.end());
    if (level != limits.levels.end() && level->exempt) continue;  // its requests wait for nobody
    const bool known = level != limits.levels.end() && series != scrape.series.end();
    const int cap = known ? effective_max_seats(level->max_seats, rules.max_list_seats) : rules.max_list_seats;
    const auto widths = known ? widths_of(series->second, schema, cap) : std::nullopt;
    for (const auto& [resource, count] : schema.listed) {
      if (widths) seen[resource].push_back({widths->at(resource), cap});
      else most_elsewhere[resource] = std::max(most_elsewhere[resource], cap);
    }
  }
  for (const auto& [resource, places] : seen) {
    int most = 1;
    for (const Seen& place : places) most = std::max(most, place.seats);
    // One width must be what all levels show of it.
    const bool agrees =
        std::all_of(places.begin(), places.end(), [&](const Seen& at) { return at.seats == std::min(most, at.cap); });
    // What a level cuts may be wider where another allows more.
    const bool is_cut =
        std::none_of(places.begin(), places.end(), [&](const Seen& at) { return at.seats == most && most < at.cap; });
    const bool may_be_wider = is_cut && most_elsewhere.contains(resource) && most_elsewhere[resource] > most;
    if (most == 1 || !agrees || may_be_wider || open.contains(resource)) continue;
    out.counts.set(resource, 1, most * kBytesOfASeat);
    out.resources.push_back(resource);
  }
  return out;
}

}  // namespace apf
