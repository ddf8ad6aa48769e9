// A request in words, as a command line has them: "list pods -A", "get /healthz", "GET /api/v1/pods?watch=1".
#include <algorithm>
#include <array>

#include <apf/error.h>
#include <apf/test_file.h>

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

struct Words {
  std::vector<std::string> plain;
  std::string ns, subresource;
  bool all_namespaces = false;
};

[[noreturn]] void refuse_flag(const std::string& flag) {
  if (flag == "--as" || flag == "--as-group")
    throw Error("'" + flag + "' is no part of a request: use the key " + (flag == "--as" ? "as" : "groups"));
  const std::string_view near = closest(flag, std::array{kNamespace, kAll, kSubresource});
  throw Error("unknown flag '" + flag + "' in a request" +
              (near.empty() ? std::string("; it may have -n NS, -A and --subresource NAME")
                            : "; did you mean '" + std::string(near) + "'?"));
}

Words words_of(const std::vector<std::string>& words) {
  Words out;
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
  if (out.all_namespaces && !out.ns.empty()) throw Error("-A and -n cannot be combined");
  return out;
}

void refuse_errors(const NamedRequest& named) {
  const ParsedRequest& request = named.request;
  const std::string& error = request.url_error.empty() ? request.info_error : request.url_error;
  if (!error.empty()) throw Error("'" + named.uri + "': " + error);
}

bool is_method(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

NamedRequest request_named(std::string_view text) {
  const Words words = words_of(parted(text));
  const std::vector<std::string>& plain = words.plain;
  if (plain.size() < 2)
    throw Error("'" + std::string(text) + "' is no request: write VERB RESOURCE [NAME], VERB /PATH or METHOD URI");
  const bool is_path = plain[1].starts_with('/');
  if (is_path && (!words.ns.empty() || !words.subresource.empty() || words.all_namespaces))
    throw Error("-n, -A and --subresource need a resource, not the path '" + plain[1] + "'");
  if (plain.size() > (is_path ? 2 : 3)) throw Error("one word too many: '" + plain[is_path ? 2 : 3] + "'");
  if (is_path) {
    NamedRequest out;
    out.uri = plain[1];
    if (is_method(plain[0])) {
      out.method = plain[0];
      parse_request(out.method, out.uri, out.request);
    } else {
      parse_audited_request(plain[0], out.uri, out.request);
    }
    refuse_errors(out);
    return out;
  }
  std::string resource = plain[1], name = plain.size() > 2 ? plain[2] : "";
  if (!words.subresource.empty()) {
    const std::size_t slash = resource.find('/');
    if (slash != std::string::npos) {  // TYPE/NAME, as kubectl takes it
      if (!name.empty()) throw Error("the subresource is given twice: in '" + resource + "' and with --subresource");
      name = resource.substr(slash + 1);
      resource.resize(slash);
    }
    resource += "/" + words.subresource;
  }
  NamedRequest out = name_request(plain[0], resource, name, words.ns);
  refuse_errors(out);
  return out;
}

}  // namespace apf
