// How much more load a configuration bears, as a page: a plot for each level.
#include <apf/advice_report.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/advise/headroom_words.h"
#include "report/advise/plots.h"
#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

std::vector<Tick> multiple_ticks(double from, double to) {
  std::vector<Tick> out;
  for (const double value : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0})
    if (value >= from * 0.999 && value <= to * 1.001) out.push_back({value, fmt::format("{:g}x", value)});
  return out;
}

// 0 … a round number of milliseconds or seconds.
std::vector<Tick> wait_ticks(Nanos most) {
  double end = 1e6;
  while (end * 5 < static_cast<double>(most)) end *= 10;
  for (const double part : {1.0, 2.0, 5.0}) {
    if (static_cast<double>(most) > end * part) continue;
    end *= part;
    break;
  }
  std::vector<Tick> out;
  for (int i = 0; i <= 4; ++i) out.push_back({end * i / 4, human_duration(static_cast<Nanos>(end * i / 4))});
  return out;
}

struct Curve {
  Plot::Points value, low, high;
  double most = 0;
};

template <class Figure>
Curve curve_of(const HeadroomReport& report, std::size_t level, Figure figure) {
  Curve out;
  for (const HeadroomPoint& point : report.points) {
    const auto [value, low, high] = figure(point.levels[level]);
    out.value.emplace_back(point.multiple, value);
    out.low.emplace_back(point.multiple, low);
    out.high.emplace_back(point.multiple, high);
    out.most = std::max(out.most, high);
  }
  return out;
}

struct Three {
  double value, low, high;
};

void add_plot(Card& card, Plot plot, std::vector<Tick> ticks, Curve curve, const char* area, const char* line,
              const HeadroomFigure& at, const char* word, const HeadroomReport& report) {
  const double from = report.points.front().multiple, to = report.points.back().multiple;
  plot.y_axis(std::move(ticks));
  plot.x_axis(from, to, multiple_ticks(from, to), true);
  plot.area(area, std::move(curve.high), std::move(curve.low));
  plot.line(line, std::move(curve.value));
  if (at.value && *at.value > from) plot.mark(*at.value, word);  // else it would run into the words of the axis
  if (from < 1 && to > 1) plot.mark(1, report.log.scales.empty() ? "today" : "this load");
  card.add(plot);
}

Card card_of(const HeadroomReport& report, std::size_t number) {
  const HeadroomLevel& level = report.levels[number];
  Card out(place_of("level", level.name), level.name);
  const Curve waits = curve_of(report, number, [](const HeadroomPoint::Level& l) {
    return Three{static_cast<double>(l.p99), static_cast<double>(l.p99_low), static_cast<double>(l.p99_high)};
  });
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  const Curve refused = curve_of(report, number, [&](const HeadroomPoint::Level& l) {
    return Three{share(l.rejected, l.requests), share(l.rejected_low, l.requests), share(l.rejected_high, l.requests)};
  });
  if (waits.most > 0)
    add_plot(out,
             Plot("p99 of the waits, by multiple of the load", fmt::format("p99 wait of {} by load", level.name),
                  fmt::format("Above {} from {} on.", human_duration(report.wait_bound),
                              figure_text(level.waits_at, report))),
             wait_ticks(static_cast<Nanos>(waits.most)), waits, "waiting", "waiting-line", level.waits_at, "waits",
             report);
  if (refused.most > 0) {
    std::vector<Tick> percent;
    const double end = refused.most <= 1 ? 1 : refused.most <= 10 ? 10 : 100;
    for (int i = 0; i <= 4; ++i) percent.push_back({end * i / 4, fmt::format("{:g} %", end * i / 4)});
    add_plot(out,
             Plot("Part of the requests refused, by multiple of the load",
                  fmt::format("Refused requests of {} by load", level.name),
                  fmt::format("Refuses from {} on.", figure_text(level.refuses_at, report))),
             std::move(percent), refused, "use", "use-line", level.refuses_at, "refuses", report);
  }
  return out;
}

}  // namespace

Passage load_plots(const HeadroomReport& report) {
  Passage out("By load");
  if (report.points.empty()) return out;
  std::string quiet;
  std::vector<Card> cards;
  for (const std::size_t i : by_headroom(report)) {
    const HeadroomLevel& level = report.levels[i];
    if (suffers(level)) cards.push_back(card_of(report, i));
    else quiet += (quiet.empty() ? "" : ", ") + level.name;
  }
  show_cards(out, cards);
  if (!quiet.empty()) out.explain("Neither wait nor refuse at any multiple that was tried: " + quiet);
  return out;
}

}  // namespace apf
