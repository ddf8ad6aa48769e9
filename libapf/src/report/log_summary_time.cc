// Where the time of slow requests went, by what the server wrote of them.
#include <fmt/core.h>

#include <algorithm>

#include "base/identities.h"
#include "base/joined.h"
#include "base/sort_stably.h"
#include "report/log_summary_words.h"
#include "report/units.h"
#include "report/writers.h"

namespace apf {

// "20 requests took half a second or longer, 2m26s in all: mutating webhooks 1m37s, etcd 46.1s; …"
std::string slow_sentence(const LogSummary& summary) {
  const SlowRequests& t = summary.slow_total;
  std::vector<Spent> parts = spent(t);
  sort_stably(parts, [](const Spent& a, const Spent& b) { return a.sum > b.sum; });
  std::vector<std::string> said;
  for (const Spent& part : parts)
    if (part.sum * 50 >= t.parts[kWhole]) said.push_back(std::string(part.what) + " " + human_duration(part.sum));
  std::string out = fmt::format("{} took half a second or longer", counted(t.requests, "request", "requests"));
  out += t.with_parts == t.requests
             ? fmt::format(", {} in all: ", human_duration(t.total))
             : fmt::format("; of the {} of {} of them: ", human_duration(t.parts[kWhole]), grouped(t.with_parts));
  const bool queue = knows_queue(t);
  if (said.size() == 1 && parts.front().what == std::string_view("other"))
    return out.substr(0, out.size() - 2) +
           fmt::format(", hardly any of it in {}etcd or in webhooks.", queue ? "a queue, in " : "");
  out += joined(said, ", ");
  return out + (queue && t.parts[kOfQueue] * 50 < t.parts[kWhole] ? "; hardly any of it in a queue." : ".");
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
    const bool known = row.with_parts > 0;
    const auto sum = [&](LatencyPart one, LatencyPart other) {
      return row.parts[static_cast<std::size_t>(one)] + row.parts[static_cast<std::size_t>(other)];
    };
    const Nanos storage = sum(LatencyPart::etcd, LatencyPart::storage);
    const Nanos webhooks = sum(LatencyPart::mutating_webhook, LatencyPart::validating_webhook);
    const Nanos rest = row.parts[kWhole] - row.parts[kOfQueue] - storage - webhooks;
    const auto cell = [&](Nanos sum) -> Table::Cell {
      return {known ? human_duration(std::max<Nanos>(0, sum)) : "-", known && sum == 0 ? Tone::faint : Tone::plain, {}};
    };
    const bool waits = !known && row.with_wait > 0;
    const Table::Cell queue = waits
                                  ? Table::Cell{human_duration(row.wait), row.wait == 0 ? Tone::faint : Tone::plain, {}}
                              : knows_queue(row) ? cell(row.parts[kOfQueue])
                                                 : Table::Cell{"-", Tone::plain, {}};
    table.row({name_cell(short_name_of(row.user)),
               name_cell(row.verb + " " + row.resource),
               {grouped(row.requests), Tone::plain, {}},
               {human_duration(row.total), Tone::plain, {}},
               queue,
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
    std::string text = slow_sentence(summary);
    if (t.with_parts == 0) {
      const bool waits = t.with_wait > 0;
      text = fmt::format(
          "{} took half a second or longer, {} in all{}. The log does not say where {} went (no annotations "
          "apiserver.latency.k8s.io/…).",
          counted(t.requests, "request", "requests"), human_duration(t.total),
          waits ? fmt::format(": {} in a queue", human_duration(t.wait)) : "", waits ? "the rest" : "the time");
    }
    out.say(text);
    out.show(slow_table(summary));
    if (t.traced > 0)
      out.explain(fmt::format(
          "Of {}, the server's own traces tell it: they do not see the queue; storage is admission, the watch cache "
          "or etcd, where they do not tell these apart.",
          t.traced == t.with_parts ? "these" : part_of(t.traced, t.with_parts)));
  }
  if (summary.total.waited > 0) out.say(waits_sentence(summary));
  return out;
}

}  // namespace apf
