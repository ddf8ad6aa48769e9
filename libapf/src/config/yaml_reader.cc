// YAML into a located tree. The text is cut at its document markers first, as kubectl does, so that one broken document
// does not take the others with it.
#include <algorithm>
#include <initializer_list>
#include <map>

#include <fmt/core.h>

#include "base/background.h"
#include "config/dialect.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/yaml_scanner.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void fail(std::size_t begin, std::size_t end, std::string message) {
  throw SyntaxFault{kSyntaxError, begin, end, std::move(message)};
}

[[noreturn]] void fail_at(const YamlToken& token, const char* message) { fail(token.begin, token.begin + 1, message); }

[[noreturn]] void fail_key(std::size_t begin, std::size_t end) {
  fail(begin, end, "YAML: expected a string as the key of a mapping");
}

// The short name of a type of YAML's own; empty for any other tag, which makes a string of a scalar.
std::string_view type_of_tag(std::string_view tag) {
  for (const std::string_view prefix : {"!<tag:yaml.org,2002:", "!!"}) {
    if (!tag.starts_with(prefix)) continue;
    tag.remove_prefix(prefix.size());
    if (tag.ends_with('>')) tag.remove_suffix(1);
    return tag;
  }
  return {};
}

NodeKind tagged_kind(const YamlToken& tag, std::string_view value) {
  const std::string_view type = type_of_tag(tag.text);
  if (type == "binary" || type == "timestamp") {
    fail(tag.begin, tag.end,
         fmt::format("YAML: apfctl does not read values of the type !!{}; write the text itself in quotes", type));
  }
  const NodeKind read = resolve_plain(value);
  const bool number = type == "int" || type == "float";
  if (!number && type != "null" && type != "bool") return NodeKind::string;
  if (type == "null" && read == NodeKind::null) return read;
  if (type == "bool" && read == NodeKind::boolean) return read;
  if (type == "int" && read == NodeKind::integer && is_written_as_integer(value)) return read;
  if (type == "float" && (read == NodeKind::floating || (read == NodeKind::integer && plain_integer(value))))
    return read;
  fail(tag.begin, tag.end, fmt::format("YAML: the tag !!{} does not fit this value", type));
}

// One document's tokens into the builder's tree.
class YamlParser {
 public:
  YamlParser(std::string_view text, std::size_t begin, TreeBuilder& builder)
      : text_(text), scanner_(text, begin, builder), builder_(builder) {}

  // False if there is no document, only comments.
  bool parse() {
    if (scanner_.peek().kind == TokenKind::end) return false;
    if (scanner_.peek().kind == TokenKind::document_end)
      fail_at(scanner_.peek(), "YAML: kubectl refuses a document that begins with '...'");
    read_node(true, false);
    const YamlToken after = scanner_.next();
    if (after.kind == TokenKind::document_end) {
      const std::size_t rest = EndFinder(text_).skip_space(after.end);
      if (rest < text_.size())
        fail(rest, rest + 1,
             "YAML: kubectl reads nothing between '...' and the next '---': begin a document with '---'");
    } else if (after.kind != TokenKind::end) {
      fail_at(after,
              "YAML: expected the end of the document here; the value before this is complete, and kubectl ignores the "
              "rest");
    }
    return true;
  }

 private:
  struct Properties {
    std::size_t anchor = 0;  // 0 = none
    YamlToken tag;
    bool any = false;
  };

  bool next_is(TokenKind kind) { return scanner_.peek().kind == kind; }
  bool next_is_one_of(std::initializer_list<TokenKind> kinds) {
    const TokenKind next = scanner_.peek().kind;
    return std::find(kinds.begin(), kinds.end(), next) != kinds.end();
  }
  bool skip(TokenKind kind) {
    const bool there = next_is(kind);
    if (there) scanner_.next();
    return there;
  }

  // `may_hang`: a list may stand at the indentation of the mapping around it.
  void read_node(bool block, bool may_hang) {
    if (next_is(TokenKind::alias)) return read_alias(scanner_.next());
    const Properties properties = read_properties();
    const YamlToken& token = scanner_.peek();
    if (may_hang && token.kind == TokenKind::block_entry) return read_hanging_list(properties);
    if (token.kind == TokenKind::scalar) return read_scalar(scanner_.next(), properties);
    if (token.kind == TokenKind::flow_sequence) return read_flow_list(properties);
    if (token.kind == TokenKind::flow_mapping) return read_flow_mapping(properties);
    if (block && token.kind == TokenKind::block_sequence) return read_block_list(properties);
    if (block && token.kind == TokenKind::block_mapping) return read_block_mapping(properties);
    if (properties.any) return read_nothing(token.begin, properties);
    fail_missing(token);
  }

  [[noreturn]] void fail_missing(const YamlToken& token) {
    if (builder_.in_container() && builder_.container_style() == NodeStyle::flow) {
      if (token.kind == TokenKind::flow_entry) fail_at(token, "YAML: expected a value before this comma");
      if (token.kind == TokenKind::end || token.kind == TokenKind::document_end) fail_flow(token);
    }
    if (token.kind == TokenKind::flow_sequence_end || token.kind == TokenKind::flow_mapping_end)
      fail_at(token, "YAML: a closing bracket or brace without its opening one");
    fail_at(token, "YAML: expected a value here");
  }

  Properties read_properties() {
    Properties properties;
    bool anchor = false, tag = false;
    for (; (!anchor && next_is(TokenKind::anchor)) || (!tag && next_is(TokenKind::tag)); properties.any = true) {
      const YamlToken token = scanner_.next();
      if (token.kind == TokenKind::anchor) {
        properties.anchor = anchors_[token.text] = ++last_anchor_;
        anchor = true;
        continue;
      }
      properties.tag = token;
      tag = true;
      const std::size_t handle = token.text.find('!', 1);
      if (handle != token.text.npos && handle > 1 && token.text[1] != '<')
        fail(token.begin, token.end,
             "YAML: kubectl knows no tags with a handle of their own, as no %TAG can define it");
    }
    return properties;
  }

  void read_alias(const YamlToken& token) {
    const auto target = anchors_.find(token.text);
    if (target == anchors_.end()) {
      fail(token.begin, token.end,
           fmt::format("YAML: no anchor '&{}' comes before this alias; a text that begins with '*' needs quotes",
                       token.text));
    }
    builder_.alias(target->second, token.begin, token.end);
    check_key();
  }

  void read_scalar(const YamlToken& token, const Properties& properties) {
    NodeKind kind = token.style == NodeStyle::plain ? resolve_plain(token.text) : NodeKind::string;
    if (!properties.tag.text.empty()) kind = tagged_kind(properties.tag, token.text);
    if (kind == NodeKind::floating && !is_finite_number(token.text))
      fail(token.begin, token.end, "YAML: JSON has no such number, so that kubectl refuses it");
    builder_.scalar(kind, token.style, token.text, token.begin, token.end, properties.anchor);
    const bool merges =
        type_of_tag(properties.tag.text) == "merge" ||
        (token.style == NodeStyle::plain && (properties.tag.text.empty() || properties.tag.text == "!"));
    if (merges && token.text == "<<" && builder_.expects_value()) builder_.mark_merge_key();
    check_key();
  }

  // A value that isn't written: null, or an empty string by its tag. In a mapping its key is all there is to point at.
  void read_nothing(std::size_t at, const Properties& properties) {
    YamlToken nothing{TokenKind::scalar, NodeStyle::plain, at, std::min(at + 1, text_.size()), {}};
    nothing.begin = std::min(nothing.begin, nothing.end);
    if (builder_.expects_value()) {
      nothing.begin = builder_.last().begin();
      nothing.end = builder_.last().end();
    } else if (builder_.in_mapping() && properties.tag.text.empty()) {
      fail_key(at, at + 1);
    }
    read_scalar(nothing, properties);
  }

  void begin(NodeKind kind, NodeStyle style, std::size_t at, const Properties& properties) {
    builder_.begin_container(kind, style, at, properties.anchor);
  }
  // Of a container in block style: it ends with its last value.
  void end() {
    builder_.end_container(builder_.empty_container() ? builder_.container_begin() + 1 : builder_.last().end());
    check_key();
  }

  void read_block_list(const Properties& properties) {
    begin(NodeKind::sequence, NodeStyle::block, scanner_.next().begin, properties);
    while (next_is(TokenKind::block_entry)) {
      const std::size_t dash = scanner_.next().begin;
      if (next_is_one_of({TokenKind::block_entry, TokenKind::block_end})) read_nothing(dash, {});
      else read_node(true, false);
    }
    if (!next_is(TokenKind::block_end))
      fail_at(scanner_.peek(), "YAML: expected '- ' at the indentation of this list's other items, or its end");
    scanner_.next();
    end();
  }

  void read_hanging_list(const Properties& properties) {
    begin(NodeKind::sequence, NodeStyle::block, scanner_.peek().begin, properties);
    while (next_is(TokenKind::block_entry)) {
      const std::size_t dash = scanner_.next().begin;
      if (next_is_one_of({TokenKind::block_entry, TokenKind::key, TokenKind::value, TokenKind::block_end}))
        read_nothing(dash, {});
      else read_node(true, false);
    }
    end();
  }

  void read_block_mapping(const Properties& properties) {
    const std::size_t first = EndFinder(text_).skip_properties(scanner_.next().begin);
    begin(NodeKind::mapping, NodeStyle::block, first, properties);
    while (next_is(TokenKind::key)) {
      const std::size_t key = scanner_.next().begin;
      read_entry_part(key);
      if (skip(TokenKind::value)) read_entry_part(key);
      else read_nothing(key, {});
    }
    if (!next_is(TokenKind::block_end)) fail_block_mapping(scanner_.peek());
    scanner_.next();
    end();
  }

  void read_entry_part(std::size_t at) {
    if (next_is_one_of({TokenKind::key, TokenKind::value, TokenKind::block_end})) read_nothing(at, {});
    else read_node(true, true);
  }

  [[noreturn]] void fail_block_mapping(const YamlToken& token) {
    const std::string_view rest = text_.substr(token.begin, line_end(text_, token.begin) - token.begin);
    if (rest.find(':') == rest.npos && rest.find_first_of("-[{") != 0)
      throw no_colon(token.begin, EndFinder(text_).word(token.begin));
    fail_at(token, "YAML: expected a key at the indentation of this mapping's other keys, or its end");
  }

  [[noreturn]] void fail_flow(const YamlToken& token) {
    fail_at(token, builder_.in_mapping() ? "YAML: expected ',' or '}' in a mapping in braces"
                                         : "YAML: expected ',' or ']' in a list in brackets");
  }

  void read_flow_list(const Properties& properties) {
    begin(NodeKind::sequence, NodeStyle::flow, scanner_.next().begin, properties);
    for (bool first = true; !next_is(TokenKind::flow_sequence_end); first = false) {
      if (!first && !skip(TokenKind::flow_entry)) {
        if (!next_is(TokenKind::end)) fail_flow(scanner_.peek());
        fail(builder_.last().begin(), builder_.last().end(),
             "YAML: expected ',' or ']' after this item of a list in brackets, found the end of the document");
      }
      if (next_is(TokenKind::flow_sequence_end)) break;
      if (next_is(TokenKind::key)) read_pair();
      else read_node(false, false);
    }
    builder_.end_container(scanner_.next().end);
    check_key();
  }

  // A mapping of one entry without braces, in a list in brackets.
  void read_pair() {
    const std::size_t key = scanner_.next().begin;
    begin(NodeKind::mapping, NodeStyle::block, EndFinder(text_).skip_properties(key), {});
    read_flow_part(TokenKind::flow_sequence_end, key);
    if (skip(TokenKind::value)) read_flow_part(TokenKind::flow_sequence_end, key);
    else read_nothing(key, {});
    end();
  }

  void read_flow_part(TokenKind close, std::size_t at) {
    if (next_is_one_of({TokenKind::value, TokenKind::flow_entry, close})) read_nothing(at, {});
    else read_node(false, false);
  }

  void read_flow_mapping(const Properties& properties) {
    begin(NodeKind::mapping, NodeStyle::flow, scanner_.next().begin, properties);
    for (bool first = true; !next_is(TokenKind::flow_mapping_end); first = false) {
      if (!first && !skip(TokenKind::flow_entry)) fail_flow(scanner_.peek());
      if (next_is(TokenKind::flow_mapping_end)) break;
      const std::size_t at = scanner_.peek().begin;
      if (skip(TokenKind::key)) {
        read_flow_part(TokenKind::flow_mapping_end, at);
        if (skip(TokenKind::value)) read_flow_part(TokenKind::flow_mapping_end, at);
        else read_nothing(at, {});
      } else {
        read_node(false, false);
        read_nothing(at, {});
      }
    }
    builder_.end_container(scanner_.next().end);
    check_key();
  }

  // A key that YAML reads as something else than a string becomes that value's JSON text, as in Go.
  void check_key() {
    if (!builder_.in_mapping() || !builder_.expects_value()) return;
    const ConfigNode& key = builder_.last();
    if (!key.is_scalar() || key.is_null()) fail_key(key.begin(), key.begin() + 1);
    if (key.kind() == NodeKind::boolean) builder_.rename_key(key.boolean() ? "true" : "false");
    if (key.kind() != NodeKind::integer && key.kind() != NodeKind::floating) return;
    if (!is_written_as_integer(key.text()) || !key.integer())
      fail(key.begin(), key.end(), "YAML: kubectl makes another text of this number as a key: write it in quotes");
    builder_.rename_key(builder_.store(key.number_text()));
  }

  std::string_view text_;
  YamlScanner scanner_;
  TreeBuilder& builder_;
  std::map<std::string_view, std::size_t> anchors_;
  std::size_t last_anchor_ = 0;
};

}  // namespace

void read_yaml(ConfigTree& tree, std::vector<DocumentFault>& faults) {
  TreeBuilder builder(tree);
  for (const Piece& piece : cut_foreign_objects(tree.text(), cut_documents(tree.text(), tree.content_begin()))) {
    end_if_unwanted();
    int index = -1;  // a piece of nothing but comments is no document
    const auto count = [&] {
      if (index < 0) index = tree.next_document_index();
    };
    try {
      check_characters(tree.text(), piece);
      builder.clear();
      const bool marked = tree.text().substr(piece.begin).starts_with(kByteOrderMark);
      YamlParser parser(tree.text().substr(0, piece.end), piece.begin + (marked ? kByteOrderMark.size() : 0), builder);
      if (!parser.parse()) continue;
      count();
      tree.add_document(builder.take_root(), index);
    } catch (SyntaxFault& fault) {
      count();
      if (faults.size() < kMostFaults) faults.push_back({std::move(fault), index});
    }
  }
}

}  // namespace apf
