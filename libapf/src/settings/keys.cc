#include "settings/keys.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/joined.h"
#include "config/reader.h"

namespace apf {

namespace {

constexpr int kMostInflight = 10'000'000;

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> out;
  for (const Preset& preset : presets()) out.push_back(preset.name);
  return out;
}

std::optional<KeyValue> word_in(Faults& faults, const Key& key, const ConfigNode& node) {
  const std::string any = "one of " + joined(key.words, ", ");
  const std::optional<std::string> text = text_of(faults, key.name, node, key.expected.empty() ? any : key.expected);
  if (!text) return std::nullopt;
  const auto at = std::find(key.words.begin(), key.words.end(), *text);
  if (at != key.words.end()) return KeyValue{{*text}, static_cast<int>(at - key.words.begin())};
  faults.add(node, fmt::format("{}: \"{}\" is unknown{}", key.name, *text, suggested(*text, key.words)));
  return std::nullopt;
}

std::optional<KeyValue> texts_in(Faults& faults, const Key& key, const ConfigNode& node) {
  if (key.form == KeyForm::list && !node.is_sequence()) {
    faults.add(node, fmt::format("{}: expected a list, found {}", key.name, kind_of(node)));
    return std::nullopt;
  }
  const bool may_be_empty = key.form == KeyForm::list || key.form == KeyForm::any_texts;
  if (may_be_empty && node.is_sequence() && node.items().empty()) return KeyValue{};
  KeyValue out{texts_of(faults, key.name, node, key.expected)};
  if (key.form == KeyForm::paths)
    for (std::string& path : out.texts) path = path_beside(node.span().file, path);
  return out;
}

std::optional<KeyValue> text_in(Faults& faults, const Key& key, const ConfigNode& node) {
  std::optional<std::string> text = text_of(faults, key.name, node, key.expected);
  if (!text) return std::nullopt;
  if (key.form == KeyForm::release && !KubeVersion::parse(*text)) {
    faults.add(node, fmt::format("{}: {}", key.name, unsupported_release(*text)));
    return std::nullopt;
  }
  return KeyValue{{key.form == KeyForm::path ? path_beside(node.span().file, *text) : *text}};
}

}  // namespace

std::optional<KeyValue> value_in(Faults& faults, const Key& key, const ConfigNode& node) {
  switch (key.form) {
    case KeyForm::texts:
    case KeyForm::paths:
    case KeyForm::any_texts:
    case KeyForm::list:
      return texts_in(faults, key, node);
    case KeyForm::word:
      return word_in(faults, key, node);
    case KeyForm::yes: {
      const std::optional<bool> is = boolean_of(faults, key.name, node);
      return is ? std::optional(KeyValue{{*is ? "true" : "false"}, *is}) : std::nullopt;
    }
    case KeyForm::whole_number: {
      const auto number = number_of(faults, key.name, node, static_cast<int>(key.least), static_cast<int>(key.most));
      return number ? std::optional(KeyValue{{std::to_string(*number)}, *number}) : std::nullopt;
    }
    default:
      return text_in(faults, key, node);
  }
}

std::vector<KeyOf<ServerSetup>> server_keys(std::string_view file) {
  using enum KeyForm;
  const auto seats = [](std::string_view name, std::string_view text, int least, std::string_view usual) -> Key {
    return {name, whole_number, text, {}, {}, static_cast<double>(least), kMostInflight, usual};
  };
  std::vector<KeyOf<ServerSetup>> out = {
      {{"kubernetes-version", release,
        "The release of kube-apiserver that the configuration is for, as with --kubernetes-version.",
        "a release such as 1.34"},
       into(&ServerSetup::kubernetes_version)},
      {seats("max-requests-inflight", "kube-apiserver's flag of that name: how many reads run at once. Absent: 400.", 0,
             "400"),
       into(&ServerSetup::max_requests_inflight)},
      {seats("max-mutating-requests-inflight",
             "kube-apiserver's flag of that name: how many writes run at once. Absent: 200. The sum of the two is "
             "what the priority levels share.",
             0, "200"),
       into(&ServerSetup::max_mutating_requests_inflight)},
      {seats("server-concurrency", "The sum itself, in place of the two.", 1, ""),
       into(&ServerSetup::server_concurrency)},
  };
  const std::vector<std::string_view> builtins = {"all", "mandatory", "none", "enforced"};  // as in Builtins
  if (file != "apfctl")
    out.push_back(
        {{"builtins", word, "Built-in objects that the server adds, as with --builtins. Absent: all.", {}, builtins},
         into(&ServerSetup::builtins)});
  if (file != "plan")
    out.push_back({{"preset", word,
                    "What a provider documents of its servers: seats, and the objects that it adds. It applies where "
                    "neither a flag nor another key says otherwise. `apfctl builtins --provider all` lists them.",
                    "the name of a preset", preset_names()},
                   into(&ServerSetup::preset)});
  return out;
}

std::vector<std::string_view> severity_words() {
  return {to_string(Severity::info), to_string(Severity::warning), to_string(Severity::error)};
}

void check_seats(Faults& faults, const ConfigNode& node, const ServerSetup& server) {
  if (server.server_concurrency && (server.max_requests_inflight || server.max_mutating_requests_inflight))
    faults.add(
        node.find_entry("server-concurrency")->key,
        "server-concurrency is the sum of max-requests-inflight and max-mutating-requests-inflight: give it or them");
}

}  // namespace apf
