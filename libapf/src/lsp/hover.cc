// What a place means: who gets to a FlowSchema, how many seats a level has, the odds of a hand, what a key is for.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <apf/change.h>
#include <apf/hand.h>
#include <apf/limits.h>

#include "base/identities.h"
#include "base/joined.h"
#include "base/text.h"
#include "classify/flow_schema.h"
#include "config/defaults.h"
#include "lsp/answers.h"
#include "lsp/names.h"
#include "lsp/place.h"

namespace apf {

namespace {

constexpr std::size_t kMostInHover = 8, kMostInLine = 2;
// Of more FlowSchemas it takes long to find out who takes whose requests.
constexpr std::size_t kMostCompared = 200;

// As Markdown shows it as it is. What stands in backticks is left.
std::string plain(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (const char c : text) {
    is_code = is_code != (c == '`');
    if (!is_code && (c == '*' || c == '<' || c == '\\')) out += '\\';
    out += c;
  }
  return out;
}

// For clients that do not know Markdown.
std::string without_marks(std::string_view markdown) {
  std::string out;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown.substr(i, 2) == "**") ++i;
    else if (markdown[i] != '\\') out += markdown[i];
    else if (++i < markdown.size()) out += markdown[i];
  }
  return out;
}

// The first ones, each in a line.
std::string listed(std::vector<std::string> lines) {
  if (lines.size() > kMostInHover) {
    const std::size_t rest = lines.size() - kMostInHover;
    lines.resize(kMostInHover);
    lines.push_back(fmt::format("and {} more", rest));
  }
  return "\n\n- " + joined(lines, "\n- ");
}

std::string about_schema(const Config& config, const std::string& name) {
  const auto of_name = [&](const FlowSchema& schema) { return schema.meta.name == name; };
  const auto at = std::find_if(config.flow_schemas.begin(), config.flow_schemas.end(), of_name);
  if (at == config.flow_schemas.end()) return fmt::format("There is no FlowSchema **{}**.", name);
  const bool has_level = !at->priority_level.empty();
  const std::string level =
      has_level ? fmt::format("its requests go to **{}**", at->priority_level) : "it names no level";
  std::string out = fmt::format("FlowSchema **{}**, matchingPrecedence {}: {}.", name, at->matching_precedence, level);
  if (config.flow_schemas.size() > kMostCompared)
    return out + fmt::format(
                     "\n\nWith more than {} FlowSchemas, finding those that are asked before it takes too long here: "
                     "apfctl ladder shows them.",
                     kMostCompared);
  const std::vector<LadderStep> steps = make_ladder(config).steps;
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const LadderStep& s) { return s.flow_schema == name; });
  if (step == steps.end())
    return out + "\n\nThe server does not ask it" + (has_level ? ": its level does not exist, or is malformed." : ".");
  out += fmt::format("\n\nThe server asks it as number {} of {}. It is for {}.", step - steps.begin() + 1, steps.size(),
                     plain(step->who));
  if (!step->reached) out += " No request reaches it.";
  std::vector<std::string> before, after;
  for (const LadderLoss& loss : place_on_ladder(config, *at, "").losses) {
    const bool is_before =
        std::pair(loss.matching_precedence, loss.flow_schema) < std::pair(at->matching_precedence, name);
    (is_before ? before : after)
        .push_back(fmt::format("{} {}: {}", loss.matching_precedence, loss.flow_schema,
                               plain(joined_first(loss.requests, kMostInLine))));
  }
  std::reverse(before.begin(), before.end());  // the nearest one first
  if (!before.empty()) out += "\n\nThese are asked before it and take what it also matches:" + listed(before);
  if (!after.empty()) out += "\n\nWithout it, its requests would go to:" + listed(after);
  return out;
}

std::string about_level(const Config& config, const LintOptions& options, const std::string& name) {
  const int server = options.max_requests_inflight + options.max_mutating_requests_inflight;
  const LimitsTable table = compute_limits(config, server, options.version);
  const auto at = std::find_if(table.levels.begin(), table.levels.end(),
                               [&](const LevelLimits& level) { return level.name == name; });
  if (at == table.levels.end())
    return fmt::format("There is no PriorityLevelConfiguration **{}** that the server takes.", name);
  const LevelLimits& level = *at;
  std::string out =
      fmt::format("PriorityLevelConfiguration **{}**: {} of the server's {} seats", name, level.nominal_cl, server);
  out +=
      fmt::format("\n\n⌈{} seats × {} {} / {} shares of all levels⌉ = {}. ", server, level.nominal_concurrency_shares,
                  level.nominal_concurrency_shares == 1 ? "share" : "shares", table.share_sum, level.nominal_cl);
  if (level.exempt) out += "Its requests never wait. ";
  if (level.lendable_cl > 0) out += fmt::format("It lends up to {}. ", level.lendable_cl);
  else out += "It lends none. ";
  const bool unlimited = level.borrowing_cl >= server;
  if (!level.exempt && unlimited)
    out += fmt::format("It borrows what others lend, so it has at least {}.", level.min_cl);
  else if (!level.exempt)
    out += fmt::format("It borrows up to {}, so it has {} to {}.", level.borrowing_cl, level.min_cl, level.max_cl);
  if (level.queues > 0)
    out += fmt::format("\n\n{} queues of {} requests at most, hands of {}.", level.queues, level.queue_length_limit,
                       level.hand_size);
  else if (level.reject) out += "\n\nIt has no queues: what finds no free seat is refused.";
  std::vector<std::string> users;
  for (const FlowSchema& schema : config.flow_schemas) {
    if (schema.priority_level == name) users.push_back(schema.meta.name);
  }
  return out + "\n\n" +
         (users.empty() ? "No FlowSchema leads to it."
                        : "FlowSchemas that lead to it: " + joined_first(users, kMostInHover) + ".");
}

User user_of(const Subject& subject) {
  User out;
  if (subject.user) out.name = *subject.user;
  if (subject.service_account)
    out.name =
        fmt::format("{}{}:{}", kServiceAccountPrefix, subject.service_account->ns, subject.service_account->name);
  if (subject.group) out.groups = {*subject.group};
  return out;
}

// Of a group nothing is known of the users that are in it.
bool names(const Subject& subject, const User& user) {
  return (subject.kind != "User" || !user.name.empty()) && subject_matches(subject, user);
}

std::string about_subject(const Config& config, const ConfigNode& node, const std::string& own_schema) {
  Subject subject;
  const auto text = [&](const char* stanza, const char* key) {
    const ConfigNode* member = node.find(stanza);
    return member ? member->find_string(key) : std::string();
  };
  const std::string kind = node.find_string("kind");
  if (kind == "User") subject.user = text("user", "name");
  if (kind == "Group") subject.group = text("group", "name");
  if (kind == "ServiceAccount")
    subject.service_account = {text("serviceAccount", "namespace"), text("serviceAccount", "name")};
  User user = user_of(subject);
  if (!user.name.empty()) add_implied_groups(user);
  std::map<std::pair<std::int32_t, std::string>, std::string> found;  // as they are asked
  for (const FlowSchema& schema : config.flow_schemas) {
    const bool is_named = std::any_of(schema.rules.begin(), schema.rules.end(), [&](const PolicyRule& rule) {
      return std::any_of(rule.subjects.begin(), rule.subjects.end(), [&](const Subject& s) { return names(s, user); });
    });
    if (is_named && schema.meta.name != own_schema)
      found[{schema.matching_precedence, schema.meta.name}] =
          fmt::format("{} ({})", schema.meta.name, schema.matching_precedence);
  }
  std::vector<std::string> others;
  for (auto& [order, words] : found) others.push_back(std::move(words));
  const std::string who = plain(subject.group    ? "Group " + *subject.group
                                : kind == "User" ? "User " + user.name
                                                 : user.name);
  if (others.empty()) return fmt::format("**{}**: no other FlowSchema names this subject.", who);
  return fmt::format("**{}**: other FlowSchemas whose subjects match it: {}.", who, joined_first(others, kMostInHover));
}

std::string about_hand(const ConfigNode& queuing) {
  const auto number = [&](const char* key, std::int64_t otherwise) {
    const ConfigNode* value = queuing.find_present(key);
    return static_cast<int>(std::clamp<std::int64_t>(value ? value->integer().value_or(-1) : otherwise, -1, INT32_MAX));
  };
  const int queues = number("queues", kDefaultQueues), hand = number("handSize", kDefaultHandSize);
  if (const std::string error = dealer_error(queues, hand); !error.empty())
    return fmt::format("No hand of {} can be dealt from {} queues: {}.", hand, queues, error);
  std::string out = fmt::format(
      "Each flow has a hand of **{} of {} queues**. The odds that heavy flows fill all queues of another one:\n", hand,
      queues);
  for (const int heavy : {1, 4, 16})
    out += fmt::format("\n- {} heavy {}: {:.3g} %", heavy, heavy == 1 ? "flow" : "flows",
                       100 * collision_probability(queues, hand, heavy));
  return out;
}

std::string about_name(Folder& folder, const std::string& path, const NamePlace& place) {
  if (!is_known(folder)) return "Not all files of the folder are read yet.";
  const Config& config = folder.config_of(path);
  return place.kind == NamePlace::Kind::flow_schema ? about_schema(config, place.name)
                                                    : about_level(config, folder.last_run().options, place.name);
}

// What the object is about, beyond what its keys mean.
std::string about_place(Folder& folder, const std::string& path, const Place& place) {
  if (ends_with(place.path, {"queuing", "queues"}) || ends_with(place.path, {"queuing", "handSize"}))
    return about_hand(*place.node_above(1));
  const auto subjects = std::find(place.path.begin(), place.path.end(), "subjects");
  const bool in_subject = place.kind == "FlowSchema" && place.path.end() - subjects > 2;
  if (!in_subject || place.on_key || !is_known(folder)) return {};
  const auto depth = static_cast<std::size_t>(subjects - place.path.begin()) + 2;  // of the subject in `nodes`
  const ConfigNode* metadata = place.nodes.front()->find("metadata");
  return about_subject(folder.config_of(path), *place.nodes[depth], metadata ? metadata->find_string("name") : "");
}

std::string about_rule(const std::string& rule) {
  const RuleInfo* info = find_rule(rule);
  if (!info) return {};
  return fmt::format("**{} {}**: {}\n\n{}", info->code, info->name, plain(info->what), plain(info->why));
}

std::string about_key(KeyDocs& docs, const std::string& schema, std::span<const std::string> path) {
  if (path.empty()) return {};
  if (schema == "apfctl" && path.size() == 2 && path[0] == "rules") return about_rule(path[1]);
  std::optional<KeyDoc> doc = docs.find(schema, path);
  const bool is_item = path.back() == kItem && path.size() > 1;
  const std::string& key = is_item ? path[path.size() - 2] : path.back();
  if (is_item && (!doc || doc->description.empty())) doc = docs.find(schema, path.first(path.size() - 1));
  if (!doc || doc->description.empty()) return {};
  std::string out = fmt::format("**{}**: {}", key, plain(doc->description));
  if (!doc->limits.empty()) out += "\n\n" + doc->limits;
  if (doc->words.size() > 1) out += "\n\nOne of: " + joined_first(doc->words, kMostInHover) + ".";
  return out;
}

}  // namespace

std::string render_hover(const Asked& at) {
  Folder& folder = at.folder;
  const std::string& path = at.path;
  const std::size_t offset = at.offset;
  const LineTable& table = at.lines.of(path);
  const std::string& text = folder.find(path)->text();
  const std::shared_ptr<const ConfigTree> tree = folder.tree_of(path);
  const ChangedLines changed = folder.changed_since_tree(path);
  const std::size_t in_tree = changed.offset_before(offset);
  std::vector<std::string> parts;
  TextRange range{offset, offset};
  std::string api_version, kind;
  std::vector<std::string> key;
  if (const std::optional<Place> place = place_at(*tree, in_tree)) {
    const std::optional<NamePlace> name = name_at(*tree, in_tree);
    range = changed.range_now(name ? name->range : place->range);
    parts.push_back(name ? about_name(folder, path, *name) : about_place(folder, path, *place));
    api_version = place->api_version, kind = place->kind, key = place->path;
  } else if (folder.is_broken(path)) {
    // In a line that has changed since: a key by its lines alone.
    const TypedPlace typed = typed_place(text, table, std::min(text.find_first_of(" :,]\"'\r\n", offset), text.size()));
    range = typed.range;
    api_version = typed.api_version, kind = typed.kind, key = typed.path;
    if (!typed.wants_value) key.emplace_back(typed.word);
  }
  parts.push_back(about_key(at.docs, at.docs.schema_for(path, text, api_version, kind), key));
  for (const Diagnostic& d : folder.findings(path)) {
    const TextRange found = table.range_of(d.span);
    if (found.begin <= offset && offset <= found.end) parts.push_back(about_rule(d.code));
  }
  std::erase(parts, "");
  if (parts.empty()) return "null";
  JsonWriter json;
  const bool markdown = at.features.markdown;
  const std::string value = joined(parts, "\n\n---\n\n");
  json.begin_object().key("contents").begin_object().field("kind", markdown ? "markdown" : "plaintext");
  json.field("value", markdown ? value : without_marks(value)).end_object().key("range");
  table.write(json, range);
  json.end_object();
  return json.take();
}

}  // namespace apf
