// What may be typed at a place: keys, words, and the names that the configuration and Kubernetes have.
#include "lsp/hover.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include <apf/change.h>

#include "base/api_groups.h"
#include "base/identities.h"
#include "base/text.h"

namespace apf {

namespace {

// CompletionItemKind
enum class ItemKind { value = 12, property = 10, reference = 18 };

struct Candidate {
  std::string label, detail;
  ItemKind kind = ItemKind::value;
  std::string text = {};  // what is inserted; empty: the label
};

void add_words(std::vector<Candidate>& out, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) out.push_back({std::string(words.substr(0, end)), ""});
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

// Texts that YAML would take for something else, or for nothing.
std::string as_yaml(const std::string& text) {
  const bool plain = !text.empty() && text != "*" && text.find_first_of("*&!%@`'\"#{}[]|>,? ") == std::string::npos;
  return plain ? text : "\"" + text + "\"";
}

// The API groups that the rule around the line names.
std::vector<std::string> groups_around(std::string_view text, const LineTable& lines, std::size_t offset) {
  const std::size_t line = lines.line_of(offset);
  const auto indent = [&](std::size_t at) { return lines.text_of(at).find_first_not_of(" -"); };
  std::size_t key_line = line;
  while (key_line > 0 && lines.text_of(key_line).find("resources:") == text.npos) --key_line;
  std::vector<std::string> out;
  const auto look = [&](std::size_t at) {
    const std::string_view written = lines.text_of(at);
    const std::size_t key = written.find("apiGroups:");
    if (key == written.npos || indent(at) != indent(key_line)) return;
    std::string list(written.substr(key + 10));
    for (std::size_t next = at + 1; next < lines.count() && trimmed(lines.text_of(next)).starts_with("- "); ++next)
      list += "," + std::string(trimmed(lines.text_of(next)).substr(2));
    std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == ' '; });
    for (std::string_view rest = list; !rest.empty();) {
      std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (word.empty()) continue;
      while (!word.empty() && (word.front() == '"' || word.front() == '\'')) word.remove_prefix(1);
      while (!word.empty() && (word.back() == '"' || word.back() == '\'')) word.remove_suffix(1);
      out.emplace_back(word);
    }
  };
  constexpr std::size_t kNear = 40;
  for (std::size_t at = key_line; at > 0 && at + kNear > key_line && indent(at) >= indent(key_line); --at) look(at - 1);
  if (!out.empty()) return out;
  for (std::size_t at = line + 1; at < lines.count() && at < line + kNear && indent(at) >= indent(key_line); ++at)
    look(at);
  return out;
}

class Completions {
 public:
  Completions(Folder& folder, const std::string& path, std::size_t offset, Lines& lines, KeyDocs& docs)
      : folder_(folder),
        file_(path),
        offset_(offset),
        lines_(lines.of(path)),
        docs_(docs),
        text_(folder.find(path)->text()),
        place_(typed_place(text_, lines_, offset)) {
    schema_ = schema_of(docs, path, text_, place_.api_version, place_.kind);
    // The rest of a word that the cursor is in goes, and its colon stays.
    const auto is_of_word = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    while (!place_.word.empty() && place_.range.end < text_.size() && is_of_word(text_[place_.range.end]))
      ++place_.range.end;
    behind_key_ = place_.range.end < text_.size() && text_[place_.range.end] == ':' ? "" : ": ";
  }

  std::string render() {
    if (schema_.empty()) return "[]";
    if (!place_.wants_value) add_keys();
    if (out_.empty()) add_values();
    JsonWriter json;
    json.begin_array();
    std::set<std::string> said;
    for (const Candidate& one : out_) {
      if (!said.insert(one.label).second) continue;
      json.begin_object().field("label", one.label).field("kind", static_cast<int>(one.kind));
      if (!one.detail.empty())
        json.key("documentation").begin_object().field("kind", "markdown").field("value", one.detail).end_object();
      json.field("filterText", one.label).key("textEdit").begin_object().key("range");
      lines_.write(json, place_.range);
      json.field("newText", one.text.empty() ? one.label : one.text).end_object().end_object();
    }
    json.end_array();
    return json.take();
  }

 private:
  bool ends_with(std::initializer_list<std::string_view> keys) const {
    const std::vector<std::string>& path = place_.path;
    return keys.size() <= path.size() &&
           std::equal(keys.begin(), keys.end(), path.end() - static_cast<std::ptrdiff_t>(keys.size()));
  }

  void add_keys() {
    for (const auto& [name, doc] : docs_.keys(schema_, place_.path)) {
      if (is_one_of(place_.siblings, name)) continue;
      out_.push_back({name, doc.description + (doc.limits.empty() ? "" : "\n\n" + doc.limits), ItemKind::property,
                      name + behind_key_});
    }
    if (schema_ == "apfctl" && ends_with({"rules"})) add_rules(behind_key_);
    if (schema_ == "test" && ends_with({"limits"})) add_levels(behind_key_);
  }

  void add_rules(const std::string& behind) {
    for (const RuleInfo& rule : lint_rules())
      out_.push_back(
          {rule.name, fmt::format("{}: {}", rule.code, rule.summary), ItemKind::reference, rule.name + behind});
  }

  const Config& config() { return folder_.config_of(file_); }

  void add_levels(const std::string& behind = "") {
    for (const PriorityLevel& level : config().priority_levels)
      out_.push_back({level.meta.name, "", ItemKind::reference, level.meta.name + behind});
  }

  template <class Visit>
  void for_subjects(const Visit& visit) {
    for (const FlowSchema& schema : config().flow_schemas)
      for (const PolicyRule& rule : schema.rules)
        for (const Subject& subject : rule.subjects) visit(subject);
  }

  void add(const std::string& text) { out_.push_back({text, "", ItemKind::value, as_yaml(text)}); }

  void add_values() {
    const bool is_item = !place_.path.empty() && place_.path.back() == kItem;
    if (ends_with({"priorityLevelConfiguration", "name"}) || ends_with({"priorityLevel"})) return add_levels();
    if (ends_with({"flowSchema"})) {
      for (const FlowSchema& schema : config().flow_schemas)
        out_.push_back({schema.meta.name, "", ItemKind::reference});
    } else if (ends_with({"user", "name"})) {
      for_subjects([&](const Subject& s) {
        if (s.user) add(*s.user);
      });
    } else if (ends_with({"group", "name"})) {
      for_subjects([&](const Subject& s) {
        if (s.group) add(*s.group);
      });
    } else if (ends_with({"serviceAccount", "name"})) {
      for_subjects([&](const Subject& s) {
        if (s.service_account) add(s.service_account->name);
      });
    } else if (ends_with({"serviceAccount", "namespace"}) || ends_with({"namespaces", kItem})) {
      if (is_item) add("*");
      for_subjects([&](const Subject& s) {
        if (s.service_account) add(s.service_account->ns);
      });
    } else if (ends_with({"verbs", kItem})) {
      const bool is_url = is_one_of(place_.path, "nonResourceRules");
      add("*");
      add_words(out_, is_url ? "get put post delete head options patch"
                             : "get list watch create update patch delete deletecollection proxy");
    } else if (ends_with({"apiGroups", kItem})) {
      add("*");
      for (const GroupResources& row : group_resources()) {
        if (has(row, folder_.last_run().options.version))
          out_.push_back(
              {row.group.empty() ? "\"\"" : std::string(row.group), row.group.empty() ? "the core group" : ""});
      }
    } else if (ends_with({"resources", kItem})) {
      add_resources();
    } else if (ends_with({"matchingPrecedence"})) {
      add_precedences();
    } else if (schema_ == "apfctl" && is_item && is_one_of(place_.path, "ignore")) {
      add_rules("");
    } else if (const std::optional<KeyDoc> doc = docs_.find(schema_, place_.path)) {
      for (const std::string& word : doc->words) out_.push_back({word, ""});
    }
  }

  void add_resources() {
    const std::vector<std::string> groups = groups_around(text_, lines_, offset_);
    add("*");
    for (const GroupResources& row : group_resources()) {
      const bool wanted = groups.empty() || is_one_of(groups, "*") || is_one_of(groups, row.group);
      if (wanted && has(row, folder_.last_run().options.version)) add_words(out_, row.names);
    }
  }

  // Numbers that no FlowSchema has: after each of those that are asked, and in the middle of what is free.
  void add_precedences() {
    std::map<std::int32_t, std::string> taken;
    for (const FlowSchema& schema : config().flow_schemas) {
      std::string& names = taken[schema.matching_precedence];
      names += (names.empty() ? "" : ", ") + schema.meta.name;
    }
    for (auto at = taken.begin(); at != taken.end() && std::next(at) != taken.end(); ++at) {
      const std::int32_t gap = std::next(at)->first - at->first;
      if (gap < 2) continue;
      out_.push_back({fmt::format("{}", at->first + (gap > 10 ? 10 : 1)),
                      fmt::format("after {} ({}), before {} ({})", at->second, at->first, std::next(at)->second,
                                  std::next(at)->first)});
    }
  }

  Folder& folder_;
  const std::string& file_;
  std::size_t offset_;
  const LineTable& lines_;
  KeyDocs& docs_;
  const std::string& text_;
  TypedPlace place_;
  std::string schema_, behind_key_;
  std::vector<Candidate> out_;
};

}  // namespace

std::string render_completions(Folder& folder, const std::string& path, std::size_t offset, Lines& lines,
                               KeyDocs& docs) {
  return Completions(folder, path, offset, lines, docs).render();
}

}  // namespace apf
