#include "report/tally_json.h"

#include <cmath>
#include <string>
#include <string_view>

#include "report/figures.h"
#include "report/too_wide.h"

namespace apf {

namespace {

void write_member(JsonWriter& json, std::string_view name, const TallyFigure& figure, const TallyVersions& tally) {
  const std::string key(name);
  if (!figure.real) {
    const auto count = tally.range([&](Tally t) { return figure.count_of(t); });
    if (figure.always || count.high > 0) write_figure(json, key.c_str(), count);
  } else if (figure.unit == ExpectedUnit::duration) {
    write_figure(json, key.c_str(),
                 tally.range([&](Tally t) { return static_cast<std::int64_t>(std::llround(figure.real(t))); }));
  } else {
    write_figure(json, key.c_str(), tally.range(figure.real));
  }
}

}  // namespace

// Refusals by reason are within "rejected", which they follow.
void write_tally(JsonWriter& json, const TallyVersions& tally) {
  std::string_view open;
  const auto close = [&] {
    if (!open.empty()) json.end_object();
    if (open == "rejected") write_too_wide(json, tally);
    open = {};
  };
  for (const TallyFigure& figure : tally_figures()) {
    if (figure.json.empty()) continue;
    const std::string_view group = figure.json_group();
    if (group != open) {
      close();
      open = group;
      if (!group.empty()) json.key(group).begin_object();
    }
    write_member(json, figure.json.substr(figure.json.find('.') + 1), figure, tally);
  }
  close();
}

void write_counts(JsonWriter& json, const char* key, const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).begin_object();
  for (const auto& [what, count] : counts) json.field(what, count);
  json.end_object();
}

}  // namespace apf
