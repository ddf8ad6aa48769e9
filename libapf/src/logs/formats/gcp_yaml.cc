#include "logs/formats/gcp_yaml.h"

#include <algorithm>

#include <apf/output.h>

#include "config/reader.h"
#include "logs/formats/any_line.h"
#include "logs/formats/format.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

constexpr std::string_view kDocument = "---", kItem = "- ";

// What the lines begin with that entries begin with, seen in the first line that is not blank.
std::string_view mark_of(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(kItem)) return kItem;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#' && !line.starts_with(kDocument)) break;
  }
  return kDocument;
}

// The next line after `at` that begins with the mark; the text's end if there is none.
std::size_t next_mark(std::string_view text, std::string_view mark, std::size_t at) {
  while ((at = text.find('\n', at)) != std::string_view::npos)
    if (text.substr(++at).starts_with(mark)) return at;
  return text.size();
}

// What is sent and answered is of no use here, and large.
bool is_body(std::string_view key) { return key == "request" || key == "response"; }

void write_json(const ConfigNode& node, JsonWriter& out) {
  switch (node.kind()) {
    case NodeKind::null:
      out.null();
      return;
    case NodeKind::boolean:
      out.value(node.boolean());
      return;
    case NodeKind::integer:
    case NodeKind::floating:
      out.raw(node.number_text());
      return;
    case NodeKind::string:
      out.value(node.text());
      return;
    case NodeKind::sequence:
      out.begin_array();
      for (const ConfigNode& item : node.items()) write_json(item, out);
      out.end_array();
      return;
    case NodeKind::mapping:
      out.begin_object();
      for (const ConfigEntry& entry : node.entries()) {
        if (is_body(entry.key.text())) continue;
        out.key(entry.key.text());
        write_json(entry.value, out);
      }
      out.end_object();
      return;
  }
}

// Each entry becomes the JSON that it would have been written as.
class GcpYamlParser final : public LogParser {
 public:
  void parse(const LogChunk& chunk, LogEventSink& sink) override {
    const std::string_view text(chunk.buffer.data(), chunk.size);
    const std::string_view mark = mark_of(text);
    entries_->begin(chunk.calendar);
    std::uint64_t line = chunk.first_line;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = next_mark(text, mark, at);
      read_entry(text.substr(at, end - at), line, sink);
      line += count_newlines(text.data() + at, end - at);
      at = end;
    }
  }

 private:
  void read_entry(std::string_view text, std::uint64_t line, LogEventSink& sink) {
    std::vector<Diagnostic> faults;
    const std::shared_ptr<ConfigTree> tree = read_tree({"", std::string(text)}, faults);
    if (!faults.empty()) sink.on_unusable(Unusable::not_yaml, line);
    for (const ConfigDocument& document : tree->documents()) {
      if (document.root->is_null()) continue;
      JsonWriter json;
      write_json(*document.root, json);
      entries_->parse_line(json.str(), {line}, sink);
    }
  }

  std::unique_ptr<AnyLineParser> entries_ = make_any_line_parser();
};

std::unique_ptr<LogParser> make_gcp_yaml_parser() { return std::make_unique<GcpYamlParser>(); }

bool recognises_gcp_yaml(std::string_view line, const JsonOutline&) {
  const std::size_t begin = line.find_first_not_of(" -");
  if (begin == std::string_view::npos) return false;
  const std::string_view text = line.substr(begin);
  return text.starts_with("protoPayload:") || text.starts_with("insertId:");
}

}  // namespace

std::size_t last_yaml_entry(std::string_view text) {
  const std::string_view mark = mark_of(text);
  std::size_t last = 0;
  for (std::size_t at = 0; (at = next_mark(text, mark, at)) < text.size();) last = at;
  return last;
}

constinit const FormatRow kGcpYamlFormat{"gcp-yaml", recognises_gcp_yaml, make_gcp_yaml_parser, false, last_yaml_entry};

}  // namespace apf
