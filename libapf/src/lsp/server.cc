// apf::serve_language(): the conversation with the client. Messages that are there are all read before one is answered,
// so that a request can be cancelled by what came behind it. What lint finds is sent when nothing more is to be read.
#include <apf/language_server.h>

#include <algorithm>
#include <deque>
#include <exception>

#include <fmt/core.h>

#include "lsp/answers.h"
#include "lsp/messages.h"

namespace apf {

namespace {

struct Incoming {
  JsonDocument document;
  std::string id, method;  // id: JSON; empty: a notification
  bool cancelled = false;
};

class Server {
 public:
  Server(const LanguageClient& client, const LanguageServerOptions& options)
      : client_(client),
        options_(options),
        docs_(options.schemas),
        workspace_(options.project, [this](std::string_view json) { send(json); }) {}

  int serve();

 private:
  bool pump(int milliseconds);
  void receive(const MessageReader::Message& message);
  void handle(const Incoming& message);
  std::string answer(const std::string& method, const JsonValue& params);
  void notice(const std::string& method, const JsonValue& params);
  void send(std::string_view json) { client_.write(framed(json)); }

  std::string initialize(const JsonValue& params);
  void change(const JsonValue& params);

  const LanguageClient& client_;
  const LanguageServerOptions& options_;
  KeyDocs docs_;
  Workspace workspace_;
  MessageReader reader_;
  std::deque<Incoming> queue_;
  enum class State { fresh, running, shut_down, ended } state_ = State::fresh;
  bool closed_ = false;
};

// Requests about a file, and the answer where the workspace has no such file.
struct Method {
  std::string_view name, nothing;
  std::string (*answer)(const Asked&);
};
constexpr Method kMethods[] = {
    {"textDocument/hover", "null", render_hover},           {"textDocument/completion", "[]", render_completions},
    {"textDocument/codeAction", "[]", render_actions},      {"textDocument/documentSymbol", "[]", render_symbols},
    {"textDocument/codeLens", "[]", render_lenses},         {"textDocument/definition", "null", render_definition},
    {"textDocument/references", "null", render_references}, {"textDocument/prepareRename", "null", render_renaming},
    {"textDocument/rename", "null", render_renamed},
};

std::string path_in(const JsonValue& params) {
  const std::optional<std::string> path = path_of_uri(text_in(params, {"textDocument", "uri"}));
  if (!path) throw RpcFault{RpcError::invalid_params, "textDocument.uri is not the URI of a file"};
  return *path;
}

std::optional<std::int64_t> version_in(const JsonValue& params) {
  const std::optional<JsonValue> version = member(params, {"textDocument", "version"});
  return version ? version->whole() : std::nullopt;
}

// --- reading ---

// False: nothing came.
bool Server::pump(int milliseconds) {
  if (closed_) return false;
  const std::optional<std::string> bytes = client_.read(milliseconds);
  closed_ = !bytes;
  if (!bytes || bytes->empty()) return false;
  reader_.add(*bytes);
  while (const std::optional<MessageReader::Message> message = reader_.next()) receive(*message);
  return true;
}

void Server::receive(const MessageReader::Message& message) {
  const auto refuse = [&](const std::string& id, RpcError code, std::string_view why) {
    send(render_error(id.empty() ? "null" : id, code, why));
  };
  if (!message.fault.empty()) return refuse("", RpcError::parse_error, message.fault);
  JsonDocument document(message.text);
  if (document.error()) return refuse("", RpcError::parse_error, document.error());
  const JsonValue root = document.root();
  const std::string method = text_in(root, {"method"}), id = id_of(root);
  if (!root.is_object() || (method.empty() && !root.get("result") && !root.get("error")))
    return refuse(id, RpcError::invalid_request, "a message without a method");
  if (method.empty()) return;  // an answer to one of ours
  if (id.empty() && root.get("id"))
    return refuse("", RpcError::invalid_request, "the id of a request is a whole number or a text");
  if (method != "$/cancelRequest") return queue_.push_back({std::move(document), id, method, false});
  const std::optional<JsonValue> params = root.get("params");
  const std::string wanted = params ? id_of(*params) : "";
  for (Incoming& waiting : queue_) waiting.cancelled = waiting.cancelled || (waiting.id == wanted && !wanted.empty());
}

void Server::handle(const Incoming& message) {
  const JsonValue root = message.document.root();
  const std::optional<JsonValue> given = root.get("params");
  const JsonValue params = given ? *given : root;  // without params nothing below is found
  try {
    if (message.cancelled) throw RpcFault{RpcError::request_cancelled, "cancelled"};
    if (message.id.empty()) return notice(message.method, params);
    send(render_answer(message.id, answer(message.method, params)));
  } catch (const RpcFault& fault) {
    if (!message.id.empty()) send(render_error(message.id, fault.code, fault.message));
  } catch (const std::exception& error) {
    if (!message.id.empty()) send(render_error(message.id, RpcError::internal_error, error.what()));
  }
}

int Server::serve() {
  int silent = 0;  // for so many milliseconds
  while (state_ != State::ended) {
    while (pump(0)) silent = 0;
    if (!queue_.empty()) {
      const Incoming message = std::move(queue_.front());
      queue_.pop_front();
      handle(message);
      continue;
    }
    if (closed_) break;
    if (state_ == State::running) workspace_.flush(silent >= kQuietMilliseconds);
    const int wait = workspace_.waiting_time();
    silent = pump(wait) ? 0 : std::min(silent + wait, kQuietMilliseconds);
  }
  return state_ == State::ended ? 0 : 1;
}

// --- the life of the conversation ---

std::string Server::initialize(const JsonValue& params) {
  if (state_ != State::fresh) throw RpcFault{RpcError::invalid_request, "initialize came before"};
  state_ = State::running;
  ClientFeatures& features = workspace_.features();
  features.utf8 = has_text(params, {"capabilities", "general", "positionEncodings"}, "utf-8");
  features.pulls = member(params, {"capabilities", "textDocument", "diagnostic"}).has_value();
  features.refreshes = flag_in(params, {"capabilities", "workspace", "diagnostics", "refreshSupport"});
  features.refreshes_lenses = flag_in(params, {"capabilities", "workspace", "codeLens", "refreshSupport"});
  features.markdown = !member(params, {"capabilities", "textDocument", "hover", "contentFormat"}) ||
                      has_text(params, {"capabilities", "textDocument", "hover", "contentFormat"}, "markdown");
  features.registers_watches =
      flag_in(params, {"capabilities", "workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  for (const JsonValue& folder : elements_of(params.get("workspaceFolders")))
    if (const auto path = path_of_uri(text_in(folder, {"uri"}))) workspace_.add_folder(*path);
  if (!workspace_.has_folders()) {
    if (const auto path = path_of_uri(text_in(params, {"rootUri"}))) workspace_.add_folder(*path);
  }
  return fmt::format(
      R"({{"capabilities":{{"positionEncoding":"{}",)"
      R"("textDocumentSync":{{"openClose":true,"change":2,"save":true}},"hoverProvider":true,)"
      R"("completionProvider":{{"triggerCharacters":[":"," ","[",","]}},"definitionProvider":true,)"
      R"("referencesProvider":true,"documentSymbolProvider":true,"renameProvider":{{"prepareProvider":true}},)"
      R"("codeActionProvider":{{"codeActionKinds":["quickfix","source.fixAll.apfctl"]}},)"
      R"("codeLensProvider":{{}},)"
      R"("diagnosticProvider":{{"identifier":"apfctl","interFileDependencies":true,"workspaceDiagnostics":true}},)"
      R"("workspace":{{"workspaceFolders":{{"supported":true,"changeNotifications":true}}}}}},)"
      R"("serverInfo":{{"name":"apfctl","version":"{}.{}.{}"}}}})",
      features.utf8 ? "utf-8" : "utf-16", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH);
}

void Server::notice(const std::string& method, const JsonValue& params) {
  if (method == "exit") {
    closed_ = true;
    queue_.clear();
    state_ = state_ == State::shut_down ? State::ended : State::fresh;
    return;
  }
  if (state_ != State::running) return;
  if (method == "initialized") {
    if (workspace_.features().registers_watches)
      workspace_.ask_client(
          "client/registerCapability",
          R"({"registrations":[{"id":"files","method":"workspace/didChangeWatchedFiles","registerOptions":)"
          R"({"watchers":[{"globPattern":"**/*.{yaml,yml,json}"},{"globPattern":"**/.apfctl.yaml"}]}}]})");
  } else if (method == "textDocument/didOpen") {
    workspace_.open(path_in(params), text_in(params, {"textDocument", "uri"}),
                    text_in(params, {"textDocument", "text"}), version_in(params));
  } else if (method == "textDocument/didChange") {
    change(params);
  } else if (method == "textDocument/didClose") {
    workspace_.close(path_in(params));
  } else if (method == "textDocument/didSave") {
    // Who watches files says what else has changed.
    workspace_.has_changed(workspace_.features().registers_watches ? path_in(params) : "");
  } else if (method == "workspace/didChangeWatchedFiles") {
    for (const JsonValue& change : elements_of(params.get("changes")))
      workspace_.has_changed(path_of_uri(text_in(change, {"uri"})).value_or(""));
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    for (const JsonValue& folder : elements_of(member(params, {"event", "removed"})))
      workspace_.remove_folder(path_of_uri(text_in(folder, {"uri"})).value_or(""));
    for (const JsonValue& folder : elements_of(member(params, {"event", "added"})))
      if (const auto path = path_of_uri(text_in(folder, {"uri"}))) workspace_.add_folder(*path);
  }
}

void Server::change(const JsonValue& params) {
  const std::string path = path_in(params);
  OpenFolder* const open = workspace_.find(path);
  const Source* const source = open ? open->folder.find(path) : nullptr;
  if (!source || !source->buffer) return;  // none of ours
  std::string text = *source->buffer;
  for (const JsonValue& one : elements_of(params.get("contentChanges"))) {
    std::string replacement = text_in(one, {"text"});
    const std::optional<JsonValue> range = one.get("range");
    if (!range) {
      text = std::move(replacement);
      continue;
    }
    const TextRange at = range_in(*range, LineTable(text, workspace_.features().utf8));
    text.replace(at.begin, at.end - at.begin, replacement);
  }
  workspace_.change(path, text, version_in(params));
}

// --- questions ---

std::string Server::answer(const std::string& method, const JsonValue& params) {
  if (method == "initialize") return initialize(params);
  if (state_ == State::fresh) throw RpcFault{RpcError::not_initialized, "initialize did not come yet"};
  if (state_ != State::running) throw RpcFault{RpcError::invalid_request, "shutdown came before"};
  if (method == "shutdown") {
    state_ = State::shut_down;
    return "null";
  }
  workspace_.flush(false);
  if (method == "textDocument/diagnostic")
    return workspace_.report(path_in(params), text_in(params, {"previousResultId"}));
  if (method == "workspace/diagnostic") return workspace_.report_all(params);
  const auto known =
      std::find_if(std::begin(kMethods), std::end(kMethods), [&](const Method& one) { return one.name == method; });
  if (known == std::end(kMethods)) throw RpcFault{RpcError::method_not_found, "there is no method " + method};
  const std::string path = path_in(params);
  OpenFolder* const open = workspace_.find(path);
  if (!open || !open->folder.find(path)) return std::string(known->nothing);
  Lines lines(open->folder, workspace_.features().utf8);
  const std::optional<JsonValue> position = params.get("position");
  const std::size_t offset = position ? lines.of(path).offset_of(position_in(*position)) : 0;
  return known->answer(
      {params, path, *open, open->folder, lines, offset, docs_, options_.project, workspace_.features()});
}

}  // namespace

int serve_language(const LanguageClient& client, const LanguageServerOptions& options) {
  return Server(client, options).serve();
}

}  // namespace apf
