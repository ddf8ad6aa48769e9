#include "yaml_of_json.h"

#include <algorithm>
#include <cstddef>

namespace apfctl {

namespace {

// Words that YAML 1.1 reads as something else than text.
constexpr std::string_view kReserved[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};

bool is_plain(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text.front())) return false;
  std::string lower;
  for (const char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9') && std::string_view("-_./").find(c) == std::string_view::npos)
      return false;
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::find(std::begin(kReserved), std::end(kReserved), lower) == std::end(kReserved);
}

class Yaml {
 public:
  explicit Yaml(std::string_view json) : json_(json) {}

  std::string take() {
    for (skip(); at_ < json_.size(); skip()) {
      if (!out_.empty()) out_ += "---\n";
      value(0, false);
    }
    return std::move(out_);
  }

 private:
  void skip() {
    while (at_ < json_.size() && std::string_view(" \n\r\t,:").find(json_[at_]) != std::string_view::npos) ++at_;
  }

  // A string with its quotes, a number or a word.
  std::string_view scalar() {
    const std::size_t from = at_;
    if (json_[at_] == '"') {
      for (++at_; json_[at_] != '"'; ++at_) at_ += json_[at_] == '\\';
      ++at_;
    } else {
      at_ = std::min(json_.find_first_of(",]} \n", at_), json_.size());
    }
    return json_.substr(from, at_ - from);
  }

  // What JSON quotes is a YAML text as well.
  static std::string text_of(std::string_view scalar) {
    if (scalar.front() != '"') return std::string(scalar);
    const std::string_view inner = scalar.substr(1, scalar.size() - 2);
    return std::string(is_plain(inner) ? inner : scalar);
  }

  // `inside`: of a mapping or a list, whose key or dash is written.
  void value(std::size_t indent, bool inside) {
    const char open = json_[at_];
    if (open != '{' && open != '[') {
      out_ += (inside ? " " : "") + text_of(scalar()) + "\n";
      return;
    }
    ++at_;
    skip();
    const char close = open == '{' ? '}' : ']';
    if (json_[at_] == close) {
      ++at_;
      out_ += std::string(inside ? " " : "") + open + close + "\n";
      return;
    }
    if (inside && !after_dash_) out_ += "\n";
    bool first = after_dash_;  // the first entry follows the dash on its line
    if (first) out_ += " ";
    after_dash_ = false;
    for (; json_[at_] != close; skip()) {
      if (!first) out_ += std::string(indent, ' ');
      first = false;
      if (open == '{') {
        out_ += text_of(scalar()) + ":";
        skip();
        value(indent + 2, true);
      } else {
        out_ += "-";
        after_dash_ = json_[at_] == '{' || json_[at_] == '[';
        value(indent + 2, true);
        after_dash_ = false;
      }
    }
    ++at_;
  }

  std::string_view json_;
  std::string out_;
  std::size_t at_ = 0;
  bool after_dash_ = false;
};

}  // namespace

std::string yaml_of_json(std::string_view json) { return Yaml(json).take(); }

}  // namespace apfctl
