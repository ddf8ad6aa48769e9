// Messages of the Language Server Protocol (3.17): cutting them out of the client's bytes, reading their members, and
// writing answers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"

namespace apf {

// Cuts bytes into messages: "Content-Length: N", an empty line, N bytes of JSON.
class MessageReader {
 public:
  struct Message {
    std::string text;
    std::string fault;  // not empty: what came was no message
  };
  void add(std::string_view bytes) { buffer_ += bytes; }
  // Nothing: more bytes are needed.
  std::optional<Message> next();

 private:
  std::string buffer_;
  std::size_t skip_ = 0;  // bytes yet to come of a message that is too long
};

enum class RpcError : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_failed = -32803,
  request_cancelled = -32800,
};

// What is wrong with a request: its answer.
struct RpcFault {
  RpcError code;
  std::string message;
};

// `json` behind its header.
std::string framed(std::string_view json);
// An answer, a request, or a notification, which has no id: `id`, `result` and `params` are JSON.
std::string render_answer(std::string_view id, std::string_view result);
std::string render_error(std::string_view id, RpcError code, std::string_view message);
std::string render_call(std::string_view method, std::string_view params, std::string_view id = {});

// What stands at the end of the path; nothing if a part of it is missing.
std::optional<JsonValue> member(const JsonValue& value, std::initializer_list<std::string_view> path);
std::string text_in(const JsonValue& value, std::initializer_list<std::string_view> path);  // empty: none
bool flag_in(const JsonValue& value, std::initializer_list<std::string_view> path);         // false: none
// Whether a list of texts, which is at the path, has the word.
bool has_text(const JsonValue& value, std::initializer_list<std::string_view> path, std::string_view word);

// The id of a request or an answer, as JSON; empty: none.
std::string id_of(const JsonValue& message);
std::vector<JsonValue> elements_of(const std::optional<JsonValue>& list);

// "file:///a/b%20c.yaml" and "/a/b c.yaml". Nothing for what is no file of this machine.
std::optional<std::string> path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

}  // namespace apf
