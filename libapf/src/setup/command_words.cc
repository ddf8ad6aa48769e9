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

// NUL is between the words of /proc/PID/cmdline.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\\' || c == '\0'; }

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

// NAME="--flag=value ..." of an EnvironmentFile.
bool is_variable_of_flags(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return false;
  const std::string_view name = word.substr(0, equals);
  return name.find("API") != name.npos && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == name.npos;
}

bool begins_flag(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != line.npos && line.substr(at).starts_with("--");
}

// Reads a text line by line, of which those that go on in the next one, or whose words stand one a line, are one.
class JoinedLines {
 public:
  explicit JoinedLines(std::string_view text) : text_(text) {}

  bool next(std::string& joined) {
    if (at_ >= text_.size()) return false;
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const auto after = [&] { return text_.substr(std::min(end + 1, text_.size())); };
    while (end < text_.size() && end > at_ && (text_[end - 1] == '\\' || (is_alone(end) && begins_flag(after()))))
      end = std::min(text_.find('\n', end + 1), text_.size());
    joined = text_.substr(at_, end - at_);
    std::replace(joined.begin(), joined.end(), '\n', ' ');
    at_ = end + 1;
    return true;
  }

 private:
  // Whether what has been read of the line is kube-apiserver, and perhaps flags one a line.
  bool is_alone(std::size_t end) const {
    std::string_view line = text_.substr(at_, end - at_);
    line = line.substr(0, line.find('\n'));
    const std::size_t begin = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t\r");
    return begin != line.npos && is_apiserver(line.substr(begin, last - begin + 1));
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_apiserver(std::string_view word) {
  word = unquoted(word);
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos) word.remove_prefix(slash + 1);
  return word == "kube-apiserver" || word == "hyperkube-apiserver";
}

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
  JoinedLines lines(text);
  for (std::string joined; lines.next(joined);) {
    const std::vector<std::string_view> words = words_of(joined);
    // Other variables may hold other flags.
    if (!words.empty() && is_variable_of_flags(words.front())) {
      for (char& c : joined)
        if (c == '"' || c == '\'') c = ' ';
      const std::size_t before = book.count();
      read_command_words(words_of(std::string_view(joined).substr(joined.find('=') + 1)), book);
      found = found || book.count() > before;
      continue;
    }
    if (words.size() == 2 && words.front() == "Image:") book.image(words.back());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      std::string_view word = unquoted(words[i]);
      if (word.starts_with("ExecStart=")) word.remove_prefix(10);
      const bool carried =
          word == "server" && i > 0 && (words[i - 1].ends_with("k3s") || words[i - 1].ends_with("rke2"));
      if (!carried && !(is_apiserver(word) && words[i + 1].starts_with("--"))) continue;
      const std::size_t before = book.count();
      read_command_words({words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()}, book);
      if (!carried || book.count() > before) found = true;
      const bool whole = std::none_of(words.begin(), words.end(), [](auto w) { return w.starts_with("$"); });
      if (found && whole) book.complete();
      if (!whole) book.mention();
      break;
    }
  }
  return found;
}

}  // namespace apf
