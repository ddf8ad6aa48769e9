#include "logs/tracks.h"

#include <apf/error.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "logs/chunk_source.h"
#include "logs/formats/format.h"
#include "logs/formats/text_scan.h"
#include "logs/inflate.h"
#include "logs/log_order.h"
#include "logs/sort_log.h"

namespace apf {

namespace {

// The time of the first event or note in a chunk.
class FirstTime final : public LogEventSink {
 public:
  Nanos time = kNoTime;
  void on_event(const LogEvent& event, std::uint64_t) override {
    if (time == kNoTime) time = event.stage_time != kNoTime ? event.stage_time : event.received;
  }
  void on_note(const ServerNote& note, std::uint64_t) override {
    if (time == kNoTime) time = note.time;
  }
  void on_unusable(Unusable, std::uint64_t) override {}
};

// Mostly the first lines have it.
Nanos first_time(LogChunk& chunk, LogParsers& parsers) {
  constexpr std::size_t kFirst = 1u << 14;
  FirstTime first;
  const std::size_t whole = chunk.size, newline = chunk.buffer.find('\n', kFirst);
  if (newline < whole && !chunk.whole_documents && !chunk.sorted) {
    const char next = std::exchange(chunk.buffer[newline + 1], '\0');
    chunk.size = newline + 1;
    parsers.of(chunk).parse(chunk, first);
    chunk.buffer[newline + 1] = next;
    chunk.size = whole;
  }
  if (first.time == kNoTime) parsers.of(chunk).parse(chunk, first);
  return first.time;
}

std::size_t place_of(LogFormat format) {
  const auto all = log_formats();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), format) - all.begin());
}

bool is_klog(LogFormat format) { return format == &kHttplogFormat || format == &kHttplogJsonFormat; }

// What the beginning of a file shows of what it holds.
struct Beginning {
  LogFormat format = &kAuditFormat;
  bool audit = true, http = false;
  Nanos time = kNoTime;
};

Beginning look_into(const std::string& path, const LogOptions& options, LogChunk& chunk, LogParsers& parsers) {
  Beginning out;
  ChunkSource source({&path, 1}, kAnyFormat, options);
  if (!source.next(chunk)) return out;
  out.format = chunk.format;
  const std::string_view text(chunk.buffer.data(), chunk.size);
  // The logs name the ID of a request differently; what a shipper takes from a container may hold both.
  const bool audit = holds(text, "auditID"), http = holds(text, "audit-ID");
  out.http = http || is_klog(out.format);
  out.audit = audit || !out.http;
  out.time = first_time(chunk, parsers);
  return out;
}

std::vector<LogTrack> sort_by_content(const LogOptions& options) {
  const std::vector<std::string>& logs = options.logs;
  const LogFormat wanted = parse_log_format(options.log_format);
  const LogTexts texts = options.order->with_kept(options.texts);
  const auto is_regular = [&](const std::string& path) { return can_be_read_again(path, texts); };
  if (wanted != kAnyFormat)
    return {{logs, wanted, std::all_of(logs.begin(), logs.end(), is_regular), !is_klog(wanted), is_klog(wanted)}};
  const ChunkSource checks_paths(logs, wanted, options);
  struct Part {
    std::string path;
    Nanos time;
  };
  // By what they hold; formats in the order of the table.
  std::map<std::tuple<bool, std::size_t, bool>, std::vector<Part>> kinds;
  std::vector<LogTrack> pipes;
  LogChunk chunk;  // of all of them, as there may be many
  LogParsers parsers;
  for (const std::string& path : logs) {
    if (!is_regular(path)) {
      pipes.push_back({{path}, kAnyFormat, false, true, true});
      continue;
    }
    Beginning begins = look_into(path, options, chunk, parsers);
    const HeldKinds holds = options.order->held_in(path);
    begins.audit = begins.audit || holds.audit;
    begins.http = begins.http || holds.http;
    kinds[{!begins.audit, place_of(begins.format), begins.http}].push_back({path, begins.time});
  }
  std::vector<LogTrack> tracks;
  for (auto& [kind, parts] : kinds) {
    const auto& [no_audit, place, http] = kind;
    const LogFormat found = log_formats()[place];
    // Trace lines may come from anywhere.
    const bool timed = found != &kTraceFormat &&
                       std::all_of(parts.begin(), parts.end(), [](const Part& p) { return p.time != kNoTime; });
    if (timed)
      std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.time < b.time; });
    // Times without a year were read as of the one that is given: what is half a year earlier comes after New Year.
    if (timed && options.log_year != 0 && is_klog(found)) {
      const Nanos last = parts.back().time;
      const auto is_next_year = [&](const Part& part) { return part.time < last - 183 * 24 * 3600 * kSecond; };
      std::rotate(parts.begin(), std::find_if_not(parts.begin(), parts.end(), is_next_year), parts.end());
    }
    LogTrack& track = tracks.emplace_back(LogTrack{{}, found, true, !no_audit, http});
    for (Part& part : parts) track.logs.push_back(std::move(part.path));
  }
  for (LogTrack& pipe : pipes) tracks.push_back(std::move(pipe));
  return tracks;
}

}  // namespace

std::vector<LogTrack> sort_into_tracks(const LogOptions& options) {
  std::vector<LogTrack> out;
  for (LogTrack& track : sort_by_content(options))
    for (LogTrack& part : in_order(std::move(track), options)) out.push_back(std::move(part));
  return out;
}

bool are_joined(const std::vector<LogTrack>& tracks) {
  const auto any = [&](bool LogTrack::*holds) {
    return std::any_of(tracks.begin(), tracks.end(), [&](const LogTrack& t) { return t.*holds; });
  };
  // A pipe alone is taken to hold one of them.
  if (tracks.size() == 1 && !tracks.front().regular) return false;
  return any(&LogTrack::may_hold_audit) && any(&LogTrack::may_hold_http);
}

}  // namespace apf
