// Flags of kube-apiserver on command lines.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "setup/facts.h"

namespace apf {

namespace {

constexpr std::array<std::string_view, 9> kFlags = {"max-requests-inflight",
                                                    "max-mutating-requests-inflight",
                                                    "request-timeout",
                                                    "min-request-timeout",
                                                    "enable-priority-and-fairness",
                                                    "feature-gates",
                                                    "admission-control-config-file",
                                                    "audit-policy-file",
                                                    "enable-admission-plugins"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\\'; }

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && is_blank(line[at])) ++at;
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (end > at) out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\''))
    return text.substr(1, text.size() - 2);
  return text;
}

// `text`: "name=value", without dashes.
bool take(std::string_view text, FactBook& book) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  if (!is_one_of(kFlags, text.substr(0, equals))) return false;
  book.flag(text.substr(0, equals), unquoted(text.substr(equals + 1)));
  return true;
}

bool is_apiserver(std::string_view word) {
  word = unquoted(word);
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos) word.remove_prefix(slash + 1);
  return word == "kube-apiserver" || word == "hyperkube-apiserver";
}

}  // namespace

void read_command_words(const std::vector<std::string_view>& words, FactBook& book) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = unquoted(words[i]);
    if (!word.starts_with("-")) continue;
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    // k3s and RKE2 pass them on: --kube-apiserver-arg=max-requests-inflight=800
    const bool has_next = i + 1 < words.size();
    if (word.starts_with("kube-apiserver-arg=")) {
      take(unquoted(word.substr(word.find('=') + 1)), book);
    } else if (word == "kube-apiserver-arg" && has_next) {
      take(unquoted(words[++i]), book);
    } else if (!take(word, book) && is_one_of(kFlags, word)) {
      if (has_next && !words[i + 1].starts_with("-")) book.flag(word, unquoted(words[++i]));
      else if (word == "enable-priority-and-fairness") book.flag(word, "true");
    }
  }
}

bool read_command_lines(std::string_view text, FactBook& book) {
  bool found = false;
  // A line that ends with a backslash goes on in the next one.
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    while (end < text.size() && end > at && text[end - 1] == '\\')
      end = std::min(text.find('\n', end + 1), text.size());
    std::string joined(text.substr(at, end - at));
    std::replace(joined.begin(), joined.end(), '\n', ' ');
    at = end + 1;
    const std::vector<std::string_view> words = words_of(joined);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      std::string_view word = unquoted(words[i]);
      if (word.starts_with("ExecStart=")) word.remove_prefix(10);
      const bool carried =
          word == "server" && i > 0 && (words[i - 1].ends_with("k3s") || words[i - 1].ends_with("rke2"));
      if (!carried && !(is_apiserver(word) && words[i + 1].starts_with("--"))) continue;
      const std::size_t before = book.count();
      read_command_words({words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()}, book);
      if (!carried || book.count() > before) found = true;
      if (found) book.complete();
      break;
    }
  }
  return found;
}

}  // namespace apf
