// What a comparison on the traffic of a log came to: text, JSON, Markdown and CSV.
#include <algorithm>
#include <cmath>
#include <map>

#include <apf/compare.h>
#include <apf/report.h>
#include <fmt/format.h>

#include "report/markup.h"
#include "report/table.h"
#include "report/units.h"

namespace apf {

namespace {

constexpr std::size_t kMostRows = 12;  // of one kind, in texts

// All that changed of one level, FlowSchema or flow.
struct Subject {
  const ComparedChange* any = nullptr;
  std::map<ComparedChange::Metric, const ComparedChange*> by_metric;
  bool worse = false, better = false;
  bool newly_refused() const {
    const auto at = by_metric.find(ComparedChange::Metric::rejected);
    return at != by_metric.end() && at->second->old_value <= 0 && at->second->beyond_chance;
  }
  const char* verdict() const { return newly_refused() ? "NEW REFUSALS" : worse ? "WORSE" : "BETTER"; }
  std::uint64_t requests() const { return std::max(any->old_requests, any->new_requests); }
};

// What differs beyond chance, the worst first.
std::vector<Subject> subjects_of(const CompareReport& comparison, std::size_t side) {
  std::vector<Subject> out;
  std::map<std::pair<ComparedChange::What, std::string>, std::size_t> places;
  for (const ComparedChange& change : comparison.changes) {
    if (change.new_side != side || !change.beyond_chance) continue;
    const auto [at, is_new] = places.try_emplace({change.what, change.name}, out.size());
    if (is_new) out.emplace_back().any = &change;
    Subject& subject = out[at->second];
    subject.by_metric[change.metric] = &change;
    subject.worse = subject.worse || change.verdict == ComparedChange::Verdict::worse;
    subject.better = subject.better || change.verdict == ComparedChange::Verdict::better;
  }
  const auto rank = [](const Subject& subject) {
    return std::tuple(subject.newly_refused() ? 0
                      : subject.worse         ? 1
                                              : 2,
                      subject.any->what, UINT64_MAX - subject.requests());
  };
  std::stable_sort(out.begin(), out.end(), [&](const Subject& a, const Subject& b) { return rank(a) < rank(b); });
  return out;
}

std::string duration(double nanos) { return human_duration(nanos < 9e18 ? static_cast<Nanos>(nanos) : INT64_MAX); }

std::string part(double value, std::uint64_t requests) {
  return human_percent(static_cast<std::uint64_t>(value), requests);
}

std::string cell(const Subject& subject, ComparedChange::Metric metric) {
  const auto at = subject.by_metric.find(metric);
  if (at == subject.by_metric.end()) return "";
  const ComparedChange& change = *at->second;
  if (metric == ComparedChange::Metric::rejected)
    return part(change.old_value, change.old_requests) + " → " + part(change.new_value, change.new_requests);
  return duration(change.old_value) + " → " + duration(change.new_value);
}

const char* kind_of(ComparedChange::What what) {
  return what == ComparedChange::What::level         ? "level"
         : what == ComparedChange::What::flow_schema ? "FlowSchema"
                                                     : "flow";
}

Table changes_table(const CompareReport& comparison, std::size_t side, std::size_t& left_out) {
  Table out;
  out.left("")
      .left("")
      .left("WHO", 16)
      .right("REQUESTS")
      .right("SHARE")
      .left("REFUSED")
      .left("MEAN WAIT")
      .left("P99 WAIT");
  std::map<std::pair<int, ComparedChange::What>, std::size_t> rows;
  const std::uint64_t all = std::max<std::uint64_t>(1, comparison.new_reports[side].total.requests);
  for (const Subject& subject : subjects_of(comparison, side)) {
    if (++rows[{subject.worse, subject.any->what}] > kMostRows) {
      ++left_out;
      continue;
    }
    const Tone tone = subject.newly_refused() || subject.worse ? Tone::bad : Tone::good;
    out.row({{subject.verdict(), tone, {}},
             {kind_of(subject.any->what), Tone::faint, {}},
             {printable(subject.any->name), Tone::strong, {}, true},
             {grouped(subject.requests()), Tone::plain, {}},
             {human_percent(subject.requests(), all), Tone::faint, {}},
             {cell(subject, ComparedChange::Metric::rejected), tone, {}},
             {cell(subject, ComparedChange::Metric::mean_wait), Tone::plain, {}},
             {cell(subject, ComparedChange::Metric::p99_wait), Tone::plain, {}}});
  }
  return out;
}

Table moves_table(const CompareReport& comparison, std::size_t side, std::size_t& left_out) {
  Table out;
  out.left("").right("REQUESTS").left("FLOWSCHEMA", 16).left("LEVEL", 16);
  std::size_t rows = 0;
  for (const ComparedMove& move : comparison.moved) {
    if (move.new_side != side) continue;
    if (++rows > kMostRows) {
      ++left_out;
      continue;
    }
    const auto arrow = [](const std::string& a, const std::string& b) { return printable(a == b ? a : a + " → " + b); };
    out.row({{"MOVED", Tone::caution, {}},
             {grouped(move.requests), Tone::plain, {}},
             {arrow(move.from_schema, move.to_schema), Tone::plain, {}, true},
             {arrow(move.from_level, move.to_level), Tone::plain, {}, true}});
  }
  return out;
}

// Two sentences.
std::string verdict_of(const CompareReport& comparison, std::size_t side) {
  const RequestTally &a = comparison.old_report.total, &b = comparison.new_reports[side].total;
  std::uint64_t levels = 0;
  for (const ComparedMove& move : comparison.moved)
    levels += move.new_side == side && move.from_level != move.to_level ? move.requests : 0;
  std::string out =
      fmt::format("{} of {} requests change level", levels == 0 ? "None" : grouped(levels), grouped(b.requests));
  const std::uint64_t elsewhere = comparison.moved_requests(side);
  if (elsewhere > levels) out += fmt::format(", {} their FlowSchema alone", grouped(elsewhere - levels));
  out += ". ";
  if (!comparison.differs(side)) return out + "No difference beyond chance.";
  return out + fmt::format("Refused {} → {} ({} → {}).", grouped(a.rejected()), grouped(b.rejected()),
                           human_percent(a.rejected(), a.requests), human_percent(b.rejected(), b.requests));
}

Table summary_table(const CompareReport& comparison, std::span<const std::string> names) {
  Table out;
  out.left("").right("OLD");
  for (const std::string& name : names) out.right(printable(name));
  const auto add = [&](const char* what, auto value) {
    std::vector<Table::Cell> row = {{what, Tone::strong, {}}, {value(comparison.old_report), Tone::plain, {}}};
    for (const ReplayReport& report : comparison.new_reports) row.push_back({value(report), Tone::plain, {}});
    out.row(std::move(row));
  };
  add("refused", [](const ReplayReport& r) {
    return grouped(r.total.rejected()) + " (" + human_percent(r.total.rejected(), r.total.requests) + ")";
  });
  add("waited", [](const ReplayReport& r) { return grouped(r.total.queued); });
  add("mean wait", [](const ReplayReport& r) { return duration(r.total.wait.mean()); });
  add("p99 wait", [](const ReplayReport& r) { return human_duration(r.total.wait.quantile(0.99)); });
  return out;
}

std::string left_out_words(std::size_t left_out) {
  return left_out == 0 ? "" : fmt::format("and {} more; -o json has all", grouped(left_out));
}

std::string chance_words(const CompareReport& comparison) {
  if (comparison.spread == 0) return "Without --spread, every difference counts.";
  return fmt::format("Each side was replayed {} with jitter; only differences beyond theirs are shown.",
                     counted(static_cast<std::uint64_t>(comparison.spread), "more time", "more times"));
}

}  // namespace

std::string render_text(const CompareReport& comparison, std::span<const std::string> names, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string out;
  if (names.size() > 1) out += summary_table(comparison, names).render(style) + "\n";
  for (std::size_t side = 0; side < comparison.new_reports.size(); ++side) {
    if (side > 0) out += "\n";
    if (names.size() > 1) out += toned(printable(names[side]), Tone::strong, style) + "\n";
    out += toned(wrapped(verdict_of(comparison, side), width, 0), Tone::strong, style) + "\n";
    std::size_t more_moves = 0, more_changes = 0;
    const Table changes = changes_table(comparison, side, more_changes),
                moves = moves_table(comparison, side, more_moves);
    if (!changes.empty()) out += "\n" + changes.render(style);
    if (more_changes > 0) out += left_out_words(more_changes) + "\n";
    if (!moves.empty()) out += "\n" + moves.render(style);
    if (more_moves > 0) out += left_out_words(more_moves) + "\n";
  }
  return out + "\n" + toned(wrapped(chance_words(comparison), width, 0), Tone::faint, style) + "\n";
}

std::string render_markdown(const CompareReport& comparison, std::span<const std::string> names) {
  std::string out = "### API Priority and Fairness: what changes on this traffic\n";
  if (names.size() > 1) out += markdown_table(summary_table(comparison, names));
  for (std::size_t side = 0; side < comparison.new_reports.size(); ++side) {
    if (names.size() > 1) out += "\n#### " + code(names[side]) + "\n";
    out += "\n**" + prose(verdict_of(comparison, side)) + "**\n";
    std::size_t more = 0;
    const Table changes = changes_table(comparison, side, more), moves = moves_table(comparison, side, more);
    if (!changes.empty()) out += markdown_table(changes);
    if (!moves.empty()) out += markdown_table(moves);
    if (more > 0) out += "\n" + left_out_words(more) + "\n";
  }
  return out + "\n" + prose(chance_words(comparison)) + "\n";
}

std::string render_json(const CompareReport& comparison, std::span<const std::string> names) {
  JsonWriter json;
  json.begin_object().key("old").raw(render_json(comparison.old_report)).key("new").begin_array();
  for (std::size_t i = 0; i < comparison.new_reports.size(); ++i) {
    std::string name;
    append_json_string(name, names[i]);
    json.raw("{\"name\":" + name + "," + render_json(comparison.new_reports[i]).substr(1));
  }
  json.end_array().key("moved").begin_array();
  for (const ComparedMove& move : comparison.moved) {
    json.begin_object().field("new", static_cast<std::uint64_t>(move.new_side));
    json.key("from").begin_object().field("flowSchema", move.from_schema).field("priorityLevel", move.from_level);
    json.end_object().key("to").begin_object().field("flowSchema", move.to_schema);
    json.field("priorityLevel", move.to_level).end_object().field("requests", move.requests).end_object();
  }
  json.end_array().key("changes").begin_array();
  for (const ComparedChange& change : comparison.changes) {
    json.begin_object()
        .field("side", static_cast<std::uint64_t>(change.new_side))
        .field("what", to_string(change.what));
    json.field("name", change.name).field("metric", to_string(change.metric));
    json.field("old", static_cast<std::int64_t>(std::llround(change.old_value)));
    json.field("new", static_cast<std::int64_t>(std::llround(change.new_value)));
    json.field("oldRequests", change.old_requests).field("newRequests", change.new_requests);
    json.field("verdict", to_string(change.verdict)).field("beyondChance", change.beyond_chance).end_object();
  }
  json.end_array().field("spread", comparison.spread).end_object();
  return json.take();
}

}  // namespace apf
