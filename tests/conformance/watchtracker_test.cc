// Which watches a write interests, against the server's own watch tracker.
#include <simdjson.h>
#include "schedule/seats.h"

#include <map>
#include <optional>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;
using simdjson::dom::element;

TEST_CASE("watchtracker vectors", "[schedule][seats][conformance]") {
  simdjson::dom::parser parser;
  ParsedRequest parsed;
  for (const std::string& line : test::read_vectors("watchtracker.jsonl")) {
    const element vector = parser.parse(line);
    WatchTracker tracker;
    std::map<std::int64_t, std::optional<WatchKey>> watches;
    for (const element op : vector["ops"].get_array()) {
      INFO("case " << vector["case"] << " " << op);
      const std::string_view kind = op["op"].get_string().value();
      if (kind == "forget") {
        const auto watch = watches.at(op["id"].get_int64().value());
        if (watch) tracker.remove(*watch);
        continue;
      }
      parse_request(op["method"].get_string().value(), op["url"].get_string().value(), parsed);
      REQUIRE(parsed.url_error.empty());
      if (kind == "register") {
        // `registered` is whether the server hands out a way to forget: it does for the indexed ones too.
        CHECK((parsed.info.verb == "watch") == op["registered"].get_bool().value());
        const auto key = registered_watch_key(parsed.info, parsed.query);
        if (key) tracker.add(*key);
        watches[op["id"].get_int64().value()] = key;
      } else {
        REQUIRE(kind == "count");
        CHECK(tracker.count(interested_keys(parsed.info)) == op["count"].get_int64().value());
      }
    }
  }
}
