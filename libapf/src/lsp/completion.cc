// What may be typed at a place: keys, words, and the names that the configuration and Kubernetes have.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include <apf/change.h>

#include "base/api_groups.h"
#include "base/releases.h"
#include "base/text.h"
#include "config/scalar.h"
#include "config/schema.h"
#include "lsp/answers.h"
#include "lsp/place.h"

namespace apf {

namespace {

// CompletionItemKind
enum class ItemKind { value = 12, property = 10, reference = 18 };

constexpr std::string_view kWrittenKinds[] = {kFlowSchemaKind, kPriorityLevelKind};

struct Candidate {
  std::string label, detail = {};
  ItemKind kind = ItemKind::value;
  bool is_key = false, is_text = true;  // text: not a number, nor a word that YAML knows
};

void add_words(std::vector<Candidate>& out, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) out.push_back({std::string(words.substr(0, end)), ""});
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

class Completions {
 public:
  explicit Completions(const Asked& at)
      : folder_(at.folder),
        file_(at.path),
        lines_(at.lines.of(at.path)),
        docs_(at.docs),
        text_(at.folder.find(at.path)->text()),
        place_(typed_place(text_, lines_, at.offset)) {
    schema_ = docs_.schema_for(file_, text_, place_.api_version, place_.kind);
    // An object of ours whose kind is not written yet, or what may become one.
    if (schema_.empty() && place_.kind.empty() && (place_.api_version.starts_with(kApiGroup) || begins_object()))
      schema_ = docs_.schema_for(file_, text_, place_.api_version, kFlowSchemaKind);
    // The rest of a word that the cursor is in goes, and its colon stays.
    if (!place_.word.empty()) place_.range.end = place_.word_end;
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
      json.begin_object()
          .field("label", one.label.empty() ? "\"\"" : one.label)
          .field("kind", static_cast<int>(one.kind));
      if (!one.is_text) json.field("sortText", fmt::format("{:>9}", one.label));  // numbers by their size
      if (!one.detail.empty()) json.field("documentation", one.detail);
      json.field("filterText", one.label.empty() ? "\"\"" : one.label).key("textEdit").begin_object().key("range");
      lines_.write(json, place_.range);
      json.field("newText", written(one)).end_object().end_object();
    }
    json.end_array();
    return json.take();
  }

 private:
  bool ends_with(std::initializer_list<std::string_view> keys) const { return apf::ends_with(place_.path, keys); }

  // At the first key of a file that may get an object of ours, whose other one is not written yet.
  bool begins_object() const {
    return place_.path.size() == 1 &&
           (ends_with({"apiVersion"}) || (ends_with({"kind"}) && place_.api_version.empty()));
  }

  // As it has to be written there: in quotes where YAML, or JSON, would take it for something else or for nothing.
  std::string written(const Candidate& one) const {
    const bool is_json = file_.ends_with(".json");
    const bool needs =
        is_json ? one.is_key || one.is_text
                : one.is_text && (needs_quotes(one.label) || one.label.find_first_of(",[]{}") != one.label.npos);
    const std::size_t next = text_.find_first_not_of(' ', place_.range.end);
    const bool has_colon = next != text_.npos && text_[next] == ':';
    const std::string text = needs && !place_.in_quotes ? '"' + one.label + '"' : one.label;
    return text + (one.is_key && !has_colon && !place_.in_quotes ? ": " : "");
  }

  void add_keys() {
    for (const auto& [name, doc] : docs_.keys(schema_, place_.path)) {
      const auto is_it = [&name = name](const TypedPlace::Entry& entry) { return entry.key == name; };
      if (std::any_of(place_.siblings.begin(), place_.siblings.end(), is_it)) continue;
      out_.push_back(
          {name, doc.description + (doc.limits.empty() ? "" : "\n\n" + doc.limits), ItemKind::property, true});
    }
    if (schema_ == "apfctl" && ends_with({"rules"})) add_rules(true);
    if (schema_ == "test" && ends_with({"limits"})) add_levels(true);
  }

  void add_rules(bool as_keys) {
    for (const RuleInfo& rule : lint_rules())
      out_.push_back({rule.name, fmt::format("{}: {}", rule.code, rule.summary), ItemKind::reference, as_keys});
  }

  const Config& config() { return folder_.config_of(file_); }

  void add_levels(bool as_keys = false) {
    for (const PriorityLevel& level : config().priority_levels)
      out_.push_back({level.meta.name, "", ItemKind::reference, as_keys});
  }

  // What the subjects of FlowSchemas say, where they say it. Of the word that is being typed there is one, too.
  template <class Text>
  void add_of_subjects(const Text& text) {
    for (const FlowSchema& schema : config().flow_schemas)
      for (const PolicyRule& rule : schema.rules)
        for (const Subject& subject : rule.subjects)
          if (const std::optional<std::string> found = text(subject); found && *found != place_.word)
            out_.push_back({*found});
  }

  // The FLOWSCHEMA/LEVEL of a test of requests: what other tests expect is something else.
  bool expects_place() const {
    const auto is_of_another = [](const TypedPlace::Entry& entry) {
      return entry.key == "limits" || entry.key == "lint" || entry.key == "replay";
    };
    return schema_ == "test" && place_.path.size() == 3 && (ends_with({"expect"}) || ends_with({"expect-not"})) &&
           std::none_of(place_.siblings.begin(), place_.siblings.end(), is_of_another);
  }

  void add_values() {
    const bool is_item = !place_.path.empty() && place_.path.back() == kItem,
               is_object = schema_ != "apfctl" && schema_ != "test";
    if (ends_with({"priorityLevelConfiguration", "name"}) || ends_with({"priorityLevel"})) return add_levels();
    if (ends_with({"flowSchema"})) {
      for (const FlowSchema& schema : config().flow_schemas)
        out_.push_back({schema.meta.name, "", ItemKind::reference});
    } else if (expects_place()) {
      for (const FlowSchema& schema : config().flow_schemas)
        out_.push_back({schema.meta.name + "/" + schema.priority_level, "", ItemKind::reference});
    } else if (ends_with({"user", "name"}) || (schema_ == "test" && ends_with({"as"}))) {
      add_of_subjects([](const Subject& s) { return s.user; });
    } else if (ends_with({"group", "name"})) {
      add_of_subjects([](const Subject& s) { return s.group; });
    } else if (ends_with({"serviceAccount", "name"})) {
      add_of_subjects(
          [](const Subject& s) { return s.service_account ? std::optional(s.service_account->name) : std::nullopt; });
    } else if (ends_with({"serviceAccount", "namespace"}) || ends_with({"namespaces", kItem})) {
      if (is_item) out_.push_back({"*"});
      add_of_subjects(
          [](const Subject& s) { return s.service_account ? std::optional(s.service_account->ns) : std::nullopt; });
    } else if (ends_with({"verbs", kItem})) {
      const bool is_url = is_one_of(place_.path, "nonResourceRules");
      out_.push_back({"*"});
      add_words(out_, is_url ? "get put post delete head options patch"
                             : "get list watch create update patch delete deletecollection proxy");
    } else if (ends_with({"apiGroups", kItem})) {
      out_.push_back({"*"});
      for (const GroupResources& row : group_resources()) {
        if (has(row, folder_.last_run().options.version))
          out_.push_back({std::string(row.group), row.group.empty() ? "the core group" : ""});
      }
    } else if (ends_with({"resources", kItem})) {
      add_resources();
    } else if (ends_with({"matchingPrecedence"})) {
      add_precedences();
    } else if (schema_ == "apfctl" && is_item && is_one_of(place_.path, "ignore")) {
      add_rules(false);
    } else if (is_object && ends_with({"apiVersion"}) && place_.path.size() == 1 &&
               (place_.kind.empty() || is_one_of(kWrittenKinds, place_.kind))) {
      for (const ApiLifecycle& version : api_lifecycles())
        if (version.is_served(folder_.last_run().options.version))
          out_.push_back({fmt::format("{}/{}", kApiGroup, version.version)});
    } else if (is_object && place_.path == std::vector<std::string>{"kind"}) {
      for (const std::string_view kind : kWrittenKinds) out_.push_back({std::string(kind)});
    } else if (const std::optional<KeyDoc> doc = docs_.find(schema_, place_.path)) {
      for (const std::string& word : doc->words)
        out_.push_back({word, "", ItemKind::value, false, word != "true" && word != "false" && !is_digit(word[0])});
    }
  }

  void add_resources() {
    std::vector<std::string> groups;
    for (const TypedPlace::Entry& entry : place_.around)
      if (entry.key == "apiGroups") groups = entry.values;
    out_.push_back({"*"});
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
                                  std::next(at)->first),
                      ItemKind::value, false, false});
    }
  }

  Folder& folder_;
  const std::string& file_;
  const LineTable& lines_;
  KeyDocs& docs_;
  const std::string& text_;
  TypedPlace place_;
  std::string schema_;
  std::vector<Candidate> out_;
};

}  // namespace

std::string render_completions(const Asked& at) { return Completions(at).render(); }

}  // namespace apf
