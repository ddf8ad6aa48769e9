// Reads Go-syntax dumps of RequestInfo and user.DefaultInfo.
#include "logs/formats/request_info_dump.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include "base/utf8.h"

namespace apf {

namespace {

// With the package, so that a mere type name in running text ("*request.RequestInfo") is none.
constexpr std::string_view kRequestInfo = "RequestInfo{";
constexpr std::string_view kDefaultInfo = "DefaultInfo{";
// A request in whose context the server found no user: it prints the HTTP request, and of RequestInfo only where it is.
constexpr std::string_view kNoUser = "No User found";
constexpr std::string_view kHttpRequest = "http.Request{";

// Go composite literals, as far as the two structs need them. Any step may fail; `ok` then turns false and stays so.
class GoLiteral {
 public:
  explicit GoLiteral(std::string_view text) : rest_(text) {}
  bool ok() const { return ok_; }
  const char* end() const { return rest_.data(); }

  // Key:value, Key:value, …} with `field` reading each value.
  template <class Field>
  void fields(const Field& field) {
    for (;;) {
      skip_blanks();
      if (take('}')) return;
      const std::string_view key = word();
      if (key.empty() || !take(':')) return fail();
      field(key);
      if (!ok_) return;
      skip_blanks();
      if (!take(',') && (rest_.empty() || rest_[0] != '}')) return fail();
    }
  }

  std::string string() {
    skip_blanks();
    if (take('`')) {
      const std::size_t end = rest_.find('`');
      if (end == std::string_view::npos) return fail(), std::string();
      const std::string raw(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
      return raw;
    }
    std::string out;
    if (!take('"')) return fail(), out;
    while (!rest_.empty() && rest_[0] != '"') {
      if (rest_[0] == '\\') escape(out);
      else out += rest_[0], rest_.remove_prefix(1);
      if (!ok_) return out;
    }
    if (!take('"')) fail();
    return out;
  }

  bool boolean() {
    skip_blanks();
    const std::string_view value = word();
    if (value != "true" && value != "false") fail();
    return value == "true";
  }

  // []string{"a", "b"} or []string(nil); false for nil.
  bool strings(std::vector<std::string>& out) {
    skip_blanks();
    if (!take_text("[]string")) return fail(), false;
    if (take_text("(nil)")) return false;
    if (!take('{')) return fail(), false;
    for (;;) {
      skip_blanks();
      if (take('}')) return true;
      out.push_back(string());
      skip_blanks();
      if (!ok_ || (!take(',') && (rest_.empty() || rest_[0] != '}'))) return fail(), false;
    }
  }

  // A value of any type that is of no interest: up to the comma or brace that ends it.
  void skip_value() {
    int depth = 0;
    while (ok_ && !rest_.empty()) {
      const char c = rest_[0];
      if (c == '"' || c == '`') {
        string();
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}')) return;
      depth += c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
      rest_.remove_prefix(1);
    }
    fail();
  }

 private:
  void fail() { ok_ = false; }
  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }
  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_text(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string_view word() {
    std::size_t n = 0;
    while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_')) ++n;
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }
  void escape(std::string& out) {
    constexpr std::string_view kNames = "abfnrtv\\\"'", kValues = "\a\b\f\n\r\t\v\\\"'";
    rest_.remove_prefix(1);
    if (rest_.empty()) return fail();
    const char c = rest_[0];
    if (const std::size_t at = kNames.find(c); at != std::string_view::npos) {
      out += kValues[at];
      rest_.remove_prefix(1);
      return;
    }
    const bool octal = c >= '0' && c <= '7';
    const std::size_t digits = octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (!octal) rest_.remove_prefix(1);
    if (digits == 0 || rest_.size() < digits) return fail();
    std::uint32_t value = 0;
    for (const char digit : rest_.substr(0, digits)) {
      if (!std::isxdigit(static_cast<unsigned char>(digit)) || (octal && digit > '7')) return fail();
      const auto lower = static_cast<std::uint32_t>(std::tolower(static_cast<unsigned char>(digit)));
      value = value * (octal ? 8 : 16) + (lower <= '9' ? lower - '0' : lower - 'a' + 10);
    }
    rest_.remove_prefix(digits);
    if (octal || c == 'x') out += static_cast<char>(value);  // one byte of a text that is not UTF-8
    else append_utf8(out, value);
  }

  std::string_view rest_;
  bool ok_ = true;
};

// Nothing if the text is no such literal; else the text behind it.
const char* read_info(std::string_view text, RequestInfo& info) {
  GoLiteral literal(text);
  literal.fields([&](std::string_view key) {
    if (key == "IsResourceRequest") info.is_resource_request = literal.boolean();
    else if (key == "Path") info.path = literal.string();
    else if (key == "Verb") info.verb = literal.string();
    else if (key == "APIPrefix") info.api_prefix = literal.string();
    else if (key == "APIGroup") info.api_group = literal.string();
    else if (key == "APIVersion") info.api_version = literal.string();
    else if (key == "Namespace") info.ns = literal.string();
    else if (key == "Resource") info.resource = literal.string();
    else if (key == "Subresource") info.subresource = literal.string();
    else if (key == "Name") info.name = literal.string();
    else if (key == "Parts") info.has_parts = literal.strings(info.parts);
    else if (key == "FieldSelector") info.field_selector = literal.string();
    else if (key == "LabelSelector") info.label_selector = literal.string();
    else literal.skip_value();
  });
  return literal.ok() ? literal.end() : nullptr;
}

const char* read_user(std::string_view text, User& user) {
  GoLiteral literal(text);
  literal.fields([&](std::string_view key) {
    if (key == "Name") user.name = literal.string();
    else if (key == "Groups") literal.strings(user.groups);
    else literal.skip_value();
  });
  return literal.ok() ? literal.end() : nullptr;
}

// "GET /healthz"; empty if the text is no such literal.
std::string read_http_request(std::string_view text) {
  std::string method, uri;
  GoLiteral literal(text);
  literal.fields([&](std::string_view key) {
    if (key == "Method") method = literal.string();
    else if (key == "RequestURI") uri = literal.string();
    else literal.skip_value();
  });
  return literal.ok() && !uri.empty() ? (method.empty() ? "GET" : method) + " " + uri : std::string();
}

// A RequestInfo and the user that follows it. Returns where to go on.
std::size_t read_dump(std::string_view text, std::size_t at, LoggedRequest& out) {
  std::size_t from = at + kRequestInfo.size();
  if (const char* end = read_info(text.substr(from), out.request.info))
    from = static_cast<std::size_t>(end - text.data());
  else out.error = "broken RequestInfo";
  const std::size_t next = std::min(text.find(kRequestInfo, from), text.find(kNoUser, from));
  const std::size_t user = text.find(kDefaultInfo, from);
  if (!out.error.empty()) {
    // nothing more to say about it
  } else if (user >= next) {
    out.error = "no user (DefaultInfo) follows this RequestInfo";
  } else if (!read_user(text.substr(user + kDefaultInfo.size()), out.user)) {
    out.error = "broken user (DefaultInfo)";
  }
  const RequestInfo& info = out.request.info;
  out.request.query.has_selector = !info.field_selector.empty() || !info.label_selector.empty();
  return from;
}

// A record of a request without a user. Returns where to go on.
std::size_t read_userless(std::string_view text, std::size_t at, LoggedRequest& out) {
  const std::size_t from = at + kNoUser.size();
  const std::size_t next = std::min(text.find(kRequestInfo, from), text.find(kNoUser, from));
  const std::size_t http = text.find(kHttpRequest, from);
  const std::string request = http < next ? read_http_request(text.substr(http + kHttpRequest.size())) : std::string();
  out.error = (request.empty() ? "a request" : request) + " has no user in its context: no FlowSchema can be chosen";
  return from;
}

}  // namespace

bool holds_request_info_dump(std::string_view text) { return text.find(kRequestInfo) != std::string_view::npos; }

void read_request_info_dumps(std::string_view text, const std::function<void(const LoggedRequest&)>& sink) {
  std::uint64_t line = 1;
  std::size_t counted = 0;
  std::size_t from = 0;
  for (;;) {
    const std::size_t info = text.find(kRequestInfo, from), userless = text.find(kNoUser, from);
    const std::size_t at = std::min(info, userless);
    if (at == std::string_view::npos) return;
    line += static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    LoggedRequest out;
    out.line = line;
    from = info < userless ? read_dump(text, at, out) : read_userless(text, at, out);
    sink(out);
  }
}

}  // namespace apf
