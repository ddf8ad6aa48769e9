// apfctl lsp: a language server on standard input and output, for editors.

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include <apf/language_server.h>
#include <apf/logs.h>

#include "shared/commands.h"
#include "shared/output.h"
#include "shared/project.h"
#include "shared/schemas.h"

namespace apfctl {

namespace {

// As LanguageClient::read.
std::optional<std::string> read_stdin(int milliseconds) {
  pollfd wanted{STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&wanted, 1, milliseconds);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return "";
  char buffer[64 << 10];
  const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return "";
  if (got <= 0) return std::nullopt;
  return std::string(buffer, static_cast<std::size_t>(got));
}

}  // namespace

int cmd_lsp(CommandLine& line) {
  std::optional<std::string> today;
  bool stdio = false;
  line.synopsis("lsp [FLAG]...");
  line.about(
      "What is wrong with the configuration that I am writing?",
      "Runs a language server (LSP 3.17) for editors on standard input and output: the findings of 'apfctl lint' while "
      "you type, their fixes, what a FlowSchema or a priority level comes to, completion and renaming. Settings are "
      "those of each workspace folder's .apfctl.yaml. apfctl-lsp(1) has recipes for editors.");
  line.example("what an editor runs", "apfctl lsp --stdio 2>lsp.log");
  line.example("with suppressions as they will be on that day", "apfctl lsp --today 2026-12-24 2>lsp.log");
  line.example("ask it by hand what it can do",
               "printf 'Content-Length: 58\\r\\n\\r\\n%s' \\\n    "
               "'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}' \\\n    | apfctl lsp");
  line.flag("--stdio", stdio, "Accepted because many editors pass it: there is no other way to talk to the server.");
  line.option("--today", today, "DATE",
              "Date to compare with the end dates of suppressions, such as 2026-11-20 (default: today in UTC).");
  if (!line.parse()) return 0;
  line.arguments(0, 0, "");
  apf::LanguageServerOptions options;
  options.project.today = today_or(today);
  options.project.traffic_reader = apf::log_traffic;
  for (const Schema& schema : schemas()) options.schemas.emplace_back(schema.name, schema.text);
  return apf::serve_language({read_stdin, write_stdout}, options);
}

}  // namespace apfctl
