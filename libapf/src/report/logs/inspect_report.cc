// An inspection for people: what is going on, then seats, requests, flows and widths.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <apf/logs_report.h>
#include <fmt/format.h>

#include "base/identities.h"
#include "base/sort_stably.h"
#include "report/core/chart.h"
#include "report/core/units.h"
#include "report/logs/inspect_words.h"

namespace apf {

namespace {

constexpr std::size_t kShown = 5;

Table::Cell number_cell(const std::optional<double>& number, Tone tone = Tone::plain) {
  if (!number) return {"-", Tone::faint, {}};
  return {grouped(whole(*number)), *number > 0 ? tone : Tone::faint, {}};
}

Table::Cell whole_cell(std::int64_t number, Tone tone = Tone::plain) {
  return number_cell(static_cast<double>(number), tone);
}

Table::Cell plain(std::string text) { return {std::move(text)}; }

// Every request takes a seat at least.
Table::Cell seats_cell(const std::optional<double>& seats, const std::optional<double>& requests, Tone tone) {
  Table::Cell cell = number_cell(seats ? seats : requests, tone);
  if (!seats && requests.value_or(0) > 0) cell.text = ">=" + cell.text;
  return cell;
}

// Where the limit is known, the worst first.
Passage seats_bars(const Inspection& inspection) {
  std::vector<const InspectedLevel*> levels;
  for (const InspectedLevel& level : inspection.levels)
    if (!level.exempt && level.current && (level.executing_seats || level.executing)) levels.push_back(&level);
  sort_stably(levels, [](const InspectedLevel* a, const InspectedLevel* b) { return a->state > b->state; });
  Bars bars("Of the largest limit of each level", "Seats in use, limit and largest limit of each level",
            "The table has the numbers.");
  bars.mean_marks("limit in force");
  for (const InspectedLevel* level : levels) {
    const double used = level->executing_seats.value_or(level->executing.value_or(0));
    const std::string in_use = (level->executing_seats ? "" : ">=") + grouped(whole(used));
    std::string words = fmt::format("{} of {}", in_use, grouped(whole(*level->current)));
    if (level->upper) words += fmt::format(", at most {}", grouped(whole(*level->upper)));
    if (level->waiting.value_or(0) > 0) words += fmt::format("; {} wait", grouped(whole(*level->waiting)));
    if (level->rejected.value_or(0) > 0) words += fmt::format("; {} refused", grouped(whole(*level->rejected)));
    bars.add({level->name,
              words,
              "",
              std::max({used, *level->current, level->upper.value_or(0)}),
              {{level->state >= LevelState::saturated ? "full" : "served", used,
                level->state >= LevelState::saturated ? "in use, requests wait or are refused" : "in use", in_use}},
              {*level->current}});
  }
  Passage out("Seats in use");
  Card card("seats-chart", "");
  if (!bars.empty()) card.add(bars);
  show_cards(out, {card});
  return out;
}

std::string rate(const std::optional<double>& number, const std::optional<double>& seconds) {
  if (!number || !seconds || !(*seconds > 0)) return "-";
  const double each = *number / *seconds;
  return each > 0 && each < 0.05 ? "<0.1" : one_decimal(std::min(each, 9e15));
}

// The worst one first; the others keep their places, whatever their state is.
std::vector<const InspectedLevel*> levels_of(const Inspection& inspection) {
  std::vector<const InspectedLevel*> out;
  for (const InspectedLevel& level : inspection.levels) out.push_back(&level);
  const auto harm = [](const InspectedLevel* level) {
    return std::tuple(level->exempt ? LevelState::calm : level->state.value_or(LevelState::calm),
                      level->rejected.value_or(0), level->waiting.value_or(0));
  };
  const auto worst =
      std::max_element(out.begin(), out.end(), [&](const auto* a, const auto* b) { return harm(a) < harm(b); });
  if (worst != out.end() && std::get<0>(harm(*worst)) > LevelState::calm) std::rotate(out.begin(), worst, worst + 1);
  return out;
}

Passage seats_passage(const Inspection& inspection, bool brief) {
  Passage out("Seats");
  Table table;
  table.left("LEVEL", 12).left("STATE").right("IN USE").right("LIMIT");
  if (!brief) table.right("NOMINAL").right("MIN").drop(3);
  table.right("MAX").drop(2).right("WAITING").right("SEATS").right("DRAIN").drop(1);
  if (brief) table.right("REFUSED").right("PER S");
  for (const InspectedLevel* const shown : levels_of(inspection)) {
    const InspectedLevel& level = *shown;
    const Tone tone = level.state ? tone_of(*level.state) : Tone::faint;
    std::vector<Table::Cell> row = {name_cell(level.name, Tone::strong),
                                    {level.exempt                     ? "exempt"
                                     : has_refused(inspection, level) ? "refused"
                                     : level.state                    ? to_string(*level.state)
                                                                      : "-",
                                     tone,
                                     {}},
                                    seats_cell(level.executing_seats, level.executing, Tone::plain),
                                    level.exempt ? Table::Cell{"-", Tone::faint, {}} : number_cell(level.current)};
    if (!brief) row.insert(row.end(), {number_cell(level.nominal), number_cell(level.lower)});
    row.insert(row.end(), {number_cell(level.upper), number_cell(level.waiting, Tone::caution),
                           seats_cell(level.waiting_seats, level.waiting, Tone::caution),
                           plain(level.drain ? seconds_text(*level.drain) : "-")});
    if (brief)
      row.insert(row.end(), {number_cell(level.rejected, Tone::bad), plain(rate(level.rejected, inspection.seconds))});
    table.row(std::move(row));
  }
  out.show(std::move(table));
  return out;
}

Passage requests_passage(const Inspection& inspection) {
  const std::string since = !inspection.has_scrape ? "since the levels came into being"
                            : inspection.between   ? "between the scrapes"
                                                   : "since the server started";
  Passage out(fmt::format("Requests {}{}", since,
                          inspection.seconds ? fmt::format(" ({})", seconds_text(*inspection.seconds)) : ""));
  Table table;
  table.left("LEVEL", 12).right("SERVED").right("PER S").drop(2).right("REFUSED").right("PER S").drop(1);
  table.left("WHY", 10).right("MEAN").right("P50").drop(3).right("P99");
  for (const InspectedLevel& level : inspection.levels) {
    if (level.dispatched.value_or(0) + level.rejected.value_or(0) + level.wait.count <= 0) continue;
    table.row({name_cell(level.name, Tone::strong), number_cell(level.dispatched),
               plain(rate(level.dispatched, inspection.seconds)), number_cell(level.rejected, Tone::bad),
               plain(rate(level.rejected, inspection.seconds)), plain(reasons_text(level)),
               plain(level.wait.count > 0 ? human_duration(rounded_nanos(level.wait.mean())) : "-"),
               plain(bounds_text(level.wait.quantile(0.5), true)),
               plain(bounds_text(level.wait.quantile(0.99), true))});
  }
  out.show(std::move(table));
  const bool waits = std::any_of(inspection.levels.begin(), inspection.levels.end(),
                                 [](const InspectedLevel& level) { return level.wait.count > 0; });
  if (waits && !out.empty())
    out.explain("MEAN, P50, P99: waits of requests that ran or timed out; quantiles lie within these bounds.");
  return out;
}

Passage widths_passage(const Inspection& inspection) {
  Passage out("Widest requests: seats a request");
  std::vector<const InspectedSchema*> schemas;
  for (const InspectedSchema& schema : inspection.schemas)
    if (schema.width.count > 0 && schema.width.mean() > 1) schemas.push_back(&schema);
  sort_stably(schemas,
              [](const InspectedSchema* a, const InspectedSchema* b) { return a->width.mean() > b->width.mean(); });
  if (schemas.size() > kShown) schemas.resize(kShown);
  Table table;
  table.left("FLOWSCHEMA", 14)
      .left("LEVEL", 12)
      .right("REQUESTS")
      .right("MEAN")
      .right("P50")
      .right("P99")
      .right("WIDEST");
  for (const InspectedSchema* schema : schemas) {
    const InspectedHistogram& width = schema->width;
    table.row({name_cell(schema->name, Tone::strong), name_cell(schema->level), number_cell(width.count),
               plain(decimals(std::min(width.mean(), 9e15), 2)), plain(bounds_text(width.quantile(0.5), false)),
               plain(bounds_text(width.quantile(0.99), false)), plain(bounds_text(width.quantile(1), false))});
  }
  out.show(std::move(table));
  return out;
}

std::string numbers(const std::vector<std::uint32_t>& queues) {
  std::string out;
  for (const std::uint32_t queue : queues) out += fmt::format("{}{}", out.empty() ? "" : " ", queue);
  return out;
}

// "sa:elephant/crawler"; all requests of a FlowSchema that does not tell flows apart are one.
std::string short_flow(const InspectedFlow& flow) {
  return printable(flow.distinguisher.empty() ? flow.flow_schema : short_name_of(flow.distinguisher));
}

Passage flows_passage(const InspectedLevel& level, bool full) {
  Passage out(fmt::format("Flows of {}", printable(level.name)));
  const bool dealt = std::any_of(level.flows.begin(), level.flows.end(), [](const auto& f) { return !f.hand.empty(); });
  Table table;
  table.left("FLOW", 20).right("RUNNING").right("SEATS").right("WAITING").right("SEATS").right("LONGEST");
  table.right("SHARED");
  if (full) table.left(dealt ? "HAND" : "QUEUES", 12);
  const std::size_t shown = full ? level.flows.size() : std::min(level.flows.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const InspectedFlow& flow = level.flows[i];
    const std::vector<std::uint32_t>& queues = flow.hand.empty() ? flow.queues : flow.hand;
    const bool covered = !queues.empty() && flow.shared == queues.size();
    std::vector<Table::Cell> row = {
        {full ? flow_text(flow) : short_flow(flow), Tone::strong, {}, true},
        flow.executing ? whole_cell(*flow.executing) : plain("-"),
        flow.executing_seats ? whole_cell(*flow.executing_seats) : plain("-"),
        whole_cell(flow.waiting, Tone::caution),
        whole_cell(flow.waiting_seats, Tone::caution),
        plain(flow.longest_wait ? human_duration(*flow.longest_wait) : "-"),
        {fmt::format("{} of {}", flow.shared, queues.size()), covered ? Tone::caution : Tone::plain, {}}};
    if (full) row.push_back(plain(numbers(queues)));
    table.row(std::move(row));
  }
  out.show(std::move(table));
  if (shown < level.flows.size())
    out.explain(fmt::format("{}; -o wide shows all.", counted(level.flows.size() - shown, "more flow has fewer seats",
                                                              "more flows have fewer seats")));
  if (level.overlaps.empty()) return out;
  const HandOverlap& most = level.overlaps.front();
  out.say(fmt::format("{} and {} have most queues in common ({}): {}.{}", flow_text(level.flows[most.first]),
                      flow_text(level.flows[most.second]), most.queues.size(), numbers(most.queues),
                      dealt ? " SHARED: queues of the hand in which other flows have requests." : ""));
  return out;
}

Passage queues_passage(const Inspection& inspection) {
  Passage out("Queues");
  Table table;
  table.left("LEVEL", 12).right("QUEUES").right("WITH REQUESTS").right("DEEPEST").right("REQUESTS").right("SEATS");
  for (const InspectedLevel& level : inspection.levels)
    if (level.deepest)
      table.row({name_cell(level.name, Tone::strong), whole_cell(level.queues), whole_cell(level.active_queues),
                 plain(fmt::format("{}", level.deepest->index)), whole_cell(level.deepest->waiting, Tone::caution),
                 whole_cell(level.deepest->initial_seats, Tone::caution)});
  out.show(std::move(table));
  return out;
}

}  // namespace

// Text has the verdict in its first row and the levels from the third one on: what looks at it again and again finds
// each row where it was. Sentences, which may be one or many, follow.
Document document_of(const Inspection& inspection, const View& view) {
  Document out("What is going on in the server");
  const bool is_text = view.notation == Notation::text;
  Passage& first = out.section();
  Passage more("In words, the worst level first");
  for (const std::string& sentence : inspection_sentences(inspection)) {
    if (!first.empty()) (is_text ? more : first).item(sentence, "", Tone::plain, 2);
    else
      first.judge(sentence, !inspection.state                      ? Tone::plain
                            : inspection.state == LevelState::calm ? Tone::good
                                                                   : tone_of(*inspection.state));
  }
  if (view.notation == Notation::html) out.add(seats_bars(inspection));
  out.add(seats_passage(inspection, view.is_brief()));
  for (const InspectedLevel* level : levels_of(inspection))
    if (!level->flows.empty() && !level->exempt && (level->state >= LevelState::waiting || !view.is_brief()))
      out.add(flows_passage(*level, !view.is_brief()));
  out.add(std::move(more));
  out.add(queues_passage(inspection));
  out.add(requests_passage(inspection));
  out.add(widths_passage(inspection));
  for (const auto& [title, sentences] : {std::pair("Over time", course_sentences(inspection)),
                                         {"Compared with the configuration", comparison_sentences(inspection)},
                                         {"Not known", missing_sentences(inspection)}}) {
    Passage& said = out.section(title);
    for (const std::string& sentence : sentences) said.item(sentence, "");
  }
  if (const std::vector<std::string> panels = panels_of(inspection); !panels.empty())
    out.section("Panels of the dashboard (examples/operations)")
        .say(fmt::format("\"{}\"", fmt::join(panels, "\", \"")));
  return out;
}

}  // namespace apf
