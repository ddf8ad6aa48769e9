// Expectations on all reports: parsing them, and comparing them with what a report knows.
#include <apf/expectation.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <apf/error.h>
#include <apf/report_words.h>
#include <fmt/core.h>

#include "base/comparison.h"
#include "base/decimal.h"
#include "base/text.h"
#include "config/closest.h"
#include "report/core/facts.h"

namespace apf {

namespace {

// Other words for metrics, as people write them.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"refused", "rejected"}, {"maxseats", "seats"},   {"avgseats", "seats-avg"},
    {"avgwait", "meanwait"}, {"p100wait", "maxwait"},
};

std::string question(std::string_view near) { return near.empty() ? std::string() : "; " + did_you_mean(near, '\''); }

const ExpectedMetric* find_metric(const std::vector<ExpectedMetric>& metrics, std::string_view name) {
  const auto find = [&](std::string_view wanted) {
    const auto at =
        std::find_if(metrics.begin(), metrics.end(), [&](const ExpectedMetric& m) { return m.name == wanted; });
    return at == metrics.end() ? nullptr : &*at;
  };
  if (const ExpectedMetric* metric = find(name)) return metric;
  for (const auto& [word, meant] : kSynonyms)
    if (name == word || (name == meant && word == "refused")) return find(name == word ? meant : word);
  return nullptr;
}

// Reads one expectation; its errors are wrapped by whoever has the whole text.
class ExpectationParser {
 public:
  explicit ExpectationParser(const Facts& facts) : facts_(facts), metrics_(facts.metrics()) {}

  Expectation parse(std::string_view text) const {
    Expectation out;
    out.figure.server = take_server(text);
    out.text = text;
    const std::size_t at = text.find_first_of("<>=!");
    if (at == std::string_view::npos)
      throw Error("no operator; write SUBJECT.METRIC OP VALUE, with OP one of < <= > >= == !=");
    out.op = operator_at(text.substr(at));
    if (out.op.empty()) throw Error("unknown operator (supported: < <= > >= == !=)");
    const std::string_view left = trimmed(text.substr(0, at)), right = trimmed(text.substr(at + out.op.size()));
    const ExpectedMetric& metric = read_figure(left, out.figure);
    out.unit = metric.unit;
    if (is_figure(right)) {
      compare_with(right, metric, out);
      refuse_certain_order(out);
    } else {
      read_value(right, metric, out);
      refuse_certain_value(metric, out);
    }
    return out;
  }

 private:
  // And what follows it.
  std::string take_server(std::string_view& text) const {
    const std::vector<std::string_view> servers = facts_.servers();
    const std::size_t colon = text.find(':');
    if (servers.empty() || colon == std::string_view::npos || colon > text.find_first_of("<>=!")) return {};
    const std::string_view name = trimmed(text.substr(0, colon));
    if (std::find(servers.begin(), servers.end(), name) == servers.end())
      throw Error(fmt::format("unknown server '{}'{}", name, question(closest(name, servers))));
    text = trimmed(text.substr(colon + 1));
    return std::string(name);
  }

  const ExpectedMetric& read_figure(std::string_view text, ExpectedFigure& out) const {
    std::string_view rest = text;
    for (const std::string_view side : facts_.sides()) {
      if (!rest.starts_with(side) || rest.substr(side.size(), 1) != ".") continue;
      out.side = side;
      rest.remove_prefix(side.size() + 1);
      break;
    }
    const std::size_t dot = rest.rfind('.');  // names may hold dots, metrics do not
    const bool is_alone = dot == std::string_view::npos;
    const std::string_view name = is_alone ? rest : rest.substr(dot + 1);
    if (rest.empty() || dot == 0) throw Error("there is no figure before the operator; write SUBJECT.METRIC OP VALUE");
    const ExpectedMetric* metric = find_metric(metrics_, name);
    if (!metric) fail_unknown(name);
    out.subject = is_alone ? kTotal : rest.substr(0, dot);
    out.metric = metric->name;
    if (metric->of == MetricOf::whole && (out.subject != kTotal || !out.side.empty()))
      throw Error(fmt::format("{} is of the whole report; write it without '{}'", name,
                              text.substr(0, text.size() - name.size())));
    if (metric->of != MetricOf::whole && out.side.empty() && !facts_.sides().empty())
      throw Error(fmt::format("'{}' begins with neither old. nor new., as in new.node-high.p99wait", text));
    const bool is_level = out.subject != kTotal && !out.subject.starts_with(kSchemaPrefix);
    if (metric->of == MetricOf::levels && !is_level)
      throw Error(fmt::format("{} exists for priority levels only", name));
    return *metric;
  }

  [[noreturn]] void fail_unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    std::string all;
    for (const ExpectedMetric& metric : metrics_) {
      names.push_back(metric.name);
      all.append(all.empty() ? "" : ", ").append(metric.name);
    }
    const std::string_view near = closest(name, names);
    throw Error(
        fmt::format("unknown metric '{}'{}", name, near.empty() ? " (supported: " + all + ")" : question(near)));
  }

  // Level names may begin with a digit, as numbers do.
  bool is_figure(std::string_view text) const {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos) return find_metric(metrics_, text);
    if (dot == 0) return false;
    const bool is_letter = (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z');
    return is_letter || find_metric(metrics_, text.substr(dot + 1));
  }

  void compare_with(std::string_view text, const ExpectedMetric& metric, Expectation& out) const {
    const ExpectedMetric& other = read_figure(text, out.other.emplace());
    if (metric.of == MetricOf::whole || other.of == MetricOf::whole)
      throw Error(
          fmt::format("{} can be compared with a value only", metric.of == MetricOf::whole ? metric.name : other.name));
    if (metric.unit != other.unit) throw Error(fmt::format("{} and {} have different units", metric.name, other.name));
    out.other->server = out.figure.server;
  }

  static const char* example_of(ExpectedUnit unit) {
    switch (unit) {
      case ExpectedUnit::requests:
        return " (or a share of the requests such as 1%)";
      case ExpectedUnit::share:
        return " such as 0.8 or 80%";
      case ExpectedUnit::part:
        return " from 0 to 1, or a percentage such as 80%";
      case ExpectedUnit::multiple:
        return " such as 2 or 2x";
      default:
        return "";
    }
  }

  static void read_value(std::string_view text, const ExpectedMetric& metric, Expectation& out) {
    if (metric.unit == ExpectedUnit::duration) {
      const std::optional<Nanos> duration = parse_go_duration(text);
      if (!duration) throw Error(fmt::format("{} needs a duration such as 1.5s or 200ms, not '{}'", metric.name, text));
      out.value = static_cast<double>(*duration);
      return;
    }
    const bool is_part = metric.unit == ExpectedUnit::share || metric.unit == ExpectedUnit::part;
    const bool percent = text.ends_with('%') && (is_part || metric.unit == ExpectedUnit::requests);
    std::string_view digits = text;
    if (percent || (metric.unit == ExpectedUnit::multiple && text.ends_with('x')))
      digits = trimmed(text.substr(0, text.size() - 1));
    const std::errc error = read_decimal(digits, out.value);
    if (percent) out.value /= 100;
    const bool fits = metric.unit == ExpectedUnit::part       ? out.value >= 0 && out.value <= 1
                      : metric.unit == ExpectedUnit::multiple ? out.value >= 0
                                                              : std::isfinite(out.value);
    if (error != std::errc() || !std::isfinite(out.value) || !fits)
      throw Error(fmt::format("{} needs a number{}, not '{}'", metric.name, example_of(metric.unit), text));
    out.percent = percent && metric.unit == ExpectedUnit::requests;
  }

  // What no report can fail.
  void refuse_certain_value(const ExpectedMetric& metric, const Expectation& e) const {
    const bool above_0 = metric.unit == ExpectedUnit::multiple;
    const bool is_part = metric.unit == ExpectedUnit::part || (e.percent && find_metric(metrics_, "requests"));
    const char* bound = nullptr;
    if (!metric.is_signed &&
        ((e.op == ">=" && e.value <= 0) || (e.op == ">" && (e.value < 0 || (above_0 && e.value == 0))) ||
         (e.op == "!=" && e.value < 0)))
      bound = "below 0";
    if (is_part && ((e.op == "<=" && e.value >= 1) || ((e.op == "<" || e.op == "!=") && e.value > 1)))
      bound = "above 100 %";
    if (bound) throw Error(fmt::format("every report meets it: {} is never {}", metric.name, bound));
  }

  // The same of two figures: each metric is at most the next one of its row, and what a part of the requests has is at
  // most what all have.
  static bool is_at_most(const ExpectedFigure& a, const ExpectedFigure& b, ExpectedUnit unit) {
    static constexpr std::string_view kRows[][5] = {{"p50wait", "p90wait", "p95wait", "p99wait", "maxwait"},
                                                    {"limit-min", "limit-avg", "limit-max"},
                                                    {"seats-avg", "seats"}};
    if (a.server != b.server || a.side != b.side) return false;
    const bool counts = unit == ExpectedUnit::requests;
    const bool is_less = a.metric == b.metric || (counts && b.metric == "requests");
    if (b.subject == kTotal && a.subject != kTotal) return is_less && (counts || unit == ExpectedUnit::seat_seconds);
    if (a.subject != b.subject) return false;
    return is_less || std::any_of(std::begin(kRows), std::end(kRows), [&](const auto& row) {
             const auto first = std::find(std::begin(row), std::end(row), a.metric);
             return first != std::end(row) && std::find(first, std::end(row), b.metric) != std::end(row);
           });
  }

  static void refuse_certain_order(const Expectation& e) {
    const bool less = is_at_most(e.figure, *e.other, e.unit), more = is_at_most(*e.other, e.figure, e.unit);
    if (less && more) throw Error("it compares a figure with itself");
    if ((less && e.op == "<=") || (more && e.op == ">="))
      throw Error("every report meets it: the one figure is never above the other");
  }

  const Facts& facts_;
  const std::vector<ExpectedMetric> metrics_;
};

std::string value_text(ExpectedUnit unit, bool percent, double value) {
  if (std::isinf(value)) return "unbounded";
  switch (unit) {
    case ExpectedUnit::duration:
      return format_go_duration(static_cast<Nanos>(std::llround(value)));
    case ExpectedUnit::requests:
      if (!percent) return grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, value))));
      [[fallthrough]];
    case ExpectedUnit::share:
    case ExpectedUnit::part:
      return fmt::format("{} %", std::round(value * 1e4) / 100);
    default:
      return fmt::format("{}", std::round(value * 1000) / 1000);
  }
}

std::string versions_text(const Expectation& e, const std::vector<Interval>& versions) {
  const auto text = [&](double value) { return value_text(e.unit, e.percent, value); };
  const auto low = std::min_element(versions.begin(), versions.end(),
                                    [](const Interval& a, const Interval& b) { return a.low < b.low; });
  const auto high = std::max_element(versions.begin(), versions.end(),
                                     [](const Interval& a, const Interval& b) { return a.high < b.high; });
  const std::string most =
      high->is_range() && std::isinf(high->high) ? "more than " + text(high->low) : text(high->high);
  const std::string least = low->is_range() && std::isinf(low->low)    ? "at most " + text(low->high)
                            : low->is_range() && std::isinf(low->high) ? most
                                                                       : text(low->low);
  const bool is_same = least == most || least == "at most " + most;
  return is_same ? least : least + " to " + most;
}

// For all that the two may be.
bool is_certain(const Interval& a, std::string_view op, const Interval& b) {
  if (op == "<") return a.high < b.low || (b.is_range() && !b.closed && a.high <= b.low);
  if (op == "<=") return a.high <= b.low;
  if (op == ">") return is_certain(b, "<", a);
  if (op == ">=") return is_certain(b, "<=", a);
  if (op == "!=") return is_certain(a, "<", b) || is_certain(b, "<", a);
  return !a.is_range() && !b.is_range() && a.low == b.low;
}

std::string_view negated(std::string_view op) {
  return op == "<" ? ">=" : op == "<=" ? ">" : op == ">" ? "<=" : op == ">=" ? "<" : op == "==" ? "!=" : "==";
}

ExpectationResult compare_facts(const Expectation& e, const Fact& left, const Fact& right, bool by_chance) {
  const std::string front = (left.of.empty() ? right.of : left.of) + (left.of.empty() && right.of.empty() ? "" : ": ");
  if (left.versions.empty()) return {false, front + e.text + ": " + left.note, false, left.note};
  const auto version = [](const Fact& fact, std::size_t i) {
    return i < fact.versions.size() ? fact.versions[i] : fact.versions.front();
  };
  const auto text = [&](const Fact& fact) { return versions_text(e, {fact.versions.front()}); };
  ExpectationResult out;
  out.message = front + e.text + ": it is " +
                (e.other              ? text(left) + " against " + text(right)
                 : left.shown.empty() ? versions_text(e, left.versions)
                                      : left.shown);
  if (!left.note.empty()) out.message += " (" + left.note + ")";
  if (by_chance) {
    out.met = compares(0, e.op, 0);
    out.message += ", a difference that may be chance";
    return out;
  }
  out.met = true;
  bool is_refuted = false;
  for (std::size_t i = 0; i < std::max(left.versions.size(), right.versions.size()); ++i) {
    const Interval a = version(left, i), b = version(right, i);
    out.met = out.met && is_certain(a, e.op, b);
    is_refuted = is_refuted || is_certain(a, negated(e.op), b);
  }
  if (!out.met && !is_refuted && !left.open.empty()) out = {false, out.message, false, left.open};
  return out;
}

// What an expectation on one figure must bear.
void take_unusable(std::vector<Fact>& facts) {
  for (Fact& fact : facts) {
    if (fact.with_unusable.empty()) continue;
    fact.versions = fact.with_unusable;
    fact.open = fact.open.empty() ? fact.unusable : fact.unusable + "; " + fact.open;
  }
}

// What is 0 in every report.
void refuse_certain_0(const Expectation& e, const Facts& facts) {
  const std::string left = facts.why_always_0(e.figure), right = e.other ? facts.why_always_0(*e.other) : std::string();
  const bool is_against_0 = !right.empty(), is_known = !e.other || is_against_0;
  if (left.empty() ? is_against_0 && e.op == ">=" : is_known ? compares(0.0, e.op, e.value) : e.op == "<=")
    throw Error("every report meets it: " + (left.empty() ? right : left));
}

template <class Work>
auto with_text(std::string_view text, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(fmt::format("expectation '{}': {}", text, error.what()));
  }
}

}  // namespace

std::string no_such_subject(std::string_view kind, std::string_view name, std::span<const std::string_view> names) {
  return fmt::format("no {} {}{}", kind, name, question(closest(name, names)));
}

Expectation parse_expectation(std::string_view text, const Facts& facts) {
  text = trimmed(text);
  return with_text(text, [&] { return ExpectationParser(facts).parse(text); });
}

std::vector<ExpectationResult> check_expectations(std::span<const Expectation> expectations, const Facts& facts,
                                                  bool allow_empty) {
  std::vector<ExpectationResult> out;
  for (const Expectation& e : expectations) {
    with_text(e.text, [&] {
      refuse_certain_0(e, facts);
      std::vector<Fact> left = facts.find(e.figure, e.percent);
      if (!allow_empty && !e.other) take_unusable(left);
      const std::vector<Fact> right =
          e.other ? facts.find(*e.other, false) : std::vector{Fact{"", {{e.value, e.value}}, "", ""}};
      if (left.empty()) return;  // servers that were idle
      const auto is_unseen = [](const Fact& fact) { return !fact.unseen.empty(); };
      const bool is_empty = !allow_empty && std::all_of(left.begin(), left.end(), is_unseen) &&
                            (!e.other || std::all_of(right.begin(), right.end(), is_unseen));
      if (is_empty) {
        const Fact& first = left.front();
        const std::string server = left.size() == 1 && !first.of.empty() ? first.of + ": " : std::string();
        out.push_back({false, server + e.text + ": " + first.unseen, false, first.unseen});
        return;
      }
      for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i)
        out.push_back(compare_facts(e, left[std::min(i, left.size() - 1)], right[std::min(i, right.size() - 1)],
                                    e.other && facts.may_be_chance(e.figure, *e.other, i)));
    });
  }
  return out;
}

std::vector<double> expected_values(const Expectation& e, const Facts& facts) {
  return with_text(e.text, [&] {
    std::vector<double> out;
    for (const Fact& fact : facts.find(e.figure, e.percent))
      for (const Interval& version : fact.versions) out.push_back(version.low);
    return out;
  });
}

std::string expected_text(const Expectation& e, double value) { return value_text(e.unit, e.percent, value); }

}  // namespace apf
