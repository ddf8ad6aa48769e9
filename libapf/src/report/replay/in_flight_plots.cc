// Requests in flight over time, of a server without API Priority and Fairness.
#include <fmt/core.h>

#include <algorithm>

#include "report/core/plot.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

constexpr Plot::Frame kInFlightFrame{640, 180, 44, 8, 10, 22};

std::string plot_of(const char* name, const InFlightReport::Kind& kind, const std::string& id) {
  const PeakSeries& series = kind.series;
  if (series.peaks.empty()) return {};
  const auto time = [&](std::size_t bin) { return series.begin + static_cast<Nanos>(bin) * series.width; };
  std::vector<Plot::Point> peaks;
  int most = kind.limit;
  for (std::size_t i = 0; i < series.peaks.size(); ++i) {
    peaks.emplace_back(static_cast<double>(time(i)), series.peaks[i]);
    peaks.emplace_back(static_cast<double>(time(i + 1)), series.peaks[i]);
    most = std::max(most, series.peaks[i]);
  }
  const Nanos end = time(series.peaks.size());
  const auto draw = [&](const Plot::Frame& frame) {
    Plot plot(fmt::format("{} requests in flight over time", name),
              fmt::format("At most {} at once, on average {}; the limit is {}.", grouped(kind.peak),
                          one_decimal(kind.average), grouped(kind.limit)),
              frame);
    const std::vector<Tick> ticks = count_ticks(most);
    plot.y_axis(ticks.back().value, ticks);
    plot.x_axis(static_cast<double>(series.begin), static_cast<double>(end),
                time_ticks(series.begin, end, plot.width() > 400 ? 8 : 4));
    plot.area("use", peaks);
    plot.line("use-line", peaks);
    plot.line("limit", {{static_cast<double>(series.begin), kind.limit}, {static_cast<double>(end), kind.limit}});
    return plot;
  };
  return plot_figure(draw, kInFlightFrame, id, std::string(name) + " requests in flight, and the limit");
}

}  // namespace

// Where there is no limit nothing is counted.
Passage in_flight_plots(const ReplayReport& report, const std::string& id) {
  Passage out("Over time");
  if (report.summed > 0) return out;
  const std::string plots = plot_of("Read-only", report.in_flight->read_only, id + "-readonly") +
                            plot_of("Mutating", report.in_flight->mutating, id + "-mutating");
  if (plots.empty()) return out;
  const Nanos width = std::max(report.in_flight->read_only.series.width, report.in_flight->mutating.series.width);
  out.explain("Times are UTC. The most in every " + human_duration(width) +
              ", as apiserver_current_inflight_requests reports it: 0 while no request comes or goes.");
  out.draw("<div class=\"quiet\">" + plots + "</div>\n");
  return out;
}

}  // namespace apf
