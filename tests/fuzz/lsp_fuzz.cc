// A client that says anything: the server answers with an error, ends when the client does, and sends whole messages
// only. The input is cut into messages at line ends: a line that begins with "{" gets a header, others are sent as
// they are.
#include <apf/language_server.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

constexpr std::string_view kSchema = R"({"properties": {"spec": {"$ref": "#/$defs/Spec"}, "metadata": {"items": {}}},
  "$defs": {"Spec": {"description": "What it does.", "anyOf": [{"$ref": "#/$defs/Spec"}], "properties":
  {"matchingPrecedence": {"description": "When.", "default": 1000, "minimum": 1}, "rules": {"items": {"enum": [1, "a"]}}}}}})";

// "Content-Length: N", an empty line, N bytes, over and over.
void check(std::string_view sent) {
  constexpr std::string_view kHeader = "Content-Length: ", kEnd = "\r\n\r\n";
  while (!sent.empty()) {
    require(sent.starts_with(kHeader));
    const std::size_t end = sent.find(kEnd);
    require(end != sent.npos);
    const std::size_t length = std::stoull(std::string(sent.substr(kHeader.size(), end - kHeader.size())));
    sent.remove_prefix(end + kEnd.size());
    require(sent.size() >= length && sent.substr(0, 1) == "{" && sent[length - 1] == '}');
    sent.remove_prefix(length);
  }
}

}  // namespace

APF_FUZZER(lsp_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string sent;
  bool opened = false;
  std::size_t at = 0;
  apf::LanguageClient client;
  client.read = [&](int) -> std::optional<std::string> {
    const auto framed = [](const std::string& body) {
      return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    // A folder that is not there: no file of the machine that fuzzes is read.
    if (!std::exchange(opened, true))
      return framed(
          R"({"id":0,"method":"initialize","params":{"rootUri":"file:///nowhere/at-all","capabilities":{}}})");
    if (at >= text.size()) return std::nullopt;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line(text.substr(at, end - at));
    at = end + 1;
    return line.starts_with('{') ? framed(line) : line;
  };
  client.write = [&](std::string_view bytes) { sent += bytes; };
  apf::LanguageServerOptions options;
  options.schemas = {{"flowschema-v1", kSchema}, {"apfctl", "{"}};
  const int code = apf::serve_language(client, options);
  require(code == 0 || code == 1);
  check(sent);
}
