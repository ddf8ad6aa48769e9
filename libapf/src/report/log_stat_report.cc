// What logs hold, as text and as JSON.

#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/joined.h"
#include "base/sort_stably.h"
#include "report/coverage.h"
#include "report/left_out.h"
#include "report/remarks.h"
#include "report/table.h"
#include "report/tally_json.h"
#include "report/units.h"

namespace apf {

namespace {

using NamedCounts = std::map<std::string, std::uint64_t>;

// Most first, a dozen at most.
std::string listed(const NamedCounts& counts) {
  constexpr std::size_t kMost = 12;
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  sort_stably(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMost); ++i)
    out += fmt::format("{}{} {}", i > 0 ? ", " : "", printable(sorted[i].first), grouped(sorted[i].second));
  if (sorted.size() > kMost) out += fmt::format(", and {} more", grouped(sorted.size() - kMost));
  return out;
}

NamedCounts named(const std::map<int, std::uint64_t>& codes) {
  NamedCounts out;
  for (const auto& [code, requests] : codes) out[code == 0 ? "none" : std::to_string(code)] = requests;
  return out;
}

std::string verdict_of(const LevelCoverage& levels, const LogStat& stat) {
  using Replayable = LevelCoverage::Replayable;
  if (levels.replayable == Replayable::no && (stat.with_user > 0 || stat.with_flow_schema > 0))
    return "This log cannot be replayed:";  // the signs say why
  if (levels.replayable == Replayable::no)
    return "This log cannot be replayed: it has no requests whose user or FlowSchema is known.";
  if (levels.replayable == Replayable::yes) return "This log can be replayed.";
  return "This log can be replayed, but it is not the whole traffic: seats in use and waits come out too low.";
}

class LogStatText {
 public:
  LogStatText(const LogStatReport& report, const TextStyle& style)
      : report_(report), stat_(report.stat), style_(style) {}

  std::string render() {
    verdict();
    files();
    times();
    out_ += "\n";
    contents();
    recorded();
    for (const auto& [reason, lines] : stat_.unusable)
      row("Unusable", fmt::format("{}: {}", counted(lines, "line", "lines"),
                                  printable(why_unusable(reason, lines, stat_.first_unusable, stat_.files.size()))));
    if (report_.known.metrics) out_ += coverage_passage(*report_.known.metrics).text(style_);
    if (report_.known.policy) out_ += policy_passage(*report_.known.policy).text(style_);
    sentences("Missing for a faithful replay", texts_of(stat_.missing));
    sentences("Warnings", texts_of(stat_.warnings));
    return std::move(out_);
  }

 private:
  void line(const std::string& text, std::size_t indent = 0) {
    out_ += wrapped(text, static_cast<std::size_t>(std::max(style_.width, 40)), indent) + "\n";
  }

  // Can it be replayed, for which levels, and what would make it better?
  void verdict() {
    const LevelCoverage levels = levels_of(stat_, report_.known);
    const std::string verdict =
        wrapped(verdict_of(levels, stat_), static_cast<std::size_t>(std::max(style_.width, 40)), 0);
    out_ +=
        toned(verdict, levels.replayable == LevelCoverage::Replayable::yes ? Tone::good : Tone::caution, style_) + "\n";
    if (!levels.whole.empty()) line("Whole: " + printable(joined(levels.whole, ", ")) + ".");
    if (!levels.incomplete.empty()) line("Not whole: " + printable(joined(levels.incomplete, ", ")) + ".");
    for (const std::string& text : texts_of(stat_.incomplete)) line("- " + printable(text), 2);
    if (!report_.better.empty()) out_ += "What would make it better, most effective first:\n";
    std::size_t number = 0;
    for (const std::string& text : texts_of(report_.better)) line(fmt::format("{}. {}", ++number, printable(text)), 3);
    out_ += "\n";
  }

  void row(const char* title, const std::string& text) {
    constexpr std::size_t kTitle = 17;
    if (text.empty()) return;
    const std::string lines = wrapped(text, static_cast<std::size_t>(std::max(style_.width, 40)) - kTitle, 0);
    out_ += fmt::format("{:<{}}", title, kTitle);
    for (const char c : lines) out_.append(1, c).append(c == '\n' ? kTitle : 0, ' ');
    out_ += '\n';
  }

  void files() {
    Table table;
    table.left("LOG", 20).left("FORMAT").right("LINES").right("EVENTS");
    for (const LogFileStat& file : stat_.files) {
      table.row({{printable(file.name), Tone::strong, {}},
                 {file.format, Tone::plain, {}},
                 {grouped(file.lines), Tone::plain, {}},
                 {grouped(file.events), Tone::plain, {}}});
    }
    if (!table.empty()) out_ += table.render(style_) + "\n";
  }

  void times() {
    if (!stat_.first_arrival) {
      out_ += "No requests.\n";
      return;
    }
    const Nanos span = *stat_.last_arrival - *stat_.first_arrival;
    out_ += fmt::format("{} in {}, from {}\n", counted(stat_.requests, "request", "requests"), human_duration(span),
                        format_rfc3339(*stat_.first_arrival));
    if (stat_.in_both > 0)
      out_ += fmt::format("{} of them {} in both the audit log and the server's own log\n", grouped(stat_.in_both),
                          stat_.in_both == 1 ? "is" : "are");
  }

  void contents() {
    const LogStat& s = stat_;
    if (s.users > 0)
      row("Users",
          fmt::format("{}: {}{}", grouped(s.users), listed(s.top_users), s.users > s.top_users.size() ? ", …" : ""));
    row("Clients", fmt::format("{}, {}", counted(s.user_agents, "user agent", "user agents"),
                               counted(s.source_ips, "source address", "source addresses")));
    row("Verbs", listed(s.verbs));
    row("Codes", listed(named(s.codes)));
    row("Stages", listed(s.stages));
    row("FlowSchemas", listed(s.flow_schemas));
    row("Priority levels", listed(s.priority_levels));
    if (s.watches > 0)
      row("Watches", fmt::format("{}: start recorded for {}, initialization for {}", grouped(s.watches),
                                 grouped(s.watches_started), grouped(s.watches_with_init)));
  }

  void recorded() {
    const LogStat& s = stat_;
    const auto share = [&](const char* title, std::uint64_t count) {
      if (count > 0)
        row(title, fmt::format("{} ({})", counted(count, "request", "requests"), human_percent(count, s.requests)));
    };
    share("Refused", s.refused);
    share("Queue waits", s.with_queue_wait);
    share("Execution times", s.with_execution);
    share("Seats", s.with_seats);
    if (s.starts + s.rebalancings + s.limit_changes + s.configurations > 0) {
      row("Server events",
          fmt::format("{}, {}, {}", counted(s.starts, "start", "starts"),
                      counted(s.configurations, "configuration of a level", "configurations of levels"),
                      counted(s.limit_changes, "change of a limit", "changes of limits")));
    }
    if (s.other_lines > 0) row("Other lines", grouped(s.other_lines));
  }

  void sentences(const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ += "\n" + toned(title, Tone::strong, style_) + "\n";
    for (const std::string& sentence : lines)
      out_ += "- " + wrapped(printable(sentence), static_cast<std::size_t>(std::max(style_.width, 40)), 2) + "\n";
  }

  const LogStatReport& report_;
  const LogStat& stat_;
  const TextStyle& style_;
  std::string out_;
};

void write_time(JsonWriter& json, const char* name, const std::optional<Nanos>& time) {
  json.key(name);
  time ? json.value(*time) : json.null();
}

void write_recorded(JsonWriter& json, const LogStat& s) {
  json.key("recorded").begin_object();
  json.field("user", s.with_user).field("impliedGroups", s.with_implied_groups).field("flowSchema", s.with_flow_schema);
  json.field("queueWait", s.with_queue_wait).field("execution", s.with_execution).field("seats", s.with_seats);
  json.field("end", s.with_end).field("id", s.with_id).field("refused", s.refused).end_object();
  json.key("watches").begin_object().field("total", s.watches).field("started", s.watches_started);
  json.field("init", s.watches_with_init).field("finishWithoutStart", s.finish_without_start).end_object();
  json.key("server").begin_object().field("starts", s.starts).field("rebalancings", s.rebalancings);
  json.field("limitChanges", s.limit_changes).field("configurations", s.configurations).end_object();
}

void write_verdict(JsonWriter& json, const LogStatReport& report) {
  const LevelCoverage levels = levels_of(report.stat, report.known);
  constexpr const char* kWords[] = {"yes", "partly", "no"};
  json.key("replayable").begin_object().field("verdict", kWords[static_cast<std::size_t>(levels.replayable)]);
  json.key("whole").begin_array();
  for (const std::string& name : levels.whole) json.value(name);
  json.end_array().key("incomplete").begin_array();
  for (const std::string& name : levels.incomplete) json.value(name);
  json.end_array().end_object();
  write_remarks(json, "incomplete", report.stat.incomplete);
  write_remarks(json, "better", report.better);
  write_coverage(json, report.known);
}

}  // namespace

std::string render_text(const LogStatReport& report, const TextStyle& style) {
  return LogStatText(report, style).render();
}

std::string render_json(const LogStatReport& report) {
  const LogStat& s = report.stat;
  JsonWriter json;
  json.begin_object().key("logs").begin_array();
  for (const LogFileStat& file : s.files) {
    json.begin_object().field("name", file.name).field("format", file.format).field("lines", file.lines);
    json.field("events", file.events).end_object();
  }
  json.end_array().field("bytes", s.bytes).field("lines", s.lines).field("events", s.events);
  json.field("otherLines", s.other_lines);
  write_counts(json, "unusable", s.unusable);
  write_first_lines(json, s.first_unusable);
  write_time(json, "firstArrivalNs", s.first_arrival);
  write_time(json, "lastArrivalNs", s.last_arrival);
  write_time(json, "lastEndNs", s.last_end);
  json.field("requests", s.requests)
      .field("unfinished", s.unfinished)
      .field("inBoth", s.in_both)
      .field("outOfOrder", s.out_of_order);
  json.field("stepsBack", s.steps_back).field("duplicates", s.duplicates);
  json.field("negativeLatencies", s.negative_latencies);
  json.field("users", s.users).field("userAgents", s.user_agents).field("sourceIPs", s.source_ips);
  write_counts(json, "topUsers", s.top_users);
  write_counts(json, "verbs", s.verbs);
  write_counts(json, "codes", named(s.codes));
  write_counts(json, "stages", s.stages);
  write_counts(json, "flowSchemas", s.flow_schemas);
  write_counts(json, "priorityLevels", s.priority_levels);
  write_recorded(json, s);
  write_verdict(json, report);
  write_remarks(json, "missing", s.missing);
  write_remarks(json, "warnings", s.warnings);
  json.field("interrupted", s.interrupted).end_object();
  return json.take();
}

}  // namespace apf
