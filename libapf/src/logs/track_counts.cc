#include "logs/track_counts.h"

#include <algorithm>

namespace apf {

void TrackCounts::add(const EventBatch& batch) {
  lines += batch.lines;
  other_lines += batch.other_lines;
  implied_groups += batch.implied_groups;
  refusals.add(batch.refusals);
  for (const KeptNote& note : batch.notes)
    if (note.kind == ServerNote::Kind::trouble) troubles.add({note.level, 1, note.time});
  for (std::size_t i = 0; i < std::size(unusable); ++i) unusable[i] += batch.unusable.by_reason[i];
  origins.add(batch.file, batch.origins);
  renewals.add(batch.file, batch.renewals);
  if (batch.file >= spans.size()) spans.resize(batch.file + 1);
  spans[batch.file].first = std::min(spans[batch.file].first, batch.order.earliest());
  spans[batch.file].last = std::max(spans[batch.file].last, batch.order.latest());
  if (batch.file >= files.size()) files.resize(batch.file + 1);
  File& of = files[batch.file];
  of.lines += batch.lines;
  of.has_events = of.has_events || batch.has_events();
  of.format = batch.format;
  of.label = batch.label;
  of.bad.lines += batch.unusable.lines;
  for (const BadLines::Line& line : batch.unusable.first)
    if (of.bad.first.size() < BadLines::kMostFirst) of.bad.first.push_back(line);
}

void TrackCounts::add_text(std::uint32_t file, const TrackCounts& of) {
  other_lines += of.other_lines;
  for (std::size_t i = 0; i < std::size(unusable); ++i) unusable[i] += of.unusable[i];
  text.add(of.text);
  if (of.files.empty()) return;
  if (file >= files.size()) files.resize(file + std::size_t{1});
  files[file] = of.files.front();
  files[file].lines = 0;
}

}  // namespace apf
