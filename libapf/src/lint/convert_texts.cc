// convert_texts(): objects in another version of the API, in the files that they are in. Where the versions differ in
// names alone, so do the files; else the document is written anew.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include <apf/config.h>
#include <apf/lint.h>

#include "base/releases.h"
#include "config/schema.h"
#include "config/tree.h"
#include "lint/causes.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr std::string_view kNames[] = {"v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha1"};

bool is_document(const ObjectSource& source) {
  const auto& documents = source.tree->tree().documents();
  return std::any_of(documents.begin(), documents.end(),
                     [&](const ConfigDocument& document) { return document.root == source.tree.get(); });
}

class TextConverter {
 public:
  TextConverter(const LoadedConfig& loaded, std::span<const ConfigText> texts, FlowControlVersion to,
                std::optional<KubeVersion> release)
      : loaded_(loaded),
        rewritten_(convert_objects(loaded, texts, to, release)),
        to_(kNames[static_cast<std::size_t>(to)]),
        release_(release) {
    out_.texts.assign(texts.begin(), texts.end());
    out_.losses = rewritten_.losses;
  }

  ConvertedTexts run() {
    // What the API cannot express stays as it is.
    const bool refused = std::any_of(out_.losses.begin(), out_.losses.end(),
                                     [](const Diagnostic& d) { return d.severity == Severity::error; });
    if (refused) return std::move(out_);
    for (const Config* config : {&loaded_.config, &loaded_.replaced}) {
      // The FlowSchemas of all versions are the same.
      for (const FlowSchema& schema : config->flow_schemas) convert(schema.meta, "FlowSchema", renamed(schema.meta));
      for (const PriorityLevel& level : config->priority_levels)
        convert(level.meta, "PriorityLevelConfiguration",
                level.meta.source.tree && !loses_fields(level) ? version_edits(level, to_) : std::vector<Edit>(),
                loses_fields(level));
    }
    for (ConfigText& text : out_.texts) apply(text);
    sort_diagnostics(out_.losses);
    return std::move(out_);
  }

 private:
  std::vector<Edit> renamed(const ObjectMeta& meta) const {
    if (!meta.source.tree) return {};
    return replace_scalar(*meta.source.tree, "apiVersion", fmt::format("{}/{}", kApiGroup, to_));
  }

  // The release has no field for something that the level says.
  bool loses_fields(const PriorityLevel& level) const {
    const std::optional<LimitedLevel>& limited = level.limited;
    return release_ && ((limited && (limited->lendable_percent || limited->borrowing_limit_percent) &&
                         !has(*release_, Feature::borrowing)) ||
                        (level.exempt && !has(*release_, Feature::exempt_level_has_seats)));
  }

  void convert(const ObjectMeta& meta, const char* kind, std::vector<Edit> edits, bool loses_fields = false) {
    if (!meta.source.tree) return;
    if (!loses_fields && meta.api_version == fmt::format("{}/{}", kApiGroup, to_)) return;
    // An item of a typed list has the list's version.
    if (!meta.source.tree->find("apiVersion"))
      return keep(meta, kind, "its version is that of the list around it, which stays as it is");
    if (edits.empty()) edits = whole(meta, kind);
    if (edits.empty())
      return keep(meta, kind, "stays as it is: it needs more than new names, and it is not a document of its own");
    for (Edit& edit : edits) edits_[edit.file].push_back(std::move(edit));
    ++out_.converted;
  }

  std::vector<Edit> whole(const ObjectMeta& meta, const char* kind) {
    const ConfigNode& root = *meta.source.tree;
    const std::string_view text = root.tree().text();
    if (!is_document(meta.source) || text[root.begin()] == '{') return {};
    const Span at = meta.source.span_of("kind");
    for (const RewrittenObject& object : rewritten_.objects) {
      if (object.kind != kind || object.name != meta.name || object.span.file != at.file || object.span.line != at.line)
        continue;
      std::string yaml = object.yaml;
      while (yaml.ends_with('\n')) yaml.pop_back();
      if (text.substr(root.begin(), root.end() - root.begin()).find('#') != text.npos)
        keep(meta, kind, "is written anew, without its comments");
      std::size_t end = root.end();
      while (end > root.begin() && (text[end - 1] == '\n' || text[end - 1] == ' ')) --end;
      return {{meta.source.file, root.begin(), end, yaml}};
    }
    return {};
  }

  void keep(const ObjectMeta& meta, const char* kind, std::string why) {
    Diagnostic& d = out_.losses.emplace_back();
    d.severity = Severity::warning;
    d.span = meta.source.span_of("kind");
    if (d.span.file.empty()) d.span.file = meta.source.file;
    d.document = meta.source.document;
    d.api_version = meta.api_version;
    d.kind = kind;
    d.object_name = meta.name;
    d.message = std::move(why);
  }

  void apply(ConfigText& text) {
    const auto found = edits_.find(text.name);
    if (found == edits_.end()) return;
    std::vector<Edit>& edits = found->second;
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
    for (const Edit& edit : edits) text.text.replace(edit.begin, edit.end - edit.begin, edit.text);
  }

  const LoadedConfig& loaded_;
  const Rewritten rewritten_;
  const std::string to_;
  const std::optional<KubeVersion> release_;
  std::map<std::string, std::vector<Edit>> edits_;  // by file
  ConvertedTexts out_;
};

}  // namespace

ConvertedTexts convert_texts(const LoadedConfig& loaded, std::span<const ConfigText> texts, FlowControlVersion to,
                             std::optional<KubeVersion> release) {
  return TextConverter(loaded, texts, to, release).run();
}

}  // namespace apf
