#include "logs/track_reader.h"
#include "base/text.h"

#include <apf/error.h>
#include <fmt/core.h>

#include <algorithm>

#include "logs/formats/format.h"
#include "logs/sorted_record.h"

namespace apf {

namespace {

bool is_damaged(const ChunkSource& source, const std::string& log) {
  return std::any_of(source.warnings().begin(), source.warnings().end(), [&](const Remark& remark) {
    return remark.kind == RemarkKind::log_damaged && remark.name == name_of_input(log);
  });
}

bool is_klog(const TrackCounts::File& file) {
  return file.format == &kHttplogFormat || file.format == &kHttplogJsonFormat;
}

// What a log seems to be in which there is no event of a request, and nothing that the server says of itself.
std::string describe_without_events(const TrackCounts::File& file) {
  std::string out = "looks like ";
  if (is_klog(file))
    out +=
        "a log in klog's format, but no line is about a request (kube-apiserver writes those from -v=3 on; of a "
        "client's log apfctl log says what it tells)";
  else if (*file.label) out += fmt::format("{}, but has no request of kube-apiserver", file.label);
  else out += fmt::format("a log of the format {}, but has no request", file.format->name);
  if (file.bad.first.empty()) return out;
  const BadLines::Line& first = file.bad.first.front();
  return out + fmt::format(": {} of {} lines cannot be used; line {}: {}", file.bad.lines, file.lines, first.number,
                           first.why);
}

void check_events(const TrackCounts& counts, const ChunkSource& source, LogReport& report) {
  const bool has_others = !report.logs.empty() || std::any_of(counts.files.begin(), counts.files.end(),
                                                              [](const auto& file) { return file.has_events; });
  for (std::size_t i = 0; i < counts.files.size(); ++i) {
    const TrackCounts::File& file = counts.files[i];
    const std::string& log = source.names()[i];
    if (file.has_events || file.lines == 0 || !file.format || is_damaged(source, log)) continue;
    // An empty list, or an answer without results.
    if (file.bad.lines == 0 && !is_klog(file)) continue;
    if (file.bad.lines == 0 && has_others) {
      report.warnings.push_back(
          {.kind = RemarkKind::logs_left_out,
           .count = 1,
           .name = name_of_input(log),
           .detail = "klog's lines, none of a request: kube-apiserver writes those from -v=3 on"});
      continue;
    }
    throw Error(name_of_input(log) + " " + describe_without_events(file));
  }
}

}  // namespace

std::string_view beginning_of_line(std::string_view text) {
  constexpr std::size_t kMostText = 120;
  return text.substr(0, std::min(text.find_first_of("\r\n"), kMostText));
}

void add_texts(const LogChunk& chunk, UnusableLines& lines) {
  if (chunk.sorted) return add_texts_of_records(chunk, lines);
  for (BadLines::Line& line : lines.first) {
    std::string_view rest(chunk.buffer.data(), chunk.size);
    for (std::uint64_t number = chunk.first_line; number < line.number && !rest.empty(); ++number)
      rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    line.text = beginning_of_line(rest);
  }
}

void fill_from_track(const TrackCounts& counts, const ChunkSource& source, bool needs_events, LogReport& report) {
  if (needs_events) check_events(counts, source, report);
  report.logs.insert(report.logs.end(), source.names().begin(), source.names().end());
  report.bytes += source.stats().bytes;
  report.lines += counts.lines + source.too_long_lines();
  report.other_lines += counts.other_lines;
  for (int i = 0; i < static_cast<int>(Unusable::kCount); ++i)
    if (counts.unusable[i] > 0) report.unusable[to_string(static_cast<Unusable>(i))] += counts.unusable[i];
  for (std::size_t i = 0; i < counts.files.size(); ++i) {
    if (counts.files[i].bad.lines == 0) continue;
    report.bad_lines.push_back(counts.files[i].bad);
    report.bad_lines.back().log = name_of_input(source.names()[i]);
  }
  if (source.too_long_lines() > 0) report.unusable[to_string(Unusable::too_long)] += source.too_long_lines();
  report.warnings.insert(report.warnings.end(), source.warnings().begin(), source.warnings().end());
}

}  // namespace apf
