// The folders that the client works in: which of them a file is in, when they are linted, and what the client
// hears of what was found.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/background.h"
#include "lsp/findings.h"
#include "lsp/key_docs.h"
#include "lsp/traffic_lens.h"

namespace apf {

// How long a client must be silent before what takes long is done.
inline constexpr int kQuietMilliseconds = 300;

// A folder with what was said of it.
struct OpenFolder {
  Folder folder;
  std::map<std::string, std::string> published;  // Diagnostic[] by file
  Background<LintRun> running;
  std::string error;  // said to the user
  TrafficLens lens;   // its settings name the logs

  OpenFolder(std::string path, const LintProject& project, bool is_file, Folder::BufferOf buffer_of)
      : folder(std::move(path), project, is_file, std::move(buffer_of)) {}
};

// What a request is about: a file of the workspace, and a place in it.
struct Asked {
  const JsonValue& params;
  const std::string& path;
  OpenFolder& open;
  Folder& folder;
  Lines& lines;
  std::size_t offset;
  KeyDocs& docs;
  const LintProject& project;
  const ClientFeatures& features;
};

class Workspace {
 public:
  // `send` takes messages as JSON.
  Workspace(const LintProject& project, std::function<void(std::string_view)> send)
      : project_(project), send_(std::move(send)) {}

  ClientFeatures& features() { return features_; }
  void add_folder(const std::string& path);
  void remove_folder(const std::string& path);
  bool has_folders() const { return !folders_.empty(); }
  void open(const std::string& path, const std::string& uri, const std::string& text,
            std::optional<std::int64_t> version);
  void change(const std::string& path, const std::string& text, std::optional<std::int64_t> version);
  void close(const std::string& path);
  // On disk; no path: anything may have.
  void has_changed(const std::string& path);
  void ask_client(std::string_view method, std::string_view params = "null");

  // The innermost folder with the file; null: none has it, and it is not open.
  OpenFolder* find(const std::string& path) const;
  // Lints what has changed; a large folder when the client is silent.
  void flush(bool is_quiet);
  int waiting_time() const;  // in milliseconds, until flush(true) has something to do; negative: without end
  // DocumentDiagnosticReport of a file, WorkspaceDiagnosticReport of all of them.
  std::string report(const std::string& path, std::string_view previous) const;
  std::string report_all(const JsonValue& previous) const;

 private:
  OpenFolder& add(const std::string& path, bool is_file);
  bool is_of_another(const std::string& path, const OpenFolder& open) const;
  // Whose findings of the file are told; of a file that is in no folder, settings above several of them, the first
  // one's.
  OpenFolder* speaker_of(const std::string& path) const;
  void settle();
  void take_back(OpenFolder& open, const std::string& path);
  void forget(OpenFolder& open);
  void lint(OpenFolder& open, bool is_quiet);
  void publish(OpenFolder& open, std::set<std::string> files = {});
  void send_findings(const OpenFolder& open, const std::string& path, std::string_view diagnostics);

  const LintProject& project_;
  std::function<void(std::string_view)> send_;
  ClientFeatures features_;
  std::vector<std::unique_ptr<OpenFolder>> folders_;
  std::set<std::string> changed_files_;
  bool disk_changed_ = false;
  int asked_ = 0;  // requests to the client
};

}  // namespace apf
