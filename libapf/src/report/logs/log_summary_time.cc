// Where the time of slow requests went, by what the server wrote of them; and seats over time.
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/identities.h"
#include "base/joined.h"
#include "base/saturated.h"
#include "base/sort_stably.h"
#include "report/core/units.h"
#include "report/core/writers.h"
#include "report/logs/log_summary_words.h"

namespace apf {

// "20 requests took half a second or longer, 2m26s in all: mutating webhooks 1m37s, etcd 46.1s; …"
std::string slow_sentence(const LogSummary& summary) {
  const SlowRequests& t = summary.slow_total;
  std::string out = fmt::format("{} took half a second or longer", counted(t.requests, "request", "requests"));
  if (summary.slow_rise) out += ", most of that " + when(summary.slow_rise->from, summary.slow_rise->to);
  if (t.with_parts == 0) {
    const bool waits = t.with_wait > 0;
    return out + fmt::format(", {} in all{}. The log does not say where {} went ({}).", human_duration(t.total),
                             waits ? fmt::format(": {} in a queue", human_duration(t.wait)) : "",
                             waits ? "the rest" : "the time",
                             summary.total.requests == 0 ? "the traces have no steps that tell it"
                                                         : "no annotations apiserver.latency.k8s.io/…");
  }
  std::vector<Spent> parts = spent(t);
  sort_stably(parts, [](const Spent& a, const Spent& b) { return a.sum > b.sum; });
  std::vector<std::string> said;
  for (const Spent& part : parts)
    if (part.sum >= t.parts[kWhole] / 50) said.push_back(std::string(part.what) + " " + human_duration(part.sum));
  out += t.with_parts == t.requests
             ? fmt::format(", {} in all: ", human_duration(t.total))
             : fmt::format("; of the {} of {} of them: ", human_duration(t.parts[kWhole]), grouped(t.with_parts));
  // What traces do not tell may be there all the same.
  const bool queue = knows(t, LatencyPart::queue) && (t.traced == 0 || t.with_wait == t.requests);
  if (t.traced == 0 && said.size() == 1 && parts.front().what == std::string_view("other"))
    return out.substr(0, out.size() - 2) +
           fmt::format(", hardly any of it in {}etcd or in webhooks.", queue ? "a queue, in " : "");
  out += joined(said, ", ");
  return out + (queue && t.parts[kOfQueue] < t.parts[kWhole] / 50 ? "; hardly any of it in a queue." : ".");
}

std::string waits_sentence(const LogSummary& summary) {
  const LogTally& all = summary.total;
  return fmt::format("{} waited in a queue, {} on average: {} of the time from their arrival to their end.",
                     counted(all.waited, "request", "requests"),
                     human_duration(all.wait / static_cast<Nanos>(all.waited)),
                     human_percent(static_cast<std::uint64_t>(all.wait),
                                   static_cast<std::uint64_t>(std::max<Nanos>(all.wait_and_run, 1))));
}

namespace {

Table slow_table(const LogSummary& summary) {
  Table table;
  const bool traced = summary.slow_total.traced > 0;
  table.left("CLIENT", 20)
      .left("REQUEST", 12)
      .right("SLOW")
      .right("TIME")
      .right("QUEUE")
      .right(traced ? "STORAGE" : "ETCD")
      .right("WEBHOOKS")
      .right("OTHER")
      .drop(1);
  for (const SlowRequests& row : summary.slow) {
    using Part = LatencyPart;
    std::optional<Nanos> rest;
    if (row.with_parts > 0) rest = row.parts[kWhole];
    const auto sum_of = [&](std::initializer_list<Part> parts) {
      std::optional<Nanos> sum;
      for (const Part part : parts)
        if (rest && knows(row, part)) sum = saturated_sum(sum.value_or(0), row.parts[static_cast<std::size_t>(part)]);
      if (sum) rest = std::max<Nanos>(0, *rest - *sum);
      return sum;
    };
    std::optional<Nanos> queue = sum_of({Part::queue});
    if (!rest && row.with_wait > 0) queue = row.wait;
    const std::optional<Nanos> storage = sum_of({Part::etcd, Part::storage});
    const std::optional<Nanos> webhooks = sum_of({Part::mutating_webhook, Part::validating_webhook});
    const auto cell = [](std::optional<Nanos> sum) -> Table::Cell {
      return {sum ? human_duration(*sum) : "-", sum && *sum == 0 ? Tone::faint : Tone::plain, {}};
    };
    table.row({name_cell(short_name_of(row.user)),
               name_cell(row.verb + " " + row.resource),
               {grouped(row.requests), Tone::plain, {}},
               {human_duration(row.total), Tone::plain, {}},
               cell(queue),
               cell(storage),
               cell(webhooks),
               cell(rest)});
  }
  return table;
}

}  // namespace

Passage time_passage(const LogSummary& summary) {
  const SlowRequests& t = summary.slow_total;
  Passage out("Where the time went");
  if (t.requests > 0) {
    if (summary.total.requests > 0) out.say(slow_sentence(summary));  // else it is the verdict
    out.show(slow_table(summary));
    if (t.traced > 0)
      out.explain(fmt::format(
          "Of {}, the server's own traces tell it: they do not see the queue; storage is admission, the watch cache "
          "or etcd, where they do not tell these apart.",
          t.traced == t.with_parts ? "these" : part_of(t.traced, t.with_parts)));
  }
  if (summary.traces_apart > 0)
    out.explain(fmt::format(
        "{} of slow requests without audit ID (before Kubernetes 1.22) {} none of the requests, or several, by time, "
        "verb and path; left out.",
        counted(summary.traces_apart, "trace", "traces"), summary.traces_apart == 1 ? "fits" : "fit"));
  if (summary.total.waited > 0) out.say(waits_sentence(summary));
  return out;
}

void show_seat_course(const LogSummary& summary, Passage& out) {
  std::vector<std::string> levels;
  Nanos first = INT64_MAX, last = INT64_MIN;
  for (const LogMinute& m : summary.minutes) {
    if (m.tally.seat_seconds > 0 && std::find(levels.begin(), levels.end(), m.level) == levels.end())
      levels.push_back(m.level);
    first = std::min(first, m.begin);
    last = std::max(last, m.begin);
  }
  constexpr Nanos kWidth = 60 * kSecond;
  constexpr std::size_t kMost = 40;
  const auto minutes = static_cast<std::size_t>((last - first) / kWidth) + 1;
  if (levels.empty() || minutes < 2) return;
  const std::size_t each = (minutes + kMost - 1) / kMost;
  Table table;
  table.left("LEVEL", 12).left("SEATS IN USE BY MINUTE").right("MOST").right("REFUSED").right("WAITED");
  std::sort(levels.begin(), levels.end());
  for (const std::string& level : levels) {
    std::vector<double> bins((minutes + each - 1) / each);
    std::uint64_t refused = 0, waited = 0;
    for (const LogMinute& m : summary.minutes) {
      if (m.level != level) continue;
      bins[static_cast<std::size_t>((m.begin - first) / kWidth) / each] +=
          m.tally.seat_seconds / (60.0 * static_cast<double>(each));
      refused += m.tally.refused;
      waited += m.tally.waited;
    }
    const double most = *std::max_element(bins.begin(), bins.end());
    std::string blocks;
    static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    for (const double bin : bins)
      blocks += most > 0 && bin > 0 ? kBlocks[std::min<std::size_t>(7, static_cast<std::size_t>(bin / most * 8))] : " ";
    table.row({level.empty() ? Table::Cell{"(not known)", Tone::faint, {}} : name_cell(level),
               {blocks, Tone::plain, {}},
               {decimals(most, 1), Tone::plain, {}},
               {grouped(refused), refused > 0 ? Tone::bad : Tone::faint, {}},
               {grouped(waited), waited > 0 ? Tone::caution : Tone::faint, {}}});
  }
  out.show(std::move(table));
}

}  // namespace apf
