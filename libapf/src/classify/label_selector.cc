// app in (a, b),!legacy,tier=x: Kubernetes' label selector grammar with its checks of keys and values. Only
// whether it parses is wanted, so tokens are read one ahead and nothing is built.
#include <algorithm>

#include "base/text.h"
#include "classify/go_int.h"
#include "classify/selectors.h"

namespace apf {
namespace {

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// 1 to 63 of letters, digits, '-', '_', '.', beginning and ending with a letter or digit.
bool is_label_name(std::string_view text) {
  return !text.empty() && text.size() <= 63 && is_alnum(text.front()) && is_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

// A DNS subdomain (RFC 1123), at most 253 characters.
bool is_dns_subdomain(std::string_view text) {
  if (text.size() > 253) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (label.empty() || !is_lower_alnum(label.front()) || !is_lower_alnum(label.back())) return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_lower_alnum(c) || c == '-'; })) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return is_label_name(text);
  return is_dns_subdomain(text.substr(0, slash)) && is_label_name(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) { return text.empty() || is_label_name(text); }

enum class Token { error, end, close, comma, not_sign, equals, greater_less, identifier, in, open };

bool is_special(char c) { return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<'; }
bool ends_word(char c) { return is_special(c) || is_space(c) || c == '\0'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) { advance(); }

  Token token() const { return token_; }
  std::string_view text() const { return text_; }
  // "in" and "notin" are keywords only where an operator is allowed.
  Token as_value() const { return token_ == Token::in ? Token::identifier : token_; }

  void advance() {
    while (!rest_.empty() && is_space(rest_[0])) rest_.remove_prefix(1);
    if (rest_.empty() || rest_[0] == '\0') {
      rest_ = {};
      take(0, Token::end);
    } else if (is_special(rest_[0])) {
      advance_special();
    } else {
      std::size_t length = 0;
      while (length < rest_.size() && !ends_word(rest_[length])) ++length;
      const std::string_view word = rest_.substr(0, length);
      take(length, word == "in" || word == "notin" ? Token::in : Token::identifier);
    }
  }

 private:
  void advance_special() {
    const bool before_equals = rest_.size() > 1 && rest_[1] == '=';
    switch (rest_[0]) {
      case '(':
        take(1, Token::open);
        break;
      case ')':
        take(1, Token::close);
        break;
      case ',':
        take(1, Token::comma);
        break;
      case '=':
        take(before_equals ? 2 : 1, Token::equals);
        break;
      case '!':
        before_equals ? take(2, Token::equals) : take(1, Token::not_sign);
        break;
      default:
        take(1, Token::greater_less);
        break;
    }
  }
  void take(std::size_t length, Token token) {
    text_ = rest_.substr(0, length);
    token_ = token;
    rest_.remove_prefix(length);
    // The server's reader swallows a NUL that ends a token; one where a token would begin ends the selector.
    if (length > 0 && rest_.starts_with('\0')) rest_.remove_prefix(1);
  }

  std::string_view rest_, text_;
  Token token_ = Token::end;
};

// "(a, b,)": identifiers and commas, a comma without a text next to it gives an empty value.
bool take_value_list(Lexer& lexer) {
  if (lexer.token() != Token::open) return false;
  lexer.advance();
  bool valid = true;
  bool after_identifier = false;
  while (lexer.token() != Token::close) {
    const Token token = lexer.as_value();
    if (token == Token::identifier && !after_identifier) {
      valid = valid && is_label_value(lexer.text());
      after_identifier = true;
    } else if (token == Token::comma) {
      after_identifier = false;
    } else {
      return false;
    }
    lexer.advance();
  }
  lexer.advance();
  return valid;
}

// One requirement: [!]key, key op value, key in (…).
bool take_requirement(Lexer& lexer) {
  const bool negated = lexer.token() == Token::not_sign;
  if (negated) lexer.advance();
  if (lexer.as_value() != Token::identifier || !is_label_key(lexer.text())) return false;
  lexer.advance();
  if (negated || lexer.token() == Token::end || lexer.token() == Token::comma) return true;
  const Token op = lexer.token();
  lexer.advance();
  if (op == Token::in) return take_value_list(lexer);
  if (op != Token::equals && op != Token::greater_less) return false;
  std::string_view value;
  if (lexer.token() != Token::end && lexer.token() != Token::comma) {
    if (lexer.as_value() != Token::identifier) return false;
    value = lexer.text();
    lexer.advance();
  }
  std::int64_t number = 0;
  return is_label_value(value) && (op == Token::equals || parse_go_int64(value, number));
}

}  // namespace

bool is_valid_label_selector(std::string_view selector) {
  Lexer lexer(selector);
  if (lexer.token() == Token::end) return true;
  for (;;) {
    if (!take_requirement(lexer)) return false;
    if (lexer.token() == Token::end) return true;
    if (lexer.token() != Token::comma) return false;
    lexer.advance();
  }
}

}  // namespace apf
