// replay(): log files in, report out. Reading and classification run in parallel, everything else in order.
#include <apf/error.h>
#include <apf/replay.h>

#include <charconv>

#include "replay/engine.h"
#include "replay/input.h"
#include "replay/metrics_book.h"
#include "replay/replay_into.h"
#include "replay/series_book.h"

namespace apf {

namespace {

std::vector<std::shared_ptr<const Classifier>> compile(const ReplayOptions& options) {
  std::vector<std::shared_ptr<const Classifier>> out{std::make_shared<Classifier>(options.config)};
  for (const auto& change : options.config_changes) out.push_back(std::make_shared<Classifier>(change.second));
  return out;
}

}  // namespace

std::optional<ReplayTime> ReplayTime::parse(std::string_view text) {
  ReplayTime time;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time.value);
  if (error == std::errc() && end == text.data() + text.size()) return time;
  if (const auto instant = parse_rfc3339(text)) {
    time.value = *instant;
    return time;
  }
  if (const auto duration = parse_go_duration(text)) {
    time.relative = true;
    time.value = *duration;
    return time;
  }
  return std::nullopt;
}

ReplayReport replay(const ReplayOptions& options) {
  OutputFile decisions(options.decisions_path), timeline(options.timeline_path);
  ReplayReport report = replay_into(options, decisions, timeline);
  decisions.commit();
  timeline.commit();
  return report;
}

ReplayReport replay_into(const ReplayOptions& options, OutputFile& decisions_file, OutputFile& timeline_file) {
  PrepareContext context;
  context.classifiers = compile(options);
  context.rules = SeatRules::of(options.controller.version);
  if (options.consistent_list_from_cache) context.rules.consistent_list_from_cache = *options.consistent_list_from_cache;
  context.objects = &options.objects;
  context.request_timeout = options.request_timeout;
  context.keep_text_ids = !options.decisions_path.empty();

  ReplayReport report;
  Flows flows(context.classifiers);
  DecisionWriter decisions(decisions_file, flows.reports(), options.server);
  Engine engine(options, context.classifiers, flows, decisions, timeline_file);
  MetricsBook metrics;
  SeriesBook series;
  if (options.metrics) engine.observe(metrics);
  if (options.series) engine.observe(series);

  Input input(options.logs, options.log_format, context, options.threads);
  IdTexts texts;
  Joiner joiner(
      options.reorder_window, options.reorder_limit,
      [&](Nanos now, JoinedEvent& joined) { engine.take(now, joined, texts.take(joined.event.text_id)); },
      [&](const PreparedEvent& event) { texts.take(event.text_id); });
  FlowNumbers numbers;
  std::uint64_t requests = 0;
  while (PreparedBatch* batch = input.next(report)) {
    numbers.extend(*batch, flows);
    for (PreparedEvent& event : batch->events) {
      event.flow = numbers.global(batch->worker, event.flow);
      if (event.text_id != 0) event.text_id = texts.put(std::move(batch->texts[event.text_id - 1]));
      joiner.add(std::move(event));
    }
    requests = joiner.requests();
    if (options.progress) {
      const ChunkSourceStats& stats = input.stats();
      options.progress({stats.input_bytes, stats.total_input_bytes, requests, engine.now()});
    }
    if (options.interrupted && options.interrupted->load(std::memory_order_relaxed)) {
      report.interrupted = true;
      break;
    }
  }
  joiner.finish();
  engine.finish();
  engine.fill(report);
  report.server = options.server;
  if (options.metrics) report.metrics = metrics.families(flows.schema_names());
  if (options.series) report.series = series.series();
  if (options.all_flows) report.all_flows = std::move(flows.reports());
  input.fill(report);
  report.requests = joiner.requests();
  report.out_of_window = joiner.out_of_window();
  if (joiner.negative_latencies() > 0)
    report.warnings.push_back(std::to_string(joiner.negative_latencies()) +
                              " events end before they were received; they are taken to arrive when they end.");
  if (joiner.unfinished() > 0)
    report.warnings.push_back(std::to_string(joiner.unfinished()) + " requests have no end in the log.");
  return report;
}

}  // namespace apf
