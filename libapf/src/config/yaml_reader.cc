// YAML into a located tree, from yaml-cpp's events. The text is cut at its document markers first, so that one broken
// document does not take the others with it.
#include <algorithm>
#include <functional>
#include <istream>
#include <streambuf>
#include <vector>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/dialect.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// Separators that yaml-cpp may read before it reports a value. It keeps all of a [ ] or { } in memory as tokens of 100
// bytes until that is closed, in case the whole should be a key.
constexpr std::size_t kMostSilent = 200'000;
constexpr const char* kTooMuchInBrackets =
    "YAML: more than 100,000 values between these brackets: write them in block style, or the file as JSON";

// The text between two offsets as a stream, without copying it. It ends early where too much would pile up.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) : rest_(text) {}
  void saw_event() { silent_ = 0; }
  bool ended_early() const { return ended_early_; }
  // Is it a [ ] or { } that is being read? A long string is no trouble.
  std::function<bool()> in_brackets;

 protected:
  int_type underflow() override {
    if (rest_.empty()) return traits_type::eof();
    if (silent_ > kMostSilent) {
      if (in_brackets && in_brackets()) {
        ended_early_ = true;
        return traits_type::eof();
      }
      silent_ = 0;
    }
    const std::string_view part = rest_.substr(0, kPart);
    rest_.remove_prefix(part.size());
    silent_ += static_cast<std::size_t>(std::count_if(part.begin(), part.end(), is_separator));
    char* const begin = const_cast<char*>(part.data());  // streambuf's interface; nothing writes to it
    setg(begin, begin, begin + part.size());
    return traits_type::to_int_type(*begin);
  }

 private:
  static constexpr std::size_t kPart = 4096;
  static bool is_separator(char c) { return c == ',' || c == ':' || c == '[' || c == '{'; }

  std::string_view rest_;
  std::size_t silent_ = 0;
  bool ended_early_ = false;
};

[[noreturn]] void fail_key(std::size_t begin, std::size_t end) {
  throw SyntaxFault{kSyntaxError, begin, end, "YAML: expected a string as the key of a mapping"};
}

NodeKind scalar_kind(const std::string& tag, NodeStyle style, std::string_view value, std::size_t begin,
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

// What is fine inside strings and brackets only, in order of place.
class Suspects {
 public:
  Suspects() = default;
  explicit Suspects(std::vector<Suspect> suspects) : suspects_(std::move(suspects)) {}
  // [begin, end) is a string or in brackets.
  void clear(std::size_t begin, std::size_t end) {
    auto at = std::upper_bound(suspects_.begin(), suspects_.end(), begin,
                               [](std::size_t offset, const Suspect& suspect) { return offset < suspect.at; });
    for (; at != suspects_.end() && at->at < end; ++at) at->cleared = true;
  }
  // Throws SyntaxFault for the first one that is not cleared.
  void check() const {
    for (const Suspect& suspect : suspects_) {
      if (!suspect.cleared) throw SyntaxFault{kSyntaxError, suspect.at, suspect.at + 1, suspect.message};
    }
  }

 private:
  std::vector<Suspect> suspects_;
};

class YamlHandler : public YAML::EventHandler {
 public:
  YamlHandler(ConfigTree& tree, TreeBuilder& builder) : text_(tree.text()), ends_(tree.text()), builder_(builder) {}

  // Marks count from the beginning of the piece that is being parsed.
  void start_piece(std::size_t begin, std::size_t end) {
    offset_ = begin;
    piece_end_ = end;
    documents_ = 0;
    last_ = begin;
  }
  void read_from(ViewBuffer* buffer) { buffer_ = buffer; }
  void expect_suspects(std::vector<Suspect> suspects) { suspects_ = Suspects(std::move(suspects)); }
  void finish_piece() const { suspects_.check(); }
  bool seen_document() const { return documents_ > 0; }
  // The first bracket or string after the last event: where the next value begins.
  std::size_t being_read() const {
    const std::size_t from = builder_.in_container() && !builder_.empty_container() ? builder_.last().end() : last_;
    return std::min(text_.find_first_of("[{|>'\"", std::max(from, last_)), text_.size() - 1);
  }

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
    check_absent(at, position(mark), word);
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
    check_dash(at);
    builder_.alias(anchor, at, ends_.word(at));
    check_key();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_dash(position(mark));
    const std::size_t at = ends_.skip_properties(position(mark));
    const char first = at < text_.size() ? text_[at] : ' ';
    NodeStyle style = NodeStyle::plain;
    std::size_t end = at;
    std::size_t from = at;  // of the value's bytes, if the text has them unchanged
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
    suspects_.clear(at, end);
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
  // Every event reads its position first.
  std::size_t position(const YAML::Mark& mark) const {
    buffer_->saw_event();
    last_ = offset_ + static_cast<std::size_t>(std::max(mark.pos, 0));
    return mark.pos < 0 ? offset_ : std::min(offset_ + static_cast<std::size_t>(mark.pos), text_.size());
  }

  // Between the dash of a list and its item.
  void check_dash(std::size_t at) const {
    if (!builder_.in_container() || builder_.in_mapping() || builder_.container_style() == NodeStyle::flow) return;
    std::size_t before = at;
    bool tab = false;
    while (before > 0 && is_blank(text_[before - 1])) tab = text_[--before] == '\t' || tab;
    if (tab && before > 0 && text_[before - 1] == '-') throw SyntaxFault{kSyntaxError, before, at, kIndentingTab};
  }

  // yaml-cpp reads some texts as a missing value that other readers reject.
  void check_absent(std::size_t at, std::size_t mark, std::string_view word) const {
    if (!builder_.in_container()) return;
    const bool flow = builder_.container_style() == NodeStyle::flow;
    if (builder_.expects_value() && !flow) {
      const ConfigNode& key = builder_.last();
      const std::size_t after = std::min(text_.find_first_not_of(" \t", key.end()), text_.size());
      const std::size_t before =
          key.begin() == 0 ? std::string_view::npos : text_.find_last_not_of(" \t\r\n", key.begin() - 1);
      const bool explicit_key = before != std::string_view::npos && text_[before] == '?';
      if ((after >= text_.size() || text_[after] != ':') && !explicit_key) {
        throw no_colon(text_, key.begin(), key.end());
      }
    } else if (!builder_.in_mapping() && flow && at == mark &&
               (word.empty() || resolve_plain(word) != NodeKind::null)) {
      throw SyntaxFault{kSyntaxError, at, at + 1, "YAML: expected a value before this comma"};
    }
  }

  // yaml-cpp lets a string in quotes end with the text.
  void check_closed(std::size_t begin, std::size_t end) const {
    if (end > piece_end_ || end < begin + 2 || text_[end - 1] != text_[begin]) {
      throw SyntaxFault{kSyntaxError, begin, begin + 1, kOpenQuote};
    }
  }

  void begin(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor, YAML::EmitterStyle::value style, char open) {
    const std::size_t at = ends_.skip_properties(position(mark));
    check_dash(position(mark));
    const bool flow = style == YAML::EmitterStyle::Flow && at < text_.size() && text_[at] == open;
    builder_.begin_container(kind, flow ? NodeStyle::flow : NodeStyle::block, at, anchor);
  }

  void end(char close) {
    std::size_t at = builder_.empty_container() ? builder_.container_begin() + 1 : builder_.last().end();
    if (builder_.container_style() == NodeStyle::flow) {
      at = ends_.flow_end(at, close);
      suspects_.clear(builder_.container_begin(), at);
    }
    builder_.end_container(at);
    check_key();
  }

  // A key that YAML reads as something else than a string becomes that value's JSON text, as in Go.
  void check_key() {
    if (!builder_.in_mapping() || !builder_.expects_value()) return;
    const ConfigNode& key = builder_.last();
    if (!key.is_scalar() || key.is_null()) fail_key(key.begin(), key.begin() + 1);
    if (key.kind() == NodeKind::boolean) builder_.rename_last(key.boolean() ? "true" : "false");
    if (key.kind() == NodeKind::integer) builder_.rename_last(builder_.store(key.number_text()));
  }

  std::string_view text_;
  EndFinder ends_;
  TreeBuilder& builder_;
  std::size_t offset_ = 0, piece_end_ = 0;
  Suspects suspects_;
  int documents_ = 0;
  ViewBuffer* buffer_ = nullptr;
  mutable std::size_t last_ = 0;  // where the last event was
};

}  // namespace

void read_yaml(ConfigTree& tree, std::vector<DocumentFault>& faults) {
  TreeBuilder builder(tree);
  YamlHandler handler(tree, builder);
  for (const Piece& piece : cut_foreign_objects(tree.text(), cut_documents(tree.text(), tree.content_begin()))) {
    if (!piece.has_content) continue;
    const int index = tree.next_document_index();
    ViewBuffer buffer(tree.text().substr(piece.begin, piece.end - piece.begin));
    handler.read_from(&buffer);
    std::size_t bracket = 0;
    buffer.in_brackets = [&] {
      bracket = handler.being_read();
      return tree.text()[bracket] == '[' || tree.text()[bracket] == '{';
    };
    // Whatever is found wrong with a text that was cut short is not what is wrong with it.
    const auto add_fault = [&](SyntaxFault fault) {
      if (buffer.ended_early()) fault = {kSyntaxError, bracket, bracket + 1, kTooMuchInBrackets};
      if (faults.size() < kMostFaults) faults.push_back({std::move(fault), index});
    };
    try {
      check_characters(tree.text(), piece);
      std::istream stream(&buffer);
      YAML::Parser parser(stream);
      handler.start_piece(piece.begin, piece.end);
      handler.expect_suspects(piece.suspects);
      builder.clear();
      while (parser.HandleNextDocument(handler)) {
      }
      handler.finish_piece();
      if (buffer.ended_early()) throw SyntaxFault{};
      if (handler.seen_document()) tree.add_document(builder.take_root(), index);
    } catch (SyntaxFault& fault) {
      add_fault(std::move(fault));
    } catch (const YAML::Exception& error) {
      add_fault(buffer.ended_early() ? SyntaxFault{} : explain(error, tree, piece.begin));
    }
  }
}

}  // namespace apf
