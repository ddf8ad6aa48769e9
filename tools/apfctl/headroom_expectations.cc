#include "headroom_expectations.h"

#include <fmt/core.h>

#include <apf/error.h>

#include "command_line.h"
#include "words.h"

namespace apfctl {

HeadroomExpectation parse_headroom_expectation(const std::string& text) {
  const auto fail = [&](const std::string& why) {
    throw UsageError("--expect: '" + apf::printable(text) + "' " + why);
  };
  const std::size_t at = text.find('>');
  if (at == std::string::npos || at == 0) fail("is not LEVEL.waitsAt > X or LEVEL.refusesAt >= X");
  HeadroomExpectation out;
  out.text = trimmed(text);
  out.or_equal = text.compare(at, 2, ">=") == 0;
  const std::string left = trimmed(text.substr(0, at));
  std::string right = trimmed(text.substr(at + (out.or_equal ? 2 : 1)));
  if (!right.empty() && right.back() == 'x') right.pop_back();
  out.multiple = parse_number("--expect", right);
  const std::size_t dot = left.rfind('.');
  const std::string what = dot == std::string::npos ? left : left.substr(dot + 1);
  if (dot == std::string::npos || dot == 0) fail("names no level; write LEVEL.waitsAt, or total.waitsAt for all");
  if (what != "waitsAt" && what != "refusesAt")
    fail("asks for " + apf::printable(what) + "; there are waitsAt and refusesAt");
  out.level = left.substr(0, dot);
  out.refuses = what == "refusesAt";
  return out;
}

apf::ExpectationResult check_expectation(const HeadroomExpectation& e, const apf::HeadroomReport& report) {
  std::optional<double> least;
  bool at_most = false;  // it is there at the least multiple already
  std::string who;
  bool found = e.level == "total";
  for (const apf::HeadroomLevel& level : report.levels) {
    if (e.level != "total" && level.name != e.level) continue;
    found = true;
    const auto& low = (e.refuses ? level.refuses_at : level.waits_at).low;
    if (!low || (least && *least <= *low)) continue;
    least = low;
    at_most = *low <= report.least;
    who = level.name;
  }
  if (!found)
    throw apf::Error("expectation '" + e.text + "': no request of the log goes to a limited level " + e.level);
  if (!least && e.multiple > report.most)
    throw apf::Error(
        fmt::format("expectation '{}': multiples are tried up to {:g}; raise --most", e.text, report.most));
  const bool is_below = at_most && (e.or_equal ? e.multiple > *least : e.multiple >= *least);
  if (at_most && !is_below)
    throw apf::Error(
        fmt::format("expectation '{}': multiples are tried down to {:g}; lower --least", e.text, report.least));
  apf::ExpectationResult out;
  out.met = !least || (e.or_equal ? *least >= e.multiple : *least > e.multiple);
  out.message = e.text + ": " +
                (least ? fmt::format("it is {}{:g}{}", at_most ? "at most " : "", *least,
                                     e.level == "total" ? " (" + who + ")" : "")
                       : fmt::format("it is above {:g}", report.most));
  return out;
}

}  // namespace apfctl
