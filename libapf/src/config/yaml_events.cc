#include "config/yaml_events.h"

#include <algorithm>
#include <map>
#include <new>
#include <string>

#include <fmt/core.h>
#include <yaml.h>

#include "base/text.h"
#include "base/utf8.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

// yaml-cpp holds what is between brackets in memory until they are closed, 100 bytes for each value.
constexpr std::size_t kMostBracketed = 100'000;

constexpr const char* kOpenList = "expected ',' or ']' in a list in brackets";
constexpr const char* kOpenMapping = "expected ',' or '}' in a mapping in braces";
constexpr const char* kIndentingTab = "expected spaces as indentation, found a tab";

// libyaml's problems in terms of what was expected. Those with words of their own for each place are not listed.
struct ProblemWords {
  std::string_view theirs;
  const char* ours;
};
constexpr ProblemWords kProblems[] = {
    {"block sequence entries are not allowed in this context",
     "did not expect '- ' here: a list begins on a line of its own"},
    {"mapping keys are not allowed in this context", "did not expect a mapping key here"},
    {"did not find expected key", "expected a key at the indentation of this mapping's other keys, or its end"},
    {"did not find expected '-' indicator", "expected '- ' at the indentation of this list's other items, or its end"},
    {"did not find expected ',' or ']'", kOpenList},
    {"did not find expected ',' or '}'", kOpenMapping},
    {"did not find expected <document start>",
     "expected the end of the document here; the value before this is complete, and kubectl ignores the rest"},
    {"found character that cannot start any token",
     "expected a value; a text that begins with this character needs quotes"},
    {"found a tab character where an indentation space is expected", kIndentingTab},
    {"found a tab character that violates indentation", kIndentingTab},
    {"did not find expected comment or line break",
     "expected nothing but an indentation indicator and a comment after '|' or '>'"},
    {"found an indentation indicator equal to 0",
     "expected nothing but an indentation indicator and a comment after '|' or '>'"},
    {"found unexpected ':'",
     "apfctl reads no text with ':' before a bracket, a brace or a comma: write a space after the colon, or the text "
     "in quotes"},
    {"found undefined tag handle", "kubectl knows no tags with a handle of their own, as no %TAG can define it"},
};

// One document, event by event.
class LibyamlReader {
 public:
  LibyamlReader(const YamlInput& input, TreeBuilder& builder, std::vector<YamlEvent>& events)
      : text_(input.text), ends_(text_), builder_(builder), events_(events), begin_(input.begin), byte_(begin_) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(input.document.data()),
                                 input.document.size());
  }
  ~LibyamlReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  LibyamlReader(const LibyamlReader&) = delete;
  LibyamlReader& operator=(const LibyamlReader&) = delete;

  void read() {
    for (next(); event_.type != YAML_DOCUMENT_END_EVENT; next()) {
      if (event_.type == YAML_STREAM_END_EVENT) return;
      if (event_.type != YAML_STREAM_START_EVENT && event_.type != YAML_DOCUMENT_START_EVENT) take();
    }
    const bool marked = event_.data.document_end.implicit == 0;  // by "..."
    if (!marked) return next();  // kubectl reads no further; libyaml says if there is more
    const std::size_t rest = ends_.skip_space(byte_at(event_.end_mark));
    if (rest < text_.size())
      fail(rest, rest + 1, "kubectl reads nothing between '...' and the next '---': begin a document with '---'");
  }

 private:
  [[noreturn]] static void fail(std::size_t begin, std::size_t end, std::string_view message) {
    throw SyntaxFault{kSyntaxError, begin, end, fmt::format("YAML: {}", message)};
  }

  // libyaml counts characters.
  std::size_t byte_at(const yaml_mark_t& mark) {
    for (; character_ < mark.index && byte_ < text_.size(); ++character_) byte_ += decode_utf8(text_, byte_).length;
    for (; character_ > mark.index; --character_) {
      do --byte_;
      while ((text_[byte_] & 0xC0) == 0x80);
    }
    return byte_;
  }

  void next() {
    yaml_event_delete(&event_);
    if (!yaml_parser_parse(&parser_, &event_)) fail_problem();
  }

  static std::string_view view(const yaml_char_t* chars) {
    return chars ? std::string_view(reinterpret_cast<const char*>(chars)) : std::string_view();
  }

  void take() {
    YamlEvent event;
    event.start = static_cast<std::uint32_t>(byte_at(event_.start_mark));
    event.begin = static_cast<std::uint32_t>(ends_.skip_properties(event.start));
    const yaml_char_t* anchor = nullptr;
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        anchor = event_.data.scalar.anchor;
        take_scalar(event);
        break;
      case YAML_ALIAS_EVENT:
        event.kind = YamlEventKind::alias;
        event.end = static_cast<std::uint32_t>(byte_at(event_.end_mark));
        take_alias(event);
        break;
      case YAML_SEQUENCE_START_EVENT:
        anchor = event_.data.sequence_start.anchor;
        open(event, YamlEventKind::sequence, event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        break;
      case YAML_MAPPING_START_EVENT:
        anchor = event_.data.mapping_start.anchor;
        open(event, YamlEventKind::mapping, event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        break;
      default:
        event.end = static_cast<std::uint32_t>(byte_at(event_.end_mark));
        open_.pop_back();
        if (open_.size() < bracket_depth_) bracket_depth_ = 0;
        break;
    }
    if (anchor) event.anchor = anchors_[std::string(view(anchor))] = ++last_anchor_;
    events_.push_back(event);
    if (bracket_depth_ != 0 && events_.size() - open_[bracket_depth_ - 1] > kMostBracketed) {
      const std::size_t at = events_[open_[bracket_depth_ - 1]].begin;
      fail(at, at + 1,
           fmt::format("more than {} values between these brackets: write them in block style, or the file as JSON",
                       kMostBracketed));
    }
  }

  void open(YamlEvent& event, YamlEventKind kind, bool flow) {
    event.kind = kind;
    if (open_.size() >= kMaxTreeDepth)
      throw SyntaxFault{kNestedTooDeep, event.begin, event.begin + 1,
                        fmt::format("nested deeper than {} levels", kMaxTreeDepth)};
    open_.push_back(events_.size());
    if (flow && bracket_depth_ == 0) bracket_depth_ = open_.size();
  }

  void take_alias(YamlEvent& event) {
    const std::string name(view(event_.data.alias.anchor));
    const auto target = anchors_.find(name);
    if (target == anchors_.end()) {
      fail(event.begin, event.end,
           fmt::format("no anchor '&{}' comes before this alias; a text that begins with '*' needs quotes", name));
    }
    event.anchor = target->second;
  }

  // A value that stands in the text as it is isn't copied.
  void take_scalar(YamlEvent& event) {
    const auto& scalar = event_.data.scalar;
    const std::string_view value(reinterpret_cast<const char*>(scalar.value), scalar.length);
    static constexpr NodeStyle kStyles[] = {NodeStyle::plain,         NodeStyle::plain,   NodeStyle::single_quoted,
                                            NodeStyle::double_quoted, NodeStyle::literal, NodeStyle::folded};
    event.kind = YamlEventKind::scalar;
    event.style = kStyles[scalar.style];
    std::size_t end = byte_at(event_.end_mark);
    if (event.style == NodeStyle::literal || event.style == NodeStyle::folded) {
      end = std::min(text_.find_last_not_of(" \t\r\n", end - 1) + 1, end);
      end = std::min(text_.find_first_of("\r\n", end), text_.size());
    }
    event.begin = std::min(event.begin, static_cast<std::uint32_t>(end));
    event.end = static_cast<std::uint32_t>(end);
    const bool quoted = event.style == NodeStyle::single_quoted || event.style == NodeStyle::double_quoted;
    const std::string_view same =
        text_.substr(std::min<std::size_t>(event.begin + (quoted ? 1 : 0), text_.size()), value.size());
    event.text = same == value ? same : builder_.store(value);
    if (same != value && event.style == NodeStyle::double_quoted) check_escapes(text_.substr(0, end), event.begin);
    if (scalar.tag) take_tag(event, view(scalar.tag));
  }

  // "\/" is YAML 1.2.
  static void check_escapes(std::string_view text, std::size_t at) {
    for (at = text.find('\\', at); at != text.npos; at = text.find('\\', at + 2)) {
      if (text.substr(at, 2) == "\\/") fail_unknown_escape(at, text.substr(at, 2));
    }
  }

  void take_tag(YamlEvent& event, std::string_view tag) {
    event.tag = builder_.store(tag);
    const std::size_t at = text_.find('!', event.start), end = text_.find_first_of(" \t\r\n,[]{}", at);
    if (text_.substr(at, 2) != "!<" && end < text_.size() && text_[end] == ',')
      fail(at, end + 1, "kubectl takes the comma for a part of this tag: write a space before it");
  }

  [[noreturn]] void fail_problem() {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const std::string_view problem = parser_.problem, context = parser_.context ? parser_.context : "";
    const std::size_t at = byte_at(parser_.problem_mark), from = byte_at(parser_.context_mark);
    const char c = at < text_.size() ? text_[at] : '\0';
    refuse_odd_indent(at);
    const bool bracket = from < text_.size() && (text_[from] == '[' || text_[from] == '{');
    if (problem == "could not find expected ':'" && bracket && at >= text_.size()) fail_open(at, text_[from] == '{');
    if (problem == "could not find expected ':'") throw no_colon(text_, from, ends_.word(from));
    if (problem == "mapping values are not allowed in this context") fail_colon(at);
    if (context == "while scanning a directive") fail_directive(from);
    if (c == '%' && parser_.problem_mark.column == 0) fail_directive(at);
    if (problem == "did not find expected <document start>" && events_.empty())
      fail_directive(ends_.skip_space(begin_));
    if (problem == "found unexpected end of stream" || problem == "found unexpected document indicator")
      fail(from, from + 1, "expected the closing quote of this string, found the end of the document");
    if (problem == "did not find expected node content") fail_missing(at, context == "while parsing a flow node");
    if (context == "while parsing a quoted scalar") fail_escape(problem, at);
    if (context == "while scanning an anchor" || context == "while scanning an alias") fail_name(from, at);
    if (context.ends_with(" a tag"))
      fail(from, std::max(at, from + 1),
           "apfctl expects a tag and a space after it; a text that begins with '!' needs quotes");
    if (at >= begin_ + 3 && text_.substr(at - 3, 3) == kOrderMark)
      fail(at - 3, at,
           "kubectl takes the byte order mark (U+FEFF) here for text, and editors do not show it: delete it");
    if (c == '\t') fail(at, at + 1, kIndentingTab);
    const std::string_view rest = text_.substr(at, line_end(text_, at) - at);
    if (problem == "did not find expected key" && rest.find(':') == rest.npos && rest.find_first_of("-[{") != 0)
      throw no_colon(text_, at, ends_.word(at));
    if (problem == "did not find expected ',' or ']'" && at >= text_.size())
      fail(events_.back().begin, events_.back().end,
           "expected ',' or ']' after this item of a list in brackets, found the end of the document");
    for (const ProblemWords& words : kProblems) {
      if (problem == words.theirs) fail(at, at + 1, words.ours);
    }
    fail(at, at + 1, problem);
  }

  // A line of text among blanks makes what is below it wrong.
  void refuse_odd_indent(std::size_t at) const {
    constexpr int kLinesBefore = 3;
    std::size_t begin = std::min(at, text_.size());
    for (int line = 0; line <= kLinesBefore; ++line) {
      const std::size_t newline = begin == 0 ? text_.npos : text_.rfind('\n', begin - 1);
      begin = newline == text_.npos ? 0 : newline + 1;
      const std::size_t first = text_.find_first_not_of(" -", begin);
      if (const std::string odd = odd_blank(text_, first); !odd.empty())
        fail(first, first + decode_utf8(text_, first).length,
             odd + " stands in the indentation of this line, and YAML takes it for text: write blanks");
      if (begin <= begin_) return;
      --begin;
    }
  }

  [[noreturn]] static void fail_directive(std::size_t at) {
    fail(at, at + 1, "did not expect a directive here; a text that begins with '%' needs quotes");
  }

  // A key without its ':' has taken the next line's key for the rest of its own text.
  [[noreturn]] void fail_colon(std::size_t at) {
    const std::size_t line = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    if (line > begin_) {
      const std::size_t key = text_.find_first_not_of(' ', line < 2 ? 0 : text_.rfind('\n', line - 2) + 1);
      const std::string_view rest = text_.substr(key, line_end(text_, key) - key);
      if ((rest.find(':') == rest.npos || find_odd_colon(rest, 0)) && !rest.starts_with("- ") && !rest.starts_with('#'))
        throw no_colon(text_, key, ends_.word(key));
    }
    fail(at, at + 1,
         "did not expect ':' here: a mapping begins on a line of its own, and text with ': ' in it needs quotes");
  }

  [[noreturn]] static void fail_open(std::size_t at, bool mapping) {
    fail(at, at + 1, mapping ? kOpenMapping : kOpenList);
  }

  [[noreturn]] void fail_missing(std::size_t at, bool flow) {
    const char c = at < text_.size() ? text_[at] : '\0';
    if (text_.substr(at, 3) == "..." && events_.empty())
      fail(at, at + 1, "kubectl refuses a document that begins with '...'");
    if (flow && c == ',') fail(at, at + 1, "expected a value before this comma");
    if (flow && (c == '\0' || c == '.')) fail_open(at, events_[open_.back()].kind == YamlEventKind::mapping);
    if (c == ']' || c == '}') fail(at, at + 1, "a closing bracket or brace without its opening one");
    fail(at, at + 1, "expected a value here");
  }

  [[noreturn]] void fail_name(std::size_t from, std::size_t at) {
    fail(at, at + 1,
         fmt::format("expected a name{0} after '{1}'; a text that begins with '{1}' needs quotes",
                     at <= from + 1 ? "" : " of letters and digits", text_[from]));
  }

  [[noreturn]] static void fail_unknown_escape(std::size_t at, std::string_view escape) {
    fail(at, at + escape.size(),
         fmt::format("no escape begins with {}; write a backslash in double quotes as \\\\", escape));
  }

  // libyaml stands at the backslash of an unknown escape, and at the first digit of others.
  [[noreturn]] void fail_escape(std::string_view problem, std::size_t at) {
    if (problem == "found unknown escape character") {
      if (text_.substr(at, 2) == "\\'") fail(at, at + 2, "apfctl does not read the escape \\': write ' itself");
      const std::string_view escape = text_.substr(at, 1 + decode_utf8(text_, at + 1).length);
      fail_unknown_escape(at, escape);
    }
    const char letter = text_[at - 1];
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    if (problem == "found invalid Unicode character escape code")
      fail(at - 2, at + digits,
           fmt::format("U+{:04X} is not a character: write the character itself",
                       std::stoul(std::string(text_.substr(at, digits)), nullptr, 16)));
    fail(at - 2, at, fmt::format("expected {} hexadecimal digits after \\{}", digits, letter));
  }

  std::string_view text_;
  EndFinder ends_;
  TreeBuilder& builder_;
  std::vector<YamlEvent>& events_;
  yaml_parser_t parser_;
  yaml_event_t event_{};
  std::size_t begin_;
  std::size_t character_ = 0, byte_;  // the place that was asked for last
  std::vector<std::size_t> open_;     // containers, in events_
  std::size_t bracket_depth_ = 0;     // of the outermost [ ] or { }; 0 = none
  std::map<std::string, std::uint32_t> anchors_;
  std::uint32_t last_anchor_ = 0;
};

}  // namespace

void read_yaml_events(const YamlInput& input, TreeBuilder& builder, std::vector<YamlEvent>& events) {
  events.clear();
  LibyamlReader(input, builder, events).read();
}

}  // namespace apf
