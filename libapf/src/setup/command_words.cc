// Flags of kube-apiserver on command lines.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

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

// The server takes _ for -.
std::string name_of_flag(std::string_view word) {
  std::string name(word.substr(std::min(word.find_first_not_of('-'), word.size())));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool is_flag(std::string_view word) { return is_one_of(kFlags, name_of_flag(word)); }

// What one command line says of each flag: the server adds lists up, and of all else takes the last.
class Said {
 public:
  void add(std::string_view flag, std::string_view value) {
    Value& of = values_[name_of_flag(flag)];
    const bool is_list = flag == "feature-gates" || flag == "enable-admission-plugins";
    of.text = (is_list && of.times > 0 ? of.text + "," : std::string()) + std::string(unquoted(value));
    of.by = !is_list && ++of.times > 1 ? "the last of " + std::to_string(of.times) : std::string();
    if (is_list) of.times = 1;
  }
  bool empty() const { return values_.empty(); }
  void tell(FactBook& book) const {
    for (const auto& [name, value] : values_) book.flag(name, value.text, value.by);
  }

 private:
  struct Value {
    std::string text, by;
    int times = 0;
  };
  std::map<std::string, Value> values_;
};

// `text`: "name=value", without dashes; k3d writes "@server:0" behind it.
bool take(std::string_view text, Said& said) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !is_flag(text.substr(0, equals))) return false;
  const std::string_view value = text.substr(equals + 1);
  said.add(text.substr(0, equals), value.substr(0, std::min(value.find("@server"), value.find("@all"))));
  return true;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

// Reads a text line by line, of which those that go on in the next one, or whose words stand one a line, are one.
class JoinedLines {
 public:
  explicit JoinedLines(std::string_view text) : text_(text) {}

  bool next(std::string& joined) {
    if (at_ >= text_.size()) return false;
    const std::string_view first = line_at(at_);
    at_ += first.size() + 1;
    std::string_view last = first;
    // Of an image that runs it without a command.
    constexpr std::size_t kContainers = 2;
    if (indent_of(first) == kContainers && first.ends_with(':')) is_of_server_ = first.find("apiserver") != first.npos;
    const bool is_args = is_of_server_ && trimmed(first) == "Args:";
    const bool is_column = is_args || begins_column(first);
    joined = is_args ? "kube-apiserver" : first;
    while (at_ < text_.size()) {
      const std::string_view line = line_at(at_);
      const bool goes_on = trimmed(last).ends_with('\\');
      if (!goes_on && !(is_column && is_of_column(first, last, line))) break;
      at_ += line.size() + 1;
      if (goes_on && trimmed(line).starts_with('#')) continue;  // systemd skips it
      joined.append(" ").append(line);
      last = line;
    }
    return true;
  }

 private:
  std::string_view line_at(std::size_t at) const { return text_.substr(at, text_.find('\n', at) - at); }

  // kube-apiserver alone, or hyperkube: words of its command line stand one a line below.
  static bool begins_column(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    return words.size() == 1 && (is_apiserver(words.back()) || words.back().ends_with("hyperkube"));
  }
  // A flag, what stands in the same column as kubectl describe has it, a flag's value, or the heading of more flags.
  bool is_of_column(std::string_view first, std::string_view last, std::string_view line) const {
    const std::string_view word = trimmed(line);
    if (word.starts_with("-") || (indent_of(first) > 0 && indent_of(line) == indent_of(first) && !word.empty()))
      return true;
    if (is_flag(trimmed(last)) && !word.empty() && word.find(' ') == word.npos && !word.ends_with(':')) return true;
    const std::size_t behind = at_ + line.size() + 1;
    return word == "Args:" && behind < text_.size() && trimmed(line_at(behind)).starts_with("-");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_of_server_ = false;
};

// kube-apiserver's flags alone, one a line, as microk8s keeps them.
bool is_list_of_flags(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = trimmed(text.substr(at, text.find('\n', at) - at));
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("--")) return false;
    any =
        any || starts_with_any(line, {"--etcd-servers", "--max-requests-inflight", "--max-mutating-requests-inflight"});
  }
  return any;
}

Said said_by(const std::vector<std::string_view>& words) {
  Said said;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = unquoted(words[i]);
    if (!word.starts_with("-")) continue;
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    // k3s and RKE2 pass them on: --kube-apiserver-arg=max-requests-inflight=800
    const bool has_next = i + 1 < words.size();
    if (word.starts_with("kube-apiserver-arg=")) {
      take(unquoted(word.substr(word.find('=') + 1)), said);
    } else if (word == "kube-apiserver-arg" && has_next) {
      take(unquoted(words[++i]), said);
    } else if (!take(word, said) && is_flag(word)) {
      if (has_next && !words[i + 1].starts_with("-")) said.add(word, words[++i]);
      else if (word == "enable-priority-and-fairness") said.add(word, "true");
    }
  }
  return said;
}

// A value that a quote begins goes on up to that quote, also in lines below. Where it does not end soon, it is none.
void close_quote(std::string& value, JoinedLines& lines) {
  constexpr int kMostLines = 100;
  const char quote = value.empty() ? '\0' : value.front();
  if ((quote != '"' && quote != '\'') || value.find(quote, 1) != value.npos) return;
  JoinedLines ahead = lines;
  std::string whole = value, line;
  for (int i = 0; i < kMostLines && ahead.next(line); ++i) {
    whole.append(" ").append(line);
    if (line.find(quote) == line.npos) continue;
    value = std::move(whole);
    lines = ahead;
    return;
  }
}

// A="b c" D=e: blanks within quotes part nothing.
std::vector<std::string> assignments_of(std::string_view text) {
  std::vector<std::string> out(1);
  char quote = 0;
  for (const char c : text) {
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? '\0' : c;
    else if (!quote && is_blank(c)) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

}  // namespace

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

void read_command_words(const std::vector<std::string_view>& words, FactBook& book) { said_by(words).tell(book); }

bool has_flags(const std::vector<std::string_view>& words) { return !said_by(words).empty(); }

bool is_apiserver(std::string_view word) {
  word = unquoted(word);
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos) word.remove_prefix(slash + 1);
  return word == "kube-apiserver" || word == "hyperkube-apiserver";
}

void read_variables(std::string_view text, bool of_server, FactBook& book) {
  JoinedLines lines(text);
  for (std::string joined; lines.next(joined);) {
    std::string_view line = trimmed(joined);
    if (line == "Environment=") book.drop_variables();
    if (line.starts_with("Environment=")) {
      for (const std::string& one : assignments_of(line.substr(line.find('=') + 1)))
        if (const std::size_t equals = one.find('='); equals != one.npos)
          book.variable(one.substr(0, equals), one.substr(equals + 1));
      continue;
    }
    if (line.starts_with("export ")) line = trimmed(line.substr(line.find(' ')));
    const std::size_t equals = line.find('=');
    const std::string_view name = line.substr(0, equals);
    if (equals == line.npos || !std::all_of(name.begin(), name.end(), is_of_name)) continue;
    std::string value(line.substr(equals + 1));
    close_quote(value, lines);
    for (char& c : value)
      if (c == '"' || c == '\'' || c == '\\') c = ' ';
    // Other variables may hold other flags.
    const bool is_flags = of_server && name.find("API") != name.npos && has_flags(words_of(value));
    book.variable(name, value, is_flags);
  }
}

bool read_command_lines(std::string_view text, FactBook& book) {
  const std::size_t before = book.count();
  if (is_list_of_flags(text)) {
    FactBook::CommandLine line;
    JoinedLines lines(text);
    for (std::string joined; lines.next(joined);)
      if (!joined.starts_with('#'))
        for (const std::string_view word : words_of(joined)) line.words.emplace_back(word);
    book.command_line(line);
    return true;
  }
  JoinedLines lines(text);
  for (std::string joined; lines.next(joined);) {
    const bool is_unit = trimmed(joined).starts_with("ExecStart=");
    const std::vector<std::string_view> words = words_of(joined);
    if (words.size() == 1 && words.front() == "ExecStart=") book.drop_units();
    if (words.size() == 2 && words.front() == "Image:") book.image(words.back());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      std::string_view word = unquoted(words[i]);
      if (word.starts_with("ExecStart=")) word.remove_prefix(10);
      const bool carried = word == "k3d" || (word == "server" && i > 0 &&
                                             (words[i - 1].ends_with("k3s") || words[i - 1].ends_with("rke2")));
      const bool runs = is_apiserver(word) || (word == "apiserver" && i > 0 && words[i - 1].ends_with("hyperkube"));
      const std::string_view next = unquoted(words[i + 1]);
      if (!carried && !(runs && (starts_with_any(next, {"-", "$"}) || next == "Args:"))) continue;
      for (std::size_t at = i; word == "k3d" && at + 1 < words.size(); ++at)
        if (words[at] == "--image") book.image(words[at + 1]);
      book.command_line({{words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()}, is_unit, carried});
      break;
    }
  }
  return book.count() > before;
}

}  // namespace apf
