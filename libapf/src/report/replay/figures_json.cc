#include "report/replay/figures_json.h"

#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "report/replay/figures.h"

namespace apf {

namespace {

template <class Thing>
void write_member(JsonWriter& json, const Figure<Thing>& figure, const Versions<Thing>& of) {
  const std::string key = figure.json.substr(figure.json.find('.') + 1);
  if (figure.configured) {
    json.field(key, figure.count(of.value()));
  } else if (figure.count) {
    const auto count = of.range(std::cref(figure.count));
    if (figure.always || count.high > 0) write_figure(json, key.c_str(), count);
  } else if (figure.unit == ExpectedUnit::duration) {
    write_figure(json, key.c_str(),
                 of.range([&](const Thing& t) { return static_cast<std::int64_t>(std::llround(figure.real(t))); }));
  } else {
    write_figure(json, key.c_str(), of.range(std::cref(figure.real)));
  }
}

// But the object `left_out`; empty: all.
template <class Thing>
void write_members(JsonWriter& json, const FigureTable<Thing>& table, const Versions<Thing>& of,
                   std::string_view left_out) {
  std::string_view open;
  for (const Figure<Thing>* figure : table.members()) {
    const std::string_view object = figure->object();
    if (!object.empty() && object == left_out) continue;
    if (object != open && !open.empty()) json.end_object();
    if (object != open && !object.empty()) json.key(object).begin_object();
    open = object;
    write_member(json, *figure, of);
  }
  if (!open.empty()) json.end_object();
}

}  // namespace

void write_tally(JsonWriter& json, const TallyVersions& tally) {
  const bool too_wide = tally.any([](Tally t) { return t.too_wide > 0; });
  write_members(json, tally_figures(), tally, too_wide ? "" : "tooWide");
}

void write_level_figures(JsonWriter& json, const Versions<LevelReport>& level, bool knows_bytes) {
  write_members(json, level_figures(), level, knows_bytes ? "" : "listBytes");
}

}  // namespace apf
