// A language server for editors (Language Server Protocol 3.17): the findings of lint, their fixes, and what a
// configuration means at the place of the cursor.
//
//   apf::LanguageClient client;
//   client.read = [](int) -> std::optional<std::string> { return std::nullopt; };  // the editor has gone
//   client.write = [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); };
//   const int code = apf::serve_language(client, {});  // 1: it went without a good-bye
//
// It reads files of the folders that the client names and of none else, writes no file and runs no program. What a
// client says wrong is answered with an error. Large workspaces are linted in a thread of its own, which has ended when
// the function returns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/lint.h>

namespace apf {

// The editor's end of the connection.
struct LanguageClient {
  // The bytes that are there. Waits for the first one for at most this number of milliseconds, without end for a
  // negative one. Empty: none came. Nothing: none will come.
  std::function<std::optional<std::string>(int milliseconds)> read;
  std::function<void(std::string_view bytes)> write;
};

struct LanguageServerOptions {
  LintProject project;  // without paths and texts, which the client names
  std::vector<std::pair<std::string_view, std::string_view>> schemas;  // JSON Schemas by name ("flowschema-v1")
};

// Until the client says exit or goes. Returns the exit code: 0 if it said shutdown before, else 1.
APF_API int serve_language(const LanguageClient& client, const LanguageServerOptions& options);

}  // namespace apf
