// What a report knows of the figures that expectations name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/expectation.h>

namespace apf {

// What a metric is of. sums: of levels, and of all of them; whole: of the report, without a subject.
enum class MetricOf : std::uint8_t { all, sums, levels, whole };

struct ExpectedMetric {
  std::string_view name;
  ExpectedUnit unit;
  MetricOf of;
  bool is_signed = false;  // else it is never below 0
};

// A number, or all above low up to high, with low itself where it is closed: what is known of a figure.
struct Interval {
  double low = 0, high = 0;
  bool closed = false;
  bool is_range() const { return low < high; }
};

inline constexpr std::string_view kTotal = "total", kSchemaPrefix = "FlowSchema/";

struct Fact {
  std::string of;                  // the server, or the NEW side; empty where there is only one
  std::vector<Interval> versions;  // in the report, then in each of its other replays; empty: nothing is known
  std::string note;                // on the figure, or why nothing is known
  std::string open;                // why an interval is one, and what would decide it; empty: nothing
  std::string unseen = {};         // why this says nothing: there is no request of the subject; empty: there is one
  // The versions, each unusable line of the log being what it may be; empty: there is none, or it changes nothing. Two
  // figures of one log lack the same lines, and are compared without them.
  std::vector<Interval> with_unusable = {};
  std::string unusable = {};  // "3 of 20 lines cannot be used, …"
  std::string shown = {};     // the versions as people read them; empty: by the metric's unit
};

class Facts {
 public:
  virtual ~Facts() = default;
  virtual std::vector<ExpectedMetric> metrics() const = 0;
  virtual std::vector<std::string_view> sides() const { return {}; }
  virtual std::vector<std::string_view> servers() const { return {}; }
  // `percent`: as a part of the subject's requests. Throws Error that says why there is no such figure.
  virtual std::vector<Fact> find(const ExpectedFigure& figure, bool percent) const = 0;
  // Of a report without requests, which names what there is: why it is 0 in every report of these; empty: it is not.
  virtual std::string why_always_0(const ExpectedFigure&) const { return {}; }
  // Whether two sides' figures may differ by chance alone. `number`: of the fact.
  virtual bool may_be_chance(const ExpectedFigure&, const ExpectedFigure&, std::size_t /*number*/) const {
    return false;
  }
};

// "no priority level x; did you mean 'y'?"
std::string no_such_subject(std::string_view kind, std::string_view name, std::span<const std::string_view> names);

}  // namespace apf
