#include "report/logs/inspect_words.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <apf/logs_report.h>
#include <fmt/format.h>

#include "base/sort_stably.h"
#include "report/core/units.h"

namespace apf {

namespace {

std::string named(const std::vector<const InspectedLevel*>& levels) {
  std::string out;
  for (const InspectedLevel* level : levels) out += (out.empty() ? "" : ", ") + printable(level->name);
  return out;
}

std::vector<const InspectedLevel*> in_state(const Inspection& inspection, LevelState state) {
  std::vector<const InspectedLevel*> out;
  for (const InspectedLevel& level : inspection.levels)
    if (level.state == state) out.push_back(&level);
  sort_stably(out, [](const InspectedLevel* a, const InspectedLevel* b) {
    if (a->rejected.value_or(0) != b->rejected.value_or(0)) return a->rejected.value_or(0) > b->rejected.value_or(0);
    return a->waiting_seats.value_or(0) > b->waiting_seats.value_or(0);
  });
  return out;
}

std::string seats(double number) { return counted(whole(number), "seat", "seats"); }

const char* is_or_are(std::size_t number) { return number == 1 ? "is" : "are"; }

// Else it is not known whether it has seats left.
bool has_free_seats(const InspectedLevel& level) {
  return level.state == LevelState::waiting && level.executing_seats && level.current;
}

// The worst first.
std::vector<const InspectedLevel*> refused_before(const Inspection& inspection) {
  std::vector<const InspectedLevel*> out;
  for (const InspectedLevel& level : inspection.levels)
    if (!inspection.between && level.rejected.value_or(0) > 0) out.push_back(&level);
  sort_stably(out, [](const auto* a, const auto* b) { return *a->rejected > *b->rejected; });
  return out;
}

std::string no_level_waits(const Inspection& inspection) {
  const bool known = std::any_of(inspection.levels.begin(), inspection.levels.end(),
                                 [](const InspectedLevel& level) { return level.waiting && !level.exempt; });
  if (!known) return inspection.lists_waiting ? "No request waits." : "Whether requests wait is not in the input.";
  return inspection.has_scrape && !inspection.between ? "No request waits now." : "No level is saturated.";
}

std::string kind_of_requests(const std::string& kind) {
  return kind == "readOnly" ? "read-only" : kind.empty() ? "all" : printable(kind);
}

// What max-in-flight counts: without levels it is all there is.
std::vector<std::string> in_flight_sentences(const Inspection& inspection) {
  std::vector<std::string> out{inspection.apf_on == false
                                   ? "API Priority and Fairness is off: the server limits requests in flight."
                                   : "Whether API Priority and Fairness is on is not in the input: it has no limits of "
                                     "levels, and is not the whole of /metrics."};
  std::string most;
  for (const auto& [kind, requests] : inspection.in_flight) {
    const auto limit = inspection.in_flight_limits.find(kind);
    most += fmt::format("{}{}{} {}", most.empty() ? "" : " and ", grouped(whole(requests)),
                        limit == inspection.in_flight_limits.end() ? std::string() : " of " + grouped(limit->second),
                        kind_of_requests(kind));
  }
  if (!most.empty()) out.push_back("In flight within the last second, at most: " + most + " requests.");
  std::string dropped;
  for (const auto& [kind, requests] : inspection.dropped)
    if (requests > 0)
      dropped += fmt::format("{}{}{}", dropped.empty() ? "" : " and ", grouped(whole(requests)),
                             kind.empty() ? "" : " " + kind_of_requests(kind));
  const char* when = inspection.between ? " between the scrapes" : " since the server started";
  if (!dropped.empty()) out.push_back(fmt::format("Refused (429){}: {} requests.", when, dropped));
  else if (inspection.apf_on == false) out.push_back(fmt::format("It refused no request (429){}.", when));
  if (inspection.apf_on == false && inspection.in_flight_limits.empty())
    out.emplace_back(
        "Its limits are not in its metrics: name them with --max-requests-inflight and "
        "--max-mutating-requests-inflight, or its command line with --server.");
  return out;
}

// The worst first: that is the verdict.
std::vector<std::string> headlines(const Inspection& inspection) {
  const auto refusing = in_state(inspection, LevelState::refusing), refused = refused_before(inspection),
             saturated = in_state(inspection, LevelState::saturated), close = in_state(inspection, LevelState::close);
  std::vector<const InspectedLevel*> idle = in_state(inspection, LevelState::waiting), waiting;
  std::copy_if(idle.begin(), idle.end(), std::back_inserter(waiting),
               [](const auto* l) { return !has_free_seats(*l); });
  std::erase_if(idle, [](const InspectedLevel* level) { return !has_free_seats(*level); });
  const std::string all = fmt::format(" of {}", counted(inspection.levels.size(), "level", "levels"));
  std::vector<std::string> out;
  const auto say = [&](const auto& levels, const char* one, const char* several) {
    if (!levels.empty())
      out.push_back(fmt::format("{}{} {}: {}.", levels.size(), all, levels.size() == 1 ? one : several, named(levels)));
  };
  say(refusing, "refuses requests", "refuse requests");
  say(saturated, "is saturated", "are saturated");
  say(waiting, "has requests that wait", "have requests that wait");
  say(idle, "has requests that wait while seats are free", "have requests that wait while seats are free");
  say(refused, "has refused requests", "have refused requests");
  if (refusing.empty() && saturated.empty() && waiting.empty() && idle.empty())
    out.push_back(no_level_waits(inspection));
  say(close, "uses or wanted most of its seats", "use or wanted most of their seats");
  return out;
}

// "17 of 17 seats are in use (nominal 13, 4 borrowed, at most 43)"
std::string use_of(const InspectedLevel& level) {
  if (!level.executing_seats && !level.current) return {};
  std::string out;
  if (!level.executing_seats) out = "its limit is " + seats(*level.current);
  else if (level.current)
    out = fmt::format("{} of {} seats are in use", grouped(whole(*level.executing_seats)),
                      grouped(whole(*level.current)));
  else out = fmt::format("{} {} in use", seats(*level.executing_seats), is_or_are(whole(*level.executing_seats)));
  if (!level.current || !level.nominal) return out;
  const double borrowed = *level.current - *level.nominal;
  out += fmt::format(" (nominal {}", grouped(whole(*level.nominal)));
  if (borrowed > 0) out += fmt::format(", {} borrowed", grouped(whole(borrowed)));
  if (borrowed < 0) out += fmt::format(", {} lent", grouped(whole(-borrowed)));
  if (level.upper && *level.upper > *level.current) out += fmt::format(", at most {}", grouped(whole(*level.upper)));
  return out + ")";
}

std::string waits_of(const InspectedLevel& level) {
  if (level.waiting.value_or(0) <= 0) return {};
  const std::uint64_t requests = whole(*level.waiting);
  std::string out = fmt::format("{} {}", counted(requests, "request", "requests"), requests == 1 ? "waits" : "wait");
  if (!level.waiting_seats && level.current) out += " for at least " + seats(*level.waiting);
  else if (level.waiting_seats.value_or(0) > 0) out += " for " + seats(*level.waiting_seats);
  if (level.active_queues > 0)
    out += fmt::format(" in {}", counted(static_cast<std::uint64_t>(level.active_queues), "queue", "queues"));
  return out;
}

std::string refusals_of(const Inspection& inspection, const InspectedLevel& level) {
  if (level.rejected.value_or(0) <= 0) return {};
  std::string out = "It refused ";
  if (level.dispatched) out += grouped(whole(*level.rejected)) + " of ";
  out += counted(whole(*level.rejected + level.dispatched.value_or(0)), "request", "requests");
  if (const std::string reasons = reasons_text(level); !reasons.empty()) out += " (" + reasons + ")";
  if (inspection.between)
    out += inspection.seconds ? " in " + seconds_text(*inspection.seconds) : " between the scrapes";
  else out += " since it came into being";
  out += ".";
  if (!inspection.between) out += " Whether it still does, two scrapes tell.";
  return out;
}

// Who holds and wants most of the level's seats.
std::string flows_of(const InspectedLevel& level) {
  if (level.flows.empty()) return {};
  std::int64_t all = 0;
  for (const InspectedFlow& flow : level.flows) all += flow.waiting_seats + flow.executing_seats.value_or(0);
  const InspectedFlow& first = level.flows.front();
  const std::int64_t own = first.waiting_seats + first.executing_seats.value_or(0);
  if (level.flows.size() == 1) return fmt::format("All its requests are of one flow, {}.", flow_text(first));
  return fmt::format("Of the seats that its {} flows hold and wait for, {} has {}.", level.flows.size(),
                     flow_text(first), human_percent(whole(static_cast<double>(own)), whole(static_cast<double>(all))));
}

// Why requests wait while seats are free, as far as the input says.
std::string causes_of(const Inspection& inspection, const InspectedLevel& level) {
  std::string out = fmt::format("{} are free, so this is no overload.", seats(*level.current - *level.executing_seats));
  if (!level.overlaps.empty()) {
    const HandOverlap& most = level.overlaps.front();
    out += fmt::format(" The hands of {} and {} have {} in common.", flow_text(level.flows[most.first]),
                       flow_text(level.flows[most.second]), counted(most.queues.size(), "queue", "queues"));
  }
  if (level.queues == 1) out += " All of them wait in the only queue of the level.";
  if (level.demand_most && *level.demand_most >= *level.current)
    return out + fmt::format(" In the last 10 s it wanted up to {}: the scrape may lie between the two states.",
                             seats(*level.demand_most));
  return out + (inspection.between
                    ? " If each scrape shows it, something other than seats holds the requests up."
                    : " Scrape again: the server does not count both at the same instant. If it stays so, look for "
                      "flows whose hands collide (a dump of dump_requests shows them) or a level with a single queue.");
}

std::string about(const Inspection& inspection, const InspectedLevel& level) {
  std::string out = printable(level.name) + ": ";
  const std::string use = use_of(level), waits = waits_of(level);
  out += use + (use.empty() || waits.empty() ? "" : ", ") + waits;
  if (use.empty() && waits.empty()) out += "nothing is known of its seats";
  out += ".";
  if (level.quiescing) out += " It is no longer in the configuration.";
  if (level.state == LevelState::close && level.demand_most && level.current &&
      *level.demand_most > level.executing_seats.value_or(0))
    out += *level.demand_most >= *level.current
               ? fmt::format(" In the last 10 s it wanted all of its {}.", seats(*level.current))
               : fmt::format(" In the last 10 s it wanted up to {}.", seats(*level.demand_most));
  if (has_free_seats(level)) out += " " + causes_of(inspection, level);
  else if (level.state == LevelState::waiting)
    out += " Whether seats are free is not known: how many are in use is not in the input.";
  if (const std::string refused = refusals_of(inspection, level); !refused.empty()) out += " " + refused;
  if (const auto half = level.wait.quantile(0.5); half && half->high > 0 && level.state >= LevelState::waiting)
    out += fmt::format(" Half of the requests that left its queues had waited {}.",
                       half->low > 0 && std::isfinite(half->high)
                           ? fmt::format("{} to {}", seconds_text(half->low), seconds_text(half->high))
                       : half->low > 0 ? "more than " + seconds_text(half->low)
                                       : "at most " + seconds_text(half->high));
  if (level.drain)
    out += fmt::format(" If nothing else came, its queues would drain in about {}.", seconds_text(*level.drain));
  if (level.state >= LevelState::waiting)
    if (const std::string flows = flows_of(level); !flows.empty()) out += " " + flows;
  return out;
}

// Figures of the input that no server has at once.
void add_contradictions(const Inspection& inspection, std::vector<std::string>& out) {
  double nominal = 0, current = 0;
  bool all_nominal = true;
  for (const InspectedLevel& level : inspection.levels) {
    nominal += level.nominal.value_or(0);
    all_nominal = all_nominal && level.nominal;
    if (level.exempt || !level.current) continue;
    current += *level.current;
    const bool above = level.upper && *level.current > *level.upper;
    if (!above && !(level.lower && *level.current < *level.lower)) continue;
    out.push_back(
        fmt::format("{}: its current limit, {}, is {} its {} limit, {}: no server sets it so; the figures are "
                    "of several servers or moments.",
                    printable(level.name), grouped(whole(*level.current)), above ? "above" : "below",
                    above ? "largest" : "least", grouped(whole(above ? *level.upper : *level.lower))));
  }
  // Levels lend each other what there is, and each limit is rounded.
  const double levels = static_cast<double>(inspection.levels.size());
  const double shared = inspection.server_concurrency_limit && !inspection.concurrency_found
                            ? *inspection.server_concurrency_limit
                            : nominal;
  if (all_nominal && current > shared + levels)
    out.push_back(
        fmt::format("The current limits of all levels add up to {}, but the server has {} to share: the figures are of "
                    "several servers or moments, or its borrowing is at fault.",
                    seats(current), grouped(whole(shared))));
  // Each nominal limit is rounded up.
  if (!inspection.server_seats || nominal <= *inspection.server_seats + static_cast<double>(inspection.levels.size()))
    return;
  out.push_back(
      fmt::format("The nominal limits of all levels add up to {}, but the server has {} to share: the figures "
                  "are of several servers or moments.",
                  seats(nominal), grouped(whole(*inspection.server_seats))));
}

// Requests have waited for long at a level that was far from its limit.
void add_idle_waits(const Inspection& inspection, std::vector<std::string>& out) {
  constexpr double kLong = 1, kBusy = 0.5;  // seconds; of the limit
  for (const InspectedLevel& level : inspection.levels) {
    if (level.exempt || level.wait.count <= 0 || level.wait.mean() < kLong) continue;
    if (!level.current || !level.executing_seats || level.state.value_or(LevelState::calm) > LevelState::close)
      continue;
    const double most = std::max(*level.executing_seats, level.demand_most.value_or(0));
    if (most >= kBusy * *level.current) continue;
    out.push_back(fmt::format(
        "{}: its requests waited {} on average {}, but it uses {} of its {}: {}", printable(level.name),
        seconds_text(level.wait.mean()), inspection.between ? "between the scrapes" : "since the server started",
        grouped(whole(*level.executing_seats)), seats(*level.current),
        inspection.between
            ? "they do not wait for seats. Look for flows whose hands collide, a level with a single "
              "queue, or a fault of the server."
            : "it was busier before, or they do not wait for seats. Two scrapes (--metrics twice) tell."));
  }
}

std::string difference_text(const LimitDifference& d) {
  const std::string level = printable(d.level);
  const auto differs = [&](const char* what) {
    return fmt::format("{}: the server has {} {}, the configuration gives {}.", level, what, grouped(whole(d.server)),
                       grouped(whole(d.configured)));
  };
  switch (d.what) {
    case LimitDifference::What::only_in_server:
      return fmt::format("{}: the server has this level, the configuration has not.", level);
    case LimitDifference::What::only_in_configuration:
      return fmt::format("{}: the configuration has this level, the server shows none of it.", level);
    case LimitDifference::What::nominal:
      return differs("a nominal limit of");
    case LimitDifference::What::lower:
      return differs("a least limit of");
    case LimitDifference::What::upper:
      return differs("a largest limit of");
    case LimitDifference::What::queues:
      break;
  }
  return fmt::format("{}: the server has {}, the configuration gives {}.", level,
                     counted(whole(d.server), "queue", "queues"), grouped(whole(d.configured)));
}

}  // namespace

bool has_refused(const Inspection& inspection, const InspectedLevel& level) {
  return level.state.value_or(LevelState::calm) < LevelState::waiting && !inspection.between &&
         level.rejected.value_or(0) > 0;
}

std::uint64_t whole(double number) {
  if (!(number > 0)) return 0;
  return number < 9e15 ? static_cast<std::uint64_t>(std::llround(number)) : 9'000'000'000'000'000;
}

Nanos rounded_nanos(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 9e9 ? static_cast<Nanos>(std::llround(seconds * 1e9)) : kEndOfTime;
}

std::string seconds_text(double seconds) {
  const Nanos duration = rounded_nanos(seconds);
  // Bounds of buckets are round numbers.
  const std::string exact = format_go_duration(duration);
  return duration > 0 && exact.size() <= 5 ? exact : human_duration(duration);
}

std::string bounds_text(const std::optional<InspectedHistogram::Bounds>& bounds, bool durations) {
  if (!bounds) return "-";
  const auto text = [&](double number) {
    return durations ? (number > 0 ? seconds_text(number) : "0") : grouped(whole(number));
  };
  if (!std::isfinite(bounds->high)) return ">" + text(bounds->low);
  if (bounds->high <= 0) return "0";
  if (!durations) {
    const std::string low = text(bounds->low + 1), high = text(bounds->high);
    return low == high ? high : low + "-" + high;
  }
  return bounds->low > 0 ? text(bounds->low) + "-" + text(bounds->high) : "<=" + text(bounds->high);
}

std::string reasons_text(const InspectedLevel& level) {
  std::vector<std::pair<double, std::string>> reasons;
  for (const auto& [reason, count] : level.rejected_by)
    if (count > 0) reasons.emplace_back(count, reason);
  sort_stably(reasons, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, reason] : reasons)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", grouped(whole(count)), printable(reason));
  return out;
}

std::string flow_text(const InspectedFlow& flow) {
  return printable(flow.distinguisher.empty() ? flow.flow_schema : flow.flow_schema + " " + flow.distinguisher);
}

Tone tone_of(LevelState state) {
  if (state == LevelState::calm) return Tone::plain;
  return state == LevelState::refusing ? Tone::bad : Tone::caution;
}

std::vector<std::string> inspection_sentences(const Inspection& inspection) {
  if (inspection.levels.empty() && inspection.has_scrape) return in_flight_sentences(inspection);
  std::vector<std::string> out = headlines(inspection);
  add_contradictions(inspection, out);
  add_idle_waits(inspection, out);
  for (const LevelState state : {LevelState::refusing, LevelState::saturated, LevelState::waiting, LevelState::close})
    for (const InspectedLevel* level : in_state(inspection, state)) out.push_back(about(inspection, *level));
  for (const InspectedLevel& level : inspection.levels)
    if (level.state.value_or(LevelState::calm) < LevelState::close && !inspection.between &&
        level.rejected.value_or(0) > 0)
      out.push_back(fmt::format("{}: {}", printable(level.name), refusals_of(inspection, level)));
  return out;
}

std::vector<std::string> comparison_sentences(const Inspection& inspection) {
  if (!inspection.compared) return {};
  std::vector<std::string> out;
  const bool scraped = inspection.has_scrape;
  if (inspection.server_concurrency_limit) {
    const std::string seats = grouped(*inspection.server_concurrency_limit);
    const std::optional<ScrapedSeats>& by_limits = inspection.concurrency_found;
    const std::string found = !by_limits ? std::string()
                              : !by_limits->is_guess()
                                  ? " (by its limits)"
                                  : fmt::format(" (guessed: {} to {} give these limits)", grouped(by_limits->least),
                                                grouped(by_limits->most));
    out.push_back(
        inspection.differences.empty()
            ? fmt::format("The server has the levels{} that the configuration gives with {} seats{}.",
                          scraped ? " and limits" : "", seats, found)
            : fmt::format("The server differs from what the configuration gives with {} seats{}:", seats, found));
  } else {
    out.push_back(scraped ? "No number of seats gives the server's nominal limits with this configuration: limits are "
                            "not compared; name the server's seats with --server-concurrency to see how they differ."
                          : "Dumps say nothing of limits: levels and queues are compared.");
  }
  for (const LimitDifference& d : inspection.differences) out.push_back(difference_text(d));
  return out;
}

std::vector<std::string> missing_sentences(const Inspection& inspection) {
  std::vector<std::string> out;
  const bool waits = std::any_of(inspection.levels.begin(), inspection.levels.end(),
                                 [](const InspectedLevel& level) { return level.waiting.value_or(0) > 0; });
  const bool counts = std::any_of(inspection.levels.begin(), inspection.levels.end(),
                                  [](const InspectedLevel& level) { return level.dispatched || level.rejected; });
  const auto say = [&](bool condition, const char* sentence) {
    if (condition) out.emplace_back(sentence);
  };
  if (inspection.levels.empty() && inspection.has_scrape) {
    say(!inspection.between,
        "Counts are of all the time since the server started: two scrapes (--metrics twice) say "
        "what happens now.");
    return out;
  }
  if (!inspection.absent.empty())
    out.push_back(
        fmt::format("Not in the input: {}. This brings all of them: kubectl get --raw /metrics | grep "
                    "apiserver_flowcontrol",
                    fmt::join(inspection.absent, ", ")));
  say(inspection.has_scrape && !inspection.between && counts,
      "Counts are of all the time since the server started: two scrapes (--metrics twice) say what happens now.");
  say(inspection.between && !inspection.seconds,
      "The scrapes do not say how far apart they are, so there are no rates: name it with --interval.");
  say(waits && !inspection.has_scrape,
      "Dumps say neither limits nor how long requests run: --metrics does, and so how long the queues take to drain.");
  const bool running_known = inspection.lists_running || inspection.has_scrape ||
                             std::any_of(inspection.levels.begin(), inspection.levels.end(),
                                         [](const InspectedLevel& level) { return level.executing.has_value(); });
  const bool is_empty = inspection.has_requests && inspection.levels.empty();
  say(is_empty, "The dump lists no request: none waits, and none runs where a server lists those, too.");
  say(inspection.lists_waiting && !running_known && !is_empty,
      "The dump lists the requests that wait, and none that run, as servers before 1.28 do: dump_priority_levels and "
      "dump_queues count what runs.");
  say(waits && !inspection.has_requests, "A dump of dump_requests would name the flows that wait.");
  for (const InspectedLevel& level : inspection.levels)
    if (level.other_hands)
      out.push_back(
          fmt::format("{}: requests are in queues that this configuration does not deal to their flows: the "
                      "server's queues or hand size are other ones.",
                      printable(level.name)));
  return out;
}

std::vector<std::string> panels_of(const Inspection& inspection) {
  const auto any = [&](LevelState least) {
    return std::any_of(inspection.levels.begin(), inspection.levels.end(),
                       [&](const InspectedLevel& level) { return !level.exempt && level.state >= least; });
  };
  std::vector<std::string> out;
  if (!inspection.has_scrape) return out;
  if (any(LevelState::refusing)) out = {"Refused requests", "Refused requests by FlowSchema"};
  if (any(LevelState::waiting)) out.insert(out.end(), {"Requests waiting in queues", "Wait, 99th percentile"});
  if (any(LevelState::close)) out.emplace_back("Seats in use, part of the limit");
  return out;
}

}  // namespace apf
