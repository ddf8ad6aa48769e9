// A regular expression of the KEP's dialect (RE2): compiled once, and where it is wrong, where.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace apf {

// Safe to use from several threads at once.
class KepPattern {
 public:
  explicit KepPattern(std::string_view text);
  ~KepPattern();

  const std::string& text() const { return text_; }
  // RE2's message; empty if the pattern is fine. Where it is wrong, [fault_begin, fault_end) of the text is to blame.
  const std::string& error() const { return error_; }
  std::size_t fault_begin() const { return fault_begin_; }
  std::size_t fault_end() const { return fault_end_; }

  // The whole of `value`; a dot matches line breaks, too.
  bool matches(std::string_view value) const;
  // The first submatch of a complete match, else nothing. Points into `value`.
  std::string_view capture(std::string_view value) const;
  int groups() const;

  // Matches any value, and if it captures, all of it.
  bool is_anything() const { return anything_; }
  // The one string that it matches, if that can be seen: letters, digits and escaped punctuation.
  std::optional<std::string> literal() const;

 private:
  void locate_fault();

  std::string text_, error_;
  std::size_t fault_begin_ = 0, fault_end_ = 0;
  bool anything_ = false;
  std::unique_ptr<re2::RE2> regexp_;
};

}  // namespace apf
