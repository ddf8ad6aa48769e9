#include "report/logs/log_stat_report.h"

#include <apf/logs_report.h>
#include <apf/output.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/joined.h"
#include "base/sort_stably.h"
#include "report/core/remarks.h"
#include "report/core/units.h"
#include "report/logs/coverage.h"
#include "report/logs/left_out.h"

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

// What the log holds, row by row.
class Holdings {
 public:
  explicit Holdings(const LogStat& stat) : stat_(stat) { table_.left("").left("", 20); }

  Table table() {
    contents();
    recorded();
    for (const auto& [reason, lines] : stat_.unusable)
      row("Unusable", fmt::format("{}: {}", counted(lines, "line", "lines"), printable(reason)));
    return std::move(table_);
  }

 private:
  void row(const char* title, const std::string& text) {
    if (!text.empty()) table_.row({{title, Tone::plain, {}}, {text, Tone::plain, {}}});
  }

  void contents() {
    const LogStat& s = stat_;
    if (s.users > 0)
      row("Users", fmt::format("{}: {}{}", grouped(s.users), listed(s.top_users), s.more_users ? ", …" : ""));
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
    std::string flags = s.server_version ? "Kubernetes " + s.server_version->str() : "";
    for (const auto& [name, value] : s.server_flags)
      if (!value.empty()) flags += (flags.empty() ? "--" : ", --") + name + "=" + value;
    row("Server flags", printable(flags));
    if (s.other_lines > 0) row("Other lines", grouped(s.other_lines));
  }

  const LogStat& stat_;
  Table table_;
};

Passage files_of(const LogStat& stat) {
  Passage out("What the log holds");
  Table files;
  files.left("LOG", 20).left("FORMAT").right("LINES").right("EVENTS");
  for (const LogFileStat& file : stat.files) {
    files.row({{printable(file.name), Tone::strong, {}, true},
               {file.label.empty() ? file.format : file.format + " (" + file.label + ")", Tone::plain, {}},
               {grouped(file.lines), Tone::plain, {}},
               {grouped(file.events), Tone::plain, {}}});
  }
  out.show(std::move(files));
  out.show(Holdings(stat).table());
  return out;
}

void write_recorded(JsonWriter& json, const LogStat& s) {
  json.key("recorded").begin_object();
  json.field("user", s.with_user).field("impliedGroups", s.with_implied_groups).field("flowSchema", s.with_flow_schema);
  json.field("queueWait", s.with_queue_wait).field("execution", s.with_execution).field("seats", s.with_seats);
  json.field("end", s.with_end).field("id", s.with_id).field("refused", s.refused).end_object();
  json.key("watches").begin_object().field("total", s.watches).field("started", s.watches_started);
  json.field("init", s.watches_with_init).field("finishWithoutStart", s.finish_without_start).end_object();
  json.key("server").begin_object().field("starts", s.starts).field("rebalancings", s.rebalancings);
  json.field("limitChanges", s.limit_changes).field("configurations", s.configurations);
  if (s.server_version) json.field("kubernetesVersion", s.server_version->str());
  if (!s.server_flags.empty()) {
    json.key("flags").begin_object();
    for (const auto& [name, value] : s.server_flags) json.field(name, value);
    json.end_object();
  }
  json.end_object();
}

void write_verdict(JsonWriter& json, const LogStat& stat, const LogSummaryFrame& frame) {
  const LevelCoverage levels = levels_of(stat, frame.known);
  constexpr const char* kWords[] = {"yes", "partly", "no"};
  json.key("replayable").begin_object().field("verdict", kWords[static_cast<std::size_t>(levels.replayable)]);
  json.key("whole").begin_array();
  for (const std::string& name : levels.whole) json.value(name);
  json.end_array().key("incomplete").begin_array();
  for (const std::string& name : levels.incomplete) json.value(name);
  json.end_array().end_object();
  write_remarks(json, "incomplete", stat.incomplete);
  write_remarks(json, "better", frame.better);
  write_coverage(json, frame.known);
}

}  // namespace

std::string replayable_sentence(const LogStat& stat, const LogSummaryFrame& frame) {
  const LevelCoverage levels = levels_of(stat, frame.known);
  const bool no = levels.replayable == LevelCoverage::Replayable::no;
  if (no && (stat.with_user > 0 || stat.with_flow_schema > 0) && !stat.incomplete.empty())
    return "This log cannot be replayed: " + printable(sentence_of(stat.incomplete.front()));
  return verdict_of(levels, stat);
}

Passage replayable_passage(const LogStat& stat, const LogSummaryFrame& frame) {
  Passage out("Can it be replayed?");
  const LevelCoverage levels = levels_of(stat, frame.known);
  std::string first = verdict_of(levels, stat);
  if (!levels.whole.empty()) first += " Whole: " + joined(levels.whole, ", ") + ".";
  if (!levels.incomplete.empty()) first += " Not whole: " + joined(levels.incomplete, ", ") + ".";
  out.say(printable(first));
  const auto list = [&](const std::vector<Remark>& remarks) {
    std::vector<std::string> texts;
    for (const std::string& text : texts_of(remarks)) texts.push_back(printable(text));
    out.list(std::move(texts));
  };
  list(stat.incomplete);
  if (!frame.better.empty()) out.say("What would make it better, most effective first:");
  list(frame.better);
  return out;
}

std::vector<Passage> log_stat_passages(const LogStat& stat, const LogSummaryFrame& frame) {
  std::vector<Passage> out = {files_of(stat)};
  if (frame.known.metrics) out.push_back(coverage_passage(*frame.known.metrics));
  if (frame.known.policy) out.push_back(policy_passage(*frame.known.policy));
  const auto list = [&](const char* title, const std::vector<Remark>& remarks) {
    Passage& passage = out.emplace_back(title);
    std::vector<std::string> texts;
    for (const std::string& text : texts_of(remarks)) texts.push_back(printable(text));
    passage.list(std::move(texts));
  };
  list("Missing for a faithful replay", stat.missing);
  list("Warnings", stat.warnings);
  return out;
}

void write_log_stat(JsonWriter& json, const LogStat& s, const LogSummaryFrame& frame) {
  json.key("logs").begin_array();
  for (const LogFileStat& file : s.files) {
    json.begin_object().field("name", file.name).field("format", file.format);
    if (!file.label.empty()) json.field("label", file.label);
    json.field("lines", file.lines).field("events", file.events).end_object();
  }
  json.end_array().field("bytes", s.bytes).field("lines", s.lines).field("events", s.events);
  json.field("otherLines", s.other_lines);
  write_counts(json, "unusable", s.unusable);
  write_bad_lines(json, s.bad_lines);
  json.field("unfinished", s.unfinished).field("inBoth", s.in_both).field("outOfOrder", s.out_of_order);
  json.field("duplicates", s.duplicates);
  json.field("negativeLatencies", s.negative_latencies);
  json.field("users", s.users).field("userAgents", s.user_agents).field("sourceIPs", s.source_ips);
  write_counts(json, "topUsers", s.top_users);
  write_counts(json, "verbs", s.verbs);
  write_counts(json, "codes", named(s.codes));
  write_counts(json, "stages", s.stages);
  write_counts(json, "flowSchemas", s.flow_schemas);
  write_counts(json, "priorityLevels", s.priority_levels);
  write_recorded(json, s);
  write_verdict(json, s, frame);
  write_remarks(json, "missing", s.missing);
  write_remarks(json, "warnings", s.warnings);
  json.field("interrupted", s.interrupted);
}

}  // namespace apf
