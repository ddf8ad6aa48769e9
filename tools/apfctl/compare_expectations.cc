#include "compare_expectations.h"

#include <fmt/format.h>

#include <apf/error.h>

#include "command_line.h"
#include "exit_code.h"
#include "output.h"

namespace apfctl {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

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

}  // namespace

CompareExpectations::Term CompareExpectations::term_of(const std::string& text, const std::string& whole) {
  if (!is_side(text)) {
    throw UsageError("--expect '" + apf::printable(whole) + "': '" + apf::printable(text) +
                     "' begins with neither old. nor new., as in new.node-high.p99wait");
  }
  return {text.starts_with("old."), metric_of(text.substr(4))};
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

int CompareExpectations::check(const apf::CompareReport& comparison) const {
  int code = 0;
  for (const Entry& entry : entries_) {
    for (const apf::ReplayReport& report : comparison.new_reports) {
      const apf::ReplayReport& left = entry.left.old_side ? comparison.old_report : report;
      std::string message;
      bool met = false;
      if (entry.by_metric) {
        const apf::ReplayReport& right = entry.right.old_side ? comparison.old_report : report;
        const double a = apf::expectation_value(entry.left.metric, left),
                     b = apf::expectation_value(entry.right.metric, right);
        met = holds(a, entry.op, b);
        message = fmt::format("{}: it is {} against {}", entry.text, apf::expectation_text(entry.left.metric, a),
                              apf::expectation_text(entry.right.metric, b));
      } else {
        const apf::ExpectationResult result = apf::check_expectation(entry.against, left);
        met = result.met;
        message = (entry.left.old_side ? "old." : "new.") + result.message;
      }
      if (met) continue;
      code = kNotOk;
      write_stderr("apfctl compare: expectation not met: " + apf::printable(message) + "\n");
    }
  }
  return code;
}

}  // namespace apfctl
