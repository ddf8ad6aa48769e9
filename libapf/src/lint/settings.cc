// .apfctl.yaml: a table of keys, each with its reader.
#include "lint/settings.h"

#include <algorithm>
#include <initializer_list>
#include <memory>

#include <fmt/core.h>

#include "base/client_codes.h"
#include "base/joined.h"
#include "config/reader.h"
#include "config/suggestion.h"
#include "lint/select.h"

namespace apf {

namespace {

struct Reader {
  const ConfigTree& tree;
  Settings& settings;
  std::vector<Diagnostic>& diagnostics;

  void fault(const ConfigNode& at, std::string message) {
    Diagnostic& d = diagnostics.emplace_back();
    d.message = std::move(message);
    d.span = at.span();
  }
};

using ReadValue = void (*)(Reader& reader, std::string_view key, const ConfigNode& value);
struct Key {
  std::string_view name;
  ReadValue read;
};

constexpr std::string_view kSeverities[] = {"off", "info", "warning", "error"};

std::string_view kind_name(const ConfigNode& node) {
  return node.is_mapping()    ? "a mapping"
         : node.is_sequence() ? "a list"
         : node.is_null()     ? "nothing"
                              : "a single value";
}

// A scalar that is not null; anything else is a fault.
bool is_value(Reader& reader, std::string_view key, const ConfigNode& node, std::string_view expected) {
  if (node.is_scalar() && !node.is_null() && !node.text().empty()) return true;
  reader.fault(node,
               fmt::format("{}: expected {}, found {}", key, expected, node.is_scalar() ? "nothing" : kind_name(node)));
  return false;
}

// Entries of a mapping whose keys are a closed set, each at most once.
void read_mapping(Reader& reader, std::string_view what, const ConfigNode& node, std::initializer_list<Key> keys) {
  if (!node.is_mapping())
    return reader.fault(node, fmt::format("{}: expected a mapping, found {}", what, kind_name(node)));
  std::vector<std::string_view> names, seen;
  for (const Key& key : keys) names.push_back(key.name);
  for (const ConfigEntry& entry : node.entries()) {
    const std::string_view name = entry.key.text();
    const auto known = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
    if (known == keys.end()) {
      reader.fault(entry.key, fmt::format("unknown key \"{}\"{}", name, suggestion(name, names)));
    } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      reader.fault(entry.key, fmt::format("the key \"{}\" occurs twice", name));
    } else {
      seen.push_back(name);
      known->read(reader, name, entry.value);
    }
  }
}

std::vector<std::string> read_words(Reader& reader, std::string_view key, const ConfigNode& node) {
  std::vector<std::string> words;
  if (!node.is_sequence()) {
    reader.fault(node, fmt::format("{}: expected a list, found {}", key, kind_name(node)));
    return words;
  }
  for (const ConfigNode& item : node.items()) {
    if (is_value(reader, key, item, "a text")) words.emplace_back(item.text());
  }
  return words;
}

// A code of `apfctl log`, or how several begin.
bool is_of_clients(std::string_view word) {
  return word.starts_with("CLIENT-") && std::any_of(std::begin(kClientCodes), std::end(kClientCodes),
                                                    [&](std::string_view code) { return code.starts_with(word); });
}

void check_rule(Reader& reader, const ConfigNode& at) {
  const std::string_view word = at.text();
  const auto named = [&](const RuleInfo& rule) { return names_rule(word, rule.code, rule.name); };
  if (std::any_of(lint_rules().begin(), lint_rules().end(), named) || is_of_clients(word)) return;
  const std::string_view near = nearest_rule(word);
  reader.fault(at,
               fmt::format("there is no rule \"{}\"{}", word,
                           near.empty() ? "; `apfctl rules` lists them" : fmt::format(", did you mean \"{}\"?", near)));
}

void read_version(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (!is_value(reader, key, node, "a release such as 1.34")) return;
  reader.settings.kubernetes_version = KubeVersion::parse(node.text());
  if (!reader.settings.kubernetes_version)
    reader.fault(node, fmt::format("{}: {}", key, unsupported_release(node.text())));
}

template <std::optional<int> Settings::*Member>
void read_seats(Reader& reader, std::string_view key, const ConfigNode& node) {
  const std::optional<std::int64_t> number = node.kind() == NodeKind::integer ? node.integer() : std::nullopt;
  if (!number || *number < 0 || *number > kMostInflight) {
    return reader.fault(node, fmt::format("{}: expected a whole number from 0 to {}", key, kMostInflight));
  }
  reader.settings.*Member = static_cast<int>(*number);
}

// The plain word `off` too, which YAML 1.1 reads as a boolean.
bool read_severity(Reader& reader, std::string_view key, const ConfigNode& node, bool may_be_off,
                   std::optional<Severity>& severity) {
  const std::span<const std::string_view> known = std::span(kSeverities).subspan(may_be_off ? 0 : 1);
  if (!is_value(reader, key, node, fmt::format("one of {}", joined(known, ", ")))) return false;
  const auto at = std::find(known.begin(), known.end(), node.text());
  if (at == known.end()) {
    reader.fault(node, fmt::format("{}: \"{}\" is unknown{}", key, node.text(), suggestion(node.text(), known)));
    return false;
  }
  if (*at != "off") severity = *at == "info" ? Severity::info : *at == "warning" ? Severity::warning : Severity::error;
  return true;
}

void read_rules(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (!node.is_mapping())
    return reader.fault(node, fmt::format("{}: expected a mapping, found {}", key, kind_name(node)));
  for (const ConfigEntry& entry : node.entries()) {
    check_rule(reader, entry.key);
    Settings::RuleSetting setting{std::string(entry.key.text()), std::nullopt};
    const auto same = [&](const Settings::RuleSetting& other) { return other.rule == setting.rule; };
    if (std::any_of(reader.settings.rules.begin(), reader.settings.rules.end(), same)) {
      reader.fault(entry.key, fmt::format("the key \"{}\" occurs twice", setting.rule));
    }
    if (!read_severity(reader, setting.rule, entry.value, true, setting.severity)) continue;
    if (setting.severity && is_of_clients(setting.rule))
      reader.fault(entry.value, fmt::format("{}: what clients do wrong has no severity: only off", setting.rule));
    reader.settings.rules.push_back(std::move(setting));
  }
}

void read_ignore_path(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (is_value(reader, key, node, "a path or glob")) reader.settings.ignore.back().path = node.text();
}

void read_ignore_rules(Reader& reader, std::string_view key, const ConfigNode& node) {
  reader.settings.ignore.back().rules = read_words(reader, key, node);
  if (node.is_sequence() && node.items().empty())
    reader.fault(node, fmt::format("{}: expected rules, found none", key));
  for (const ConfigNode& item : node.items()) {
    if (item.is_scalar() && !item.text().empty()) check_rule(reader, item);
  }
}

void read_ignore(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (!node.is_sequence())
    return reader.fault(node, fmt::format("{}: expected a list of {{path, rules}}, found {}", key, kind_name(node)));
  for (const ConfigNode& item : node.items()) {
    reader.settings.ignore.emplace_back();
    read_mapping(reader, key, item, {{"path", read_ignore_path}, {"rules", read_ignore_rules}});
    if (!item.is_mapping()) continue;
    for (const char* needed : {"path", "rules"}) {
      if (!item.find(needed)) reader.fault(item, fmt::format("{}: the key \"{}\" is missing here", key, needed));
    }
  }
}

void read_exclude(Reader& reader, std::string_view key, const ConfigNode& node) {
  reader.settings.exclude = read_words(reader, key, node);
}

void read_baseline(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (is_value(reader, key, node, "the path of a file")) reader.settings.baseline = node.text();
}

void read_fail_on(Reader& reader, std::string_view key, const ConfigNode& node) {
  read_severity(reader, key, node, false, reader.settings.fail_on);
}

void read_preset(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (!is_value(reader, key, node, "the name of a preset")) return;
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  if (find_preset(node.text())) reader.settings.preset = node.text();
  else
    reader.fault(node,
                 fmt::format("{}: there is no preset \"{}\"{}", key, node.text(), suggestion(node.text(), names)));
}

// One path, or a list of them.
template <std::vector<std::string> Settings::*Member>
void read_paths(Reader& reader, std::string_view key, const ConfigNode& node) {
  if (node.is_sequence()) reader.settings.*Member = read_words(reader, key, node);
  else if (is_value(reader, key, node, "a path")) (reader.settings.*Member).emplace_back(node.text());
}

void read_document(Reader& reader, const ConfigNode& root) {
  read_mapping(reader, kSettingsFileName, root,
               {{"kubernetes-version", read_version},
                {"max-requests-inflight", read_seats<&Settings::max_requests_inflight>},
                {"max-mutating-requests-inflight", read_seats<&Settings::max_mutating_requests_inflight>},
                {"server-concurrency", read_seats<&Settings::server_concurrency>},
                {"preset", read_preset},
                {"filename", read_paths<&Settings::filenames>},
                {"objects", read_paths<&Settings::objects>},
                {"traffic", read_paths<&Settings::traffic>},
                {"exclude", read_exclude},
                {"rules", read_rules},
                {"ignore", read_ignore},
                {"baseline", read_baseline},
                {"fail-on", read_fail_on}});
  const Settings& settings = reader.settings;
  if (settings.server_concurrency && (settings.max_requests_inflight || settings.max_mutating_requests_inflight)) {
    reader.fault(
        root.find_entry("server-concurrency")->key,
        "server-concurrency is the sum of max-requests-inflight and max-mutating-requests-inflight: give it or them");
  }
}

// --- globs ---------------------------------------------------------------------------------------

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && path.substr(0, end) != ".") out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

// One name against a pattern with '*' and '?'; on a mismatch the last '*' takes one more byte.
bool name_matches(std::string_view glob, std::string_view name) {
  std::size_t g = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace

bool path_matches(std::string_view glob, std::string_view path) {
  std::vector<std::string_view> pattern = segments_of(glob);
  const std::vector<std::string_view> names = segments_of(path);
  if (pattern.empty()) return false;
  if (glob.substr(0, glob.size() - 1).find('/') == std::string_view::npos) pattern.insert(pattern.begin(), "**");
  // reached[n]: the pattern so far matches the first n names.
  std::vector<bool> reached(names.size() + 1, false);
  reached[0] = true;
  for (const std::string_view segment : pattern) {
    std::vector<bool> next(names.size() + 1, false);
    for (std::size_t n = 0; n <= names.size(); ++n) {
      if (segment == "**") {
        next[n] = reached[n] || (n > 0 && next[n - 1]);
      } else if (n > 0) {
        next[n] = reached[n - 1] && name_matches(segment, names[n - 1]);
      }
    }
    reached = std::move(next);
  }
  return std::find(reached.begin(), reached.end(), true) != reached.end();  // the path or a folder it is in
}

Settings read_settings(const ConfigText& text, std::vector<Diagnostic>& diagnostics) {
  Settings settings;
  const std::size_t first = diagnostics.size();
  const std::shared_ptr<ConfigTree> tree = read_tree(text, diagnostics);
  for (std::size_t i = first; i < diagnostics.size(); ++i) {  // the rules are about configurations
    diagnostics[i].code.clear();
    diagnostics[i].name.clear();
  }
  Reader reader{*tree, settings, diagnostics};
  bool read = false;
  for (const ConfigDocument& document : tree->documents()) {
    if (document.root->is_null()) continue;
    if (read) {
      reader.fault(*document.root, "a second document; settings are a single document");
      break;
    }
    read = true;
    read_document(reader, *document.root);
  }
  sort_diagnostics(diagnostics);
  return settings;
}

std::optional<std::optional<Severity>> setting_of(const Settings& settings, std::string_view code,
                                                  std::string_view name) {
  const Settings::RuleSetting* best = nullptr;
  std::size_t best_weight = 0;
  for (const Settings::RuleSetting& setting : settings.rules) {
    if (!names_rule(setting.rule, code, name)) continue;
    const std::size_t weight = setting.rule == name ? code.size() : setting.rule.size();
    if (weight < best_weight) continue;
    best = &setting;
    best_weight = weight;
  }
  if (!best) return std::nullopt;
  return best->severity;
}

bool is_ignored(const Settings& settings, std::string_view path, std::string_view code, std::string_view name) {
  return std::any_of(settings.ignore.begin(), settings.ignore.end(), [&](const Settings::PathIgnore& ignore) {
    return std::any_of(ignore.rules.begin(), ignore.rules.end(),
                       [&](const std::string& word) { return names_rule(word, code, name); }) &&
           path_matches(ignore.path, path);
  });
}

}  // namespace apf
