#include "lsp/messages.h"

#include <algorithm>

#include <fmt/core.h>

#include <apf/output.h>

#include "base/text.h"
#include "classify/go_url.h"

namespace apf {

namespace {

constexpr std::size_t kMostHeader = 4096, kMostMessage = std::size_t{64} << 20;
constexpr std::string_view kHeaderEnd = "\r\n\r\n", kLength = "content-length:";

// Of a header without its empty line.
std::optional<std::size_t> content_length(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    const std::string line = in_lower_case(trimmed(header.substr(0, end)));
    header.remove_prefix(std::min(end + 1, header.size()));
    if (!line.starts_with(kLength)) continue;
    const std::string_view digits = trimmed(std::string_view(line).substr(kLength.size()));
    if (digits.empty() || digits.size() > 12 || !std::all_of(digits.begin(), digits.end(), is_digit))
      return std::nullopt;
    return static_cast<std::size_t>(std::stoull(std::string(digits)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<MessageReader::Message> MessageReader::next() {
  const std::size_t dropped = std::min(skip_, buffer_.size());
  buffer_.erase(0, dropped);
  skip_ -= dropped;
  if (skip_ > 0) return std::nullopt;
  const std::size_t end = buffer_.find(kHeaderEnd);
  if (end == std::string::npos) {
    if (buffer_.size() <= kMostHeader) return std::nullopt;
    buffer_.clear();
    return Message{{}, "no header of a message: expected \"Content-Length: N\" and an empty line"};
  }
  const std::optional<std::size_t> length = content_length(std::string_view(buffer_).substr(0, end));
  const std::size_t begin = end + kHeaderEnd.size();
  if (!length || *length > kMostMessage) {
    buffer_.erase(0, begin);
    skip_ = length.value_or(0);
    return Message{{}, length ? "a message of more than 64 MiB" : "a header without a valid Content-Length"};
  }
  if (buffer_.size() - begin < *length) return std::nullopt;
  Message out{buffer_.substr(begin, *length), {}};
  buffer_.erase(0, begin + *length);
  return out;
}

std::string framed(std::string_view json) { return fmt::format("Content-Length: {}\r\n\r\n{}", json.size(), json); }

std::string render_answer(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string render_error(std::string_view id, RpcError code, std::string_view message) {
  std::string text;
  append_json_string(text, message);
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})", id, static_cast<int>(code),
                     text);
}

std::string render_call(std::string_view method, std::string_view params, std::string_view id) {
  const std::string own = id.empty() ? "" : fmt::format(R"("id":{},)", id);
  return fmt::format(R"({{"jsonrpc":"2.0",{}"method":"{}","params":{}}})", own, method, params);
}

std::optional<JsonValue> member(const JsonValue& value, std::initializer_list<std::string_view> path) {
  std::optional<JsonValue> at = value;
  for (const std::string_view key : path) {
    at = at->get(key);
    if (!at) return std::nullopt;
  }
  return at;
}

std::string id_of(const JsonValue& message) {
  const std::optional<JsonValue> id = message.get("id");
  if (!id) return {};
  if (const auto number = id->whole()) return fmt::format("{}", *number);
  std::string out;
  if (const auto text = id->text()) append_json_string(out, *text);
  return out;
}

std::vector<JsonValue> elements_of(const std::optional<JsonValue>& list) {
  return list ? list->elements().value_or(std::vector<JsonValue>()) : std::vector<JsonValue>();
}

std::string text_in(const JsonValue& value, std::initializer_list<std::string_view> path) {
  const std::optional<JsonValue> at = member(value, path);
  return std::string(at ? at->text().value_or("") : "");
}

bool flag_in(const JsonValue& value, std::initializer_list<std::string_view> path) {
  const std::optional<JsonValue> at = member(value, path);
  return at && at->flag().value_or(false);
}

bool has_text(const JsonValue& value, std::initializer_list<std::string_view> path, std::string_view word) {
  const std::optional<JsonValue> at = member(value, path);
  const std::optional<std::vector<JsonValue>> all = at ? at->elements() : std::nullopt;
  return all && std::any_of(all->begin(), all->end(), [&](const JsonValue& one) { return one.text() == word; });
}

std::optional<std::string> path_of_uri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::nullopt;
  uri.remove_prefix(kFile.size());
  const std::size_t slash = uri.find('/');
  if (slash == uri.npos || (slash > 0 && uri.substr(0, slash) != "localhost")) return std::nullopt;
  std::string out;
  if (!append_unescaped(uri.substr(slash), false, out)) out = uri.substr(slash);
  if (out.find('\0') != std::string::npos) return std::nullopt;
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

std::string uri_of_path(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || kPlain.find(c) != kPlain.npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace apf
