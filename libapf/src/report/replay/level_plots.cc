// Plots of each priority level.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/core/chart.h"
#include "report/core/html_markup.h"
#include "report/core/units.h"
#include "report/replay/plots.h"
#include "report/replay/verdict.h"

namespace apf {

namespace {

constexpr double kLow = 120;  // high
constexpr std::size_t kTableRows = 24;

// One level's curves, and the time they run over.
struct Curves {
  const ReplaySeries& series;
  const LevelSeries& level;

  double begin(std::size_t i) const { return static_cast<double>(series.begin + static_cast<Nanos>(i) * series.width); }
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
    plot.y_axis(count_ticks(most_y));
    plot.time_axis(series.begin, series.begin + static_cast<Nanos>(level.bins.size()) * series.width);
  }
  double width_seconds() const { return static_cast<double>(series.width) / 1e9; }
};

double refused(const SeriesBin& b) { return static_cast<double>(b.refused.refused()); }

Plot seats_plot(const Curves& c, const LevelReport& level) {
  const auto limit = [](const SeriesBin& b) { return b.limit; };
  const auto nominal = [](const SeriesBin& b) { return b.nominal; };
  double most = c.most([](const SeriesBin& b) { return b.seats_max; });
  if (!level.exempt) most = std::max({most, c.most(limit), c.most(nominal)});
  Plot plot(level.exempt ? "Seats in use" : "Seats in use, limit and borrowing",
            fmt::format("Seats of {} over time", level.name),
            level.exempt
                ? fmt::format("On average {} seats in use, at most {}; the level has no limit.",
                              one_decimal(level.seats_avg), grouped(level.seats_peak))
                : fmt::format("On average {} seats in use, at most {}. The limit was between {} and {}, on average {}; "
                              "nominal {}. Borrowed on average {}, lent {}.",
                              one_decimal(level.seats_avg), grouped(level.seats_peak), grouped(level.current_cl_min),
                              grouped(level.current_cl_max), one_decimal(level.current_cl_avg),
                              grouped(level.nominal_cl), one_decimal(level.borrowed_avg), one_decimal(level.lent_avg)));
  c.axes(plot, most);
  if (!level.exempt) {
    const Plot::Points base = c.steps(nominal);
    plot.area("borrow", c.steps([](const SeriesBin& b) { return std::max(b.limit, b.nominal); }), base, "borrowed");
    plot.area("lend", base, c.steps([](const SeriesBin& b) { return std::min(b.limit, b.nominal); }), "lent");
  }
  const Plot::Points used = c.steps([](const SeriesBin& b) { return b.seats; });
  plot.area("use", used);
  plot.line("peak", c.steps([](const SeriesBin& b) { return b.seats_max; }), "most at once");
  plot.line("use-line", used, "seats in use, on average");
  if (!level.exempt) {
    plot.line("nominal", c.steps(nominal), "nominal limit");
    plot.line("limit", c.steps(limit), "limit in force");
  }
  return plot;
}

void add_waiting(const Curves& c, const LevelReport& level, Card& card) {
  const double most = c.most([](const SeriesBin& b) { return b.waiting_max; });
  if (most <= 0) return;
  Plot plot("Requests waiting in queues", fmt::format("Requests of {} waiting in queues over time", level.name),
            fmt::format("At most {} at once.", grouped(static_cast<std::uint64_t>(most))), kLow);
  c.axes(plot, most);
  const Plot::Points waiting = c.steps([](const SeriesBin& b) { return b.waiting; });
  plot.area("waiting", waiting);
  plot.line("peak", c.steps([](const SeriesBin& b) { return b.waiting_max; }));
  plot.line("waiting-line", waiting, "waiting");
  card.add(plot);
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

void add_refused(const Curves& c, const LevelReport& level, Card& card) {
  if (c.most(refused) <= 0) return;
  const double seconds = c.width_seconds();
  Plot plot("Requests refused, per second", fmt::format("Requests of {} refused over time", level.name),
            refusals_of(level.tally) + ".", kLow);
  c.axes(plot, c.most(refused) / seconds);
  for (std::size_t i = 0; i < c.level.bins.size(); ++i) {
    const SeriesBin& b = c.level.bins[i];
    double from = 0;
    for (const OutcomeRow& row : refusals()) {
      if (row.stage != AdmissionStage::apf) continue;
      const double to = from + static_cast<double>(b.refused[row.outcome]) / seconds;
      plot.bar(row.mark, c.begin(i), c.begin(i + 1), from, to,
               fmt::format("{}: {} from {}", row.label, grouped(b.refused[row.outcome]),
                           format_rfc3339(static_cast<Nanos>(c.begin(i)))),
               row.label);
      from = to;
    }
  }
  card.add(plot);
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
void add_waits(const LevelReport& level, Card& card) {
  constexpr double kHigh = 250, kWidth = 330;
  const DurationDistribution& wait = level.tally.wait;
  if (wait.max() <= 0) return;
  const double most = static_cast<double>(wait.max()) / 1e9;
  const double from = std::min(1e-3, std::pow(10.0, std::floor(std::log10(most)) - 2));
  const double to = std::pow(10.0, std::ceil(std::log10(most) - 1e-9));
  const auto longer = [&](double seconds) {
    const auto within = static_cast<double>(wait.count_up_to(static_cast<Nanos>(seconds * 1e9)));
    return 100 * (1 - within / static_cast<double>(wait.count()));
  };
  Plot plot("Part of the requests that waited longer than …", fmt::format("How long requests of {} waited", level.name),
            fmt::format("Half waited {} or less, 90 % {}, 99 % {}; the longest wait was {}.",
                        human_duration(wait.quantile(0.5)), human_duration(wait.quantile(0.9)),
                        human_duration(wait.quantile(0.99)), human_duration(wait.max())),
            kHigh, kWidth);
  plot.y_axis(percent_ticks(longer(from)));
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
  card.add(plot);
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
  LinkTargets none;
  return "<details><summary>The same in numbers</summary>" + html_table(table, none) + "</details>\n";
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

Card card_of(const Curves& curves, const LevelReport& level, const std::string& id) {
  Card out(id, level.name, summary(level));
  out.add(seats_plot(curves, level));
  if (refuses_or_waits(level.tally)) {
    add_waiting(curves, level, out);
    add_refused(curves, level, out);
    add_waits(level, out);
  }
  out.note(numbers(curves, level));
  return out;
}

}  // namespace

const LevelSeries* find_curves(const ReplaySeries& series, const std::string& name) {
  const auto at = std::find_if(series.levels.begin(), series.levels.end(),
                               [&](const LevelSeries& level) { return level.name == name; });
  return at == series.levels.end() || at->bins.empty() ? nullptr : &*at;
}

Passage level_plots(const ReplayReport& report, const std::string& prefix) {
  Passage out("Over time");
  std::vector<Card> loud, quiet;
  for (const LevelReport* level : worst_first(report)) {
    if (level->tally.requests == 0) continue;  // the table names them
    if (const LevelSeries* curves = find_curves(report.series, level->name))
      (refuses_or_waits(level->tally) ? loud : quiet)
          .push_back(card_of({report.series, *curves}, *level, prefix + place_of("level", level->name)));
  }
  if (loud.empty() && quiet.empty()) return out;
  out.explain("Times are UTC; each point stands for " + human_duration(report.series.width) + ".");
  show_cards(
      out, loud,
      loud.empty() ? "" : counted(quiet.size(), "more level", "more levels") + ", where nothing waits or is refused",
      quiet);
  return out;
}

}  // namespace apf
