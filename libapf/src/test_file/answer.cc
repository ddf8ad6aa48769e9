#include "test_file/answer.h"

#include <algorithm>

#include <apf/error.h>
#include <fmt/core.h>

#include "base/joined.h"
#include "config/closest.h"
#include "lint/reach/witness.h"
#include "schedule/level_state.h"
#include "test_file/entries.h"
#include "test_file/limit_metrics.h"

namespace apf {

namespace {

constexpr std::size_t kShownFindings = 5;

std::string place_words(const ExpectedPlace& expected) {
  std::string out;
  if (expected.either) {
    out = *expected.either;
  } else {
    out = expected.flow_schema.value_or(expected.priority_level ? "any FlowSchema" : "");
    if (expected.priority_level) out += "/" + *expected.priority_level;
  }
  const auto add = [&](const std::string& words) { out += (out.empty() ? "" : ", ") + words; };
  if (expected.distinguisher) add("distinguisher \"" + *expected.distinguisher + "\"");
  for (const NumberTest& seats : expected.seats) add("seats " + seats.text);
  return out;
}

// 'rules[0].resourceRules[0]: namespace "" needs clusterScope: true' is said as what the part needs.
std::string as_need(const std::string& because) {
  constexpr std::string_view kScope = ": namespace \"\" needs clusterScope: true";
  if (!because.ends_with(kScope) || because.find("; ") != std::string::npos) return because;
  return because.substr(0, because.size() - kScope.size()) + " needs clusterScope: true";
}

// How near a FlowSchema came: the further its explanation goes into the rules, the nearer.
int nearness(const TraceEntry& entry) {
  if (entry.matches) return 3;
  if (entry.because.starts_with("rules[")) return 2;
  return entry.field.empty() ? 0 : 1;
}

}  // namespace

Answerer::Answerer(const TestFile& file, const TestServer& server)
    : file_(file),
      server_(server),
      classifier_(*server.config),
      limits_(compute_limits(*server.config, server.server_concurrency_limit, server.version)) {}

TestResult Answerer::answer(const TestCase& test) {
  TestResult out;
  out.name = test.name;
  out.file = file_.name;
  out.line = test.span.line;
  try {
    if (const auto* of_request = std::get_if<RequestTest>(&test.what)) request(*of_request, out);
    else if (const auto* of_limit = std::get_if<LimitTest>(&test.what)) limit(*of_limit, out);
    else if (const auto* of_lint = std::get_if<LintTest>(&test.what)) lint(*of_lint, out);
    else replay(std::get<ReplayTest>(test.what), out);
  } catch (const Error& error) {
    out.error = error.what();
  }
  return out;
}

// --- requests ----------------------------------------------------------------------------------------

bool Answerer::is_schema(std::string_view name) const {
  return std::any_of(classifier_.schemas().begin(), classifier_.schemas().end(),
                     [&](const Classifier::Schema& schema) { return schema.name == name; });
}

Answerer::Place Answerer::place_of(const RequestTest& test) const {
  Place out;
  out.schema = match(test).schema;
  const Classifier::Schema& schema = classifier_.schemas()[out.schema];
  out.flow_schema = schema.name;
  out.priority_level = classifier_.levels()[schema.level].name;
  out.distinguisher = classifier_.distinguisher(out.schema, test.request.info, test.user);
  const LevelLimits* level = find_level(limits_, out.priority_level);
  out.seats = estimate_seats(test.request.info, test.request.query, server_.objects, level ? level->max_seats : 0,
                             server_.version, level && level->exempt)
                  .work.initial_seats;
  return out;
}

bool Answerer::fits(const ExpectedPlace& expected, const Place& place) const {
  if (expected.either && *expected.either != place.flow_schema && *expected.either != place.priority_level)
    return false;
  if (expected.flow_schema && *expected.flow_schema != place.flow_schema) return false;
  if (expected.priority_level && *expected.priority_level != place.priority_level) return false;
  if (expected.distinguisher && *expected.distinguisher != place.distinguisher) return false;
  return std::all_of(expected.seats.begin(), expected.seats.end(),
                     [&](const NumberTest& seats) { return seats.holds(place.seats); });
}

std::string Answerer::no_such_name(const std::string& name, bool schemas, bool levels) const {
  std::vector<std::string_view> names;
  if (schemas) {
    if (is_schema(name)) return {};
    for (const Classifier::Schema& schema : classifier_.schemas()) names.push_back(schema.name);
  }
  if (levels) {
    if (find_level(limits_, name)) return {};
    for (const LevelLimits& level : limits_.levels) names.push_back(level.name);
  }
  const char* what = schemas && levels ? "FlowSchema or priority level" : schemas ? "FlowSchema" : "priority level";
  if (schemas) {
    for (const Classifier::Dropped& dropped : classifier_.dropped()) {
      if (dropped.name == name) return fmt::format("the server ignores FlowSchema {}: {}", name, dropped.reason);
    }
  }
  const std::string_view near = closest(name, names);
  return fmt::format("there is no {} {}{}", what, name, near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

std::string Answerer::why_not_schema(const std::string& name, const Explanation& why) const {
  for (const TraceEntry& entry : why.trace) {
    if (entry.flow_schema != name) continue;
    if (!entry.matches) return fmt::format("{}: {}", name, as_need(entry.because));
    const Classifier::Schema& taker = classifier_.schemas()[why.match.schema];
    return fmt::format("{} (matchingPrecedence {}) matches, but {} ({}) comes first", name, entry.matching_precedence,
                       taker.name, taker.matching_precedence);
  }
  return no_such_name(name, true, false);
}

// What is missing to what was expected.
std::string Answerer::why_not(const ExpectedPlace& expected, const Place& place, const Explanation& why) const {
  std::optional<std::string> schema = expected.flow_schema, level = expected.priority_level;
  if (expected.either) {
    if (std::string none = no_such_name(*expected.either, true, true); !none.empty()) return none;
    (is_schema(*expected.either) ? schema : level) = expected.either;
  }
  if (schema && *schema != place.flow_schema) return why_not_schema(*schema, why);
  if (level && *level != place.priority_level) {
    if (std::string none = no_such_name(*level, false, true); !none.empty()) return none;
    if (schema) return fmt::format("{} leads to priority level {}", *schema, place.priority_level);
    const TraceEntry* best = nullptr;
    for (std::uint32_t i = 0; i < why.trace.size(); ++i) {
      if (classifier_.levels()[classifier_.schemas()[i].level].name != *level) continue;
      if (!best || nearness(why.trace[i]) > nearness(*best)) best = &why.trace[i];
    }
    return best ? why_not_schema(best->flow_schema, why) : fmt::format("no FlowSchema leads to {}", *level);
  }
  if (expected.distinguisher && *expected.distinguisher != place.distinguisher) {
    const Classifier::Schema& taker = classifier_.schemas()[place.schema];
    const auto& method = taker.object.distinguisher_method;
    return method ? fmt::format("the distinguisherMethod of {} is {}", taker.name, *method)
                  : fmt::format("{} has no distinguisherMethod: all its requests are one flow", taker.name);
  }
  return {};
}

std::string Answerer::command_of(const RequestTest& test, bool about_seats) const {
  const std::string flags =
      server_.config_flags + (about_seats ? server_.seat_flags + server_.object_flags : std::string());
  return explain_command(test.user, test.request.info, flags);
}

void Answerer::request(const RequestTest& test, TestResult& out) {
  const Place place = place_of(test);
  const bool wants = test.expect.has_value(), refuses = test.expect_not.has_value();
  // A name that nothing has would never be where a request goes.
  std::string unknown;
  if (refuses && test.expect_not->either) unknown = no_such_name(*test.expect_not->either, true, true);
  if (refuses && test.expect_not->flow_schema) unknown = no_such_name(*test.expect_not->flow_schema, true, false);
  if (refuses && unknown.empty() && test.expect_not->priority_level)
    unknown = no_such_name(*test.expect_not->priority_level, false, true);
  const bool met = !wants || fits(*test.expect, place);
  const bool avoided = !refuses || (unknown.empty() && !fits(*test.expect_not, place));
  out.expected = met && refuses ? "not " + place_words(*test.expect_not) : wants ? place_words(*test.expect) : "";
  const ExpectedPlace& shown = met && refuses ? *test.expect_not : wants ? *test.expect : *test.expect_not;
  out.got = place.flow_schema + "/" + place.priority_level;
  if (shown.distinguisher) out.got += ", distinguisher \"" + place.distinguisher + "\"";
  if (!shown.seats.empty()) out.got += fmt::format(", seats {}", place.seats);
  out.passed = met && avoided;
  if (out.passed) return;
  const Explanation why = explain(classifier_, test.request.info, test.user);
  if (!met) out.nearest_miss = why_not(*test.expect, place, why);
  else if (!unknown.empty()) out.nearest_miss = unknown;
  else out.nearest_miss = fmt::format("{}: {}", place.flow_schema, why.trace[place.schema].because);
  out.command = command_of(test, !shown.seats.empty());
}

// --- limits, findings, replays ---------------------------------------------------------------------------

void Answerer::limit(const LimitTest& test, TestResult& out) const {
  out.expected = fmt::format("{}.{} {}", test.level, test.metric, test.wanted.text);
  out.command = "apfctl limits" + server_.config_flags + server_.seat_flags;
  const LevelLimits* level = find_level(limits_, test.level);
  if (!level) {
    out.got = "no such level";
    out.nearest_miss = no_such_name(test.level, false, true);
    return;
  }
  const std::int64_t actual = find_limit_metric(test.metric)->of(*level);
  out.passed = test.wanted.holds(actual);
  out.got = fmt::format("{}", actual);
  if (out.passed) out.command.clear();
  else if (test.metric == "nominal")
    out.nearest_miss = fmt::format("{} of {} shares × {} seats", level->nominal_concurrency_shares, limits_.share_sum,
                                   limits_.server_concurrency_limit);
}

void Answerer::lint(const LintTest& test, TestResult& out) const {
  LintProject project = server_.lint;
  if (project.paths.empty() && project.texts.empty())
    throw Error("there is no configuration to lint: name one with the key config");
  project.select = test.select;
  project.ignore = test.ignore;
  const ProjectFindings found = lint_project(project);
  if (!found.project.faults.empty()) throw Error(to_string(found.project.faults.front()));
  const Severity fail_on = test.fail_on.value_or(found.fail_on);
  const std::size_t failures = found.count_from(fail_on);
  out.expected = fmt::format("no findings of severity {} or higher", to_string(fail_on));
  out.got = fmt::format("{} finding{}", failures, failures == 1 ? "" : "s");
  out.passed = failures == 0;
  if (out.passed) return;
  for (const Diagnostic& d : found.findings) {
    if (d.severity < fail_on) continue;
    if (out.details.size() == kShownFindings) {
      out.details.push_back(fmt::format("… {} in all", failures));
      break;
    }
    const std::string object = d.object_name.empty() ? "" : " " + d.kind + "/" + d.object_name;
    out.details.push_back(fmt::format("{}:{}: {}{}: {}", d.span.file, d.span.line, d.code, object, d.message));
  }
  std::string words;
  const auto add = [&](const char* flag, const std::vector<std::string>& rules) {
    if (!rules.empty()) words += fmt::format(" {} {}", flag, joined(rules, ","));
  };
  add("--select", test.select);
  add("--ignore", test.ignore);
  if (test.fail_on) words += fmt::format(" --fail-on {}", to_string(*test.fail_on));
  out.command = "apfctl lint";
  for (const std::string& path : project.paths) out.command += " " + path;
  if (project.version && *project.version != kNewestKubeVersion)
    out.command += " --kubernetes-version " + project.version->str();
  out.command += words;
}

void Answerer::replay(const ReplayTest& test, TestResult& out) {
  const ReplaySetup& setup = file_.replays[test.replay];
  out.expected = setup.expect[test.expectation];
  if (!server_.replay) throw Error("replays are not possible here");
  const auto [at, fresh] = replayed_.try_emplace(test.replay);
  Replayed& replayed = at->second;
  if (fresh) {
    try {
      replayed.answers = server_.replay(setup);
    } catch (const Error& error) {
      replayed.error = error.what();
    }
  }
  if (!replayed.error.empty()) throw Error(replayed.error);
  const TestServer::Answer& answer = replayed.answers.at(test.expectation);
  out.passed = answer.met;
  out.got = answer.got;
  if (out.passed) return;
  out.command = "apfctl replay";
  for (const std::string& log : setup.logs) out.command += " " + log;
  out.command += server_.config_flags + server_.seat_flags;
  if (const std::string& objects = setup.objects.empty() ? file_.objects : setup.objects; !objects.empty())
    out.command += " --objects " + objects;
  if (!setup.recorded_config.empty()) out.command += " --recorded config " + setup.recorded_config;
  out.command += " --expect '" + out.expected + "'";
}

}  // namespace apf
