#include "replay/stages/max_in_flight.h"

#include <algorithm>

namespace apf {

namespace {

constexpr int kRetryAfterSeconds = 1;

}  // namespace

void PeakBook::note(Nanos now, int value) {
  const Nanos since = std::max<Nanos>(now - series_.begin, 0);
  if (since / kSecond != second_) {
    second_ = since / kSecond;
    series_.last_second = 0;
  }
  series_.last_second = std::max(series_.last_second, value);
  while (static_cast<std::uint64_t>(since / series_.width) >= kMostBins) {
    auto& peaks = series_.peaks;
    for (std::size_t i = 0; i < peaks.size(); i += 2)
      peaks[i / 2] = i + 1 < peaks.size() ? std::max(peaks[i], peaks[i + 1]) : peaks[i];
    peaks.resize((peaks.size() + 1) / 2);
    series_.width *= 2;
  }
  const auto bin = static_cast<std::size_t>(since / series_.width);
  if (bin >= series_.peaks.size()) series_.peaks.resize(bin + 1);
  series_.peaks[bin] = std::max(series_.peaks[bin], value);
}

MaxInFlight::MaxInFlight(const InFlightLimits& limits, ControllerListener& listener, Nanos start, Nanos from, Nanos to)
    : listener_(listener) {
  read_only_.limit = limits.read_only;
  mutating_.limit = limits.mutating;
  for (Counter* counter : {&read_only_, &mutating_}) {
    counter->in_flight.limit(from, to);
    counter->in_flight.set(start, 0);
    counter->peaks.begin(start);
  }
}

void MaxInFlight::Counter::set(Nanos time, int value) {
  now = value;
  in_flight.set(time, value);
  peaks.note(time, value);
}

void MaxInFlight::run_until(Nanos now) {
  while (!ends_.empty() && ends_.top().time <= now) {
    const End end = ends_.top();
    ends_.pop();
    if (end.counted) {
      Counter& counter = of(end.mutating);
      counter.set(end.time, counter.now - 1);
    }
    listener_.on_release(end.tag, end.time);
  }
}

// No limit is no counter at all. Beyond the limit system:masters is served, and not counted.
void MaxInFlight::arrive(Nanos now, const Request& request) {
  run_until(now);
  Counter& counter = of(request.mutating);
  if (request.in_report) ++counter.requests;
  const bool full = counter.limit > 0 && counter.now >= counter.limit;
  if (full && !request.masters) {
    if (request.in_report) ++counter.refused;
    return listener_.on_refuse(request.tag, now, Outcome::max_in_flight, kRetryAfterSeconds);
  }
  if (full && request.in_report) ++counter.uncounted;
  const bool counted = counter.limit > 0 && !full;
  if (counted) counter.set(now, counter.now + 1);
  ends_.push({listener_.on_dispatch(request.tag, now), order_++, request.tag, request.mutating, counted});
}

void MaxInFlight::Counter::fill(InFlightReport::Kind& report, Nanos time) {
  in_flight.advance(time);
  report.limit = limit;
  report.requests = requests;
  report.refused = refused;
  report.uncounted = uncounted;
  report.peak = static_cast<int>(in_flight.max());
  report.average = in_flight.average();
  report.series = peaks.series();
}

void MaxInFlight::fill(InFlightReport& report, Nanos now) {
  read_only_.fill(report.read_only, now);
  mutating_.fill(report.mutating, now);
}

}  // namespace apf
