#include "logs/track_reader.h"

#include <algorithm>

namespace apf {

void TrackCounts::add(const EventBatch& batch) {
  lines += batch.lines;
  other_lines += batch.other_lines;
  implied_groups += batch.implied_groups;
  refusals.add(batch.refusals);
  for (std::size_t i = 0; i < std::size(unusable); ++i) {
    const UnusableLines::Lines& of_batch = batch.unusable.by_reason[i];
    if (unusable[i].count == 0 && of_batch.count > 0) unusable[i] = {0, batch.file, of_batch.first};
    unusable[i].count += of_batch.count;
  }
  origins.add(batch.file, batch.origins);
  if (batch.file >= spans.size()) spans.resize(batch.file + 1);
  spans[batch.file].first = std::min(spans[batch.file].first, batch.earliest);
  spans[batch.file].last = std::max(spans[batch.file].last, batch.latest);
}

void fill_from_track(const TrackCounts& counts, const ChunkSource& source, LogReport& report) {
  report.logs.insert(report.logs.end(), source.names().begin(), source.names().end());
  report.bytes += source.stats().bytes;
  report.lines += counts.lines + source.too_long_lines();
  report.other_lines += counts.other_lines;
  for (int i = 0; i < static_cast<int>(Unusable::kCount); ++i) {
    const TrackCounts::Unusables& lines = counts.unusable[i];
    if (lines.count == 0) continue;
    const std::string reason = to_string(static_cast<Unusable>(i));
    report.unusable[reason] += lines.count;
    const std::string& log = source.names()[lines.file];
    report.first_unusable.try_emplace(reason, LogPlace{log == "-" ? "standard input" : log, lines.line});
  }
  if (source.too_long_lines() > 0) report.unusable[to_string(Unusable::too_long)] += source.too_long_lines();
  report.warnings.insert(report.warnings.end(), source.warnings().begin(), source.warnings().end());
}

}  // namespace apf
