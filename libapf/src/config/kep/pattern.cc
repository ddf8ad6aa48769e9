#include "config/kep/pattern.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <re2/re2.h>

namespace apf {

namespace {

// Beyond this a fault's place is looked up, not tried out.
constexpr std::size_t kMostTried = 500;
// Bytes for one pattern, compiled: far more than names and paths need. RE2's own 8 MiB take 10 ms to fill.
constexpr std::int64_t kMostMemory = 1 << 20;
constexpr std::string_view kMeta = "\\^$.|?*+()[]{}";

RE2::Options options() {
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);
  options.set_max_mem(kMostMemory);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// The first bracket of one sort that is not closed, or closes none; npos if all is well.
std::size_t odd_parenthesis(std::string_view text) {
  std::vector<std::size_t> open;
  bool in_class = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (in_class) {
      in_class = text[i] != ']';
    } else if (text[i] == '[') {
      in_class = true;
      if (i + 1 < text.size() && text[i + 1] == '^') ++i;
      if (i + 1 < text.size() && text[i + 1] == ']') ++i;  // is itself there
    } else if (text[i] == '(') {
      open.push_back(i);
    } else if (text[i] == ')') {
      if (open.empty()) return i;
      open.pop_back();
    }
  }
  return open.empty() ? std::string_view::npos : open.back();
}

}  // namespace

KepPattern::KepPattern(std::string_view text) : text_(text) {
  anything_ = text_ == ".*" || text_ == "(.*)" || text_ == "^.*$" || text_ == "^(.*)$";
  regexp_ = std::make_unique<RE2>(piece(text_), options());
  if (regexp_->ok()) return;
  error_ = regexp_->error();
  locate_fault();
}

KepPattern::~KepPattern() = default;

// RE2 says what is wrong, not where. It reads from left to right, so the shortest beginning of the pattern that is
// wrong in the same way ends with the fault.
void KepPattern::locate_fault() {
  fault_end_ = text_.size();
  const RE2::ErrorCode code = regexp_->error_code();
  const std::string& blamed = regexp_->error_arg();
  if (code == RE2::ErrorMissingParen || code == RE2::ErrorUnexpectedParen) {
    const std::size_t at = odd_parenthesis(text_);
    if (at == std::string::npos) return;
    fault_begin_ = at;
    fault_end_ = at + 1;
    return;
  }
  if (code == RE2::ErrorTrailingBackslash && !text_.empty()) {
    fault_begin_ = text_.size() - 1;
    return;
  }
  if (blamed.empty() || blamed.size() > text_.size()) return;
  if (text_.ends_with(blamed)) {
    fault_begin_ = text_.size() - blamed.size();
    if (code == RE2::ErrorMissingBracket) fault_end_ = fault_begin_ + 1;
  }
  if (code == RE2::ErrorMissingBracket) return;
  std::size_t at = text_.find(blamed);
  if (at == std::string::npos) return;
  const std::size_t last = text_.size() > kMostTried ? at : text_.rfind(blamed);
  for (; at < last; at = text_.find(blamed, at + 1)) {
    const RE2 beginning(piece(std::string_view(text_).substr(0, at + blamed.size())), options());
    if (!beginning.ok() && beginning.error_code() == code && beginning.error_arg() == blamed) break;
  }
  fault_begin_ = at;
  fault_end_ = at + blamed.size();
}

bool KepPattern::matches(std::string_view value) const {
  return anything_ || (regexp_->ok() && RE2::FullMatch(piece(value), *regexp_));
}

std::string_view KepPattern::capture(std::string_view value) const {
  if (!regexp_->ok() || regexp_->NumberOfCapturingGroups() < 1) return {};
  if (anything_) return value;
  re2::StringPiece part;
  if (!RE2::FullMatch(piece(value), *regexp_, &part)) return {};
  return part.data() ? std::string_view(part.data(), part.size()) : std::string_view();
}

int KepPattern::groups() const { return regexp_->ok() ? regexp_->NumberOfCapturingGroups() : 0; }

std::optional<std::string> KepPattern::literal() const {
  std::string out;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    char c = text_[i];
    if (c == '\\') {
      if (++i == text_.size() || kMeta.find(text_[i]) == kMeta.npos) {
        const bool punctuation =
            i < text_.size() && std::string_view("-/:_@,;=<>!\"'#%&~` ").find(text_[i]) != std::string_view::npos;
        if (!punctuation) return std::nullopt;
      }
      c = text_[i];
    } else if (kMeta.find(c) != kMeta.npos) {
      return std::nullopt;
    }
    out += c;
  }
  return out;
}

}  // namespace apf
