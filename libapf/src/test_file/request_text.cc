// A request as one text, as a command line has it: "list pods -A", "get /healthz", "GET /api/v1/pods?watch=1".
#include <apf/request_words.h>
#include <apf/test_file.h>

#include <array>

#include <apf/error.h>

#include "config/closest.h"

namespace apf {

namespace {

// Parted at blanks; quotes keep blanks together, as in a shell.
std::vector<std::string> parted(std::string_view text) {
  std::vector<std::string> out;
  bool open = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
      else out.back() += c;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      open = false;
    } else {
      if (!open) out.emplace_back();
      open = true;
      if (c == '\'' || c == '"') quote = c;
      else out.back() += c;
    }
  }
  if (quote != 0) throw Error(std::string("a quote (") + quote + ") is not closed");
  return out;
}

constexpr std::string_view kNamespace = "--namespace", kAll = "--all-namespaces", kSubresource = "--subresource";

[[noreturn]] void refuse_flag(const std::string& flag) {
  if (flag == "--as" || flag == "--as-group")
    throw Error("'" + flag + "' is not a part of a request: use the key " + (flag == "--as" ? "as" : "groups"));
  const std::string_view near = closest(flag, std::array{kNamespace, kAll, kSubresource});
  throw Error("unknown flag '" + flag + "' in a request" +
              (near.empty() ? std::string("; it may have -n NS, -A and --subresource NAME")
                            : "; did you mean '" + std::string(near) + "'?"));
}

RequestWords words_of(const std::vector<std::string>& words) {
  RequestWords out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      out.plain.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    std::string flag = word.substr(0, equals);
    const auto value = [&]() -> std::string {
      if (equals != std::string::npos) return word.substr(equals + 1);
      if (i + 1 == words.size()) throw Error("'" + flag + "' needs a value");
      return words[++i];
    };
    if (flag == "-A" || flag == kAll) out.all_namespaces = true;
    else if (flag == "-n" || flag == kNamespace) out.ns = value();
    else if (flag == kSubresource) out.subresource = value();
    else refuse_flag(flag);
  }
  return out;
}

}  // namespace

NamedRequest request_named(std::string_view text) {
  NamedRequest out = request_of_words(words_of(parted(text)));
  const std::string& error = out.request.error();
  if (!error.empty()) throw Error("'" + out.uri + "': " + error);
  return out;
}

}  // namespace apf
