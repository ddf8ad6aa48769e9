#include "lsp/folder.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <apf/error.h>
#include <apf/related_files.h>

#include "base/folder_walk.h"
#include "config/files.h"
#include "config/reader.h"
#include "lint/kustomization.h"
#include "lint/project.h"
#include "lsp/messages.h"
#include "settings/settings.h"
#include "settings/settings_place.h"

namespace apf {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200'000;
// About 300 objects, which take lint less than 50 ms.
constexpr std::size_t kSmall = 128 << 10;

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
    return !name.starts_with('.') && (entry.is_directory(error) || is_config_name(name));
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
  const auto lines = [](std::string_view text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); };
  const ChangedLines changed = changed_lines(before, now);
  const int first = lines(before.substr(0, changed.begin)) + 1,
            ends = changed.end > changed.begin && before[changed.end - 1] != '\n' ? 1 : 0,
            last = lines(before.substr(0, changed.end)) + ends;
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

Config complete_config(Config config, const LintOptions& options) {
  apply_defaults(config);
  return with_objects(with_builtins(std::move(config), options.version, Builtins::all), options.added);
}

// Of the sets of a run.
std::vector<Config> configs_of(const LintRun& run) {
  std::vector<Config> out;
  for (const ConfigSet& set : run.found.sets) {
    std::vector<ConfigText> texts;
    for (const std::size_t text : set.texts) texts.push_back(run.found.texts[text]);
    const bool is_all = run.found.sets.size() == 1;
    Config& config =
        out.emplace_back(complete_config(is_all ? run.found.loaded.config : load_config(texts).config, run.options));
    for (FlowSchema& schema : config.flow_schemas) schema.meta.source = {};  // trees are many times as large
    for (PriorityLevel& level : config.priority_levels) level.meta.source = {};
  }
  return out;
}

const std::vector<Diagnostic> kNoFindings;

template <class Values, class Value>
bool is_one_of(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool is_config_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

bool is_settings(const std::string& path) { return fs::path(path).filename() == kSettingsFileName; }

LintRun run_lint(LintRun run) {
  try {
    run.options = options_of(run.project, run.found.project.settings);
    remove_unrelated(run.found.texts, run.found.contents);
    run.found = lint_texts(run.project, std::move(run.found), run.partial);
    if (run.keeps_configs) run.configs = configs_of(run);
    run.found.loaded = {};  // the trees
  } catch (const Error& error) {
    run.error = error.what();
  }
  return run;
}

Folder::Folder(std::string path, LintProject project, bool file, BufferOf buffer_of)
    : is_file(file), root(std::move(path)), project_(std::move(project)), buffer_of_(std::move(buffer_of)) {
  read_disk();
}

bool Folder::holds(std::string_view path) const {
  if (path == root || is_file) return path == root;
  const std::string_view rest = path.starts_with(root) ? path.substr(root == "/" ? 0 : root.size()) : "";
  // As lint passes over hidden files and folders.
  return rest.starts_with('/') && (rest.find("/.") == rest.npos || is_settings(std::string(path)));
}

const Source* Folder::find(const std::string& path) const {
  const auto at = sources_.find(path);
  return at == sources_.end() ? nullptr : &at->second;
}

std::string_view Folder::text_of(const std::string& path) const {
  const Source* source = find(path);
  if (source) return source->text();
  return path == settings_text_.name ? std::string_view(settings_text_.text) : std::string_view();
}

void Folder::read_disk(std::set<std::string> files) {
  const auto set_disk = [&](const std::string& path, std::optional<std::string> text) {
    const auto known = sources_.find(path);
    if (known == sources_.end() && (!text || !is_ours({path, *text}))) return;
    Source& source = known == sources_.end() ? sources_[path] : known->second;
    if (source.disk == text) return;
    source.disk = std::move(text);
    if (source.buffer) return;
    source.revision = ++revision_;
    source.is_read = false;
    if (!source.disk) sources_.erase(known);
  };
  if (files.empty()) {
    const std::vector<std::string> found = is_file ? std::vector<std::string>{root} : config_files(root);
    files.insert(found.begin(), found.end());
    for (const auto& [path, source] : sources_) {
      if (source.disk) files.insert(path);
    }
  }
  for (const std::string& path : files) {
    if (holds(path) && is_config_name(path) && !is_settings(path)) set_disk(path, text_of_file(path));
  }
  read_settings_file();
  const std::string& baseline = settings_.settings.baseline;
  std::optional<std::string> text;
  if (!baseline.empty()) text = text_of_file((fs::path(settings_.folder) / baseline).string());
  if (text != baseline_text_) ++revision_;
  baseline_text_ = std::move(text);
}

std::string FileUris::of(const std::string& path) const {
  const auto known = uris_.find(path);
  return known == uris_.end() ? uri_of_path(path) : known->second;
}

void FileUris::set(const std::string& path, std::string uri) {
  if (of(path) != uri) uris_[path] = std::move(uri);
}

void Folder::read_settings_file() {
  if (!project_.use_settings) return;
  ConfigText text;
  try {
    const fs::path start = is_file ? fs::path(root).parent_path() : fs::path(root);
    const std::uint32_t user = ::geteuid();
    // What is open and not saved yet is the user's.
    const auto owners = [&](const fs::path& file) {
      const std::vector<std::uint32_t> found = owners_of_file(file);
      return found.empty() && buffer_of_(file.string()) ? std::vector{user} : found;
    };
    std::string path = project_.settings_path.value_or("");
    if (path.empty()) path = find_settings(start, user, owners).string();
    if (const std::string* buffer = path.empty() ? nullptr : buffer_of_(path)) text = {path, *buffer};
    else if (!path.empty()) text = read_regular_file(path);
  } catch (const Error&) {
    // Settings above the folder that belong to somebody else do not count.
  }
  if (text.name == settings_text_.name && text.text == settings_text_.text) return;
  ++revision_;
  settings_text_ = text;
  ProjectSettings settings = text.name.empty() ? ProjectSettings() : settings_in(std::move(text));
  settings_faults_ = settings.faults;
  if (settings.faults.empty()) settings_ = std::move(settings);
}

void Folder::set_buffer(const std::string& path, std::string text, std::optional<std::int64_t> version) {
  const auto known = sources_.find(path);
  if (known == sources_.end() && !is_settings(path) && !is_config_name(path)) return;
  Source& source = sources_[path];
  source.version = version;
  if (source.buffer == text) return;
  // The next text may have a syntax error.
  if ((source.buffer || source.disk) && source.text().size() <= kSmall) tree_of(path);
  source.buffer = std::move(text);
  source.revision = ++revision_;
  source.is_read = false;
}

void Folder::close_buffer(const std::string& path) {
  const auto known = sources_.find(path);
  if (known == sources_.end()) return;
  known->second.buffer.reset();
  known->second.version.reset();
  known->second.revision = ++revision_;
  known->second.is_read = false;
  if (!known->second.disk) sources_.erase(known);
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

ChangedLines Folder::changed_since_tree(const std::string& path) const {
  const Source* source = find(path);
  return source && source->is_broken && source->good ? changed_lines(source->good->text(), source->text())
                                                     : ChangedLines();
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
  run.keeps_configs = only.empty() && is_large();
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
  std::vector<Diagnostic> faults = settings_faults_;
  for (const auto& [path, source] : sources_) {
    if (!is_settings(path) || path == settings_text_.name) continue;
    for (Diagnostic& d : settings_in({path, source.text()}).faults) faults.push_back(std::move(d));
  }
  for (Diagnostic& d : faults) run.found.findings.push_back(std::move(d));
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
  complete_ = {};  // made of the run before
  for (const auto& [path, source] : sources_) {
    if (!is_settings(path) && source.good && is_broken(path)) findings_[path] = findings_of_part(next_run(path));
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

std::vector<std::size_t> Folder::sets_with(const std::string& path) const {
  const auto& texts = run_.found.texts;
  const auto file = std::find_if(texts.begin(), texts.end(), [&](const ConfigText& t) { return t.name == path; });
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < run_.found.sets.size(); ++i) {
    if (is_one_of(run_.found.sets[i].texts, static_cast<std::size_t>(file - texts.begin()))) out.push_back(i);
  }
  return out;
}

bool Folder::are_together(const std::string& a, const std::string& b) const {
  const std::vector<std::size_t> of_a = sets_with(a), of_b = sets_with(b);
  if (of_a.empty() || of_b.empty()) return true;
  return std::any_of(of_a.begin(), of_a.end(), [&](std::size_t set) { return is_one_of(of_b, set); });
}

const Config& Folder::config_of(const std::string& path) {
  if (complete_.revision == revision_ && complete_.file == path) return complete_.config;
  const std::vector<std::size_t> sets = sets_with(path);
  const auto tree = tree_of(path);
  const std::size_t set = sets.empty() ? 0 : sets[0];
  if (set < run_.configs.size()) {
    // The file as it is now, others as they were when all were looked at.
    Config own = tree ? load_config(std::vector<ConfigText>{{path, std::string(tree->text())}}).config : Config();
    apply_defaults(own);
    complete_ = {revision_, path, with_objects(std::move(own), run_.configs[set])};
    return complete_.config;
  }
  const auto& texts = run_.found.texts;
  std::vector<ConfigText> good;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!sets.empty() && !is_one_of(run_.found.sets[set].texts, i)) continue;
    if (const auto known = tree_of(texts[i].name)) good.push_back({texts[i].name, std::string(known->text())});
  }
  complete_ = {revision_, path, complete_config(load_config(good).config, run_.options)};
  return complete_.config;
}

const LineTable& Lines::of(const std::string& path) {
  const auto known = tables_.find(path);
  if (known != tables_.end()) return known->second;
  return tables_.emplace(path, LineTable(folder_.text_of(path), utf8_)).first->second;
}

void Lines::write_location(JsonWriter& json, const std::string& path, TextRange range) {
  json.begin_object().field("uri", folder_.uris.of(path)).key("range");
  of(path).write(json, range);
  json.end_object();
}

}  // namespace apf
