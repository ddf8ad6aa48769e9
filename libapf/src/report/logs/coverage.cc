#include "report/logs/coverage.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <apf/logs_report.h>
#include <fmt/core.h>

#include "base/joined.h"
#include "report/core/units.h"

namespace apf {

namespace {

constexpr std::size_t kMostNames = 8;

std::string texts(const TextSet& set, const char* all) {
  if (set.all()) return all;
  return set.others ? fmt::format("{} but {}", all, joined_first(set.names, kMostNames))
                    : joined_first(set.names, kMostNames);
}

// Cut off, not rounded: 100 % means all.
std::string percent_text(double percent) { return fmt::format("{:.1f} %", std::floor(percent * 10) / 10); }

Tone tone_of(double percent) { return percent >= 99 ? Tone::plain : percent >= 50 ? Tone::caution : Tone::bad; }

std::string mean_text(const std::optional<double>& seconds) {
  return seconds ? human_duration(static_cast<Nanos>(*seconds * 1e9)) : "-";
}

std::string refused_text(const CoverageReport::Schema& schema) {
  return schema.rejected + schema.rejected_in_log == 0
             ? std::string("0")
             : grouped(schema.rejected) + " / " + grouped(schema.rejected_in_log);
}

std::string sentences_of(const std::vector<RequestSet>& sets) {
  std::string out;
  for (std::size_t i = 0; i < sets.size(); ++i) out += (i ? "; " : "") + in_words(sets[i]);
  return out;
}

bool are_vague(const std::vector<RequestSet>& sets) {
  return std::any_of(sets.begin(), sets.end(), [](const RequestSet& set) { return set.some; });
}

// Whichever is exact and shorter says it: what is missing, or what is there.
std::string never_text(const PolicySchema& schema) {
  if (schema.recorded == PolicySchema::Recorded::nothing) return "all of it";
  const std::string never = sentences_of(schema.never), still = sentences_of(schema.still);
  const bool vague_never = are_vague(schema.never), vague_still = are_vague(schema.still);
  const bool by_still = vague_never == vague_still ? still.size() < never.size() : vague_never;
  return by_still ? "everything except " + still : never;
}

const char* recorded_text(PolicySchema::Recorded recorded) {
  constexpr const char* kNames[] = {"all", "part", "nothing"};
  return kNames[static_cast<std::size_t>(recorded)];
}

void write_set(JsonWriter& json, const RequestSet& set) {
  json.begin_object().field("requests", in_words(set)).key("rule");
  set.rule ? json.value(static_cast<std::uint64_t>(*set.rule)) : json.null();
  json.end_object();
}

void write_sets(JsonWriter& json, const char* key, const std::vector<RequestSet>& sets) {
  if (sets.empty()) return;
  json.key(key).begin_array();
  for (const RequestSet& set : sets) write_set(json, set);
  json.end_array();
}

void write_seconds(JsonWriter& json, const char* key, const std::optional<double>& seconds) {
  if (seconds) json.field(key, static_cast<std::int64_t>(std::llround(*seconds * 1e9)));
}

// Requests without a namespace are those for cluster-scoped objects, and across all namespaces.
std::string namespaces_in_words(TextSet set) {
  const bool none_named = std::erase(set.names, "") > 0;
  const bool with_none = none_named != set.others;
  if (set.others) {
    const std::string but = set.names.empty() ? "" : " but " + joined_first(set.names, kMostNames);
    return (with_none ? " in all namespaces" : " in any namespace") + but;
  }
  if (set.names.empty()) return " without a namespace";
  return (set.names.size() == 1 ? " in namespace " : " in namespaces ") + joined_first(set.names, kMostNames) +
         (with_none ? ", or without one" : "");
}

}  // namespace

std::string in_words(const RequestSet& set) {
  std::string out = set.some ? "some of " : "";
  out += texts(set.verbs, "all");
  if (set.is_path) {
    out += " " + texts(set.paths, "paths");
  } else {
    TextSet resources = set.resources;
    // One API group is named as kubectl does; several are said once.
    const bool one_group = !set.groups.others && set.groups.names.size() == 1 && !resources.others;
    if (one_group && !set.groups.names.front().empty())
      for (std::string& name : resources.names) {
        const std::size_t end = name.find_first_of("/ ");
        name.insert(std::min(end, name.size()), "." + set.groups.names.front());
      }
    out += " " + texts(resources, "resources");
    if (!one_group && !set.groups.all()) {
      TextSet groups = set.groups;
      for (std::string& name : groups.names)
        if (name.empty()) name = "core";
      out += groups.others              ? " of " + texts(groups, "any API group")
             : groups.names.size() == 1 ? " of API group " + groups.names.front()
                                        : " of API groups " + joined_first(groups.names, kMostNames);
    }
    if (!set.namespaces.all()) out += namespaces_in_words(set.namespaces);
  }
  if (!set.users.all()) out += " by " + texts(set.users, "all users");
  return out;
}

Passage coverage_passage(const CoverageReport& coverage) {
  Passage out("Coverage: requests that the server counted and requests in the log");
  out.say(fmt::format("{} of {} that the server dispatched are in the log ({}).", percent_text(coverage.percent()),
                      counted(coverage.dispatched(), "request", "requests"), printable(coverage.scrapes)));
  Table table;
  table.left("FLOWSCHEMA", 14)
      .left("LEVEL", 12)
      .right("DISPATCHED")
      .right("IN LOG")
      .right("")
      .right("REFUSED")
      .right("EXEC");
  for (const CoverageReport::Schema& schema : coverage.schemas) {
    const Tone tone = tone_of(schema.percent());
    table.row({name_cell(schema.name, Tone::strong),
               name_cell(schema.priority_level),
               count_cell(schema.dispatched, Tone::plain),
               count_cell(schema.in_log, tone),
               {schema.dispatched > 0 ? percent_text(schema.percent()) : "-", tone, {}},
               {refused_text(schema), schema.rejected + schema.rejected_in_log == 0 ? Tone::faint : Tone::plain, {}},
               {mean_text(schema.execution), Tone::plain, {}}});
  }
  out.show(std::move(table));
  out.explain("REFUSED: counted by the server / in the log. EXEC: mean execution, by the server.");
  if (!coverage.unknown.empty())
    out.say("The configuration does not have FlowSchemas that the server has: " +
            printable(joined_first(coverage.unknown, kMostNames)) + ".");
  return out;
}

Passage policy_passage(const PolicyCoverage& policy) {
  Passage out("What the audit policy never records");
  Table table;
  table.left("FLOWSCHEMA", 14).left("LEVEL", 12).left("NEVER RECORDED", 20);
  std::vector<std::string> whole, notes;
  std::map<std::string, std::vector<std::string>> endless;  // by what is written without its end
  for (const PolicySchema& schema : policy.schemas) {
    if (schema.recorded == PolicySchema::Recorded::all && schema.without_end.empty()) whole.push_back(schema.name);
    else if (schema.recorded == PolicySchema::Recorded::nothing)
      table.row({name_cell(schema.name, Tone::strong), name_cell(schema.priority_level), {"all of it", Tone::bad, {}}});
    if (schema.recorded == PolicySchema::Recorded::part)
      notes.push_back(fmt::format("{} ({}): {}.", schema.name, schema.priority_level, never_text(schema)));
    if (!schema.without_end.empty()) endless[sentences_of(schema.without_end)].push_back(schema.name);
  }
  out.show(std::move(table));
  for (std::string& note : notes) out.say(printable(note));
  for (const auto& [what, names] : endless)
    out.say(printable(fmt::format("Written without ResponseComplete, so without an end: {} ({}).", what,
                                  joined_first(names, kMostNames))));
  const bool no_starts = std::any_of(policy.schemas.begin(), policy.schemas.end(),
                                     [](const PolicySchema& schema) { return schema.watches_without_start; });
  if (no_starts)
    out.say(
        "Watches that are still open when the log ends are missing: neither RequestReceived nor ResponseStarted is "
        "recorded of them.");
  if (!whole.empty()) out.say("Recorded in whole: " + printable(joined_first(whole, kMostNames)) + ".");
  return out;
}

void write_coverage(JsonWriter& json, const LogCoverage& known) {
  const std::optional<CoverageReport>& coverage = known.metrics;
  const std::optional<PolicyCoverage>& policy = known.policy;
  if (coverage) {
    json.key("coverage").begin_object().field("percent", coverage->percent()).key("flowSchemas").begin_array();
    for (const CoverageReport::Schema& schema : coverage->schemas) {
      json.begin_object().field("flowSchema", schema.name).field("priorityLevel", schema.priority_level);
      json.field("dispatched", schema.dispatched).field("inLog", schema.in_log).field("percent", schema.percent());
      json.field("rejected", schema.rejected).field("rejectedInLog", schema.rejected_in_log);
      write_seconds(json, "meanExecutionNs", schema.execution);
      write_seconds(json, "meanExecutionInLogNs", schema.execution_in_log);
      write_seconds(json, "meanWaitNs", schema.wait);
      json.end_object();
    }
    json.end_array().end_object();
  }
  if (!policy) return;
  json.key("auditPolicy").begin_object().key("flowSchemas").begin_array();
  for (const PolicySchema& schema : policy->schemas) {
    json.begin_object().field("flowSchema", schema.name).field("priorityLevel", schema.priority_level);
    json.field("recorded", recorded_text(schema.recorded));
    if (schema.recorded == PolicySchema::Recorded::part) {
      write_sets(json, "never", schema.never);
      write_sets(json, "still", schema.still);
    }
    write_sets(json, "withoutEnd", schema.without_end);
    if (schema.watches_without_start) json.field("watchesWithoutStart", true);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace apf
