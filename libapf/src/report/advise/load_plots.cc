// How much more load a configuration bears, as a page: a plot for each level.
#include <apf/advice_report.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/advise/headroom_words.h"
#include "report/advise/plots.h"
#include "report/core/html_markup.h"
#include "report/core/plot.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

constexpr Plot::Frame kLoadFrame = {.width = 640, .height = 180};

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
  std::vector<Plot::Point> value, low, high;
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

// Not where its word would run into those of the axis.
void mark(Plot& plot, const HeadroomFigure& at, const char* word, const HeadroomReport& report) {
  if (at.value && *at.value > report.points.front().multiple) plot.mark(*at.value, word);
}

std::string plots_of(const HeadroomReport& report, std::size_t number) {
  const HeadroomLevel& level = report.levels[number];
  const double from = report.points.front().multiple, to = report.points.back().multiple;
  const std::string id = fmt::format("h{}", number);
  const auto draw = [&](Plot& plot, const Curve& curve, const char* area, const char* line) {
    plot.x_axis(from, to, multiple_ticks(from, to), true);
    plot.area(area, curve.high, curve.low);
    plot.line(line, curve.value);
  };
  const Curve waits = curve_of(report, number, [](const HeadroomPoint::Level& l) {
    return Three{static_cast<double>(l.p99), static_cast<double>(l.p99_low), static_cast<double>(l.p99_high)};
  });
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  const Curve refused = curve_of(report, number, [&](const HeadroomPoint::Level& l) {
    return Three{share(l.rejected, l.requests), share(l.rejected_low, l.requests), share(l.rejected_high, l.requests)};
  });
  const auto draw_waits = [&](const Plot::Frame& frame) {
    Plot plot(
        fmt::format("p99 wait of {} by load", level.name),
        fmt::format("Above {} from {} on.", human_duration(report.wait_bound), figure_text(level.waits_at, report)),
        frame);
    const std::vector<Tick> durations = wait_ticks(static_cast<Nanos>(waits.most));
    plot.y_axis(durations.back().value, durations);
    draw(plot, waits, "waiting", "waiting-line");
    mark(plot, level.waits_at, "waits", report);
    return plot;
  };
  const auto draw_refused = [&](const Plot::Frame& frame) {
    Plot plot(fmt::format("Refused requests of {} by load", level.name),
              fmt::format("Refuses from {} on.", figure_text(level.refuses_at, report)), frame);
    std::vector<Tick> percent;
    const double end = refused.most <= 1 ? 1 : refused.most <= 10 ? 10 : 100;
    for (int i = 0; i <= 4; ++i) percent.push_back({end * i / 4, fmt::format("{:g} %", end * i / 4)});
    plot.y_axis(end, percent);
    draw(plot, refused, "use", "use-line");
    mark(plot, level.refuses_at, "refuses", report);
    return plot;
  };
  std::string out;
  if (waits.most > 0)
    out += plot_figure(draw_waits, kLoadFrame, id + "-wait", "p99 of the waits, by multiple of the load");
  if (refused.most > 0)
    out +=
        plot_figure(draw_refused, kLoadFrame, id + "-refused", "Part of the requests refused, by multiple of the load");
  return "<div class=\"plots\">" + out + "</div>\n";
}

}  // namespace

Passage load_plots(const HeadroomReport& report) {
  Passage out("By load");
  if (report.points.empty()) return out;
  std::string quiet;
  for (const std::size_t i : by_headroom(report)) {
    const HeadroomLevel& level = report.levels[i];
    if (suffers(level))
      out.draw("<section class=\"level\"><h3>" + html_text(level.name) + "</h3>\n" + plots_of(report, i) +
               "</section>\n");
    else quiet += (quiet.empty() ? "" : ", ") + level.name;
  }
  if (!quiet.empty()) out.explain("Neither wait nor refuse at any multiple that was tried: " + quiet);
  return out;
}

}  // namespace apf
