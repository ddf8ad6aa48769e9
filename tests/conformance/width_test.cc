// Seats and seat-seconds, against the server's own work estimator.
#include <simdjson.h>

#include "base/releases.h"
#include "catch.h"
#include "schedule/seats.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

using namespace apf;
using simdjson::dom::element;

using apf::test::text_at;

namespace {

std::int64_t integer(element object, std::string_view key) { return object[key].get_int64().value(); }
bool flag(element object, std::string_view key) { return object[key].get_bool().value(); }

struct Case {
  ParsedRequest parsed;
  RequestInfo info;
  bool has_info = false;
  ObjectStats stats;
  std::int64_t watches = 0;
};

Case read_case(element vector, std::string_view method) {
  Case out;
  parse_request(method, text_at(vector, "uri"), out.parsed);
  out.has_info = !vector["requestInfo"].is_null();
  if (out.has_info) {
    const element from = vector["requestInfo"];
    out.info.is_resource_request = true;
    out.info.verb = text_at(from, "verb");
    out.info.api_group = text_at(from, "apiGroup");
    out.info.ns = text_at(from, "namespace");
    out.info.resource = text_at(from, "resource");
    out.info.subresource = text_at(from, "subresource");
    out.info.name = text_at(from, "name");
  }
  const std::string fault = text_at(vector, "statsError");
  out.stats.state = fault.empty()         ? ObjectStats::State::known
                    : fault == "notfound" ? ObjectStats::State::unknown_resource
                                          : ObjectStats::State::stale_or_failed;
  out.stats.count = integer(vector, "objectCount");
  out.stats.average_size = integer(vector, "avgObjectSize");
  out.watches = integer(vector, "watchCount");
  return out;
}

WorkEstimate estimate(const Case& of, std::int64_t max_seats, const SeatRules& rules) {
  return estimate_work(of.has_info ? &of.info : nullptr, of.parsed.query, of.stats, of.watches,
                       static_cast<int>(max_seats), rules);
}

void check_estimate(element vector) {
  SeatRules rules = SeatRules::of(kNewestKubeVersion);
  rules.size_based = flag(vector, "gateSizeBased");
  rules.max_list_seats = rules.size_based ? 100 : 10;
  rules.watch_list = flag(vector, "gateWatchList");
  rules.consistent_list_from_cache = flag(vector, "etcdWatchProgress");
  const WorkEstimate got = estimate(read_case(vector, "GET"), integer(vector, "maxSeats"), rules);
  CHECK(got.initial_seats == integer(vector, "initialSeats"));
  CHECK(got.final_seats == integer(vector, "finalSeats"));
  CHECK(got.additional_latency == integer(vector, "additionalLatencyNs"));
}

// "1.31", its newest patch; "1.31+noprogress", with an etcd that supports no progress requests; "1.23.6-12", the
// patches from 6 to 12.
struct Release {
  KubeVersion first, last;
  bool progress = true;
};

Release parse_release(std::string_view key) {
  Release release;
  release.progress = !key.ends_with("+noprogress");
  const std::string_view name = key.substr(0, key.find_first_of("+-"));
  const std::optional<KubeVersion> version = KubeVersion::parse(name);
  REQUIRE(version);
  release.first = release.last = *version;
  if (const std::size_t dash = key.find('-'); dash != key.npos)
    release.last.patch = std::stoi(std::string(key.substr(dash + 1)));
  return release;
}

void check_release(element vector, const Case& of, std::string_view key, simdjson::dom::array expected) {
  INFO(key);
  const Release release = parse_release(key);
  for (const KubeVersion version : {release.first, release.last}) {
    SeatRules rules = SeatRules::of(version);
    rules.consistent_list_from_cache = rules.consistent_list_from_cache && release.progress;
    const std::int64_t max_seats = has(version, Feature::level_max_seats) ? integer(vector, "maxSeats") : 0;
    const WorkEstimate got = estimate(of, max_seats, rules);
    CHECK(got.initial_seats == expected.at(0).get_int64().value());
    CHECK(got.final_seats == expected.at(1).get_int64().value());
    CHECK(got.additional_latency == expected.at(2).get_int64().value());
  }
}

void check_list_seats(element vector) {
  const std::int64_t count = integer(vector, "objectCount"), limit = integer(vector, "limit");
  const bool cache = flag(vector, "fromCache"), selector = flag(vector, "hasSelector"),
             single = flag(vector, "matchesSingle");
  CHECK(list_seats_by_count(count, limit, cache, selector, single) == integer(vector, "byCount"));
  CHECK(list_seats_by_size(count, integer(vector, "avgObjectSize"), limit, cache, selector, single) ==
        integer(vector, "bySize"));
}

void check_seat_seconds(element vector) {
  const double seats = vector["seats"].get_double().value();
  const Nanos duration = integer(vector, "ns");
  const SeatSeconds work = seats_times_duration(seats, duration);
  CHECK(std::to_string(work) == text_at(vector, "seatSeconds"));
  CHECK(format_seat_seconds(work) == text_at(vector, "string"));
  if (duration >= 0)
    CHECK(duration_per_seat(work, vector["perSeats"].get_double().value()) == integer(vector, "durationPerSeatNs"));
}

}  // namespace

TEST_CASE("width vectors", "[schedule][seats][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& line : test::read_vectors("width.jsonl")) {
    INFO(line);
    const element vector = parser.parse(line);
    const std::string kind = text_at(vector, "kind");
    if (kind == "estimate") {
      check_estimate(vector);
    } else if (kind == "listseats") {
      check_list_seats(vector);
    } else {
      REQUIRE(kind == "seatseconds");
      check_seat_seconds(vector);
    }
  }
}

TEST_CASE("widths of every release", "[schedule][seats][conformance]") {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors("width-by-release.jsonl")) {
    INFO(line);
    const element vector = parser.parse(line);
    const Case of = read_case(vector, text_at(vector, "method"));
    for (const auto [key, expected] : simdjson::dom::object(vector["expected"])) {
      check_release(vector, of, key, expected);
      ++cases;
    }
    for (const KubeVersion version : {KubeVersion{20}, KubeVersion{21}, KubeVersion{22}})
      CHECK(estimate(of, 0, SeatRules::of(version)).initial_seats == 1);
  }
  CHECK(cases == 271 * 27);
}
