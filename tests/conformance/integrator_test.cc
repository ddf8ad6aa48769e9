// SeatDemandIntegrator against the server's integrator.
#include "schedule/seat_demand.h"

#include <string>
#include <string_view>

#include <simdjson.h>

#include "catch.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

namespace apf::test {
namespace {

using simdjson::dom::element;

TEST_CASE("seat demand is integrated as in the server", "[schedule][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& text : read_vectors("integrator.jsonl")) {
    const element line = parser.parse(text);
    INFO("case " << line["case"].get_int64().value());
    SeatDemandIntegrator demand;
    for (element op : line["ops"].get_array()) {
      const Nanos now = op["t_ns"].get_int64();
      const std::string_view kind = op["op"].get_string();
      if (kind == "set") {
        demand.set(now, op["x"].get_double());
        continue;
      }
      if (kind == "add") {
        demand.add(now, op["x"].get_double());
        continue;
      }
      REQUIRE((kind == "get" || kind == "reset"));
      const SeatDemandStats stats = kind == "get" ? demand.get(now) : demand.reset(now);
      INFO(kind << " at " << now);
      CHECK(close(op["duration"], stats.duration));
      CHECK(close(op["avg"], stats.avg));
      CHECK(close(op["stdev"], stats.stdev));
      CHECK(close(op["min"], stats.min));
      CHECK(close(op["max"], stats.max));
    }
  }
}

}  // namespace
}  // namespace apf::test
