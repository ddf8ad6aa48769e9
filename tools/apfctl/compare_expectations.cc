#include "compare_expectations.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/error.h>

#include "command_line.h"
#include "words.h"

namespace apfctl {

namespace {

bool holds(double left, const std::string& op, double right) {
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  if (op == ">=") return left >= right;
  return op == "==" ? left == right : left != right;
}

bool is_side(const std::string& text) { return text.starts_with("old.") || text.starts_with("new."); }

// A metric alone: what it is compared with does not matter.
apf::Expectation metric_of(const std::string& text) {
  return apf::parse_expectation(text + (text.ends_with("wait") ? " >= 0s" : " >= 0"));
}

void check_subject(const apf::Expectation& expectation, const apf::ReplayOptions& side) {
  apf::ReplayReport names;
  const auto add = [&](const apf::Config& config) {
    for (const apf::PriorityLevel& level : config.priority_levels) names.levels.emplace_back().name = level.meta.name;
    for (const apf::FlowSchema& schema : config.flow_schemas) names.schemas.emplace_back().name = schema.meta.name;
  };
  add(side.config);
  for (const auto& [time, config] : side.config_changes) add(config);
  for (const char* imagined : {"exempt", "catch-all"}) {
    names.levels.emplace_back().name = imagined;
    names.schemas.emplace_back().name = imagined;
  }
  apf::check_expectation(expectation, names);
}

// The metrics that it is of, if replays with jitter say how far they are chance.
std::vector<apf::ComparedChange::Metric> compared_metrics(const apf::Expectation& of) {
  using Metric = apf::ComparedChange::Metric;
  if (of.metric == "rejected") return {Metric::rejected, Metric::hung_up};
  if (of.metric == "meanwait") return {Metric::mean_wait};
  return of.metric == "p99wait" ? std::vector{Metric::p99_wait} : std::vector<Metric>();
}

// Whether both sides' figure of the same name differ by chance alone.
bool differs_by_chance(const apf::Expectation& of, const apf::CompareReport& comparison, std::size_t side) {
  const std::vector<apf::ComparedChange::Metric> metrics = compared_metrics(of);
  constexpr std::string_view kSchema = "FlowSchema/";
  const bool schema = of.subject.starts_with(kSchema);
  const std::string name = schema ? of.subject.substr(kSchema.size()) : of.subject == "total" ? "" : of.subject;
  const auto what = schema ? apf::ComparedChange::What::flow_schema : apf::ComparedChange::What::level;
  bool any = false, beyond = false;
  for (const apf::ComparedChange& change : comparison.changes) {
    if (change.new_side != side || change.what != what || change.name != name) continue;
    if (std::find(metrics.begin(), metrics.end(), change.metric) == metrics.end()) continue;
    any = true;
    beyond = beyond || change.beyond_chance;
  }
  return any && !beyond;
}

}  // namespace

CompareExpectations::Term CompareExpectations::term_of(const std::string& text, const std::string& whole) {
  if (!is_side(text)) {
    throw UsageError("--expect '" + apf::printable(whole) + "': '" + apf::printable(text) +
                     "' begins with neither old. nor new., as in new.node-high.p99wait");
  }
  Term out{text.starts_with("old."), metric_of(text.substr(4))};
  out.metric.text = whole;
  return out;
}

CompareExpectations::CompareExpectations(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t at = text.find_first_of("<>=!");
    if (at == std::string::npos)
      throw UsageError("--expect '" + apf::printable(text) + "': no operator (< <= > >= == !=)");
    const std::size_t end = text.find_first_not_of("<>=!", at);
    Entry entry;
    entry.text = text;
    entry.op = text.substr(at, end == std::string::npos ? end : end - at);
    const std::string left = trimmed(text.substr(0, at)),
                      right = end == std::string::npos ? "" : trimmed(text.substr(end));
    entry.left = term_of(left, text);
    entry.by_metric = is_side(right);
    // Reading it as a whole refuses unknown operators and values, too.
    entry.against = apf::parse_expectation(left.substr(4) + " " + entry.op + " " +
                                           (!entry.by_metric         ? right
                                            : left.ends_with("wait") ? "0s"
                                                                     : "0"));
    if (entry.by_metric) entry.right = term_of(right, text);
    entries_.push_back(std::move(entry));
  }
}

void CompareExpectations::check_subjects(const apf::CompareOptions& options) const {
  const auto check = [&](const Term& term) {
    if (term.old_side) return check_subject(term.metric, options.old_side);
    for (const apf::ReplayOptions& side : options.new_sides) check_subject(term.metric, side);
  };
  for (const Entry& entry : entries_) {
    check(entry.left);
    if (entry.by_metric) check(entry.right);
  }
}

// It must hold of everything that the log leaves open; the two sides are taken under the same assumption.
apf::ExpectationResult CompareExpectations::compare(const Entry& entry, const apf::CompareReport& comparison,
                                                    std::size_t side) {
  const apf::ReplayReport &before = comparison.old_report, &after = comparison.new_reports[side];
  const apf::ReplayReport &left = entry.left.old_side ? before : after, &right = entry.right.old_side ? before : after;
  const apf::Expectation &a = entry.left.metric, &b = entry.right.metric;
  const double value_a = apf::expectation_value(a, left), value_b = apf::expectation_value(b, right);
  const std::string figures = apf::expectation_text(a, value_a) + " against " + apf::expectation_text(b, value_b);
  if (entry.left.old_side != entry.right.old_side && a.subject == b.subject && a.metric == b.metric &&
      differs_by_chance(a, comparison, side)) {
    return {holds(0, entry.op, 0), fmt::format("{}: it is {}, a difference that may be chance", entry.text, figures)};
  }
  bool met = holds(value_a, entry.op, value_b);
  const std::size_t others = std::max(left.others.size(), right.others.size());
  for (std::size_t i = 0; i < others; ++i) {
    const auto other = [&](const apf::ReplayReport& of) -> const apf::ReplayReport& {
      return i < of.others.size() ? of.others[i] : of;
    };
    met = met && holds(apf::expectation_value(a, other(left)), entry.op, apf::expectation_value(b, other(right)));
  }
  return {met, fmt::format("{}: it is {}", entry.text, figures)};
}

std::vector<apf::ExpectationResult> CompareExpectations::results(const apf::CompareReport& comparison,
                                                                 const std::vector<std::string>& names) const {
  std::vector<apf::ExpectationResult> out;
  for (const Entry& entry : entries_) {
    for (std::size_t side = 0; side < comparison.new_reports.size(); ++side) {
      if (entry.by_metric) {
        out.push_back(compare(entry, comparison, side));
      } else {
        const apf::ReplayReport& report = entry.left.old_side ? comparison.old_report : comparison.new_reports[side];
        out.push_back(apf::check_expectation(entry.against, report));
        out.back().message = (entry.left.old_side ? "old." : "new.") + out.back().message;
      }
      if (names.size() > 1) out.back().message = names[side] + ": " + out.back().message;
    }
  }
  return out;
}

}  // namespace apfctl
