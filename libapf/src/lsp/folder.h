// A folder of the workspace: its configuration files as the client has them open, else as they are on disk, and what
// lint finds in them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <apf/lint.h>

#include "config/tree.h"
#include "lsp/line_table.h"

namespace apf {

bool is_config_name(std::string_view path);
bool is_settings(const std::string& path);

// A file that may be of the configuration, a test file, or .apfctl.yaml.
struct Source {
  std::optional<std::string> disk;          // nothing: it is not there
  std::optional<std::string> buffer;        // nothing: it is not open
  std::optional<std::int64_t> version;      // of the buffer
  std::uint64_t revision = 0, linted = 0;   // when its text changed; of which text the findings are
  std::shared_ptr<const ConfigTree> good;   // of its last text without a syntax error; of any text if there was none
  bool is_read = false, is_broken = false;  // whether `good` was tried with this text; the text has a syntax error

  const std::string& text() const { return buffer ? *buffer : *disk; }
};

// One run of lint over a folder, with all that it takes: it may be in another thread.
struct LintRun {
  LintProject project;
  bool partial = false;        // only a part of the texts is given
  bool keeps_configs = false;  // so that no question needs to read all files again
  std::uint64_t revision = 0;
  ProjectFindings found;  // before: settings and texts
  LintOptions options;
  std::vector<Config> configs;  // of ProjectFindings::sets, or of all texts; complete
  std::string error;            // not empty: why there was no run
};
LintRun run_lint(LintRun run);

// As the client writes the URIs of files.
class FileUris {
 public:
  std::string of(const std::string& path) const;
  void set(const std::string& path, std::string uri);

 private:
  std::map<std::string, std::string> uris_;  // that this server would write in another way
};

class Folder {
 public:
  const bool is_file;
  const std::string root;  // the folder, or one file that is in none
  FileUris uris;

  // The text of an open file, which may be in no folder or in another one; null: it is not open.
  using BufferOf = std::function<const std::string*(const std::string& path)>;

  // `project`: what flags say.
  Folder(std::string path, LintProject project, bool is_file, BufferOf buffer_of);

  bool holds(std::string_view path) const;
  // What has changed on disk, of these files or of all. Files that cannot be read are left out.
  void read_disk(std::set<std::string> files = {});
  void set_buffer(const std::string& path, std::string text, std::optional<std::int64_t> version);
  void close_buffer(const std::string& path);

  const std::map<std::string, Source>& sources() const { return sources_; }
  const Source* find(const std::string& path) const;
  // Of a file of the folder, or of the settings; empty: neither.
  std::string_view text_of(const std::string& path) const;
  // Source::good of the present text; null if there is no such file.
  std::shared_ptr<const ConfigTree> tree_of(const std::string& path);
  bool is_broken(const std::string& path);
  // Since the text that tree_of() is of; of a file without a syntax error nothing has.
  ChangedLines changed_since_tree(const std::string& path) const;

  bool is_large() const;  // too large to be linted at every change before anything else
  bool is_linted() const { return run_.revision == revision_; }
  LintRun next_run(const std::string& only = {});  // of all files, or of this one
  void take(LintRun run);
  void lint_alone(const std::string& path);  // what can be said without the other files
  const std::vector<Diagnostic>& findings(const std::string& path) const;
  const std::map<std::string, std::vector<Diagnostic>>& all_findings() const { return findings_; }

  const LintRun& last_run() const { return run_; }
  const ProjectSettings& settings() const { return settings_; }
  // Whether two files may be of one configuration.
  bool are_together(const std::string& a, const std::string& b) const;
  // The configuration that the file is part of, complete; files with a syntax error as they were before it.
  const Config& config_of(const std::string& path);

 private:
  std::vector<std::size_t> sets_with(const std::string& path) const;
  void read_settings_file();

  LintProject project_;
  BufferOf buffer_of_;
  std::map<std::string, Source> sources_;
  ProjectSettings settings_;  // the last ones without a fault
  ConfigText settings_text_;  // without a name: there are none
  std::optional<std::string> baseline_text_;
  std::vector<Diagnostic> settings_faults_;
  std::uint64_t revision_ = 1;
  LintRun run_;
  std::map<std::string, std::vector<Diagnostic>> findings_;
  struct CompleteConfig {
    std::uint64_t revision = 0;
    std::string file;
    Config config;
  } complete_;
};

// All files have been looked at, if not as they are now.
inline bool is_known(const Folder& folder) { return folder.last_run().revision > 0; }

// Where what is of which file. It must not outlive the texts.
class Lines {
 public:
  Lines(const Folder& folder, bool utf8) : folder_(folder), utf8_(utf8) {}
  // Of a file that is none of the folder: an empty text's.
  const LineTable& of(const std::string& path);
  void write_location(JsonWriter& json, const std::string& path, TextRange range);

 private:
  const Folder& folder_;
  bool utf8_;
  std::map<std::string, LineTable> tables_;
};

}  // namespace apf
