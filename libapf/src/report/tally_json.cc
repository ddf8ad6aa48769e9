#include "report/tally_json.h"

#include <cmath>
#include <utility>

#include "report/too_wide.h"

namespace apf {

void write_tally(JsonWriter& json, const TallyVersions& tally) {
  write_figure(json, "requests", tally.range([](Tally t) { return t.requests; }));
  write_figure(json, "executed", tally.range([](Tally t) { return t.executed(); }));
  write_figure(json, "queued", tally.range([](Tally t) { return t.queued; }));
  json.key("rejected").begin_object();
  write_figure(json, "total", tally.range(refused_of));
  for (const OutcomeRow& row : refusals()) {
    const auto count = tally.range([&](Tally t) { return t.outcomes[row.outcome]; });
    if (row.always || count.high > 0) write_figure(json, row.json, count);
  }
  json.end_object();
  write_too_wide(json, tally);
  write_figure(json, "seatSeconds", tally.range([](Tally t) { return t.seat_seconds; }));
  json.key("wait").begin_object();
  write_figure(json, "count", tally.range([](Tally t) { return t.wait.count(); }));
  write_figure(json, "meanNs",
               tally.range([](Tally t) { return static_cast<std::int64_t>(std::llround(t.wait.mean())); }));
  for (const auto& [name, quantile] : {std::pair{"p50Ns", 0.5}, {"p90Ns", 0.9}, {"p99Ns", 0.99}, {"maxNs", 1.0}})
    write_figure(json, name, tally.range([q = quantile](Tally t) { return wait_of(t, q); }));
  json.end_object();
}

void write_counts(JsonWriter& json, const char* key, const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).begin_object();
  for (const auto& [what, count] : counts) json.field(what, count);
  json.end_object();
}

}  // namespace apf
