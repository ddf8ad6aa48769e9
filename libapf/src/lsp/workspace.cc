#include "lsp/workspace.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/hash.h"
#include "lsp/messages.h"

namespace apf {

namespace {

constexpr int kPollMilliseconds = 20;  // how often a run in another thread is looked at

// The members of a report that a client pulls: the findings, or that they are those of `previous`.
void write_report(JsonWriter& json, const std::string& diagnostics, std::string_view previous) {
  const std::string id = fmt::format("{:016x}", hash_bytes(diagnostics));
  json.field("kind", id == previous ? "unchanged" : "full").field("resultId", id);
  if (id != previous) json.key("items").raw(diagnostics);
}

}  // namespace

// --- folders ---

OpenFolder* Workspace::find(const std::string& path) const {
  const auto rank = [](const Folder& folder) { return folder.is_file ? 0 : folder.root.size(); };
  OpenFolder* best = nullptr;
  for (const auto& open : folders_) {
    if (open->folder.holds(path) && (!best || rank(open->folder) > rank(best->folder))) best = open.get();
  }
  return best;
}

bool Workspace::is_of_another(const std::string& path, const OpenFolder& open) const {
  const OpenFolder* const home = find(path);
  return home && home != &open;
}

OpenFolder* Workspace::speaker_of(const std::string& path) const {
  if (OpenFolder* const home = find(path)) return home;
  const auto speaks = [&](const auto& open) { return !open->folder.findings(path).empty(); };
  const auto first = std::find_if(folders_.begin(), folders_.end(), speaks);
  return first == folders_.end() ? nullptr : first->get();
}

OpenFolder& Workspace::add(const std::string& path, bool is_file) {
  const auto buffer_of = [this](const std::string& file) -> const std::string* {
    const OpenFolder* const home = find(file);
    const Source* const source = home ? home->folder.find(file) : nullptr;
    return source && source->buffer ? &*source->buffer : nullptr;
  };
  return *folders_.emplace_back(std::make_unique<OpenFolder>(path, project_, is_file, buffer_of));
}

void Workspace::add_folder(const std::string& path) {
  const auto same = [&](const auto& open) { return !open->folder.is_file && open->folder.root == path; };
  // Nobody's project is the whole disk: editors say so that were started there. What is open is looked at file by file.
  if (path == "/" || std::any_of(folders_.begin(), folders_.end(), same)) return;
  OpenFolder& added = add(path, false);
  for (const auto& other : folders_) {
    for (const auto& [file, source] : other->folder.sources()) {
      if (other.get() == &added || !source.buffer || !added.folder.holds(file)) continue;
      added.folder.uris.set(file, other->folder.uris.of(file));
      added.folder.set_buffer(file, *source.buffer, source.version);
    }
  }
  settle();
}

void Workspace::remove_folder(const std::string& path) {
  const auto is_it = [&](const auto& open) { return !open->folder.is_file && open->folder.root == path; };
  const auto at = std::find_if(folders_.begin(), folders_.end(), is_it);
  if (at == folders_.end()) return;
  const std::unique_ptr<OpenFolder> removed = std::move(*at);
  folders_.erase(at);
  forget(*removed);
  for (const auto& [name, source] : removed->folder.sources()) {
    if (source.buffer && !find(name)) open(name, removed->folder.uris.of(name), *source.buffer, source.version);
  }
  settle();
}

// An open file that is in no folder has one of its own. Of others the innermost folder speaks, and nobody else.
void Workspace::settle() {
  std::vector<OpenFolder*> needless;
  for (const auto& open : folders_) {
    if (open->folder.is_file && find(open->folder.root) != open.get()) needless.push_back(open.get());
  }
  for (OpenFolder* const one : needless) {
    forget(*one);
    std::erase_if(folders_, [&](const auto& open) { return open.get() == one; });
  }
  bool any = false;
  for (const auto& open : folders_) {
    std::set<std::string> elsewhere;
    for (const auto& [path, said] : open->published) {
      if (is_of_another(path, *open)) elsewhere.insert(path);
    }
    for (const std::string& path : elsewhere) take_back(*open, path);
    any = any || !elsewhere.empty();
  }
  if (any && features_.pulls && features_.refreshes) ask_client("workspace/diagnostic/refresh");
  for (const auto& open : folders_) {
    if (open->folder.is_linted()) publish(*open);
  }
}

// Whoever else has something to say of the file says it again.
void Workspace::take_back(OpenFolder& open, const std::string& path) {
  if (!features_.pulls) send_findings(open, path, "[]");
  open.published.erase(path);
  for (const auto& other : folders_) {
    if (other->published.erase(path) > 0) publish(*other, {path});
  }
}

// Nothing more is said of its files.
void Workspace::forget(OpenFolder& open) {
  while (!open.published.empty()) take_back(open, std::string(open.published.begin()->first));
}

// --- files ---

void Workspace::open(const std::string& path, const std::string& uri, const std::string& text,
                     std::optional<std::int64_t> version) {
  const bool is_alone = !find(path);
  if (is_alone) add(path, true);
  for (const auto& open : folders_) {
    if (open->folder.holds(path)) open->folder.uris.set(path, uri);
  }
  change(path, text, version);
  if (is_alone) settle();
}

void Workspace::change(const std::string& path, const std::string& text, std::optional<std::int64_t> version) {
  for (const auto& open : folders_) {
    if (open->folder.holds(path)) open->folder.set_buffer(path, text, version);
  }
  if (is_settings(path)) has_changed(path);  // of any folder below it
}

void Workspace::close(const std::string& path) {
  for (const auto& open : folders_) {
    if (open->folder.holds(path)) open->folder.close_buffer(path);
  }
  if (is_settings(path)) has_changed(path);
  OpenFolder* const home = find(path);
  if (!home || !home->folder.is_file) return;
  forget(*home);
  std::erase_if(folders_, [&](const auto& one) { return one.get() == home; });
  settle();
}

void Workspace::has_changed(const std::string& path) {
  if (is_config_name(path)) changed_files_.insert(path);
  else disk_changed_ = true;
}

// --- findings ---

void Workspace::send_findings(const OpenFolder& open, const std::string& path, std::string_view diagnostics) {
  JsonWriter json;
  json.begin_object().field("uri", open.folder.uris.of(path));
  const Source* source = open.folder.find(path);
  if (source && source->version) json.field("version", *source->version);
  json.key("diagnostics").raw(diagnostics).end_object();
  send_(render_call("textDocument/publishDiagnostics", json.take()));
}

void Workspace::ask_client(std::string_view method, std::string_view params) {
  send_(render_call(method, params, fmt::format("{}", ++asked_)));
}

// `files`: whose findings may have changed; empty: any.
void Workspace::publish(OpenFolder& open, std::set<std::string> files) {
  if (files.empty()) {
    for (const auto& [path, said] : open.published) files.insert(path);
    for (const auto& [path, findings] : open.folder.all_findings()) files.insert(path);
  }
  Lines lines(open.folder, features_.utf8);
  bool any = false;
  for (const std::string& path : files) {
    if (is_of_another(path, open)) continue;
    std::string found = render_diagnostics(open.folder, path, lines);
    std::string& said = open.published[path];
    const bool is_new = found != said && !(said.empty() && found == "[]");
    said = std::move(found);
    any = any || is_new;
    if (is_new && said == "[]") take_back(open, path);
    else if (is_new && !features_.pulls) send_findings(open, path, said);
  }
  std::erase_if(open.published, [](const auto& said) { return said.second == "[]"; });
  if (any && features_.pulls && features_.refreshes) ask_client("workspace/diagnostic/refresh");
  const std::string& error = open.folder.last_run().error;
  if (error != open.error && !error.empty()) {
    JsonWriter json;
    json.begin_object().field("type", 1).field("message", "apfctl: " + error).end_object();
    send_(render_call("window/showMessage", json.take()));
  }
  open.error = error;
}

void Workspace::lint(OpenFolder& open, bool is_quiet) {
  Folder& folder = open.folder;
  if (std::optional<LintRun> run = open.running.take()) {
    folder.take(std::move(*run));
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
  if (open.running.is_running() || !(is_quiet || !is_known(folder))) return;
  open.running.start([run = folder.next_run()]() mutable { return run_lint(std::move(run)); });
}

void Workspace::flush(bool is_quiet) {
  const auto is_large = [](const auto& open) { return open->folder.is_large(); };
  const bool all = disk_changed_ && (is_quiet || std::none_of(folders_.begin(), folders_.end(), is_large));
  for (const auto& open : folders_) {
    if (all) open->folder.read_disk();
    else if (!changed_files_.empty()) open->folder.read_disk(changed_files_);
  }
  if (all) disk_changed_ = false;
  changed_files_.clear();
  for (const auto& open : folders_) lint(*open, is_quiet);
  bool has_read = false;
  for (const auto& open : folders_) has_read = open->lens.take() || has_read;
  if (has_read) ask_client("workspace/codeLens/refresh");
}

int Workspace::waiting_time() const {
  int out = disk_changed_ ? kQuietMilliseconds : -1;
  for (const auto& open : folders_) {
    if (open->running.is_running()) return kPollMilliseconds;
    if (!open->folder.is_linted()) out = kQuietMilliseconds;
    else if (open->lens.is_reading() && out < 0) out = kPollMilliseconds;
  }
  return out;
}

std::string Workspace::report(const std::string& path, std::string_view previous) const {
  const OpenFolder* const open = speaker_of(path);
  JsonWriter json;
  std::string found = "[]";
  if (open) {
    Lines lines(open->folder, features_.utf8);
    found = render_diagnostics(open->folder, path, lines);
  }
  json.begin_object();
  write_report(json, found, previous);
  return json.end_object().take();
}

std::string Workspace::report_all(const JsonValue& previous) const {
  struct Known {
    std::string uri, id;
  };
  std::map<std::string, Known> known;  // by path, however its URI is written
  for (const JsonValue& result : elements_of(previous.get("previousResultIds"))) {
    const std::string uri = text_in(result, {"uri"});
    known[path_of_uri(uri).value_or(uri)] = {uri, text_in(result, {"value"})};
  }
  JsonWriter json;
  json.begin_object().key("items").begin_array();
  for (const auto& open : folders_) {
    Lines lines(open->folder, features_.utf8);
    for (const auto& [path, findings] : open->folder.all_findings()) {
      if (speaker_of(path) != open.get()) continue;
      const Source* source = open->folder.find(path);
      json.begin_object().field("uri", open->folder.uris.of(path)).key("version");
      source && source->version ? json.value(*source->version) : json.null();
      write_report(json, render_diagnostics(open->folder, path, lines), known[path].id);
      json.end_object();
      known.erase(path);
    }
  }
  // What was found there is no longer so.
  for (const auto& [path, gone] : known) {
    json.begin_object().field("uri", gone.uri).key("version").null();
    write_report(json, "[]", gone.id);
    json.end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace apf
