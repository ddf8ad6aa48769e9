// Plots of each priority level.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/core/html_markup.h"
#include "report/core/plot.h"
#include "report/core/units.h"
#include "report/replay/plots.h"
#include "report/replay/verdict.h"

namespace apf {

namespace {

constexpr Plot::Frame kSeats{640, 180, 44, 8, 10, 22};
constexpr Plot::Frame kLow{640, 120, 44, 8, 10, 22};
constexpr Plot::Frame kWaits{330, 250, 48, 10, 12, 22};
constexpr std::size_t kTableRows = 24;

// One level's curves, and the time they run over.
struct Curves {
  const ReplaySeries& series;
  const LevelSeries& level;

  double begin(std::size_t i) const { return static_cast<double>(series.begin + static_cast<Nanos>(i) * series.width); }
  Nanos end_time() const { return series.begin + static_cast<Nanos>(level.bins.size()) * series.width; }
  double end() const { return static_cast<double>(end_time()); }
  // Each bin as a step.
  template <class Value>
  Plot::Points steps(Value value) const {
    Plot::Points out;
    for (std::size_t i = 0; i < level.bins.size(); ++i) {
      out.emplace_back(begin(i), value(level.bins[i]));
      out.emplace_back(begin(i + 1), value(level.bins[i]));
    }
    return out;
  }
  template <class Value>
  double most(Value value) const {
    double out = 0;
    for (const SeriesBin& bin : level.bins) out = std::max(out, value(bin));
    return out;
  }
  void axes(Plot& plot, double most_y) const {
    const std::vector<Tick> ticks = count_ticks(most_y);
    plot.y_axis(ticks.back().value, ticks);
    plot.x_axis(static_cast<double>(series.begin), end(),
                time_ticks(series.begin, end_time(), plot.width() > 400 ? 8 : 4));
  }
  double width_seconds() const { return static_cast<double>(series.width) / 1e9; }
};

double refused(const SeriesBin& b) { return static_cast<double>(b.refused.refused()); }

std::string seats_figure(const Curves& c, const LevelReport& level, const std::string& id) {
  const auto limit = [](const SeriesBin& b) { return b.limit; };
  const auto nominal = [](const SeriesBin& b) { return b.nominal; };
  double most = c.most([](const SeriesBin& b) { return b.seats_max; });
  if (!level.exempt) most = std::max({most, c.most(limit), c.most(nominal)});
  const auto draw = [&](const Plot::Frame& frame) {
    Plot plot(
        fmt::format("Seats of {} over time", level.name),
        level.exempt
            ? fmt::format("On average {} seats in use, at most {}; the level has no limit.",
                          one_decimal(level.seats_avg), grouped(level.seats_peak))
            : fmt::format("On average {} seats in use, at most {}. The limit was between {} and {}, on average {}; "
                          "nominal {}. Borrowed on average {}, lent {}.",
                          one_decimal(level.seats_avg), grouped(level.seats_peak), grouped(level.current_cl_min),
                          grouped(level.current_cl_max), one_decimal(level.current_cl_avg), grouped(level.nominal_cl),
                          one_decimal(level.borrowed_avg), one_decimal(level.lent_avg)),
        frame);
    c.axes(plot, most);
    if (!level.exempt) {
      const Plot::Points base = c.steps(nominal);
      plot.area("borrow", c.steps([](const SeriesBin& b) { return std::max(b.limit, b.nominal); }), base);
      plot.area("lend", base, c.steps([](const SeriesBin& b) { return std::min(b.limit, b.nominal); }));
    }
    const Plot::Points used = c.steps([](const SeriesBin& b) { return b.seats; });
    plot.area("use", used);
    plot.line("peak", c.steps([](const SeriesBin& b) { return b.seats_max; }));
    plot.line("use-line", used);
    if (!level.exempt) {
      plot.line("nominal", c.steps(nominal));
      plot.line("limit", c.steps(limit));
    }
    return plot;
  };
  return plot_figure(draw, kSeats, id + "-seats", level.exempt ? "Seats in use" : "Seats in use, limit and borrowing");
}

std::string waiting_figure(const Curves& c, const LevelReport& level, const std::string& id) {
  const double most = c.most([](const SeriesBin& b) { return b.waiting_max; });
  if (most <= 0) return {};
  const auto draw = [&](const Plot::Frame& frame) {
    Plot plot(fmt::format("Requests of {} waiting in queues over time", level.name),
              fmt::format("At most {} at once.", grouped(static_cast<std::uint64_t>(most))), frame);
    c.axes(plot, most);
    const Plot::Points waiting = c.steps([](const SeriesBin& b) { return b.waiting; });
    plot.area("waiting", waiting);
    plot.line("peak", c.steps([](const SeriesBin& b) { return b.waiting_max; }));
    plot.line("waiting-line", waiting);
    return plot;
  };
  return plot_figure(draw, kLow, id + "-waiting", "Requests waiting in queues");
}

// "Queue full 3, over the limit 0, waited too long 12": what its queues refused.
std::string refusals_of(const RequestTally& tally) {
  std::string out;
  for (const OutcomeRow& row : refusals()) {
    if (row.always || (row.stage == AdmissionStage::apf && tally.outcomes[row.outcome] > 0))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", row.label, grouped(tally.outcomes[row.outcome]));
  }
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

std::string refused_figure(const Curves& c, const LevelReport& level, const std::string& id) {
  if (c.most(refused) <= 0) return {};
  const double seconds = c.width_seconds();
  const auto draw = [&](const Plot::Frame& frame) {
    Plot plot(fmt::format("Requests of {} refused over time", level.name), refusals_of(level.tally) + ".", frame);
    c.axes(plot, c.most(refused) / seconds);
    for (std::size_t i = 0; i < c.level.bins.size(); ++i) {
      const SeriesBin& b = c.level.bins[i];
      double from = 0;
      for (const OutcomeRow& row : refusals()) {
        if (row.stage != AdmissionStage::apf) continue;
        const double to = from + static_cast<double>(b.refused[row.outcome]) / seconds;
        const std::string tip = fmt::format("{}: {} from {}", row.label, grouped(b.refused[row.outcome]),
                                            format_rfc3339(static_cast<Nanos>(c.begin(i))));
        plot.bar(row.mark, c.begin(i), c.begin(i + 1), from, to, tip);
        from = to;
      }
    }
    return plot;
  };
  return plot_figure(draw, kLow, id + "-refused", "Requests refused, per second");
}

// Up to 100 %, or to a round share near `most` where few waited.
std::vector<Tick> percent_ticks(double most) {
  double end = 100;
  while (end > 1e-4 && most < end / 20) end /= 10;
  for (const double part : {0.1, 0.2, 0.5}) {
    if (most <= end * part) {
      end *= part;
      break;
    }
  }
  std::vector<Tick> out;
  for (int i = 0; i <= 4; ++i) out.push_back({end * i / 4, fmt::format("{:g} %", end * i / 4)});
  return out;
}

// Which part of the requests waited longer than …
std::string waits_figure(const LevelReport& level, const std::string& id) {
  const DurationDistribution& wait = level.tally.wait;
  if (wait.max() <= 0) return {};
  const double most = static_cast<double>(wait.max()) / 1e9;
  const double from = std::min(1e-3, std::pow(10.0, std::floor(std::log10(most)) - 2));
  const double to = std::pow(10.0, std::ceil(std::log10(most) - 1e-9));
  const auto longer = [&](double seconds) {
    const auto within = static_cast<double>(wait.count_up_to(static_cast<Nanos>(seconds * 1e9)));
    return 100 * (1 - within / static_cast<double>(wait.count()));
  };
  Plot plot(fmt::format("How long requests of {} waited", level.name),
            fmt::format("Half waited {} or less, 90 % {}, 99 % {}; the longest wait was {}.",
                        human_duration(wait.quantile(0.5)), human_duration(wait.quantile(0.9)),
                        human_duration(wait.quantile(0.99)), human_duration(wait.max())),
            kWaits);
  std::vector<Tick> percent = percent_ticks(longer(from));
  plot.y_axis(percent.back().value, percent);
  plot.x_axis(from, to, duration_ticks(from, to), true);
  Plot::Points points;
  constexpr int kSteps = 160;
  for (int i = 0; i <= kSteps; ++i) {
    const double at = from * std::pow(to / from, static_cast<double>(i) / kSteps);
    points.emplace_back(at, longer(at));
  }
  plot.area("waiting", points);
  plot.line("waiting-line", points);
  const double half = static_cast<double>(wait.quantile(0.5)) / 1e9,
               most_of = static_cast<double>(wait.quantile(0.99)) / 1e9;
  if (most_of > from) plot.mark(most_of, "p99");
  // Not where the two words would run into each other.
  if (half > from && std::log(most_of / half) > 0.12 * std::log(to / from)) plot.mark(half, "p50");
  return plot_figure(plot, id + "-waits", "Part of the requests that waited longer than …");
}

// The same as a table, in few rows.
std::string numbers(const Curves& c, const LevelReport& level) {
  const std::size_t bins = c.level.bins.size();
  const std::size_t each = (bins + kTableRows - 1) / kTableRows;
  Table table;
  table.left("FROM (UTC)").right("SEATS IN USE").right("MOST").right("LIMIT").right("NOMINAL").right("WAITING");
  table.right("MOST").right("ARRIVED").right("REFUSED").right("MEAN WAIT").right("MAX");
  for (std::size_t i = 0; i < bins; i += each) {
    const std::size_t n = std::min(each, bins - i);
    SeriesBin sum;
    for (std::size_t k = i; k < i + n; ++k) {
      const SeriesBin& b = c.level.bins[k];
      sum.seats += b.seats / static_cast<double>(n);
      sum.limit += b.limit / static_cast<double>(n);
      sum.nominal += b.nominal / static_cast<double>(n);
      sum.waiting += b.waiting / static_cast<double>(n);
      sum.seats_max = std::max(sum.seats_max, b.seats_max);
      sum.waiting_max = std::max(sum.waiting_max, b.waiting_max);
      sum.arrived += b.arrived;
      sum.refused += b.refused;
      sum.wait_sum += b.wait_sum;
      sum.waits += b.waits;
      sum.wait_max = std::max(sum.wait_max, b.wait_max);
    }
    const auto wait = [](double seconds) { return human_duration(static_cast<Nanos>(seconds * 1e9)); };
    const auto count = [](double number, Tone tone = Tone::plain) -> Table::Cell {
      return {grouped(rounded_count(number)), number > 0 ? tone : Tone::faint};
    };
    const Nanos from = c.series.begin + static_cast<Nanos>(i) * c.series.width;
    table.row({format_rfc3339(from / kMillisecond * kMillisecond), one_decimal(sum.seats), count(sum.seats_max),
               level.exempt ? "none" : one_decimal(sum.limit), one_decimal(sum.nominal), one_decimal(sum.waiting),
               count(sum.waiting_max), count(static_cast<double>(sum.arrived)), count(refused(sum), Tone::bad),
               sum.waits ? wait(sum.wait_sum / static_cast<double>(sum.waits)) : "-",
               sum.waits ? wait(sum.wait_max) : "-"});
  }
  return "<details><summary>The same in numbers</summary>" + html_table(table) + "</details>\n";
}

std::string summary(const LevelReport& level) {
  const RequestTally& t = level.tally;
  std::string out = fmt::format("{}, {} served", counted(t.requests, "request", "requests"), grouped(t.executed()));
  if (t.queued > 0) out += fmt::format(", {} waited", grouped(t.queued));
  if (t.rejected() > 0) {
    out += fmt::format(", {} refused ({}):", grouped(t.rejected()), human_percent(t.rejected(), t.requests));
    const char* before = " ";
    for (const OutcomeRow& row : refusals()) {
      const std::uint64_t count = t.outcomes[row.outcome];
      if (count == 0) continue;
      out += fmt::format("{}{} {}", before, grouped(count), row.label);
      before = ", ";
    }
  }
  if (level.exempt) return out + "; exempt: no limit, no queues";
  out += fmt::format("; nominal {}, limit {}", seats_in_words(level.nominal_cl),
                     level.current_cl_min == level.current_cl_max
                         ? grouped(level.current_cl_max)
                         : fmt::format("{} to {}", grouped(level.current_cl_min), grouped(level.current_cl_max)));
  if (level.reject) return out + "; no queues: what does not fit is refused";
  return out + fmt::format("; {} queues of {}, hands of {}", level.queues, level.queue_length_limit, level.hand_size);
}

std::string card(const Curves& curves, const LevelReport& level, const std::string& id) {
  std::string out =
      fmt::format("<section class=\"level\" aria-labelledby=\"{}\"><h3 id=\"{}\">{}</h3><p class=\"soft\">{}</p>\n", id,
                  id, html_text(level.name), html_text(summary(level)));
  if (refuses_or_waits(level.tally)) {
    out += "<div class=\"plots\"><div>" + seats_figure(curves, level, id) + waiting_figure(curves, level, id) +
           refused_figure(curves, level, id) + "</div><div>" + waits_figure(level, id) + "</div></div>\n";
  } else {
    out += seats_figure(curves, level, id);
  }
  return out + numbers(curves, level) + "</section>\n";
}

constexpr const char* kLevelsKey =
    "<ul class=\"key\" aria-label=\"Key to the plots\">"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"use\" d=\"M0 2h22v8H0Z\"/><path class=\"use-line\" d=\"M0 "
    "2h22\"/></svg>seats in use, on average</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"peak\" d=\"M0 5h22\"/></svg>most at once</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"limit\" d=\"M0 5h22\"/></svg>limit in force</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"nominal\" d=\"M0 5h22\"/></svg>nominal limit</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"borrow\" d=\"M0 0h22v10H0Z\"/></svg>borrowed</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"lend\" d=\"M0 0h22v10H0Z\"/></svg>lent</li>"
    "<li><svg viewBox=\"0 0 22 10\"><path class=\"waiting\" d=\"M0 2h22v8H0Z\"/><path class=\"waiting-line\" d=\"M0 "
    "2h22\"/></svg>waiting</li></ul>\n";

}  // namespace

const LevelSeries* find_curves(const ReplaySeries& series, const std::string& name) {
  const auto at = std::find_if(series.levels.begin(), series.levels.end(),
                               [&](const LevelSeries& level) { return level.name == name; });
  return at == series.levels.end() || at->bins.empty() ? nullptr : &*at;
}

Passage level_plots(const ReplayReport& report, const std::string& id) {
  Passage out("Over time");
  std::string loud, quiet;
  std::size_t number = 0;
  for (const LevelReport* level : worst_first(report)) {
    if (level->tally.requests == 0) continue;  // the table names them
    const LevelSeries* curves = find_curves(report.series, level->name);
    if (!curves) continue;
    (refuses_or_waits(level->tally) ? loud : quiet) +=
        card({report.series, *curves}, *level, fmt::format("{}-l{}", id, number++));
  }
  if (!quiet.empty()) loud += "<div class=\"quiet\">" + quiet + "</div>\n";
  if (loud.empty()) return out;
  out.explain("Times are UTC; each point stands for " + human_duration(report.series.width) + ".");
  out.draw(kLevelsKey + loud);
  return out;
}

}  // namespace apf
