// What the clients of a log did over time, as charts.
#include <fmt/core.h>

#include <algorithm>

#include "base/identities.h"
#include "base/rfc3339.h"
#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/logs/log_summary_words.h"

namespace apf {

namespace {

using Figure = std::uint32_t LogCourse::Bin::*;

std::string name_in_chart(const LogCourse::Client& client) {
  return client.name.empty() ? "others" : printable(short_name_of(client.name));
}

// Clients on each other, as rates by the minute. Nothing where nobody has any.
void add_course(const LogSummary& summary, const char* what, Figure figure, Card& card) {
  static constexpr const char* kStyles[] = {"c0", "c1", "c2", "c3", "c4", "c5"};
  const LogCourse& course = summary.course;
  const double minutes = static_cast<double>(course.width) / (60 * kSecond);
  const std::size_t bins = course.clients.front().bins.size();
  const auto time = [&](std::size_t bin) {
    return static_cast<double>(course.begin + static_cast<Nanos>(bin) * course.width);
  };
  std::vector<std::uint64_t> sums(bins);
  for (const LogCourse::Client& client : course.clients)
    for (std::size_t i = 0; i < bins; ++i) sums[i] += client.bins[i].*figure;
  const std::uint64_t most = *std::max_element(sums.begin(), sums.end());
  if (most == 0) return;
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  Plot plot(fmt::format("{} per minute, by client", what), fmt::format("{} over time, by client", what),
            fmt::format("{} in all, at most {} in {}.", grouped(all), grouped(most), human_duration(course.width)));
  const std::vector<Tick> ticks = count_ticks(static_cast<double>(most) / minutes);
  plot.y_axis(ticks);
  plot.time_axis(course.begin, course.begin + static_cast<Nanos>(bins) * course.width);
  std::vector<double> below(bins);
  for (std::size_t c = 0; c < course.clients.size(); ++c) {
    const LogCourse::Client& client = course.clients[c];
    Plot::Points lower, upper;
    bool any = false;
    for (std::size_t i = 0; i < bins; ++i) {
      for (const std::size_t edge : {i, i + 1}) lower.emplace_back(time(edge), below[i]);
      any |= client.bins[i].*figure > 0;
      below[i] += client.bins[i].*figure / minutes;
      for (const std::size_t edge : {i, i + 1}) upper.emplace_back(time(edge), below[i]);
    }
    if (any)
      plot.area(kStyles[client.name.empty() ? std::size(kStyles) - 1 : c], std::move(upper), std::move(lower),
                name_in_chart(client));
  }
  for (std::size_t i = 0; i < bins; ++i) {
    if (sums[i] == 0) continue;
    std::string tip = fmt::format("{} from {} to {}: {} in all", what, clock_of(static_cast<Nanos>(time(i))),
                                  clock_of(static_cast<Nanos>(time(i + 1))), grouped(sums[i]));
    for (const LogCourse::Client& client : course.clients)
      if (client.bins[i].*figure > 0)
        tip += fmt::format(", {} {}", name_in_chart(client), grouped(std::uint64_t{client.bins[i].*figure}));
    plot.bar("hover", time(i), time(i + 1), 0, ticks.back().value, std::move(tip));
  }
  for (const SaidChange& said : said_changes(summary))
    plot.mark(static_cast<double>(said.change->from), static_cast<double>(said.change->to),
              printable(short_name_of(said.change->name)) + " rose", said.sentence);
  card.add(plot);
}

}  // namespace

Passage course_of_clients(const LogSummary& summary) {
  Passage out("Over time");
  Card card("clients-chart", "");
  if (summary.course.clients.empty() || summary.course.clients.front().bins.size() < 2) return out;
  add_course(summary, "Refused", &LogCourse::Bin::refused, card);
  add_course(summary, "Errors", &LogCourse::Bin::errors, card);
  add_course(summary, "Requests", &LogCourse::Bin::requests, card);
  if (card.empty()) return out;
  out.explain("Times are UTC. What a pointer is on is said in numbers.");
  show_cards(out, {card});
  return out;
}

}  // namespace apf
