#include "lint/invalid_values.h"

#include <apf/hand.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/text.h"
#include "config/closest.h"
#include "config/codes.h"
#include "config/validate_names.h"
#include "lint/causes.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/unseen.h"

namespace apf {

namespace {

// Verbs of RBAC that no request has.
constexpr std::string_view kRbacVerbs[] = {"approve", "attest", "bind", "escalate", "impersonate", "sign", "use"};
constexpr std::string_view kMethods[] = {"head", "options", "post", "put"};

void say(Diagnostic& d, std::string note) { d.notes.push_back({std::move(note), {}}); }

// The scalar that the finding is about; empty if it is about something larger.
std::string_view text_at(const ConfigNode& root, const Diagnostic& d) {
  const FieldPosition at = find_field(root, d.field);
  return at.exact ? at.value->text() : std::string_view();
}

void explain_pattern(const ConfigNode& root, Diagnostic& d) {
  const std::string_view text = text_at(root, d);
  if (text.find('*') == text.npos) return;
  if (d.code == kInvalidNamespaces.code) say(d, "there are no patterns: write each namespace, or \"*\" alone for all");
  else if (d.field.ends_with(".serviceAccount.name"))
    say(d, "there are no patterns: write each name, or \"*\" alone for all service accounts of the namespace");
  else if (d.field.ends_with(".serviceAccount.namespace"))
    say(d, "the service accounts of all namespaces are the Group system:serviceaccounts");
}

void explain_url(const ConfigNode& root, Diagnostic& d) {
  const std::string_view url = text_at(root, d);
  if (!url.ends_with('*') || url.ends_with("/*") || url.find('*') + 1 != url.size()) return;
  const std::string path(url.substr(0, url.size() - 1));
  say(d, fmt::format("write \"{0}\" for this path, and \"{0}/*\" for all below it", path));
}

void explain_verbs(const ConfigNode& root, Diagnostic& d) {
  const FieldPosition at = find_field(root, d.field);
  const bool urls = d.field.find(".nonResourceRules[") != d.field.npos;
  for (const ConfigNode& verb : at.exact ? at.value->items() : std::span<const ConfigNode>()) {
    if (urls && is_one_of(kMethods, verb.text()))
      return say(
          d, fmt::format("the server takes no \"{}\" in this list: \"*\" alone matches such requests", verb.text()));
    if (is_one_of(kRbacVerbs, verb.text()))
      return say(d, fmt::format("\"{}\" is a verb of RBAC: no request has it", verb.text()));
  }
}

// "Workload-Low", and what is called almost like a level.
void explain_level_name(const LoadedConfig& loaded, const ConfigNode& root, KubeVersion version, Diagnostic& d) {
  const Config builtins = bootstrap_config(version);
  std::vector<std::string_view> names;
  for (const std::vector<PriorityLevel>* levels : {&loaded.config.priority_levels, &builtins.priority_levels})
    for (const PriorityLevel& level : *levels) names.push_back(level.meta.name);
  const std::string_view near = closest(text_at(root, d), names);
  if (near.empty() || !dns_subdomain_faults(near).empty()) return;
  say(d, did_you_mean(near));
  offer_fix(d, fmt::format("replace it with \"{}\"", near), false, replace_scalar(root, d.field, near));
}

void explain_hand_size(const ConfigNode& root, Diagnostic& d) {
  const FieldPosition at = find_field(root, d.field);
  const std::string owner = d.field.substr(0, d.field.rfind('.'));
  const FieldPosition queues = find_field(root, owner + ".queues");
  const std::int64_t deck = queues.exact ? queues.value->integer().value_or(0) : 0;
  const std::int64_t hand = at.exact ? at.value->integer().value_or(0) : 0;
  constexpr std::int64_t kMostCards = 60, kMostQueues = 10'000'000;
  if (deck < 1 || deck > kMostQueues) return;
  int most = static_cast<int>(std::min({hand, deck, kMostCards}));
  while (most > 0 && !apf::dealer_error(static_cast<int>(deck), most).empty()) --most;
  if (most < 1) return;
  say(d, fmt::format("with {} queues, at most {}", deck, most));
}

// Of a value that looks right, or one of a list, the character for which it is refused.
bool explain_unseen(const ConfigNode& root, const ConfigNode& value, const std::string& field, Diagnostic& d) {
  for (std::size_t i = 0; i < value.items().size(); ++i)
    if (explain_unseen(root, value.items()[i], item_field(field, i), d)) return true;
  const std::string_view text = value.is_string() ? value.text() : std::string_view();
  const Unseen unseen = unseen_in(text);
  const bool shown = std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });  // by its escape
  if (unseen.what.empty() || shown) return false;
  say(d, fmt::format("\"{}\" holds {}", unseen.shown, unseen.what));
  if (!unseen.meant.empty())
    offer_fix(d, fmt::format("replace it with \"{}\"", unseen.meant), false, replace_scalar(root, field, unseen.meant));
  return true;
}

void offer_meant_name(const LoadedConfig& loaded, Diagnostic& d) {
  const ConfigNode* const root = tree_of(loaded, d);
  const std::string meant = meant_by(d);
  if (!root || meant.empty()) return;
  if (find_field(*root, "spec.hard[" + meant + "]").exact) return;
  offer_fix(d, fmt::format("rename it to \"{}\"", meant), false, rename_key(*root, d.field, meant));
}

// The server says twice that it does not know a name: one finding does, with what was meant.
void merge_unknown_names(const LoadedConfig& loaded, std::vector<Diagnostic>& findings) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].code != kInvalidQuotaResource.code) continue;
    const Diagnostic first = findings[i];
    const auto is_same = [&](const Diagnostic& d) {
      return d.code == first.code && d.field == first.field && d.object_name == first.object_name &&
             d.document == first.document && d.span.file == first.span.file;
    };
    for (std::size_t j = findings.size() - 1; j > i; --j) {
      if (!is_same(findings[j])) continue;
      if (findings[i].notes.empty()) findings[i] = findings[j];
      findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(j));
    }
    offer_meant_name(loaded, findings[i]);
  }
}

}  // namespace

void explain_invalid_values(const LoadedConfig& loaded, KubeVersion version, std::vector<Diagnostic>& findings) {
  merge_unknown_names(loaded, findings);
  for (Diagnostic& d : findings) {
    const bool refused = d.type == "Invalid value" || d.type == "Unsupported value" || d.type == "Forbidden";
    if (!refused || !d.notes.empty()) continue;
    const ConfigNode* const root = tree_of(loaded, d);
    if (!root) continue;
    const FieldPosition at = find_field(*root, d.field);
    if (at.exact && explain_unseen(*root, *at.value, d.field, d)) continue;
    if (d.code == kInvalidNamespaces.code || d.code == kInvalidSubject.code) explain_pattern(*root, d);
    else if (d.code == kInvalidNonResourceUrls.code) explain_url(*root, d);
    else if (d.code == kInvalidVerbs.code) explain_verbs(*root, d);
    else if (d.code == kInvalidLevelReference.code) explain_level_name(loaded, *root, version, d);
    else if (d.code == kInvalidHandSize.code) explain_hand_size(*root, d);
    else if (d.code == kMismatchedStanza.code && d.detail.empty())
      say(d, d.field == "spec.exempt" ? "only a level of type Exempt has exempt"
                                      : "only a level of type Limited has limited");
    else if (d.code == kMismatchedQueuing.code)
      say(d, "only a limitResponse of type Queue has queues: remove queuing, or write type: Queue");
  }
}

}  // namespace apf
