#include "logs/zone.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "base/hash.h"
#include "logs/chunk_source.h"

namespace apf {

namespace {

constexpr Nanos kStep = 15 * 60 * kSecond;
constexpr Nanos kLargest = 15 * 3600 * kSecond;
constexpr Nanos kApart = 60 * kSecond;  // both lines of a request are written within this
constexpr int kHttpChunks = 4, kAuditChunks = 512;
constexpr std::size_t kEnoughRequests = 20;

class Times final : public LogEventSink {
 public:
  std::unordered_map<std::uint64_t, Nanos> by_id;
  Nanos last = INT64_MIN;
  void on_event(const LogEvent& event, std::uint64_t) override {
    if (event.id.empty() || event.stage_time == kNoTime || !is_in_range(event)) return;
    if (!event.http && event.stage != Stage::response_complete) return;
    by_id.emplace(hash_bytes(event.id), event.stage_time);
    last = std::max(last, event.stage_time);
  }
  void on_unusable(Unusable, std::uint64_t) override {}
};

}  // namespace

Nanos find_zone(const std::vector<LogTrack>& tracks, const LogOptions& options) {
  const auto with = [&](LogFormat format) {
    return std::find_if(tracks.begin(), tracks.end(),
                        [&](const LogTrack& t) { return t.format == format && t.regular; });
  };
  const auto http = with(&kHttplogFormat), audit = with(&kAuditFormat);
  if (http == tracks.end() || audit == tracks.end()) return 0;
  LogParsers parsers;
  LogChunk chunk;
  Times lines;
  ChunkSource http_source(http->logs, kAnyFormat, options);
  for (int i = 0; i < kHttpChunks && http_source.next(chunk); ++i) parsers.of(chunk).parse(chunk, lines);
  std::vector<Nanos> zones;
  ChunkSource audit_source(audit->logs, kAnyFormat, options);
  for (int i = 0; i < kAuditChunks && zones.size() < kEnoughRequests && audit_source.next(chunk); ++i) {
    Times events;
    parsers.of(chunk).parse(chunk, events);
    for (const auto& [id, time] : events.by_id) {
      const auto it = lines.by_id.find(id);
      if (it == lines.by_id.end()) continue;
      const Nanos apart = time - it->second;
      const Nanos zone = (apart + (apart < 0 ? -kStep / 2 : kStep / 2)) / kStep * kStep;
      if (std::abs(apart - zone) <= kApart && std::abs(zone) <= kLargest) zones.push_back(zone);
    }
    if (!events.by_id.empty() && !lines.by_id.empty() && events.last > lines.last + kLargest + kApart) break;
  }
  if (zones.empty()) return 0;
  std::nth_element(zones.begin(), zones.begin() + static_cast<std::ptrdiff_t>(zones.size() / 2), zones.end());
  return zones[zones.size() / 2];
}

}  // namespace apf
