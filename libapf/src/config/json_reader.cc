// JSON (RFC 8259) into a located tree: several values may follow one another, as in JSON lines. Duplicate keys are
// kept, numbers stay as written.
#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "config/reader.h"

namespace apf {

namespace {

class JsonReader {
 public:
  explicit JsonReader(ConfigTree& tree) : text_(tree.text()), at_(tree.content_begin()), builder_(tree) {}

  bool skip_blank() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size();
  }

  // One value with everything in it, without recursion.
  const ConfigNode* read_value() {
    builder_.clear();
    const char* expected = "a JSON value";
    bool after_value = false;
    do {
      if (after_value) {
        after_value = read_separator(expected);
      } else {
        after_value = read_item(expected);
      }
    } while (!after_value || builder_.in_container());
    return builder_.take_root();
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  [[noreturn]] static void fail_at(std::size_t offset, const std::string& message) {
    throw SyntaxFault{kSyntaxError, offset, offset + 1, "JSON: " + message};
  }

  std::string found() const {
    if (at_ >= text_.size()) return "the end of the text";
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c >= 0x7f) return fmt::format("the byte 0x{:02x}", c);
    return fmt::format("'{}'", text_[at_]);
  }

  // Reads a scalar, or the beginning of a container (then false: an item or its end comes next).
  bool read_item(const char*& expected) {
    skip_blank();
    if (at_ >= text_.size()) fail(fmt::format("expected {}, found {}", expected, found()));
    const char c = text_[at_];
    switch (c) {
      case '{':
        builder_.begin_container(NodeKind::mapping, NodeStyle::flow, at_++);
        skip_blank();
        if (at_ < text_.size() && text_[at_] == '}') return end_container();
        read_key("a key in double quotes or '}'");
        expected = "a value after the key";
        return false;
      case '[':
        builder_.begin_container(NodeKind::sequence, NodeStyle::flow, at_++);
        skip_blank();
        if (at_ < text_.size() && text_[at_] == ']') return end_container();
        expected = "a value or ']'";
        return false;
      case '"':
        read_string();
        return true;
      case 't':
        read_word("true", NodeKind::boolean, expected);
        return true;
      case 'f':
        read_word("false", NodeKind::boolean, expected);
        return true;
      case 'n':
        read_word("null", NodeKind::null, expected);
        return true;
      default:
        if (c != '-' && !is_digit(c)) fail(fmt::format("expected {}, found {}", expected, found()));
        read_number();
        return true;
    }
  }

  bool end_container() {
    builder_.end_container(++at_);
    return true;
  }

  // After an item: ',' (then false, the next item comes) or the end of the container.
  bool read_separator(const char*& expected) {
    skip_blank();
    const bool mapping = builder_.in_mapping();
    const char close = mapping ? '}' : ']';
    if (at_ < text_.size() && text_[at_] == close) return end_container();
    if (at_ >= text_.size() || text_[at_] != ',') {
      const char* what = mapping ? "',' or '}' after a value" : "',' or ']' after an element";
      fail(fmt::format("expected {}, found {}", what, found()));
    }
    ++at_;
    if (mapping) {
      skip_blank();
      read_key("a key in double quotes after ','");
      expected = "a value after the key";
    } else {
      expected = "a value after ','";
    }
    return false;
  }

  void read_key(const char* expected) {
    if (at_ >= text_.size() || text_[at_] != '"') fail(fmt::format("expected {}, found {}", expected, found()));
    read_string();
    skip_blank();
    if (at_ >= text_.size() || text_[at_] != ':') fail(fmt::format("expected ':' after the key, found {}", found()));
    ++at_;
  }

  void read_word(std::string_view word, NodeKind kind, const char* expected) {
    if (text_.substr(at_, word.size()) != word) fail(fmt::format("expected {}, found {}", expected, found()));
    builder_.scalar(kind, NodeStyle::plain, text_.substr(at_, word.size()), at_, at_ + word.size());
    at_ += word.size();
  }

  void digits(const char* where) {
    if (at_ >= text_.size() || !is_digit(text_[at_]))
      fail(fmt::format("expected a digit {}, found {}", where, found()));
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }

  void read_number() {
    const std::size_t begin = at_;
    NodeKind kind = NodeKind::integer;
    if (text_[at_] == '-') ++at_;
    if (at_ < text_.size() && text_[at_] == '0') {
      ++at_;
      if (at_ < text_.size() && is_digit(text_[at_])) fail("a number may not begin with 0");
    } else {
      digits("in a number");
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      kind = NodeKind::floating;
      ++at_;
      digits("after the decimal point");
    }
    if (at_ < text_.size() && (text_[at_] | 0x20) == 'e') {
      kind = NodeKind::floating;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      digits("in the exponent");
    }
    builder_.scalar(kind, NodeStyle::plain, text_.substr(begin, at_ - begin), begin, at_);
  }

  void read_string() {
    const std::size_t begin = at_++;
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20)
      ++at_;
    std::string_view value = text_.substr(from, at_ - from);
    if (at_ < text_.size() && text_[at_] == '\\') value = builder_.store(read_escaped(std::string(value), begin));
    if (at_ >= text_.size()) fail_at(begin, "expected '\"' at the end of this string, found the end of the text");
    if (text_[at_] != '"')
      fail(fmt::format("a string may not hold {}; expected '\"'", text_[at_] == '\n' ? "a line break" : found()));
    ++at_;
    builder_.scalar(NodeKind::string, NodeStyle::double_quoted, value, begin, at_);
  }

  // The rest of a string from its first backslash on, up to the closing quote (or the end of the text).
  std::string read_escaped(std::string value, std::size_t begin) {
    while (at_ < text_.size() && text_[at_] != '"' && static_cast<unsigned char>(text_[at_]) >= 0x20) {
      if (text_[at_] != '\\') {
        value += text_[at_++];
        continue;
      }
      if (++at_ >= text_.size()) fail_at(begin, "expected '\"' at the end of this string, found the end of the text");
      static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      const std::size_t which = kEscapes.find(text_[at_]);
      if (which != kEscapes.npos) {
        value += kMeanings[which];
        ++at_;
      } else if (text_[at_] == 'u') {
        ++at_;
        append_utf8(value, read_unicode());
      } else {
        fail(fmt::format("expected one of \" \\ / b f n r t u after a backslash, found {}", found()));
      }
    }
    return value;
  }

  unsigned read_hex4() {
    unsigned value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit(c) && (lower < 'a' || lower > 'f'))
        fail(fmt::format("expected four hexadecimal digits after \\u, found {}", found()));
      value = value * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return value;
  }

  // Half a surrogate pair reads as U+FFFD, as in Go.
  unsigned read_unicode() {
    const unsigned first = read_hex4();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t back = at_;
      at_ += 2;
      const unsigned second = read_hex4();
      if (second >= 0xDC00 && second <= 0xDFFF) return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
      at_ = back;
    }
    return 0xFFFD;
  }

  std::string_view text_;
  std::size_t at_;
  TreeBuilder builder_;
};

}  // namespace

void read_json(ConfigTree& tree, std::vector<DocumentFault>& faults) {
  JsonReader reader(tree);
  while (reader.skip_blank()) {
    const int index = tree.next_document_index();
    try {
      tree.add_document(reader.read_value(), index);
    } catch (SyntaxFault& fault) {
      faults.push_back({std::move(fault), index});
      return;  // there is no telling where the next value begins
    }
  }
}

}  // namespace apf
