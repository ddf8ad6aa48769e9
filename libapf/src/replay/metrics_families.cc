// The books of a run as metric families: names, types and labels as kube-apiserver v1.36 exports them.
#include <algorithm>
#include <limits>

#include "replay/metrics_book.h"

namespace apf {

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;
using Type = MetricFamily::Type;

struct Name {
  const char* name;  // after apiserver_flowcontrol_
  Type type;
  const char* help;
};

constexpr Name kNames[] = {
    {"current_executing_requests", Type::gauge, "Requests that run; watches while they initialize."},
    {"current_executing_seats", Type::gauge, "Seats that running and lingering requests hold."},
    {"current_inqueue_requests", Type::gauge, "Requests that wait in queues."},
    {"current_inqueue_seats", Type::gauge, "Seats that waiting requests will want."},
    {"current_limit_seats", Type::gauge, "Seats that the level has at the moment, borrowed ones included."},
    {"current_r", Type::gauge, "The progress meter at its last change, in seat-seconds per queue."},
    {"demand_seats", Type::histogram,
     "Seats held and waited for, as a part of the limit; one observation a nanosecond."},
    {"demand_seats_average", Type::gauge,
     "Seats held and waited for: average over time of the last adjustment period."},
    {"demand_seats_high_watermark", Type::gauge, "Seats held and waited for: the most in the last adjustment period."},
    {"demand_seats_smoothed", Type::gauge, "Seats held and waited for: what the adjustment makes of its past."},
    {"demand_seats_stdev", Type::gauge,
     "Seats held and waited for: standard deviation over the last adjustment period."},
    {"dispatch_r", Type::gauge, "The progress meter at the last dispatch, in seat-seconds per queue."},
    {"dispatched_requests_total", Type::counter, "Requests that were let in."},
    {"latest_s", Type::gauge, "Virtual start of the request that was dispatched last, in seat-seconds."},
    {"lower_limit_seats", Type::gauge, "Seats that the level always keeps."},
    {"next_discounted_s_bounds", Type::gauge,
     "Least and most over queues of the virtual start of the oldest request, less the work guessed to be in progress."},
    {"next_s_bounds", Type::gauge, "Least and most over queues of the virtual start of the oldest request."},
    {"nominal_limit_seats", Type::gauge, "Seats that the level's shares give it."},
    {"priority_level_request_utilization", Type::histogram,
     "Requests that wait or run, as a part of how many may; one observation a nanosecond."},
    {"priority_level_seat_utilization", Type::histogram,
     "Seats held, as a part of the limit; one observation a nanosecond."},
    {"read_vs_write_current_requests", Type::histogram,
     "Read-only and mutating requests that wait or run, as a part of how many may; one observation a nanosecond."},
    {"rejected_requests_total", Type::counter, "Requests that were refused."},
    {"request_concurrency_in_use", Type::gauge, "Seats that running and lingering requests hold."},
    {"request_concurrency_limit", Type::gauge, "Seats that the level's shares give it."},
    {"request_dispatch_no_accommodation_total", Type::counter,
     "Times that the request whose turn it was did not fit into the free seats."},
    {"request_execution_seconds", Type::histogram, "How long requests ran; watches: how long they initialized."},
    {"request_queue_length_after_enqueue", Type::histogram,
     "Length of the queue that a request came into, itself included."},
    {"request_wait_duration_seconds", Type::histogram, "How long requests waited in queues."},
    {"seat_fair_frac", Type::gauge, "The fair part of its target that each level gets."},
    {"target_seats", Type::gauge, "Seats that the adjustment aims at."},
    {"upper_limit_seats", Type::gauge, "Seats that the level can have at most."},
    {"watch_count_samples", Type::histogram, "Watches that a mutating request must be told to."},
    {"work_estimated_seats", Type::histogram, "Seats that requests are estimated to take, the wider of both phases."},
};
constexpr const char* kInflight = "apiserver_current_inflight_requests";

template <class Histogram>
void take_buckets(const Histogram& from, MetricSeries& to) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < from.counts().size(); ++i) {
    count += from.counts()[i];
    const bool last = i == from.bounds().size();
    to.buckets.push_back({last ? std::numeric_limits<double>::infinity() : from.bounds()[i], count});
  }
  to.sum = from.sum();
}

}  // namespace

// One family per name, in the order of names.
struct MetricsBook::Writer {
  std::vector<MetricFamily> families;
  Controller& controller;
  const std::vector<std::string>& schema_names;

  Writer(Controller& c, const std::vector<std::string>& names) : controller(c), schema_names(names) {
    families.push_back({kInflight, "Requests in flight: the most within the last whole second.", Type::gauge, {}});
    for (const Name& n : kNames)
      families.push_back({std::string("apiserver_flowcontrol_") + n.name, n.help, n.type, {}});
  }
  MetricSeries& add(const char* name, Labels labels) {
    std::size_t i = 0;
    while (std::string_view(kNames[i].name) != name) ++i;
    MetricSeries& series = families[i + 1].series.emplace_back();
    std::sort(labels.begin(), labels.end());
    series.labels = std::move(labels);
    return series;
  }
  void number(const char* name, Labels labels, double value) { add(name, std::move(labels)).value = value; }
  template <class Histogram>
  void histogram(const char* name, Labels labels, const Histogram& from) {
    if (from.count() > 0) take_buckets(from, add(name, std::move(labels)));
  }
};

std::vector<MetricFamily> MetricsBook::families(const std::vector<std::string>& schema_names) {
  if (!controller_) return {};
  close();
  Writer out(*controller_, schema_names);
  write_levels(out);
  write_pairs(out);
  write_kinds(out);
  out.number("seat_fair_frac", {}, fair_frac_);
  std::erase_if(out.families, [](const MetricFamily& family) { return family.series.empty(); });
  for (MetricFamily& family : out.families) {
    std::stable_sort(family.series.begin(), family.series.end(),
                     [](const MetricSeries& a, const MetricSeries& b) { return a.labels < b.labels; });
  }
  return std::move(out.families);
}

void MetricsBook::write_levels(Writer& out) const {
  constexpr double kUnits = 1e8;  // of seat-seconds
  const auto units = [](SeatSeconds work) { return static_cast<double>(work) / kUnits; };
  for (LevelId id = 0; id < levels_.size(); ++id) {
    const Level& l = *levels_[id];
    const Labels pl = {{"priority_level", out.controller.level_name(id)}};
    const auto with = [&](const char* name, const char* value) {
      Labels labels = pl;
      labels.emplace_back(name, value);
      return labels;
    };
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
    out.histogram("demand_seats", pl, l.demand);
    out.histogram("priority_level_seat_utilization", with("phase", "executing"), l.seats);
    out.histogram("priority_level_request_utilization", with("phase", "executing"), l.executing);
    out.histogram("priority_level_request_utilization", with("phase", "waiting"), l.waiting);
    const QueueSet& queues = out.controller.queue_set(id);
    out.number("current_r", pl, units(queues.r()));
    if (const QueueSet::DispatchReading* reading = queues.last_dispatch()) {
      out.number("dispatch_r", pl, units(reading->r));
      out.number("latest_s", pl, units(reading->s));
      out.number("next_s_bounds", with("bound", "min"), units(reading->min_s));
      out.number("next_s_bounds", with("bound", "max"), units(reading->max_s));
      out.number("next_discounted_s_bounds", with("bound", "min"), units(reading->min_discounted_s));
      out.number("next_discounted_s_bounds", with("bound", "max"), units(reading->max_discounted_s));
    }
  }
}

void MetricsBook::write_pairs(Writer& out) const {
  for (const auto& p : pairs_) {
    const Labels both = {{"flow_schema", out.schema_names[p->schema]},
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
    if (p->ran) {
      out.number("current_executing_requests", both, static_cast<double>(p->executing));
      out.number("current_executing_seats", both, static_cast<double>(p->executing_seats));
      out.number("request_concurrency_in_use", both, static_cast<double>(p->executing_seats));
    }
    out.histogram("request_queue_length_after_enqueue", both, p->queue_length);
    out.histogram("request_wait_duration_seconds", with("execute", "true"), p->wait_executed);
    out.histogram("request_wait_duration_seconds", with("execute", "false"), p->wait_refused);
    out.histogram("request_execution_seconds", with("type", "regular"), p->regular);
    out.histogram("request_execution_seconds", with("type", "watch"), p->watch);
    out.histogram("watch_count_samples", both, p->watches);
    out.histogram("work_estimated_seats", both, p->seats);
  }
}

void MetricsBook::write_kinds(Writer& out) const {
  for (const bool read_only : {false, true}) {
    const Kind& k = kinds_[read_only ? 1 : 0];
    const char* name = read_only ? "readOnly" : "mutating";
    out.histogram("read_vs_write_current_requests", {{"phase", "executing"}, {"request_kind", name}}, k.executing);
    out.histogram("read_vs_write_current_requests", {{"phase", "waiting"}, {"request_kind", name}}, k.waiting);
    MetricSeries& inflight = out.families.front().series.emplace_back();
    inflight.labels = {{"request_kind", name}};
    inflight.value = static_cast<double>(k.last_high);
  }
}

}  // namespace apf
