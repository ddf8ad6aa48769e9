// Requests in flight over time, of a server without API Priority and Fairness.
#include <fmt/core.h>

#include <algorithm>

#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/replay/plots.h"

namespace apf {

namespace {

void add_plot(const char* name, const InFlightReport::Kind& kind, Card& card) {
  const PeakSeries& series = kind.series;
  if (series.peaks.empty()) return;
  const auto time = [&](std::size_t bin) {
    return static_cast<double>(series.begin + static_cast<Nanos>(bin) * series.width);
  };
  Plot::Points peaks;
  int most = kind.limit;
  for (std::size_t i = 0; i < series.peaks.size(); ++i) {
    peaks.emplace_back(time(i), series.peaks[i]);
    peaks.emplace_back(time(i + 1), series.peaks[i]);
    most = std::max(most, series.peaks[i]);
  }
  const double end = time(series.peaks.size());
  Plot plot(std::string(name) + " requests in flight, and the limit",
            fmt::format("{} requests in flight over time", name),
            fmt::format("At most {} at once, on average {}; the limit is {}.", grouped(kind.peak),
                        one_decimal(kind.average), grouped(kind.limit)));
  plot.y_axis(count_ticks(most));
  plot.time_axis(series.begin, static_cast<Nanos>(end));
  plot.area("use", peaks);
  plot.line("use-line", std::move(peaks));
  plot.line("limit", {{time(0), kind.limit}, {end, kind.limit}});
  card.add(plot);
}

}  // namespace

// Where there is no limit nothing is counted.
Passage in_flight_plots(const ReplayReport& report, const std::string& prefix) {
  Passage out("Over time");
  if (report.summed > 0) return out;
  Card card(prefix + "in-flight-chart", "");
  add_plot("Read-only", report.in_flight->read_only, card);
  add_plot("Mutating", report.in_flight->mutating, card);
  if (card.empty()) return out;
  const Nanos width = std::max(report.in_flight->read_only.series.width, report.in_flight->mutating.series.width);
  out.explain("Times are UTC. The most in every " + human_duration(width) +
              ", as apiserver_current_inflight_requests reports it: 0 while no request comes or goes.");
  show_cards(out, {card});
  return out;
}

}  // namespace apf
