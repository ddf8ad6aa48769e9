// Seats and seat-seconds, against the server's own work estimator.
#include <simdjson.h>
#include "schedule/seats.h"

#include "catch.h"
#include "support/vectors.h"

using namespace apf;
using simdjson::dom::element;

namespace {

std::int64_t integer(element object, std::string_view key) { return object[key].get_int64().value(); }
std::string text(element object, std::string_view key) { return std::string(object[key].get_string().value()); }
bool flag(element object, std::string_view key) { return object[key].get_bool().value(); }

void check_estimate(element vector) {
  ParsedRequest parsed;
  parse_request("GET", text(vector, "uri"), parsed);
  RequestInfo info;
  const bool has_info = !vector["requestInfo"].is_null();
  if (has_info) {
    const element from = vector["requestInfo"];
    info.is_resource_request = true;
    info.verb = text(from, "verb");
    info.api_group = text(from, "apiGroup");
    info.ns = text(from, "namespace");
    info.resource = text(from, "resource");
    info.subresource = text(from, "subresource");
    info.name = text(from, "name");
  }
  ObjectStats stats;
  const std::string fault = text(vector, "statsError");
  stats.state = fault.empty()         ? ObjectStats::State::known
                : fault == "notfound" ? ObjectStats::State::unknown_resource
                                      : ObjectStats::State::stale_or_failed;
  stats.count = integer(vector, "objectCount");
  stats.average_size = integer(vector, "avgObjectSize");
  SeatRules rules = SeatRules::of(kNewestKubeVersion);
  rules.size_based = flag(vector, "gateSizeBased");
  rules.max_list_seats = rules.size_based ? 100 : 10;
  rules.watch_list = flag(vector, "gateWatchList");
  rules.consistent_list_from_cache = flag(vector, "etcdWatchProgress");
  const WorkEstimate got = estimate_work(has_info ? &info : nullptr, parsed.query, stats, integer(vector, "watchCount"),
                                         static_cast<int>(integer(vector, "maxSeats")), rules);
  CHECK(got.initial_seats == integer(vector, "initialSeats"));
  CHECK(got.final_seats == integer(vector, "finalSeats"));
  CHECK(got.additional_latency == integer(vector, "additionalLatencyNs"));
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
  CHECK(std::to_string(work) == text(vector, "seatSeconds"));
  CHECK(format_seat_seconds(work) == text(vector, "string"));
  if (duration >= 0)
    CHECK(duration_per_seat(work, vector["perSeats"].get_double().value()) == integer(vector, "durationPerSeatNs"));
}

}  // namespace

TEST_CASE("width vectors", "[schedule][seats][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& line : test::read_vectors("width.jsonl")) {
    INFO(line);
    const element vector = parser.parse(line);
    const std::string kind = text(vector, "kind");
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
