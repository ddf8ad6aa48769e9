// YAML into a located tree. The text is cut at its document markers first, as kubectl does, so that one broken document
// does not take the others with it. yaml-cpp's events build the tree; each is held against what libyaml reads there.
#include <algorithm>
#include <istream>
#include <streambuf>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/background.h"
#include "config/dialect.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/yaml_events.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

constexpr std::string_view kYamlTag = "tag:yaml.org,2002:";

[[noreturn]] void fail(std::size_t begin, std::size_t end, std::string message) {
  throw SyntaxFault{kSyntaxError, begin, end, std::move(message)};
}

// A text as a stream, without a copy of it.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // nothing writes to it
    setg(begin, begin, begin + text.size());
  }
};

// The short name of a type of YAML's own; empty for any other tag, which makes a string of a scalar.
std::string_view type_of_tag(std::string_view tag) {
  return tag.starts_with(kYamlTag) ? tag.substr(kYamlTag.size()) : std::string_view();
}

// Nothing if the tag does not fit the value.
std::optional<NodeKind> tagged_kind(std::string_view type, std::string_view value) {
  const NodeKind read = resolve_plain(value);
  if (type == "null") return read == NodeKind::null ? std::optional(read) : std::nullopt;
  if (type == "bool") return read == NodeKind::boolean ? std::optional(read) : std::nullopt;
  if (type != "int" && type != "float") return NodeKind::string;
  if (read == NodeKind::integer && (type == "int" ? is_written_as_integer(value) : plain_integer(value).has_value()))
    return read;
  return type == "float" && read == NodeKind::floating ? std::optional(read) : std::nullopt;
}

class YamlHandler final : public YAML::EventHandler {
 public:
  YamlHandler(std::string_view text, const std::vector<YamlEvent>& judged, TreeBuilder& builder)
      : text_(text), judged_(judged), builder_(builder) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override {
    const YamlEvent& event = agree(YamlEventKind::scalar);
    if (event.style != NodeStyle::plain || resolve_plain(event.text) != NodeKind::null) differ(event);
    add_scalar(event, "?", anchor);
  }
  void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    const YamlEvent& event = agree(YamlEventKind::scalar);
    if (value != event.text || (event.tag.empty() ? tag != "?" && tag != "!" : tag != event.tag)) differ(event);
    add_scalar(event, tag, anchor);
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override {
    const YamlEvent& event = agree(YamlEventKind::alias);
    if (anchor != event.anchor) differ(event);
    builder_.alias(anchor, event.begin, event.end);
    check_key();
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(NodeKind::sequence, agree(YamlEventKind::sequence), anchor, '[');
  }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    begin(NodeKind::mapping, agree(YamlEventKind::mapping), anchor, '{');
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

  // After the last event of yaml-cpp.
  void finish() const {
    if (next_ < judged_.size()) differ(judged_[next_]);
  }
  // `at` is where yaml-cpp reads no further.
  [[noreturn]] void refuse(std::size_t at) const {
    const auto after = std::upper_bound(judged_.begin() + 1, judged_.end(), at,
                                        [](std::size_t place, const YamlEvent& event) { return place < event.start; });
    differ(*(after - 1));
  }

 private:
  const YamlEvent& agree(YamlEventKind kind) {
    if (next_ >= judged_.size()) differ(judged_.back());
    if (judged_[next_].kind != kind) differ(judged_[next_]);
    return judged_[next_++];
  }

  [[noreturn]] static void differ(const YamlEvent& event) {
    const bool block = event.style == NodeStyle::literal || event.style == NodeStyle::folded;
    const bool properties = event.start != event.begin;
    const char* cure = "write the text in double quotes, on one line";
    if (block && properties) cure = "indent the lines below this further";
    else if (block) cure = "write '|+' for '>+', or the text in double quotes";
    else if (!event.tag.empty()) cure = "write the text in double quotes, without its tag";
    else if (event.style == NodeStyle::double_quoted) cure = "write \\u0085 for \\N, and \\u00a0 for \\_";
    fail(event.begin, std::max(event.end, event.begin + 1),
         fmt::format("YAML: readers of YAML read this differently, and apfctl does not guess: {}", cure));
  }

  void add_scalar(const YamlEvent& event, const std::string& tag, std::size_t anchor) {
    const std::string_view type = type_of_tag(tag);
    const NodeKind kind = tag != "?"                        ? checked_kind(event, type)
                          : event.style == NodeStyle::plain ? resolve_plain(event.text)
                                                            : NodeKind::string;
    if (kind == NodeKind::floating && !is_finite_number(event.text))
      fail(event.begin, event.end, "YAML: JSON has no such number, so that kubectl refuses it");
    std::size_t begin = event.begin, end = event.end;
    if (event.style == NodeStyle::plain && event.text.empty()) std::tie(begin, end) = place_of_nothing(event, tag);
    builder_.scalar(kind, event.style, event.text, begin, end, anchor);
    const bool merges = type == "merge" || (event.style == NodeStyle::plain && (tag == "?" || tag == "!"));
    if (merges && event.text == "<<" && builder_.expects_value()) builder_.mark_merge_key();
    check_key();
  }

  NodeKind checked_kind(const YamlEvent& event, std::string_view type) const {
    const bool unread = type == "binary" || type == "timestamp";
    const std::optional<NodeKind> kind = tagged_kind(type, event.text);
    if (!unread && kind) return *kind;
    const std::size_t begin = text_.find('!', event.start);
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n", begin), text_.size());
    fail(begin, end,
         unread
             ? fmt::format("YAML: apfctl does not read values of the type !!{}; write the text itself in quotes", type)
             : fmt::format("YAML: the tag !!{} does not fit this value", type));
  }

  // Of a value that isn't written. In a mapping its key is all there is to point at, in a list its '-'.
  std::pair<std::size_t, std::size_t> place_of_nothing(const YamlEvent& event, std::string_view tag) const {
    if (builder_.expects_value()) return {builder_.last().begin(), builder_.last().end()};
    const bool marked = event.start > 0 && (text_[event.start - 1] == '-' || text_[event.start - 1] == '?');
    const std::size_t begin = std::min<std::size_t>(event.start - (marked ? 1 : 0), text_.size());
    if (builder_.in_mapping() && tag == "?") fail_key(begin, begin + 1);
    return {begin, std::min(begin + 1, text_.size())};
  }

  void begin(NodeKind kind, const YamlEvent& event, std::size_t anchor, char open) {
    const bool flow = event.begin < text_.size() && text_[event.begin] == open;
    builder_.begin_container(kind, flow ? NodeStyle::flow : NodeStyle::block, event.begin, anchor);
  }

  // A container in block style ends with its last value.
  void end() {
    const std::size_t end = agree(YamlEventKind::end).end;
    const bool flow = builder_.container_style() == NodeStyle::flow;
    builder_.end_container(flow                         ? end
                           : builder_.empty_container() ? builder_.container_begin() + 1
                                                        : builder_.last().end());
    check_key();
  }

  [[noreturn]] static void fail_key(std::size_t begin, std::size_t end) {
    fail(begin, end, "YAML: expected a string as the key of a mapping");
  }

  // A key that YAML reads as something else than a string becomes that value's JSON text, as in Go.
  void check_key() {
    if (!builder_.expects_value()) return;
    const ConfigNode& key = builder_.last();
    if (!key.is_scalar() || key.is_null()) fail_key(key.begin(), key.begin() + 1);
    if (key.kind() == NodeKind::boolean) builder_.rename_key(key.boolean() ? "true" : "false");
    if (key.kind() != NodeKind::integer && key.kind() != NodeKind::floating) return;
    if (!is_written_as_integer(key.text()) || !key.integer())
      fail(key.begin(), key.end(), "YAML: kubectl makes another text of this number as a key: write it in quotes");
    builder_.rename_key(builder_.store(key.number_text()));
  }

  std::string_view text_;
  const std::vector<YamlEvent>& judged_;
  TreeBuilder& builder_;
  std::size_t next_ = 0;  // of judged_
};

}  // namespace

void read_yaml(ConfigTree& tree, std::vector<DocumentFault>& faults) {
  TreeBuilder builder(tree);
  std::vector<YamlEvent> events;
  for (const Piece& piece : cut_foreign_objects(tree.text(), cut_documents(tree.text(), tree.content_begin()))) {
    end_if_unwanted();
    int index = -1;  // a piece of nothing but comments is no document
    const auto count = [&] {
      if (index < 0) index = tree.next_document_index();
    };
    try {
      check_characters(tree.text(), piece);
      builder.clear();
      const std::string_view text = tree.text().substr(0, piece.end);
      const bool marked = text.substr(piece.begin).starts_with(kOrderMark);
      const std::size_t begin = piece.begin + (marked ? kOrderMark.size() : 0);
      const std::string ended = text.ends_with('\n') ? std::string() : std::string(text.substr(begin)) + '\n';
      const YamlInput input{text, begin, ended.empty() ? text.substr(begin) : ended};
      read_yaml_events(input, builder, events);
      if (events.empty()) continue;
      count();
      YamlHandler handler(text, events, builder);
      TextBuffer buffer(input.document);
      std::istream stream(&buffer);
      try {
        YAML::Parser(stream).HandleNextDocument(handler);
      } catch (const YAML::Exception& error) {
        handler.refuse(begin + static_cast<std::size_t>(std::max(error.mark.pos, 0)));
      }
      handler.finish();
      tree.add_document(builder.take_root(), index);
    } catch (SyntaxFault& fault) {
      count();
      if (faults.size() < kMostFaults) faults.push_back({std::move(fault), index});
    }
  }
}

}  // namespace apf
