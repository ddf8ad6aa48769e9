// The counters of a run as metric families: names, types and labels as the release of kube-apiserver exports them.
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>

#include "base/releases.h"
#include "base/sort_stably.h"
#include "replay/books/metric_counters.h"

namespace apf {

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;
using Type = MetricFamily::Type;

constexpr Feature kAlways = Feature::queues_by_work;  // no other release is replayed

struct Name {
  const char* name;  // after apiserver_
  Type type;
  const char* help;
  Feature feature = kAlways;  // releases without it do not have the metric, or hide it
  bool former = false;        // releases that have `feature` do not have the metric
};

constexpr const char* kRequestSamples =
    "Requests that wait or run, as a part of the queue length limit or of the limit; one observation a millisecond.";
constexpr const char* kRequestWatermarks =
    "Requests that wait or run, as a part of the queue length limit or of the limit: the least and the most of each "
    "millisecond.";

constexpr Name kNames[] = {
    {"current_inflight_requests", Type::gauge, "Requests in flight: the most within the last whole second."},
    {"current_inqueue_requests", Type::gauge, "Requests that wait in queues: the most within the last whole second."},
    {"dropped_requests_total", Type::counter, "Requests that were refused, by kind.", Feature::dropped_requests_metric},
    {"flowcontrol_current_executing_requests", Type::gauge, "Requests that run; watches while they initialize."},
    {"flowcontrol_current_executing_seats", Type::gauge, "Seats that running and lingering requests hold.",
     Feature::seat_gauges},
    {"flowcontrol_current_inqueue_requests", Type::gauge, "Requests that wait in queues."},
    {"flowcontrol_current_inqueue_seats", Type::gauge, "Seats that waiting requests will want.",
     Feature::waiting_seats_gauge},
    {"flowcontrol_current_limit_seats", Type::gauge, "Seats that the level has at the moment, borrowed ones included.",
     Feature::borrowing},
    {"flowcontrol_current_r", Type::gauge, "The progress meter at its last change, in seat-seconds per queue."},
    {"flowcontrol_demand_seats", Type::histogram,
     "Seats held and waited for, as a part of the limit; one observation a nanosecond.", Feature::borrowing},
    {"flowcontrol_demand_seats_average", Type::gauge,
     "Seats held and waited for: average over time of the last adjustment period.", Feature::borrowing},
    {"flowcontrol_demand_seats_high_watermark", Type::gauge,
     "Seats held and waited for: the most in the last adjustment period.", Feature::borrowing},
    {"flowcontrol_demand_seats_smoothed", Type::gauge,
     "Seats held and waited for: what the adjustment makes of its past.", Feature::borrowing},
    {"flowcontrol_demand_seats_stdev", Type::gauge,
     "Seats held and waited for: standard deviation over the last adjustment period.", Feature::borrowing},
    {"flowcontrol_dispatch_r", Type::gauge, "The progress meter at the last dispatch, in seat-seconds per queue."},
    {"flowcontrol_dispatched_requests_total", Type::counter, "Requests that were let in."},
    {"flowcontrol_latest_s", Type::gauge, "Virtual start of the request that was dispatched last, in seat-seconds."},
    {"flowcontrol_lower_limit_seats", Type::gauge, "Seats that the level always keeps.", Feature::borrowing},
    {"flowcontrol_next_discounted_s_bounds", Type::gauge,
     "Least and most over queues of the virtual start of the oldest request, less the work guessed to be in progress."},
    {"flowcontrol_next_s_bounds", Type::gauge,
     "Least and most over queues of the virtual start of the oldest request."},
    {"flowcontrol_nominal_limit_seats", Type::gauge, "Seats that the level's shares give it.", Feature::borrowing},
    {"flowcontrol_priority_level_request_count_samples", Type::histogram, kRequestSamples, Feature::utilization_metrics,
     true},
    {"flowcontrol_priority_level_request_count_watermarks", Type::histogram, kRequestWatermarks,
     Feature::utilization_metrics, true},
    {"flowcontrol_priority_level_request_utilization", Type::histogram,
     "Requests that wait or run, as a part of how many may; one observation a nanosecond.",
     Feature::utilization_metrics},
    {"flowcontrol_priority_level_seat_count_samples", Type::histogram,
     "Seats held, as a part of the limit; one observation a millisecond.", Feature::utilization_metrics, true},
    {"flowcontrol_priority_level_seat_count_watermarks", Type::histogram,
     "Seats held, as a part of the limit: the least and the most of each millisecond.", Feature::utilization_metrics,
     true},
    {"flowcontrol_priority_level_seat_utilization", Type::histogram,
     "Seats held, as a part of the limit; one observation a nanosecond.", Feature::utilization_metrics},
    {"flowcontrol_read_vs_write_current_requests", Type::histogram,
     "Read-only and mutating requests that wait or run, as a part of how many may; one observation a nanosecond.",
     Feature::utilization_metrics},
    {"flowcontrol_read_vs_write_request_count_samples", Type::histogram,
     "Read-only and mutating requests that wait or run; one observation a millisecond.", Feature::utilization_metrics,
     true},
    {"flowcontrol_read_vs_write_request_count_watermarks", Type::histogram,
     "Read-only and mutating requests that wait or run: the least and the most of each millisecond.",
     Feature::utilization_metrics, true},
    {"flowcontrol_rejected_requests_total", Type::counter, "Requests that were refused."},
    {"flowcontrol_request_concurrency_in_use", Type::gauge, "Seats that running and lingering requests hold.",
     Feature::concurrency_in_use_metric},
    {"flowcontrol_request_concurrency_limit", Type::gauge, "Seats that the level's shares give it.",
     Feature::concurrency_limit_metric},
    {"flowcontrol_request_dispatch_no_accommodation_total", Type::counter,
     "Times that the request whose turn it was did not fit into the free seats.", Feature::estimate_metrics},
    {"flowcontrol_request_execution_seconds", Type::histogram,
     "How long requests ran; watches: how long they initialized."},
    {"flowcontrol_request_queue_length_after_enqueue", Type::histogram,
     "Length of the queue that a request came into, itself included."},
    {"flowcontrol_request_wait_duration_seconds", Type::histogram, "How long requests waited in queues."},
    {"flowcontrol_seat_fair_frac", Type::gauge, "The fair part of its target that each level gets.",
     Feature::borrowing},
    {"flowcontrol_target_seats", Type::gauge, "Seats that the adjustment aims at.", Feature::borrowing},
    {"flowcontrol_upper_limit_seats", Type::gauge, "Seats that the level can have at most.", Feature::borrowing},
    {"flowcontrol_watch_count_samples", Type::histogram, "Watches that a mutating request must be told to."},
    {"flowcontrol_work_estimated_seats", Type::histogram,
     "Seats that requests are estimated to take, the wider of both phases.", Feature::estimate_metrics},
    {"longrunning_requests", Type::gauge, "Watches that are open."},
    {"request_duration_seconds", Type::histogram,
     "How long requests took, waits included; watches: how long they were open."},
    {"request_terminations_total", Type::counter, "Requests that were refused before their handler."},
    {"request_total", Type::counter, "Requests that were answered."},
};

void take_buckets(const BucketCounts& from, MetricSeries& to) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < from.counts().size(); ++i) {
    count += from.counts()[i];
    const bool last = i == from.bounds().size();
    to.buckets.push_back({last ? std::numeric_limits<double>::infinity() : from.bounds()[i], count});
  }
  to.sum = from.sum();
}

// One family per name, in the order of names.
struct Writer {
  const MetricCounters& counters;
  Controller& controller;
  std::vector<MetricFamily> families;

  Writer(const MetricCounters& from, Controller& of) : counters(from), controller(of) {
    for (const Name& n : kNames) families.push_back({std::string("apiserver_") + n.name, n.help, n.type, {}});
  }
  bool has(Feature feature) const { return apf::has(counters.version, feature); }
  // Whether the metrics of seats have the level.
  bool counts_seats(const MetricCounters::Level& level) const {
    return !level.exempt || has(Feature::exempt_level_has_seats);
  }
  // Takes out what the release does not have.
  std::vector<MetricFamily> take() {
    std::size_t i = 0;
    std::erase_if(families, [&](const MetricFamily& family) {
      const Name& n = kNames[i++];
      return family.series.empty() || has(n.feature) == n.former;
    });
    for (MetricFamily& family : families) {
      sort_stably(family.series, [](const MetricSeries& a, const MetricSeries& b) { return a.labels < b.labels; });
    }
    return std::move(families);
  }
  MetricSeries& add_to(std::string_view name, Labels labels) {
    std::size_t i = 0;
    while (std::string_view(kNames[i].name) != name) ++i;
    MetricSeries& series = families[i].series.emplace_back();
    std::sort(labels.begin(), labels.end());
    series.labels = std::move(labels);
    return series;
  }
  // Of flow control; the others by their whole names, with add_to().
  MetricSeries& add(const char* name, Labels labels) {
    return add_to(std::string("flowcontrol_") + name, std::move(labels));
  }
  void number(const char* name, Labels labels, double value) { add(name, std::move(labels)).value = value; }
  // `name`: without _samples and _watermarks.
  void samples(const std::string& name, const Labels& labels, const TimingRatio& of) {
    if (!of.samples()) return;
    histogram((name + "_samples").c_str(), labels, of.samples()->samples());
    for (const auto& [mark, values] : {std::pair{"low", &of.samples()->low()}, {"high", &of.samples()->high()}}) {
      Labels marked = labels;
      marked.emplace_back("mark", mark);
      histogram((name + "_watermarks").c_str(), std::move(marked), *values);
    }
  }
  void histogram(const char* name, Labels labels, const BucketCounts& from) {
    if (from.count() > 0) take_buckets(from, add(name, std::move(labels)));
  }
};

void write_levels(Writer& out) {
  constexpr double kUnits = 1e8;  // of seat-seconds
  const auto units = [](SeatSeconds work) { return static_cast<double>(work) / kUnits; };
  for (LevelId id = 0; id < out.counters.levels.size(); ++id) {
    const MetricCounters::Level& l = *out.counters.levels[id];
    const Labels pl = {{"priority_level", out.controller.level_name(id)}};
    const auto with = [&](const char* name, const char* value) {
      Labels labels = pl;
      labels.emplace_back(name, value);
      return labels;
    };
    if (!out.counts_seats(l)) continue;
    out.number("nominal_limit_seats", pl, l.last.nominal_cl);
    out.number("request_concurrency_limit", pl, l.last.nominal_cl);
    out.number("lower_limit_seats", pl, l.last.min_cl);
    out.number("upper_limit_seats", pl, l.last.max_cl);
    out.number("current_limit_seats", pl, l.last.current_cl);
    out.number("demand_seats_high_watermark", pl, l.last.high_watermark);
    out.number("demand_seats_average", pl, l.last.avg);
    out.number("demand_seats_stdev", pl, l.last.stdev);
    out.number("demand_seats_smoothed", pl, l.last.smoothed);
    out.number("target_seats", pl, l.last.target);
    out.histogram("demand_seats", pl, l.demand.times());
    out.histogram("priority_level_seat_utilization", with("phase", "executing"), l.seats.times());
    out.histogram("priority_level_request_utilization", with("phase", "executing"), l.executing.times());
    out.histogram("priority_level_request_utilization", with("phase", "waiting"), l.waiting.times());
    out.samples("priority_level_seat_count", with("phase", "executing"), l.seats);
    out.samples("priority_level_request_count", with("phase", "executing"), l.executing);
    out.samples("priority_level_request_count", with("phase", "waiting"), l.waiting);
    const QueueSet& queues = out.controller.queue_set(id);
    out.number("current_r", pl, units(queues.r()));
    if (const DispatchReading* reading = queues.last_dispatch()) {
      out.number("dispatch_r", pl, units(reading->r));
      out.number("latest_s", pl, units(reading->s));
      out.number("next_s_bounds", with("bound", "min"), units(reading->min_s));
      out.number("next_s_bounds", with("bound", "max"), units(reading->max_s));
      out.number("next_discounted_s_bounds", with("bound", "min"), units(reading->min_discounted_s));
      out.number("next_discounted_s_bounds", with("bound", "max"), units(reading->max_discounted_s));
    }
  }
}

void write_pairs(Writer& out, const std::vector<std::string>& schema_names) {
  for (const auto& p : out.counters.pairs) {
    const Labels both = {{"flow_schema", schema_names[p->schema]},
                         {"priority_level", out.controller.level_name(p->level)}};
    const auto with = [&](const char* name, const char* value) {
      Labels labels = both;
      labels.emplace_back(name, value);
      return labels;
    };
    const auto count = [&](const char* name, Labels labels, std::uint64_t n) {
      if (n > 0) out.number(name, std::move(labels), static_cast<double>(n));
    };
    for (const OutcomeRow& row : refusals())
      count("rejected_requests_total", with("reason", row.name), p->refused[row.outcome]);
    count("dispatched_requests_total", both, p->dispatched);
    count("request_dispatch_no_accommodation_total", both, p->not_accommodated);
    if (p->queued) {
      out.number("current_inqueue_requests", both, static_cast<double>(p->waiting));
      out.number("current_inqueue_seats", both, static_cast<double>(p->waiting_seats));
    }
    const bool seats = out.counts_seats(*out.counters.levels[p->level]);
    if (p->ran && seats) {
      out.number("current_executing_requests", both, static_cast<double>(p->executing));
      out.number("current_executing_seats", both, static_cast<double>(p->executing_seats));
      out.number("request_concurrency_in_use", both, static_cast<double>(p->executing_seats));
    }
    out.histogram("request_queue_length_after_enqueue", both, p->queue_length);
    out.histogram("request_wait_duration_seconds", with("execute", "true"), p->wait_executed);
    out.histogram("request_wait_duration_seconds", with("execute", "false"), p->wait_refused);
    const bool by_type = out.has(Feature::estimate_metrics);
    out.histogram("request_execution_seconds", by_type ? with("type", "regular") : both, p->regular);
    out.histogram("request_execution_seconds", with("type", "watch"), p->watch);
    if (!seats) continue;  // the requests are not estimated
    out.histogram("watch_count_samples", both, p->watches);
    out.histogram("work_estimated_seats", both, p->seats);
  }
}

void write_kinds(Writer& out) {
  for (const bool read_only : {false, true}) {
    const MetricCounters::Kind& k = out.counters.kinds[read_only ? 1 : 0];
    const char* name = read_only ? "readOnly" : "mutating";
    out.histogram("read_vs_write_current_requests", {{"phase", "executing"}, {"request_kind", name}},
                  k.executing.times());
    out.histogram("read_vs_write_current_requests", {{"phase", "waiting"}, {"request_kind", name}}, k.waiting.times());
    out.samples("read_vs_write_request_count", {{"phase", "executing"}, {"request_kind", name}}, k.executing);
    out.samples("read_vs_write_request_count", {{"phase", "waiting"}, {"request_kind", name}}, k.waiting);
    const Labels kind = {{"request_kind", name}};
    out.add_to("current_inflight_requests", kind).value = static_cast<double>(k.in_flight.last_high);
    out.add_to("current_inqueue_requests", kind).value = static_cast<double>(k.in_queue.last_high);
    if (k.dropped > 0) out.add_to("dropped_requests_total", kind).value = static_cast<double>(k.dropped);
  }
}

void write_endpoints(Writer& out, const std::vector<Endpoint>& endpoints) {
  for (std::size_t i = 0; i < out.counters.endpoints.size(); ++i) {
    const MetricCounters::ForEndpoint* book = out.counters.endpoints[i].get();
    if (!book) continue;
    const Endpoint& of = endpoints[i];
    const Labels plain = {
        {"component", "apiserver"},      {"group", of.group}, {"resource", of.resource}, {"scope", of.scope},
        {"subresource", of.subresource}, {"verb", of.verb},   {"version", of.version}};
    const auto with = [&](std::initializer_list<std::pair<std::string, std::string>> more) {
      Labels labels = plain;
      labels.insert(labels.end(), more);
      return labels;
    };
    std::map<int, std::uint64_t> codes = book->codes;
    // Those that API Priority and Fairness refuses were counted here, too.
    if (book->terminated > 0 && out.has(Feature::dropped_requests_metric)) codes[429] += book->terminated;
    for (const auto& [code, n] : codes)
      out.add_to("request_total", with({{"code", std::to_string(code)}, {"dry_run", ""}})).value =
          static_cast<double>(n);
    if (book->terminated > 0)
      out.add_to("request_terminations_total", with({{"code", "429"}})).value = static_cast<double>(book->terminated);
    if (book->duration.count() > 0)
      take_buckets(book->duration, out.add_to("request_duration_seconds", with({{"dry_run", ""}})));
    if (book->open > 0) out.add_to("longrunning_requests", plain).value = static_cast<double>(book->open);
  }
}

}  // namespace

std::vector<MetricFamily> families_of(const MetricCounters& counters, Controller& controller,
                                      const std::vector<std::string>& schema_names,
                                      const std::vector<Endpoint>& endpoints) {
  Writer out(counters, controller);
  write_levels(out);
  write_pairs(out, schema_names);
  write_kinds(out);
  write_endpoints(out, endpoints);
  out.number("seat_fair_frac", {}, counters.fair_frac);
  return out.take();
}

}  // namespace apf
