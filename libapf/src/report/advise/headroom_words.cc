#include "report/advise/headroom_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/sort_stably.h"
#include "report/core/units.h"
#include "report/replay/doubts.h"

namespace apf {

namespace {

constexpr double kBearsAnyLoad = std::numeric_limits<double>::infinity();

const char* name_of(HeadroomLimit limit) {
  switch (limit) {
    case HeadroomLimit::shares:
      return "nominalConcurrencyShares";
    case HeadroomLimit::seats:
      return "seats of the server";
    case HeadroomLimit::borrowing:
      return "borrowingLimitPercent";
    case HeadroomLimit::queue_length:
      return "queueLengthLimit";
    case HeadroomLimit::queues:
      return "queues";
  }
  return "";
}

// "queueLengthLimit 20 instead of 10"
std::string change_text(const HeadroomTrial& trial) {
  return trial.to < 0 ? fmt::format("no {}", name_of(trial.limit))
         : trial.limit == HeadroomLimit::seats
             ? fmt::format("{} {} instead of {}", grouped(trial.to), name_of(trial.limit), grouped(trial.from))
             : fmt::format("{} {} instead of {}", name_of(trial.limit), grouped(trial.to), grouped(trial.from));
}

double first_trouble(const HeadroomLevel& level) {
  return std::min(level.waits_at.value.value_or(kBearsAnyLoad), level.refuses_at.value.value_or(kBearsAnyLoad));
}

std::string enumerated(const std::vector<std::string>& words, const char* last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? std::string(" ") + last + " " : ", ") + words[i];
  return out;
}

// From where on any level suffers.
HeadroomFigure trouble_of(const HeadroomReport& report) {
  const auto add = [](std::optional<double>& least, const std::optional<double>& more) {
    if (more) least = std::min(least.value_or(kBearsAnyLoad), *more);
  };
  HeadroomFigure out;
  for (const HeadroomLevel& level : report.levels) {
    for (const HeadroomFigure* figure : {&level.waits_at, &level.refuses_at}) {
      add(out.low, figure->low);
      add(out.value, figure->value);
      add(out.high, figure->high);
    }
  }
  return out;
}

// From when on a level refuses that does not suffer first, if that is before `first` refuses, and not at this load:
// then it has been named.
std::string refuses_earlier(const HeadroomReport& report, const HeadroomLevel& first) {
  const HeadroomLevel* earliest = &first;
  for (const HeadroomLevel& level : report.levels)
    if (level.refuses_at.value.value_or(kBearsAnyLoad) < earliest->refuses_at.value.value_or(kBearsAnyLoad))
      earliest = &level;
  if (earliest == &first || first_trouble(first) >= *earliest->refuses_at.value) return {};
  const bool all_suffer_now = trouble_of(report).high.value_or(kBearsAnyLoad) <= 1;
  if (all_suffer_now && *earliest->refuses_at.value <= 1) return {};
  return fmt::format(", and from {} on {} refuses requests", figure_text(earliest->refuses_at, report), earliest->name);
}

// Who suffers first, in the plain replay if it is anybody there.
const HeadroomLevel* first_of_any(const HeadroomReport& report) {
  if (const HeadroomLevel* first = first_to_suffer(report)) return first;
  const HeadroomLevel* first = nullptr;
  const auto low = [](const HeadroomLevel& level) {
    return std::min(level.waits_at.low.value_or(kBearsAnyLoad), level.refuses_at.low.value_or(kBearsAnyLoad));
  };
  for (const HeadroomLevel& level : report.levels)
    if (low(level) < (first ? low(*first) : kBearsAnyLoad)) first = &level;
  return first;
}

// Levels that suffer at this load already, in the plain replay: those that refuse most come first, then those that wait
// longest.
std::vector<const HeadroomLevel*> worst_now(const HeadroomReport& report) {
  const auto is_now = [](const std::optional<double>& from) { return from && *from <= 1; };
  const auto now = std::find_if(report.points.begin(), report.points.end(),
                                [](const HeadroomPoint& point) { return point.multiple == 1; });
  std::vector<std::size_t> levels;
  for (std::size_t i = 0; i < report.levels.size(); ++i)
    if (is_now(report.levels[i].refuses_at.value) || is_now(report.levels[i].waits_at.value)) levels.push_back(i);
  sort_stably(levels, [&](std::size_t a, std::size_t b) {
    const auto rank = [&](std::size_t i) {
      if (now == report.points.end())
        return std::tuple(is_now(report.levels[i].refuses_at.value), std::uint64_t{0}, Nanos{0});
      return std::tuple(is_now(report.levels[i].refuses_at.value), now->levels[i].rejected, now->levels[i].p99);
    };
    return rank(a) > rank(b);
  });
  std::vector<const HeadroomLevel*> out;
  for (const std::size_t i : levels) out.push_back(&report.levels[i]);
  return out;
}

// "workload-low and global-default already refuse requests at this load, and workload-high waits (p99 above 100ms)"
std::string suffers_now_text(const HeadroomReport& report, const std::string& waits, const std::string& load) {
  std::vector<std::string> refusing, waiting;
  for (const HeadroomLevel* level : worst_now(report))
    (level->refuses_at.value && *level->refuses_at.value <= 1 ? refusing : waiting).push_back(level->name);
  const auto waits_for = [&](std::size_t count) { return (count == 1 ? "waits" : "wait") + waits; };
  if (refusing.empty())
    return fmt::format("{} already {} at {}", enumerated(waiting, "and"), waits_for(waiting.size()), load);
  std::string out = fmt::format("{} already {} requests at {}", enumerated(refusing, "and"),
                                refusing.size() == 1 ? "refuses" : "refuse", load);
  if (!waiting.empty()) out += fmt::format(", and {} {}", enumerated(waiting, "and"), waits_for(waiting.size()));
  return out;
}

// What it comes to for the level that suffers first.
std::string trouble_text(const HeadroomReport& report, const HeadroomLevel& level, const std::string& load) {
  const HeadroomFigure trouble = trouble_of(report);
  const auto suffers_at_one = [](const std::optional<double>& from) { return from && *from <= 1; };
  const std::string bound = fmt::format(" (p99 above {})", human_duration(report.wait_bound)), waits = "waits" + bound;
  const std::string refuses = "refuses requests";
  if (suffers_at_one(trouble.high)) return suffers_now_text(report, bound, load);
  if (suffers_at_one(trouble.low))
    return fmt::format("At {} {} {} in some of its replays, and not in others", load, level.name,
                       suffers_at_one(level.refuses_at.low) ? refuses : waits);
  if (!trouble.value)
    return fmt::format("This configuration bears {} {} or more: from there on {} {} in some replays",
                       times_text(*trouble.low), load, level.name, level.refuses_at.low ? refuses : waits);
  return fmt::format("This configuration bears up to {} {}: then {} {}", figure_text(trouble, report), load, level.name,
                     level.refuses_first ? refuses : waits);
}

}  // namespace

int most_seats_of(const HeadroomLevel& level, const ReplayReport& log) {
  int most = level.nominal_seats;
  for (const LevelReport& other : log.levels)
    if (other.name != level.name) most += other.nominal_cl - other.min_cl;
  return std::min(level.most_seats, most);
}

bool suffers(const HeadroomLevel& level) { return level.waits_at.low || level.refuses_at.low; }

std::vector<std::size_t> by_headroom(const HeadroomReport& report) {
  std::vector<std::size_t> out(report.levels.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  sort_stably(out, [&](std::size_t a, std::size_t b) {
    const auto rank = [&](std::size_t i) {
      const HeadroomLevel& level = report.levels[i];
      return std::pair(level.refuses_at.low.value_or(kBearsAnyLoad), level.waits_at.low.value_or(kBearsAnyLoad));
    };
    return rank(a) < rank(b);
  });
  return out;
}

std::string times_text(double multiple) { return fmt::format("{:.{}f}x", multiple, multiple < 1 ? 3 : 2); }

std::string figure_text(const HeadroomFigure& figure, const HeadroomReport& report) {
  if (report.points.empty()) return "-";  // interrupted before anything was replayed
  const std::string beyond = fmt::format("> {:g}x", report.most);
  const auto text = [&](const std::optional<double>& multiple) {
    return !multiple                   ? beyond
           : *multiple <= report.least ? fmt::format("<= {:g}x", report.least)
                                       : times_text(*multiple);
  };
  const std::string low = text(figure.low), high = text(figure.high);
  if (low == high) return text(figure.value);
  return figure.high ? low + "-" + high : low + " to " + high;
}

const HeadroomLevel* first_to_suffer(const HeadroomReport& report) {
  const HeadroomLevel* first = nullptr;
  for (const HeadroomLevel& level : report.levels)
    if (first_trouble(level) < (first ? first_trouble(*first) : kBearsAnyLoad)) first = &level;
  return first;
}

std::string flow_text(const HeadroomLevel& level) {
  if (level.flow_schema.empty()) return {};
  return level.distinguisher.empty() ? level.flow_schema : level.flow_schema + "/" + level.distinguisher;
}

std::string unit_of(const HeadroomReport& report) {
  return report.of == HeadroomOf::slowness ? "the execution times" : "the load";
}

std::string cliff_text(const HeadroomLevel::Cliff& cliff) {
  return fmt::format("from {} to {} its refusals rise from {} to {}", times_text(cliff.from), times_text(cliff.to),
                     grouped(cliff.refused), grouped(cliff.refused_then));
}

std::string limit_text(const HeadroomLevel& level) {
  for (const HeadroomTrial& trial : level.trials)
    if (trial.helps)
      return trial.limit == HeadroomLimit::seats ? fmt::format("{} seats of the server", grouped(trial.from))
                                                 : fmt::format("{} {}", name_of(trial.limit), grouped(trial.from));
  return level.trials.empty() ? "-" : "none alone";
}

std::string limit_sentence(const HeadroomLevel& level, const HeadroomReport& report) {
  const HeadroomTrial* binding = nullptr;
  std::vector<std::string> others, useless;
  for (const HeadroomTrial& trial : level.trials) {
    if (!trial.helps) useless.push_back(change_text(trial));
    else if (!binding) binding = &trial;
    else others.push_back(change_text(trial));
  }
  const double at = first_trouble(level);
  const std::string does = level.refuses_first
                               ? "refuses nothing"
                               : fmt::format("waits {} or less (p99)", human_duration(report.wait_bound));
  const std::string seats = fmt::format("It has {}, with borrowing {} at most.", seats_in_words(level.nominal_seats),
                                        grouped(most_seats_of(level, report.log)));
  std::string out = level.name + ": ";
  if (!binding)
    return out + fmt::format("no single limit: at {} {} it still {} with {}. {}", times_text(at), unit_of(report),
                             level.refuses_first ? "refuses" : "waits", enumerated(useless, "or"), seats);
  const bool of_server = binding->limit == HeadroomLimit::seats;
  out += fmt::format("the limit is {}. {} At {} {} it {} with {}.",
                     of_server ? fmt::format("the server's {}", seats_in_words(binding->from))
                               : fmt::format("its {} ({})", name_of(binding->limit), grouped(binding->from)),
                     seats, times_text(at), unit_of(report), does, change_text(*binding));
  if (!others.empty()) out += fmt::format(" The same holds with {}.", enumerated(others, "or with"));
  if (!useless.empty()) out += fmt::format(" More of another limit does not help: {}.", enumerated(useless, "or"));
  return out;
}

Verdict verdict_of(const HeadroomReport& report) {
  const bool slowness = report.of == HeadroomOf::slowness;
  std::string load = !report.clients.empty() ? unit_of(report) + " of " + enumerated(report.clients, "and")
                     : slowness              ? "the execution times of this log"
                                             : "this load";
  for (const LoadScale& scale : report.log.scales)
    load += fmt::format("{} {:g} times {}", &scale == &report.log.scales.front() ? " with" : " and", scale.factor,
                        scale.user.empty() ? "all clients" : scale.user);
  if (report.interrupted && report.points.empty())
    return {Tone::caution, "No multiple of the load was replayed to its end."};
  if (report.levels.empty()) return {Tone::caution, "No request of this log goes to a limited priority level."};
  if (!doubts_of(report.log).empty())
    return {Tone::caution, fmt::format("How many times {} this configuration bears is not decided by this log.", load)};
  const HeadroomLevel* level = first_of_any(report);
  if (!level)
    return {Tone::good, fmt::format("No request waits or is refused up to {:g} times {}.", report.most, load)};
  const auto& waits = level->waits_at.value;
  const auto& refuses = level->refuses_at.value;
  std::string what = trouble_text(report, *level, load);
  if (const std::string earlier = refuses_earlier(report, *level); !earlier.empty()) what += earlier;
  else if (!level->refuses_first && refuses && *refuses > 1 && (!waits || *refuses > *waits))
    what += fmt::format(", and from {} on it refuses requests", figure_text(level->refuses_at, report));
  const bool refused = std::any_of(report.levels.begin(), report.levels.end(), [](const HeadroomLevel& l) {
    return l.refuses_at.value.value_or(kBearsAnyLoad) <= 1;
  });
  const bool suffers_now = trouble_of(report).low.value_or(kBearsAnyLoad) <= 1;
  return {refused ? Tone::bad : suffers_now ? Tone::caution : Tone::plain, what + "."};
}

std::vector<std::string> explanations_of(const HeadroomReport& report) {
  std::vector<std::string> out;
  out.push_back(fmt::format(
      "A level waits where the 99th percentile of its waits is above {}, and refuses where it refuses a request. "
      "Multiples are tried to within 2 %, ranges to within 9 %, from {:g} to {:g}: {}.",
      human_duration(report.wait_bound), report.least, report.most, counted(report.replays, "replay", "replays")));
  if (report.of == HeadroomOf::slowness)
    out.push_back(fmt::format(
        "{} run longer by that factor; there are no more of them. A level is full where at least one of its requests "
        "waits for half of the time or longer. A cliff is a step of less than a tenth that makes the refusals twice "
        "as many.",
        report.clients.empty() ? "Requests" : "Requests of " + enumerated(report.clients, "and")));
  else
    out.push_back(fmt::format(
        "More load is copies of {}, each moved by up to 1s; a client sends more, and there are no more clients{}.",
        report.clients.empty() ? "each client's requests" : "the requests of " + enumerated(report.clients, "and"),
        report.clients.empty() ? "" : ". All others send what the log has"));
  if (report.variants > 1)
    out.push_back(fmt::format("Ranges are from {} of each multiple.",
                              counted(static_cast<std::uint64_t>(report.variants), "replay", "replays")));
  return out;
}

}  // namespace apf
