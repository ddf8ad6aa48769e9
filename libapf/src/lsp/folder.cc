#include "lsp/folder.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <apf/error.h>
#include <apf/related_files.h>

#include "base/folder_walk.h"
#include "config/files.h"
#include "config/reader.h"
#include "lint/kustomization.h"
#include "lint/project.h"
#include "lint/settings.h"
#include "lint/settings_place.h"
#include "lsp/messages.h"

namespace apf {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200'000;
// About 300 objects, which take lint less than 50 ms.
constexpr std::size_t kSmall = 128 << 10;

bool has_name_of_config(const std::string& path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

bool is_settings(const std::string& path) { return fs::path(path).filename() == kSettingsFileName; }

bool may_be_test_file(std::string_view text) {
  return text.find("tests") != text.npos &&
         (text.find("flowSchema") != text.npos || text.find("priorityLevel") != text.npos ||
          text.find("limits") != text.npos);
}

// Whether anything here looks at the file: most of a repository it passes over.
bool is_ours(const ConfigText& text) {
  if (is_kustomization_file(text.name) || may_be_test_file(text.text)) return true;
  std::vector<ConfigText> texts = {text};
  FolderContents contents;
  remove_unrelated(texts, contents);
  return contents.unrelated == 0;
}

std::vector<std::string> config_files(const std::string& folder) {
  const auto is_wanted = [](const fs::directory_entry& entry) {
    std::error_code error;
    const std::string name = entry.path().filename().string();
    return !name.starts_with('.') && (entry.is_directory(error) || has_name_of_config(name));
  };
  try {
    return files_below(folder, kMostFiles, "the configuration", is_wanted);
  } catch (const Error&) {
    return {};
  }
}

std::optional<std::string> text_of_file(const std::string& path) {
  try {
    return read_regular_file(path).text;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Findings of an older text, at their places in the present one. Those where it changed are left out, and fixes.
std::vector<Diagnostic> moved_along(const std::vector<Diagnostic>& findings, std::string_view before,
                                    std::string_view now) {
  const auto [a, b] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
  const auto same = static_cast<std::size_t>(a - before.begin());
  const std::size_t most = std::min(before.size(), now.size()) - same;
  std::size_t tail = 0;
  while (tail < most && before[before.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  const auto lines = [](std::string_view text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); };
  const int first = lines(before.substr(0, same)) + 1, last = lines(before.substr(0, before.size() - tail)) + 1;
  const int shift = lines(now) - lines(before);
  std::vector<Diagnostic> out;
  for (const Diagnostic& d : findings) {
    if (d.span.line >= first && d.span.line <= last) continue;
    Diagnostic& moved = out.emplace_back(d);
    moved.fix.reset();
    const auto move = [&](Span& span) {
      if (span.file != d.span.file || span.line <= last) return;
      span.line += shift;
      span.end_line += shift;
    };
    move(moved.span);
    for (Note& note : moved.notes) move(note.span);
  }
  return out;
}

std::vector<Diagnostic> findings_of_part(LintRun run) {
  run.partial = true;
  return run_lint(std::move(run)).found.findings;
}

const std::vector<Diagnostic> kNoFindings;

template <class Values, class Value>
bool is_one_of(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

LintRun run_lint(LintRun run) {
  try {
    run.options = options_of(run.project, run.found.project.settings);
    remove_unrelated(run.found.texts, run.found.contents);
    run.found = lint_texts(run.project, std::move(run.found), run.partial);
  } catch (const Error& error) {
    run.error = error.what();
  }
  return run;
}

Folder::Folder(std::string path, LintProject project, bool is_file)
    : path_(std::move(path)), project_(std::move(project)), is_file_(is_file) {
  read_disk();
}

bool Folder::holds(std::string_view path) const {
  return path == path_ || (!is_file_ && (path_ == "/" || (path.starts_with(path_) && path[path_.size()] == '/')));
}

const Source* Folder::find(const std::string& path) const {
  const auto at = sources_.find(path);
  return at == sources_.end() ? nullptr : &at->second;
}

void Folder::read_disk() {
  std::set<std::string> there;
  const std::vector<std::string> files = is_file_ ? std::vector<std::string>{path_} : config_files(path_);
  for (const std::string& path : files) {
    std::optional<std::string> text = text_of_file(path);
    const auto known = sources_.find(path);
    if (!text || (known == sources_.end() && !is_ours({path, *text}))) continue;
    there.insert(path);
    Source& source = known == sources_.end() ? sources_[path] : known->second;
    if (source.disk == text) continue;
    source.disk = std::move(text);
    if (source.buffer) continue;
    source.revision = ++revision_;
    source.is_read = false;
  }
  for (auto at = sources_.begin(); at != sources_.end();) {
    if (!there.contains(at->first) && at->second.disk) {
      at->second.disk.reset();
      ++revision_;
    }
    at = at->second.disk || at->second.buffer ? std::next(at) : sources_.erase(at);
  }
  read_settings_file();
}

void Folder::add_settings(ConfigText text) {
  if (settings_text_ == text.text) return;
  settings_text_ = text.text;
  ++revision_;
  ProjectSettings settings = settings_in(std::move(text));
  settings_faults_ = settings.faults;
  if (settings.faults.empty()) settings_ = std::move(settings);
}

void Folder::read_settings_file() {
  if (!project_.use_settings) return;
  std::string path = project_.settings_path.value_or("");
  try {
    const fs::path start = is_file_ ? fs::path(path_).parent_path() : fs::path(path_);
    if (path.empty()) path = find_settings(start, ::geteuid(), owners_of_file).string();
    for (const auto& [name, source] : sources_) {
      if (is_settings(name) && source.buffer && (path.empty() || path == name))
        return add_settings({name, *source.buffer});
    }
    if (!path.empty()) return add_settings(read_regular_file(path));
  } catch (const Error&) {
    // Settings above the folder that belong to somebody else do not count.
  }
  if (settings_text_) ++revision_;
  settings_text_.reset();
  settings_faults_.clear();
  settings_ = {};
}

void Folder::set_buffer(const std::string& path, std::string text, std::optional<std::int64_t> version) {
  const auto known = sources_.find(path);
  if (known == sources_.end() && !is_settings(path) && !has_name_of_config(path)) return;
  Source& source = sources_[path];
  source.version = version;
  if (source.buffer == text) return;
  // The next text may have a syntax error.
  if ((source.buffer || source.disk) && source.text().size() <= kSmall) tree_of(path);
  source.buffer = std::move(text);
  source.revision = ++revision_;
  source.is_read = false;
  if (is_settings(path)) read_settings_file();
}

void Folder::close_buffer(const std::string& path) {
  const auto known = sources_.find(path);
  if (known == sources_.end()) return;
  known->second.buffer.reset();
  known->second.version.reset();
  known->second.revision = ++revision_;
  known->second.is_read = false;
  if (!known->second.disk) sources_.erase(known);
  if (is_settings(path)) read_settings_file();
}

std::shared_ptr<const ConfigTree> Folder::tree_of(const std::string& path) {
  const auto known = sources_.find(path);
  if (known == sources_.end()) return nullptr;
  Source& source = known->second;
  if (std::exchange(source.is_read, true)) return source.good;
  std::vector<Diagnostic> faults;
  std::shared_ptr<const ConfigTree> tree = read_manifests({path, source.text()}, faults);
  source.is_broken =
      std::any_of(faults.begin(), faults.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  if (!source.is_broken || !source.good) source.good = std::move(tree);
  return source.good;
}

bool Folder::is_broken(const std::string& path) {
  tree_of(path);
  const Source* source = find(path);
  return source && source->is_broken;
}

bool Folder::is_large() const {
  std::size_t size = 0;
  for (const auto& [path, source] : sources_) size += source.text().size();
  return size > kSmall;
}

LintRun Folder::next_run(const std::string& only) {
  LintRun run;
  run.project = project_;
  run.revision = revision_;
  run.found.project = settings_;
  run.found.project.settings.traffic.clear();  // so that no log is read at every change
  for (const auto& [path, source] : sources_) {
    if (is_settings(path) || (!only.empty() && only != path)) continue;
    // What other files say of a file with a syntax error is what they said before it.
    const bool as_before = only.empty() && source.good && is_broken(path);
    run.found.texts.push_back({path, as_before ? std::string(source.good->text()) : source.text()});
  }
  return run;
}

void Folder::take(LintRun run) {
  for (const Diagnostic& d : settings_faults_) run.found.findings.push_back(d);
  std::map<std::string, std::vector<Diagnostic>> findings;
  for (const Diagnostic& d : run.found.findings) findings[d.span.file].push_back(d);
  for (auto& [path, source] : sources_) {
    // What was changed meanwhile keeps what was said of it since.
    if (source.revision <= run.revision) source.linted = source.revision;
    else if (const auto known = findings_.find(path); known != findings_.end()) findings[path] = known->second;
    else findings.erase(path);
  }
  if (run.error.empty()) findings_ = std::move(findings);
  run_ = std::move(run);
  for (const auto& [path, source] : sources_) {
    if (source.good && is_broken(path)) findings_[path] = findings_of_part(next_run(path));
  }
}

void Folder::lint_alone(const std::string& path) {
  const auto known = sources_.find(path);
  if (known == sources_.end() || is_settings(path)) return;
  std::vector<Diagnostic> alone;
  if (known->second.text().size() <= kSmall) alone = findings_of_part(next_run(path));  // else it takes too long, too
  std::vector<Diagnostic> found;
  std::set<std::pair<int, std::string>> said;
  for (Diagnostic& d : alone) {
    const RuleInfo* rule = find_rule(d.code);
    // Whether a comment silences anything, only all files together say.
    if (rule && rule->group == RuleGroup::suppressions) continue;
    said.emplace(d.span.line, d.code);
    found.push_back(std::move(d));
  }
  // What only all files together say stays until they are looked at.
  const auto& texts = run_.found.texts;
  const auto before = std::find_if(texts.begin(), texts.end(), [&](const ConfigText& t) { return t.name == path; });
  if (before != texts.end()) {
    std::vector<Diagnostic> of_file;
    for (const Diagnostic& d : run_.found.findings) {
      if (d.span.file == path && d.code != kSyntaxError.code) of_file.push_back(d);
    }
    for (Diagnostic& d : moved_along(of_file, before->text, known->second.text())) {
      if (said.emplace(d.span.line, d.code).second) found.push_back(std::move(d));
    }
  }
  sort_diagnostics(found);
  findings_[path] = std::move(found);
  known->second.linted = known->second.revision;
}

const std::vector<Diagnostic>& Folder::findings(const std::string& path) const {
  const auto at = findings_.find(path);
  return at == findings_.end() ? kNoFindings : at->second;
}

std::vector<const ConfigSet*> Folder::sets_with(const std::string& path) const {
  const auto& texts = run_.found.texts;
  const auto file = std::find_if(texts.begin(), texts.end(), [&](const ConfigText& t) { return t.name == path; });
  std::vector<const ConfigSet*> out;
  for (const ConfigSet& set : run_.found.sets) {
    if (is_one_of(set.texts, static_cast<std::size_t>(file - texts.begin()))) out.push_back(&set);
  }
  return out;
}

bool Folder::are_together(const std::string& a, const std::string& b) const {
  const std::vector<const ConfigSet*> of_a = sets_with(a), of_b = sets_with(b);
  if (of_a.empty() || of_b.empty()) return true;
  return std::any_of(of_a.begin(), of_a.end(), [&](const ConfigSet* set) { return is_one_of(of_b, set); });
}

const Config& Folder::config_of(const std::string& path) {
  const auto& texts = run_.found.texts;
  const std::vector<const ConfigSet*> sets = sets_with(path);
  const ConfigSet* set = sets.empty() ? nullptr : sets.front();  // null: all
  const std::string name = set ? set->name : "";
  if (complete_.revision == revision_ && complete_.set == name) return complete_.config;
  std::vector<ConfigText> good;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (set && !is_one_of(set->texts, i)) continue;
    if (const auto tree = tree_of(texts[i].name)) good.push_back({texts[i].name, std::string(tree->text())});
  }
  Config config = std::move(load_config(good).config);
  apply_defaults(config);
  complete_ = {revision_, name,
               with_objects(with_builtins(std::move(config), run_.options.version, Builtins::all), run_.options.added)};
  return complete_.config;
}

const LineTable& Lines::of(const std::string& path) {
  const auto known = tables_.find(path);
  if (known != tables_.end()) return known->second;
  const Source* source = folder_.find(path);
  return tables_.emplace(path, LineTable(source ? std::string_view(source->text()) : std::string_view(), utf8_))
      .first->second;
}

void Lines::write_location(JsonWriter& json, const std::string& path, TextRange range) {
  json.begin_object().field("uri", uri_of_path(path)).key("range");
  of(path).write(json, range);
  json.end_object();
}

}  // namespace apf
