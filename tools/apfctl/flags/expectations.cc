#include "flags/expectations.h"

#include <algorithm>
#include <string_view>

#include <apf/error.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "shared/exit_code.h"
#include "shared/output.h"

namespace apfctl {

namespace {

constexpr std::string_view kCoverage = "coverage", kExempt = "exempt";

}  // namespace

apf::ReplayReport names_of(const apf::ReplayOptions& options) {
  apf::ReplayReport out;
  // Other stages refuse requests of exempt levels.
  const bool is_apf_alone = !options.in_flight && !options.event_rate_limit && !options.limits_resources();
  const auto add_level = [&](const std::string& name, bool exempt) {
    apf::LevelReport& level = out.levels.emplace_back();
    level.name = name;
    level.exempt = exempt && is_apf_alone;
  };
  const auto add = [&](const apf::Config& config) {
    for (const apf::PriorityLevel& level : config.priority_levels) add_level(level.meta.name, level.type == "Exempt");
    for (const apf::FlowSchema& schema : config.flow_schemas)
      out.schemas.push_back({schema.meta.name, schema.priority_level, 0, {}});
  };
  const auto add_stage = [&](apf::AdmissionStage stage) { out.stages.emplace_back().stage = stage; };
  add_stage(options.in_flight ? apf::AdmissionStage::max_in_flight : apf::AdmissionStage::apf);
  if (options.event_rate_limit) add_stage(apf::AdmissionStage::event_rate_limit);
  if (options.limits_resources()) {
    add_stage(apf::AdmissionStage::resource_quota);
    if (options.quota_conflicts) out.resource_quota.emplace().conflicts.emplace();
  }
  add(options.config);
  for (const auto& [time, config] : options.config_changes) add(config);
  for (const char* imagined : {"exempt", "catch-all"}) {
    add_level(imagined, imagined == kExempt);
    out.schemas.push_back({imagined, imagined, 0, {}});
  }
  return out;
}

Expectations::Expectations(const std::vector<std::string>& texts, const apf::Facts& facts) {
  for (const std::string& text : texts) entries_.push_back(apf::parse_expectation(text, facts));
}

bool Expectations::has(std::string_view metric) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const apf::Expectation& e) { return e.figure.metric == metric; });
}

std::vector<apf::ExpectationResult> Expectations::results(const apf::Facts& facts, bool allow_empty) const {
  return apf::check_expectations(entries_, facts, allow_empty);
}

const char* Expectations::gate_flag() const {
  const bool any = std::any_of(entries_.begin(), entries_.end(),
                               [](const apf::Expectation& e) { return e.figure.metric != kCoverage; });
  return any ? "--expect" : "";
}

void Expectations::refuse_undecided(const apf::LogQuestion& question,
                                    std::span<const apf::ReplayReport> reports) const {
  for (const apf::ReplayReport& report : reports) apfctl::refuse_undecided(gate_flag(), question, report);
}

void refuse_undecided(const std::string& flag, const apf::LogQuestion& question, const apf::ReplayReport& report) {
  const std::string why = flag.empty() ? question.why_wrong(report) : question.why_undecided(report);
  if (!why.empty()) throw apf::Error(flag.empty() ? why : flag + " is not decided: " + why);
}

void refuse_open(const char* flag, const std::vector<apf::ExpectationResult>& results) {
  for (const apf::ExpectationResult& result : results)
    if (!result.why_open.empty()) {
      const bool is_said = result.message.ends_with(result.why_open);
      throw apf::Error(fmt::format("{} is not decided: {}", flag,
                                   is_said ? result.message : result.message + "; " + result.why_open));
    }
}

int print_unmet(const char* command, const std::vector<apf::ExpectationResult>& results, const Console& console) {
  int code = 0;
  for (const apf::ExpectationResult& result : results) {
    if (!result.met) {
      code = kNotOk;
      write_stderr(fmt::format("apfctl {}: expectation not met: {}\n", command, apf::printable(result.message)));
    } else if (console.verbose) {
      console.note("expectation met: " + apf::printable(result.message));
    }
  }
  return code;
}

}  // namespace apfctl
