// YAML into a located tree, from yaml-cpp's events. The text is cut at its document markers first, so that one broken
// document does not take the others with it. Events carry only where a node begins; its end is found in the text.
#include <algorithm>
#include <istream>
#include <streambuf>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/reader.h"
#include "config/scalar.h"

namespace apf {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

std::size_t line_end(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

// The text between two offsets as a stream, without copying it.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // streambuf's interface; nothing writes to it
    setg(begin, begin, begin + text.size());
  }
};

// Where the nodes of a text end.
class EndFinder {
 public:
  explicit EndFinder(std::string_view text) : text_(text) {}

  // From the first of &anchor and !tag properties to the node itself.
  std::size_t skip_properties(std::size_t at) const {
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      while (at < text_.size() && !is_space(text_[at])) ++at;
      at = skip_space(at);
    }
    return at;
  }

  std::size_t skip_space(std::size_t at) const {
    while (at < text_.size()) {
      if (text_[at] == '#' && (at == 0 || is_space(text_[at - 1]))) at = line_end(text_, at);
      else if (is_space(text_[at])) ++at;
      else break;
    }
    return at;
  }

  std::size_t word(std::size_t at) const {
    while (at < text_.size() && !is_space(text_[at]) &&
           std::string_view(",[]{}").find(text_[at]) == std::string_view::npos)
      ++at;
    return at;
  }

  std::size_t single_quoted(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      if (text_[at] != '\'') continue;
      if (at + 1 >= text_.size() || text_[at + 1] != '\'') return at + 1;
      ++at;
    }
    return text_.size();
  }

  std::size_t double_quoted(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return std::min(at + 1, text_.size());
  }

  // `value` with its line folds undone again: any white space in it stands for some in the text.
  std::size_t plain(std::size_t at, std::string_view value) const {
    for (std::size_t i = 0; i < value.size() && at < text_.size();) {
      if (value[i] == text_[at]) {
        ++i;
        ++at;
      } else if (is_space(value[i])) {
        while (i < value.size() && is_space(value[i])) ++i;
        while (at < text_.size() && is_space(text_[at])) ++at;
      } else if (is_space(text_[at])) {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  // A block scalar ends before the first line that is less indented than its first.
  std::size_t block_scalar(std::size_t at) const {
    std::size_t end = line_end(text_, at);
    std::size_t indent = 0;
    for (std::size_t line = end + 1; line < text_.size(); line = line_end(text_, line) + 1) {
      std::size_t first = line;
      while (first < text_.size() && text_[first] == ' ') ++first;
      if (first >= text_.size()) break;
      if (text_[first] == '\n' || text_[first] == '\r') continue;
      if (indent == 0) indent = first - line;
      if (indent == 0 || first - line < indent) break;
      end = line_end(text_, line);
    }
    return end;
  }

  // The bracket that closes a flow container whose last item ends at `at`.
  std::size_t flow_end(std::size_t at, char close) const {
    for (at = skip_space(at); at < text_.size() && (text_[at] == ',' || text_[at] == ':' || text_[at] == '?');)
      at = skip_space(at + 1);
    return at < text_.size() && text_[at] == close ? at + 1 : at;
  }

 private:
  std::string_view text_;
};

constexpr const char* kOpenQuote = "YAML: expected the closing quote of this string, found the end of the document";
constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

class YamlHandler : public YAML::EventHandler {
 public:
  YamlHandler(ConfigTree& tree, TreeBuilder& builder) : text_(tree.text()), ends_(tree.text()), builder_(builder) {}

  // Marks count from the beginning of the piece that is being parsed.
  void start_piece(std::size_t begin, std::size_t end) {
    offset_ = begin;
    piece_end_ = end;
    documents_ = 0;
  }
  bool seen_document() const { return documents_ > 0; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      const std::size_t at = position(mark);
      throw SyntaxFault{kSyntaxError, at, at + 1,
                        "YAML: expected the end of the document here; the value before this is complete"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = ends_.skip_properties(position(mark));
    const std::string_view word = text_.substr(at, ends_.word(at) - at);
    if (builder_.in_mapping() && !builder_.expects_value()) fail_key(at, at + 1);
    if (!word.empty() && (word == "~" || resolve_plain(word) == NodeKind::null)) {
      builder_.scalar(NodeKind::null, NodeStyle::plain, word, at, at + word.size(), anchor);
    } else if (builder_.expects_value()) {  // nothing after the key: the key is all there is to point at
      builder_.scalar(NodeKind::null, NodeStyle::plain, {}, builder_.last().begin(), builder_.last().end(), anchor);
    } else {
      const std::size_t dash = at == 0 ? std::string_view::npos : text_.rfind('-', at - 1);
      const bool in_block = builder_.in_container() && dash != text_.npos && dash >= builder_.container_begin();
      const std::size_t begin = in_block ? dash : std::min(at, text_.size());
      builder_.scalar(NodeKind::null, NodeStyle::plain, {}, begin, std::min(begin + 1, text_.size()), anchor);
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = position(mark);
    builder_.alias(anchor, at, ends_.word(at));
    check_key();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t at = ends_.skip_properties(position(mark));
    const char first = at < text_.size() ? text_[at] : ' ';
    NodeStyle style = NodeStyle::plain;
    std::size_t end = at;
    std::size_t from = at;  // of the value's bytes, if they stand in the text as they are
    switch (first) {
      case '\'':
        style = NodeStyle::single_quoted;
        end = ends_.single_quoted(at);
        from = at + 1;
        break;
      case '"':
        style = NodeStyle::double_quoted;
        end = ends_.double_quoted(at);
        from = at + 1;
        break;
      case '|':
        style = NodeStyle::literal;
        end = ends_.block_scalar(at);
        break;
      case '>':
        style = NodeStyle::folded;
        end = ends_.block_scalar(at);
        break;
      default:
        end = ends_.plain(at, value);
        break;
    }
    if (style == NodeStyle::single_quoted || style == NodeStyle::double_quoted) check_closed(at, end);
    const bool verbatim = text_.substr(from, value.size()) == value;
    const std::string_view kept = verbatim ? text_.substr(from, value.size()) : builder_.store(value);
    builder_.scalar(scalar_kind(tag, style, value, at, end), style, kept, at, end, anchor);
    check_key();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    begin(NodeKind::sequence, mark, anchor, style, '[');
  }
  void OnSequenceEnd() override { end(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    begin(NodeKind::mapping, mark, anchor, style, '{');
  }
  void OnMapEnd() override { end('}'); }

 private:
  std::size_t position(const YAML::Mark& mark) const {
    return mark.pos < 0 ? offset_ : std::min(offset_ + static_cast<std::size_t>(mark.pos), text_.size());
  }

  // yaml-cpp lets a string in quotes end with the text.
  void check_closed(std::size_t begin, std::size_t end) const {
    if (end > piece_end_ || end < begin + 2 || text_[end - 1] != text_[begin]) {
      throw SyntaxFault{kSyntaxError, begin, begin + 1, kOpenQuote};
    }
  }

  [[noreturn]] static void fail_key(std::size_t begin, std::size_t end) {
    throw SyntaxFault{kSyntaxError, begin, end, "YAML: expected a string as the key of a mapping"};
  }

  void begin(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor, YAML::EmitterStyle::value style, char open) {
    const std::size_t at = ends_.skip_properties(position(mark));
    if (builder_.in_mapping() && !builder_.expects_value()) fail_key(at, at + 1);
    const bool flow = style == YAML::EmitterStyle::Flow && at < text_.size() && text_[at] == open;
    builder_.begin_container(kind, flow ? NodeStyle::flow : NodeStyle::block, at, anchor);
  }

  void end(char close) {
    std::size_t at = builder_.empty_container() ? builder_.container_begin() + 1 : builder_.last().end();
    if (builder_.container_style() == NodeStyle::flow) at = ends_.flow_end(at, close);
    builder_.end_container(at);
  }

  // A key that YAML reads as something else than a string becomes that value's JSON text, as in Go.
  void check_key() {
    if (!builder_.in_mapping() || !builder_.expects_value()) return;
    const ConfigNode& key = builder_.last();
    if (!key.is_scalar() || key.is_null()) fail_key(key.begin(), key.end());
    if (key.kind() == NodeKind::boolean) builder_.rename_last(key.boolean() ? "true" : "false");
    if (key.kind() == NodeKind::integer) builder_.rename_last(builder_.store(key.number_text()));
  }

  static NodeKind scalar_kind(const std::string& tag, NodeStyle style, std::string_view value, std::size_t begin,
                              std::size_t end) {
    if (tag == "?") return style == NodeStyle::plain ? resolve_plain(value) : NodeKind::string;
    if (!tag.starts_with(kTagPrefix)) return NodeKind::string;
    const std::string_view type = std::string_view(tag).substr(kTagPrefix.size());
    const NodeKind read = resolve_plain(value);
    if (type == "null" && read == NodeKind::null) return read;
    if (type == "bool" && read == NodeKind::boolean) return read;
    if (type == "int" && read == NodeKind::integer) return read;
    if (type == "float" && (read == NodeKind::integer || read == NodeKind::floating)) return NodeKind::floating;
    if (type == "str" || type == "timestamp" || type == "merge") return NodeKind::string;
    throw SyntaxFault{kSyntaxError, begin, end, fmt::format("YAML: the tag !!{} does not fit this value", type)};
  }

  std::string_view text_;
  EndFinder ends_;
  TreeBuilder& builder_;
  std::size_t offset_ = 0, piece_end_ = 0;
  int documents_ = 0;
};

// yaml-cpp's messages in terms of what was expected. Those not listed are passed on.
struct Wording {
  std::string_view theirs, ours;
};
const Wording kWordings[] = {
    {YAML::ErrorMsg::END_OF_MAP, "expected a key at the indentation of this mapping's other keys, or its end"},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "expected ',' or '}' in a mapping in braces"},
    {YAML::ErrorMsg::END_OF_SEQ, "expected '- ' at the indentation of this list's other items, or its end"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "expected ',' or ']' in a list in brackets"},
    {YAML::ErrorMsg::MAP_VALUE,
     "did not expect ':' here: a mapping begins on a line of its own, and text with ': ' in it needs quotes"},
    {YAML::ErrorMsg::MAP_KEY, "did not expect a mapping key here"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "did not expect '- ' here: a list begins on a line of its own"},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket or brace without its opening one"},
    {YAML::ErrorMsg::EOF_IN_SCALAR, "expected the closing quote of this string, found the end of the document"},
    {YAML::ErrorMsg::DOC_IN_SCALAR, "expected the closing quote of this string, found the end of the document"},
    {YAML::ErrorMsg::TAB_IN_INDENTATION, "expected spaces as indentation, found a tab"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "expected a value; a text that begins with this character needs quotes"},
    {YAML::ErrorMsg::ALIAS_NOT_FOUND, "expected a name after '*'; a text that begins with '*' needs quotes"},
    {YAML::ErrorMsg::ANCHOR_NOT_FOUND, "expected a name after '&'; a text that begins with '&' needs quotes"},
    {YAML::ErrorMsg::CHAR_IN_ALIAS,
     "expected a name of letters and digits after '*'; a text that begins with '*' needs quotes"},
    {YAML::ErrorMsg::CHAR_IN_ANCHOR,
     "expected a name of letters and digits after '&'; a text that begins with '&' needs quotes"},
    {YAML::ErrorMsg::CHAR_IN_BLOCK, "expected nothing but an indentation indicator and a comment after '|' or '>'"},
};

// The first line of [begin, at's line] whose indentation holds a tab before content, looking back from `at`.
std::size_t find_indenting_tab(std::string_view text, std::size_t begin, std::size_t at) {
  std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  for (int back = 0; back < 3; ++back) {
    std::size_t first = line;
    while (first < text.size() && is_blank(text[first])) ++first;
    const std::size_t tab = text.substr(line, first - line).find('\t');
    if (tab != text.npos && first < text.size() && !is_space(text[first]) && text[first] != '#') return line + tab;
    if (line <= begin || line < 2) break;
    line = text.rfind('\n', line - 2) + 1;
  }
  return text.npos;
}

SyntaxFault explain(const YAML::Exception& error, const ConfigTree& tree, std::size_t offset) {
  const std::string_view text = tree.text();
  std::size_t at =
      error.mark.is_null() ? offset : std::min(offset + static_cast<std::size_t>(error.mark.pos), text.size());
  if (error.msg == YAML::ErrorMsg::BAD_FILE) {
    return {kNestedTooDeep, at, at + 1, fmt::format("nested deeper than {} levels", kMaxTreeDepth)};
  }
  const std::size_t tab = find_indenting_tab(text, offset, at);
  if (tab != text.npos) {
    return {kSyntaxError, tab, tab + 1, "YAML: expected spaces as indentation, found a tab"};
  }
  std::string message = error.msg;
  if (message.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
    const std::size_t end = EndFinder(text).word(at);
    return {kSyntaxError, at, end,
            fmt::format("YAML: no anchor '&{}' comes before this alias; a text that begins with '*' needs quotes",
                        text.substr(at + 1, end - at - 1))};
  }
  for (const Wording& wording : kWordings) {
    if (error.msg == wording.theirs) message = wording.ours;
  }
  return {kSyntaxError, at, at + 1, "YAML: " + message};
}

// "---" or "..." alone or before white space, at the beginning of a line.
bool is_marker(std::string_view text, std::size_t line, std::string_view marker) {
  if (text.substr(line, 3) != marker) return false;
  return line + 3 >= text.size() || is_space(text[line + 3]);
}

struct Piece {
  std::size_t begin = 0, end = 0;
  bool has_content = false;  // more than comments, directives and markers
};

// The text cut at its document markers. A "---" belongs to the piece it begins, as do directives before it.
std::vector<Piece> cut_documents(std::string_view text, std::size_t begin) {
  std::vector<Piece> pieces;
  Piece piece{begin, begin, false};
  bool marked = false;  // the piece has its "---"
  for (std::size_t line = begin; line < text.size();) {
    const std::size_t next = std::min(line_end(text, line) + 1, text.size());
    if (is_marker(text, line, "---")) {
      if (marked || piece.has_content) {
        piece.end = line;
        pieces.push_back(piece);
        piece = {line, line, false};
      }
      marked = true;
      const std::size_t rest = EndFinder(text.substr(0, next)).skip_space(line + 3);
      if (rest < next) piece.has_content = true;
    } else if (is_marker(text, line, "...")) {
      piece.end = next;
      pieces.push_back(piece);
      piece = {next, next, false};
      marked = false;
    } else if (!piece.has_content) {
      std::size_t first = line;
      while (first < next && is_space(text[first])) ++first;
      const bool directive = !marked && text[line] == '%';
      if (first < next && text[first] != '#' && !directive) piece.has_content = true;
    }
    line = next;
  }
  piece.end = text.size();
  pieces.push_back(piece);
  return pieces;
}

// YAML allows no control characters but tab and line breaks (and to yaml-cpp, 0x04 is the end of the text).
void check_characters(std::string_view text, const Piece& piece) {
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    const bool c1 =
        c == 0xC2 && i + 1 < piece.end && static_cast<unsigned char>(text[i + 1]) < 0xA0 && text[i + 1] != '\x85';
    if (!control && !c1) continue;
    const unsigned code = c1 ? static_cast<unsigned char>(text[i + 1]) : c;
    throw SyntaxFault{kSyntaxError, i, i + 1,
                      fmt::format("YAML: control characters are not allowed, found U+{:04X}", code)};
  }
}

}  // namespace

void read_yaml(ConfigTree& tree, std::vector<DocumentFault>& faults) {
  TreeBuilder builder(tree);
  YamlHandler handler(tree, builder);
  for (const Piece& piece : cut_documents(tree.text(), tree.content_begin())) {
    if (!piece.has_content) continue;
    const int index = tree.next_document_index();
    try {
      check_characters(tree.text(), piece);
      ViewBuffer buffer(tree.text().substr(piece.begin, piece.end - piece.begin));
      std::istream stream(&buffer);
      YAML::Parser parser(stream);
      handler.start_piece(piece.begin, piece.end);
      builder.clear();
      while (parser.HandleNextDocument(handler)) {
      }
      if (handler.seen_document()) tree.add_document(builder.take_root(), index);
    } catch (SyntaxFault& fault) {
      faults.push_back({std::move(fault), index});
    } catch (const YAML::Exception& error) {
      faults.push_back({explain(error, tree, piece.begin), index});
    }
  }
}

}  // namespace apf
