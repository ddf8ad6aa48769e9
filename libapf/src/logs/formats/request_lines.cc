#include "logs/formats/request_lines.h"

#include <apf/error.h>

#include <algorithm>
#include <string>
#include <vector>

#include "classify/request_words.h"

namespace apf {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

// Throws Error.
void read_words(const std::vector<std::string>& words, const User* admin, LoggedRequest& out) {
  RequestWords request;
  std::vector<std::string> groups;
  out.as.emplace();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-A" || word == "--all-namespaces") {
      request.all_namespaces = true;
    } else if (!word.starts_with('-')) {
      request.plain.push_back(word);
    } else if (word == "-n" || word == "--namespace" || word == "--as" || word == "--as-group") {
      if (i + 1 == words.size()) throw Error(word + " needs a value");
      const std::string& value = words[++i];
      if (word == "--as-group") groups.push_back(value);
      else if (word == "--as") out.as = value;
      else request.ns = value;
    } else {
      throw Error("a line takes a request, -n, -A, --as and --as-group, not " + word);
    }
  }
  if (out.as->empty() && !groups.empty()) throw Error("--as-group needs --as");
  if (out.as->empty()) out.user.name = "system:anonymous";
  else out.user = admin && *out.as == kAdministrator ? *admin : user_named(*out.as);
  for (std::string& group : groups)
    if (std::find(out.user.groups.begin(), out.user.groups.end(), group) == out.user.groups.end())
      out.user.groups.push_back(std::move(group));
  add_implied_groups(out.user);
  if (request.plain.size() < 2 || request.plain.size() > 3)
    throw Error("no request: write VERB RESOURCE [NAME], or METHOD and a path");
  NamedRequest named = request_of_words(request);
  out.request = std::move(named.request);
  out.notes = std::move(named.notes);
}

// False where it says nothing.
bool read_line(std::string_view line, const User* admin, LoggedRequest& out) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty() || words[0].starts_with('#')) return false;
  try {
    read_words(words, admin, out);
  } catch (const Error& error) {
    out.error = error.what();
  }
  return true;
}

// `visit`: whether to go on, of the line and its number.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!visit(text.substr(0, end), number)) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

bool holds_request_lines(std::string_view text) {
  bool holds = false;
  for_each_line(text, [&](std::string_view line, std::uint64_t) {
    LoggedRequest request;
    const bool says_something = read_line(line, nullptr, request);
    holds = says_something && request.error.empty();
    return !says_something;
  });
  return holds;
}

void read_request_lines(std::string_view text, const User* admin, const std::function<void(LoggedRequest&)>& sink) {
  for_each_line(text, [&](std::string_view line, std::uint64_t number) {
    LoggedRequest request;
    request.line = number;
    if (read_line(line, admin, request)) sink(request);
    return true;
  });
}

}  // namespace apf
