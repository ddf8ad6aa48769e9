#include "logs/partial_lines.h"

#include <algorithm>

#include "logs/formats/klog_line.h"
#include "logs/formats/text_scan.h"
#include "logs/log_event.h"

namespace apf {

namespace {

// A part without an end would grow without limit.
constexpr std::size_t kLongest = std::size_t{64} << 20;

struct RuntimeLine {
  int stream = -1;                   // 0 stdout, 1 stderr; -1: it is no such line
  bool partial = false;              // P
  std::size_t tag = 0, content = 0;  // where they begin
};

RuntimeLine split_runtime_line(std::string_view line) {
  RuntimeLine out;
  const std::size_t time = line.substr(0, 40).find(' ');
  if (time == std::string_view::npos) return out;
  const std::string_view rest = line.substr(time + 1);
  const bool known = (rest.starts_with("stdout ") || rest.starts_with("stderr ")) && rest.size() > 7 &&
                     (rest[7] == 'P' || rest[7] == 'F');
  if (!known || leading_time(line) == kNoTime) return out;
  const std::size_t end = rest.find(' ', 8);  // tags may follow, behind colons
  if (rest.size() > 8 && rest[8] != ' ' && rest[8] != ':') return out;
  out.stream = rest[3] == 'o' ? 0 : 1;
  out.partial = rest[7] == 'P';
  out.tag = time + 8;
  out.content = end == std::string_view::npos ? line.size() : time + 1 + end + 1;
  return out;
}

}  // namespace

bool begins_as_runtime_log(std::string_view text) {
  return split_runtime_line(text.substr(0, text.find('\n'))).stream >= 0;
}

void PartialLines::flush(Open& open, std::string& out) {
  if (open.newlines == 0) return;
  out.append(open.text).append(open.newlines, '\n');
  open = Open();
}

void PartialLines::add(std::string_view line, std::string& out) {
  const RuntimeLine parts = split_runtime_line(line.substr(0, line.find('\n')));
  const bool ends = line.ends_with('\n');
  const bool alone = parts.stream < 0 || (!parts.partial && open_[parts.stream].newlines == 0);
  if (alone) {
    out += line;
    return;
  }
  Open& open = open_[parts.stream];
  std::string_view text = ends ? line.substr(0, line.size() - 1) : line;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (open.newlines == 0) {
    open.text = text;
    open.text[parts.tag] = 'F';
  } else {
    open.text += text.substr(std::min(parts.content, text.size()));
  }
  ++open.newlines;
  if (!parts.partial || open.text.size() > kLongest) flush(open, out);
}

bool PartialLines::join(std::string_view text, bool last, std::string& out) {
  const bool open = open_[0].newlines + open_[1].newlines > 0;
  if (!open && !holds(text, " stdout P") && !holds(text, " stderr P")) return false;
  out.clear();
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    add(text.substr(0, size), out);
    text.remove_prefix(size);
  }
  if (last)
    for (Open& rest : open_) flush(rest, out);
  return true;
}

}  // namespace apf
