// apf::serve_language(): the conversation with the client. Messages that are there are all read before one is answered,
// so that a request can be cancelled by what came behind it. What lint finds is sent when nothing more is to be read.
#include <apf/language_server.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <set>

#include <fmt/core.h>

#include <apf/logs.h>

#include "lint/project.h"
#include "lsp/findings.h"
#include "lsp/hover.h"
#include "lsp/key_docs.h"
#include "lsp/messages.h"
#include "lsp/symbols.h"
#include "lsp/traffic_lens.h"

namespace apf {

namespace {

// How long a client must be silent before a large folder is linted, and how often a run in another thread is looked at.
constexpr int kQuietMilliseconds = 300, kPollMilliseconds = 20;

struct RpcFault {
  RpcError code;
  std::string message;
};

struct Incoming {
  JsonDocument document;
  std::string id, method;  // id: JSON; empty: a notification
  bool cancelled = false;
};

// A folder with what was said of it.
struct OpenFolder {
  Folder folder;
  std::map<std::string, std::string> published;  // Diagnostic[] by file
  std::future<LintRun> running;
  std::string error;  // said to the user
  TrafficLens lens;   // its settings name the logs

  OpenFolder(std::string path, const LintProject& project, bool is_file) : folder(std::move(path), project, is_file) {}
};

// A request about a place in a file.
struct AskedPlace {
  Folder& folder;
  std::string path;
  std::size_t offset;
};

class Server {
 public:
  Server(const LanguageClient& client, const LanguageServerOptions& options)
      : client_(client), options_(options), docs_(options.schemas) {}

  int serve();

 private:
  bool pump(int milliseconds);
  void receive(const MessageReader::Message& message);
  void handle(const Incoming& message);
  std::string answer(const std::string& method, const JsonValue& params);
  void notice(const std::string& method, const JsonValue& params);
  void send(std::string_view json) { client_.write(framed(json)); }

  std::string initialize(const JsonValue& params);
  void add_folder(std::string path);
  OpenFolder& folder_of(const std::string& path);
  void change(const JsonValue& params);
  void close(const std::string& path);
  void forget(OpenFolder& open);

  void flush(bool is_quiet);
  void lint(OpenFolder& open, bool is_quiet);
  void publish(OpenFolder& open, std::set<std::string> files = {});
  int waiting_time() const;

  AskedPlace place_in(const JsonValue& params);
  std::string pull(const JsonValue& params);
  std::string pull_all(const JsonValue& params);
  std::string references(const JsonValue& params, bool definitions);
  std::string rename(const JsonValue& params, bool only_prepare);

  const LanguageClient& client_;
  const LanguageServerOptions& options_;
  KeyDocs docs_;
  ClientFeatures features_;
  MessageReader reader_;
  std::deque<Incoming> queue_;
  std::vector<std::unique_ptr<OpenFolder>> folders_;
  enum class State { fresh, running, shut_down, ended } state_ = State::fresh;
  bool closed_ = false, disk_changed_ = false;
  int asked_ = 0;  // requests to the client
};

std::string path_in(const JsonValue& params) {
  const std::optional<std::string> path = path_of_uri(text_in(params, {"textDocument", "uri"}));
  if (!path) throw RpcFault{RpcError::invalid_params, "textDocument.uri is not the URI of a file"};
  return *path;
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
  if (!message.fault.empty()) return send(render_error("null", RpcError::parse_error, message.fault));
  JsonDocument document(message.text);
  if (document.error()) return send(render_error("null", RpcError::parse_error, document.error()));
  const JsonValue root = document.root();
  const std::string method = text_in(root, {"method"}), id = id_of(root);
  if (!root.is_object() || (method.empty() && !root.get("result") && !root.get("error")))
    return send(render_error(id.empty() ? "null" : id, RpcError::invalid_request, "a message without a method"));
  if (method.empty()) return;  // an answer to one of ours
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

// --- the life of the conversation ---

std::string Server::initialize(const JsonValue& params) {
  if (state_ != State::fresh) throw RpcFault{RpcError::invalid_request, "initialize came before"};
  state_ = State::running;
  features_.utf8 = has_text(params, {"capabilities", "general", "positionEncodings"}, "utf-8");
  features_.pulls = member(params, {"capabilities", "textDocument", "diagnostic"}).has_value();
  features_.refreshes = flag_in(params, {"capabilities", "workspace", "diagnostics", "refreshSupport"});
  features_.refreshes_lenses = flag_in(params, {"capabilities", "workspace", "codeLens", "refreshSupport"});
  features_.registers_watches =
      flag_in(params, {"capabilities", "workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  const std::optional<JsonValue> folders = params.get("workspaceFolders");
  for (const JsonValue& folder : elements_of(folders))
    if (const auto path = path_of_uri(text_in(folder, {"uri"}))) add_folder(*path);
  if (folders_.empty()) {
    if (const auto path = path_of_uri(text_in(params, {"rootUri"}))) add_folder(*path);
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
      features_.utf8 ? "utf-8" : "utf-16", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH);
}

void Server::add_folder(std::string path) {
  const auto same = [&](const auto& open) { return open->folder.path() == path; };
  if (std::any_of(folders_.begin(), folders_.end(), same)) return;
  folders_.push_back(std::make_unique<OpenFolder>(std::move(path), options_.project, false));
}

// The innermost folder with the file; for one in no folder, one of its own.
OpenFolder& Server::folder_of(const std::string& path) {
  OpenFolder* best = nullptr;
  for (const auto& open : folders_) {
    if (open->folder.holds(path) && (!best || open->folder.path().size() > best->folder.path().size()))
      best = open.get();
  }
  if (best) return *best;
  folders_.push_back(std::make_unique<OpenFolder>(path, options_.project, true));
  return *folders_.back();
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
    if (!features_.registers_watches) return;
    send(render_request(
        fmt::format("{}", ++asked_), "client/registerCapability",
        R"({"registrations":[{"id":"files","method":"workspace/didChangeWatchedFiles","registerOptions":)"
        R"({"watchers":[{"globPattern":"**/*.{yaml,yml,json}"},{"globPattern":"**/.apfctl.yaml"}]}}]})"));
  } else if (method == "textDocument/didOpen") {
    const std::string path = path_in(params);
    const std::optional<JsonValue> version = member(params, {"textDocument", "version"});
    folder_of(path).folder.set_buffer(path, text_in(params, {"textDocument", "text"}),
                                      version ? version->whole() : std::nullopt);
  } else if (method == "textDocument/didChange") {
    change(params);
  } else if (method == "textDocument/didClose") {
    close(path_in(params));
  } else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") {
    disk_changed_ = true;
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    const std::optional<JsonValue> removed = member(params, {"event", "removed"});
    for (const JsonValue& folder : elements_of(removed)) {
      const std::optional<std::string> path = path_of_uri(text_in(folder, {"uri"}));
      const auto is_it = [&](const auto& open) { return open->folder.path() == path; };
      const auto at = std::find_if(folders_.begin(), folders_.end(), is_it);
      if (at != folders_.end()) forget(**at);
    }
    const std::optional<JsonValue> added = member(params, {"event", "added"});
    for (const JsonValue& folder : elements_of(added))
      if (const auto path = path_of_uri(text_in(folder, {"uri"}))) add_folder(*path);
  }
}

void Server::change(const JsonValue& params) {
  const std::string path = path_in(params);
  Folder& folder = folder_of(path).folder;
  const Source* source = folder.find(path);
  if (!source || !source->buffer) return;  // none of ours
  std::string text = *source->buffer;
  const std::optional<JsonValue> changes = params.get("contentChanges"),
                                 version = member(params, {"textDocument", "version"});
  for (const JsonValue& one : elements_of(changes)) {
    const std::string replacement = text_in(one, {"text"});
    const std::optional<JsonValue> range = one.get("range");
    if (!range) {
      text = replacement;
      continue;
    }
    const TextRange at = range_in(*range, LineTable(text, features_.utf8));
    text.replace(at.begin, at.end - at.begin, replacement);
  }
  folder.set_buffer(path, std::move(text), version ? version->whole() : std::nullopt);
}

void Server::close(const std::string& path) {
  OpenFolder& open = folder_of(path);
  open.folder.close_buffer(path);
  if (open.folder.path() == path) forget(open);
}

// Nothing more is said of its files.
void Server::forget(OpenFolder& open) {
  for (const auto& [path, said] : open.published) {
    if (features_.pulls) break;
    JsonWriter json;
    json.begin_object().field("uri", uri_of_path(path)).key("diagnostics").begin_array().end_array().end_object();
    send(render_notification("textDocument/publishDiagnostics", json.take()));
  }
  std::erase_if(folders_, [&](const auto& one) { return one.get() == &open; });
}

// --- findings ---

// `files`: whose findings may have changed; empty: any.
void Server::publish(OpenFolder& open, std::set<std::string> files) {
  if (files.empty()) {
    for (const auto& [path, said] : open.published) files.insert(path);
    for (const auto& [path, findings] : open.folder.all_findings()) files.insert(path);
  }
  Lines lines(open.folder, features_.utf8);
  bool any = false;
  for (const std::string& path : files) {
    std::string found = render_diagnostics(open.folder, path, lines);
    std::string& said = open.published[path];
    const bool is_new = found != said && !(said.empty() && found == "[]");
    said = std::move(found);
    any = any || is_new;
    if (!is_new || features_.pulls) continue;
    const Source* source = open.folder.find(path);
    JsonWriter json;
    json.begin_object().field("uri", uri_of_path(path));
    if (source && source->version) json.field("version", *source->version);
    json.key("diagnostics").raw(said).end_object();
    send(render_notification("textDocument/publishDiagnostics", json.take()));
  }
  std::erase_if(open.published, [](const auto& said) { return said.second == "[]"; });
  if (any && features_.pulls && features_.refreshes)
    send(render_request(fmt::format("{}", ++asked_), "workspace/diagnostic/refresh", "null"));
  const std::string& error = open.folder.last_run().error;
  if (error != open.error && !error.empty()) {
    JsonWriter json;
    json.begin_object().field("type", 1).field("message", "apfctl: " + error).end_object();
    send(render_notification("window/showMessage", json.take()));
  }
  open.error = error;
}

void Server::lint(OpenFolder& open, bool is_quiet) {
  Folder& folder = open.folder;
  if (open.running.valid() && open.running.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    folder.take(open.running.get());
    publish(open);
  }
  if (folder.is_linted()) return;
  if (!folder.is_large()) {
    folder.take(run_lint(folder.next_run()));
    return publish(open);
  }
  std::set<std::string> changed;
  for (const auto& [path, source] : folder.sources()) {
    if (source.buffer && source.linted != source.revision) changed.insert(path);
  }
  for (const std::string& path : changed) folder.lint_alone(path);
  if (!changed.empty()) publish(open, changed);
  const bool first = folder.last_run().revision == 0;
  if (open.running.valid() || !(is_quiet || first)) return;
  open.running = std::async(std::launch::async, run_lint, folder.next_run());
}

void Server::flush(bool is_quiet) {
  if (std::exchange(disk_changed_, false)) {
    for (const auto& open : folders_) open->folder.read_disk();
  }
  for (const auto& open : folders_) lint(*open, is_quiet);
  bool has_read = false;
  for (const auto& open : folders_) has_read = open->lens.take() || has_read;
  if (has_read) send(render_request(fmt::format("{}", ++asked_), "workspace/codeLens/refresh", "null"));
}

int Server::waiting_time() const {
  const bool reads =
      std::any_of(folders_.begin(), folders_.end(), [](const auto& open) { return open->lens.is_reading(); });
  int out = reads ? kPollMilliseconds : -1;
  for (const auto& open : folders_) {
    if (open->running.valid()) return kPollMilliseconds;
    if (!open->folder.is_linted()) out = kQuietMilliseconds;
  }
  return out;
}

std::string Server::pull(const JsonValue& params) {
  const std::string path = path_in(params);
  OpenFolder& open = folder_of(path);
  Lines lines(open.folder, features_.utf8);
  JsonWriter json;
  json.begin_object();
  write_report(json, render_diagnostics(open.folder, path, lines), text_in(params, {"previousResultId"}));
  return json.end_object().take();
}

std::string Server::pull_all(const JsonValue& params) {
  std::map<std::string, std::string> previous;
  for (const JsonValue& result : elements_of(params.get("previousResultIds")))
    previous.emplace(text_in(result, {"uri"}), text_in(result, {"value"}));
  JsonWriter json;
  json.begin_object().key("items").begin_array();
  for (const auto& open : folders_) {
    Lines lines(open->folder, features_.utf8);
    for (const auto& [path, findings] : open->folder.all_findings()) {
      const Source* source = open->folder.find(path);
      const std::string uri = uri_of_path(path);
      json.begin_object().field("uri", uri).key("version");
      source && source->version ? json.value(*source->version) : json.null();
      write_report(json, render_diagnostics(open->folder, path, lines), previous[uri]);
      json.end_object();
      previous.erase(uri);
    }
  }
  // What was found there is no longer so.
  for (const auto& [uri, id] : previous) {
    json.begin_object().field("uri", uri).key("version").null();
    write_report(json, "[]", id);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take();
}

// --- questions ---

AskedPlace Server::place_in(const JsonValue& params) {
  const std::string path = path_in(params);
  Folder& folder = folder_of(path).folder;
  const Source* source = folder.find(path);
  const std::optional<JsonValue> position = params.get("position");
  if (!source) return {folder, path, 0};
  return {folder, path, position ? LineTable(source->text(), features_.utf8).offset_of(position_in(*position)) : 0};
}

std::string Server::references(const JsonValue& params, bool definitions) {
  const AskedPlace at = place_in(params);
  const std::vector<NamePlace> names = find_names(at.folder, at.path);
  const NamePlace* asked = name_at(names, at.path, at.offset);
  if (!asked) return "null";
  const bool with_definition = definitions || flag_in(params, {"context", "includeDeclaration"});
  Lines lines(at.folder, features_.utf8);
  JsonWriter json;
  json.begin_array();
  for (const NamePlace& name : names) {
    if (name.kind != asked->kind || name.name != asked->name) continue;
    if (name.is_definition ? with_definition : !definitions) lines.write_location(json, name.file, name.range);
  }
  json.end_array();
  return json.take();
}

std::string Server::rename(const JsonValue& params, bool only_prepare) {
  const AskedPlace at = place_in(params);
  const std::vector<NamePlace> names = find_names(at.folder, at.path);
  const NamePlace* asked = name_at(names, at.path, at.offset);
  if (!asked) throw RpcFault{RpcError::request_failed, "only names of FlowSchemas and priority levels can be renamed"};
  std::optional<std::string> new_name;
  if (!only_prepare) new_name = text_in(params, {"newName"});
  if (std::string fault = rename_fault(at.folder, names, *asked, new_name); !fault.empty())
    throw RpcFault{RpcError::request_failed, std::move(fault)};
  Lines lines(at.folder, features_.utf8);
  JsonWriter json;
  if (only_prepare) {
    json.begin_object().key("range");
    lines.of(at.path).write(json, asked->range);
    json.field("placeholder", asked->name).end_object();
    return json.take();
  }
  std::vector<Edit> edits;
  for (const NamePlace& name : names) {
    if (name.kind != asked->kind || name.name != asked->name) continue;
    edits.push_back({name.file, name.range.begin, name.range.end,
                     text_for(*new_name, at.folder.find(name.file)->text(), name.range)});
  }
  write_edits(json, edits, at.folder, lines);
  return json.take();
}

std::string Server::answer(const std::string& method, const JsonValue& params) {
  if (method == "initialize") return initialize(params);
  if (state_ == State::fresh) throw RpcFault{RpcError::not_initialized, "initialize did not come yet"};
  if (state_ != State::running) throw RpcFault{RpcError::invalid_request, "shutdown came before"};
  if (method == "shutdown") {
    state_ = State::shut_down;
    return "null";
  }
  flush(false);
  if (method == "textDocument/diagnostic") return pull(params);
  if (method == "workspace/diagnostic") return pull_all(params);
  if (method == "textDocument/definition") return references(params, true);
  if (method == "textDocument/references") return references(params, false);
  if (method == "textDocument/prepareRename") return rename(params, true);
  if (method == "textDocument/rename") return rename(params, false);
  const bool is_known = method == "textDocument/hover" || method == "textDocument/completion" ||
                        method == "textDocument/codeAction" || method == "textDocument/documentSymbol" ||
                        method == "textDocument/codeLens";
  if (!is_known) throw RpcFault{RpcError::method_not_found, "there is no method " + method};
  const AskedPlace at = place_in(params);
  Lines lines(at.folder, features_.utf8);
  if (!at.folder.find(at.path)) return method == "textDocument/hover" ? "null" : "[]";
  if (method == "textDocument/hover") return render_hover(at.folder, at.path, at.offset, lines, docs_);
  if (method == "textDocument/completion") return render_completions(at.folder, at.path, at.offset, lines, docs_);
  if (method == "textDocument/codeAction") return render_actions(at.folder, at.path, lines, params);
  if (method == "textDocument/codeLens")
    return folder_of(at.path).lens.render(at.folder, options_.project, at.path, lines, features_.refreshes_lenses);
  return render_symbols(*at.folder.tree_of(at.path), lines.of(at.path));
}

int Server::serve() {
  bool is_quiet = false;
  while (state_ != State::ended) {
    while (pump(0)) is_quiet = false;
    if (!queue_.empty()) {
      const Incoming message = std::move(queue_.front());
      queue_.pop_front();
      handle(message);
      continue;
    }
    if (closed_) break;
    if (state_ == State::running) flush(is_quiet);
    is_quiet = !pump(waiting_time());
  }
  return state_ == State::ended ? 0 : 1;
}

}  // namespace

int serve_language(const LanguageClient& client, const LanguageServerOptions& options) {
  return Server(client, options).serve();
}

}  // namespace apf
