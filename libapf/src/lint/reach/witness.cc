#include "lint/reach/witness.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <apf/classify.h>
#include <apf/error.h>
#include <apf/output.h>

#include "base/api_resources.h"
#include "settings/settings.h"

namespace apf {

namespace {

constexpr std::size_t kMaxFiles = 3;      // named in a command; of more, their folder
constexpr std::size_t kMaxRequests = 96;  // tried for one witness
constexpr std::size_t kMaxChoices = 12;   // of one side

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::string_view before_slash(std::string_view text) { return text.substr(0, text.find('/')); }

ResourceChoice known_or_not(std::string_view group, std::string_view resource) {
  const ApiResource* known = find_api_resource(before_slash(resource), &group);
  const bool exact = known && known->name == before_slash(resource);
  return {std::string(group), std::string(resource), exact ? (known->namespaced ? 1 : 2) : 0};
}

// All built-in resources, those first that everybody knows.
const std::vector<const ApiResource*>& usual_resources() {
  static const std::vector<const ApiResource*> all = [] {
    std::vector<const ApiResource*> out;
    for (const std::string_view name : {"pods", "nodes", "deployments", "configmaps"})
      out.push_back(find_api_resource(name, nullptr));
    for (const ApiResource& resource : api_resources()) {
      if (std::find(out.begin(), out.end(), &resource) == out.end()) out.push_back(&resource);
    }
    return out;
  }();
  return all;
}

// Groups and resources that go together, known ones first.
std::vector<ResourceChoice> resource_choices(const RequestNames& names, const ReachTarget& target) {
  std::vector<ResourceChoice> known, others;
  const auto add = [&](ResourceChoice choice) { (choice.scope != 0 ? known : others).push_back(std::move(choice)); };
  const std::vector<std::uint32_t>& groups = target.values[kGroupSide];
  const std::vector<std::uint32_t>& resources = target.values[kResourceSide];
  const std::size_t group_count = std::min(groups.size(), kMaxChoices),
                    resource_count = std::min(resources.size(), kMaxChoices);
  for (std::size_t r = 0; r < resource_count; ++r) {
    for (std::size_t g = 0; g < group_count; ++g) {
      const std::string_view resource = names.text(kResourceSide, resources[r]),
                             group = names.text(kGroupSide, groups[g]);
      if (resources[r] == kUnnamed) {
        for (const ApiResource* real : usual_resources()) {
          if (groups[g] != kUnnamed && real->group != group) continue;
          add({std::string(real->group), std::string(real->name), real->namespaced ? 1 : 2});
          if (known.size() >= kMaxChoices) break;
        }
      } else if (groups[g] == kUnnamed) {
        if (const ApiResource* real = find_api_resource(before_slash(resource), nullptr);
            real && real->name == before_slash(resource)) {
          add({std::string(real->group), std::string(resource), real->namespaced ? 1 : 2});
        }
      }
      add(known_or_not(group, resource));
    }
  }
  known.insert(known.end(), others.begin(), others.end());
  return known;
}

RequestInfo resource_request(std::string_view verb, const ResourceChoice& choice, std::string_view ns) {
  RequestInfo out;
  out.is_resource_request = true;
  out.verb = verb;
  out.api_prefix = choice.group.empty() ? "api" : "apis";
  out.api_group = choice.group;
  out.ns = ns;
  out.resource = before_slash(choice.resource);
  if (const std::size_t slash = choice.resource.find('/'); slash != std::string::npos)
    out.subresource = choice.resource.substr(slash + 1);
  const bool whole_collection = verb == "list" || verb == "watch" || verb == "deletecollection" || verb == "create";
  if (!whole_collection || !out.subresource.empty()) out.name = "any";
  return out;
}

// The target's verbs, with usual ones for an unnamed one.
std::vector<std::string> verb_choices(const RequestNames& names, const ReachTarget& target) {
  std::vector<std::string> out;
  for (const std::uint32_t verb : target.values[kVerbSide]) {
    if (verb != kUnnamed) {
      out.emplace_back(names.text(kVerbSide, verb));
      continue;
    }
    static const std::vector<std::string> resource_verbs = {
        "list", "get", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy"};
    static const std::vector<std::string> url_verbs = {"get", "post", "put", "delete", "patch", "head", "options"};
    const std::vector<std::string>& usual = target.is_url ? url_verbs : resource_verbs;
    out.insert(out.end(), usual.begin(), usual.end());
    out.emplace_back(names.unnamed);
  }
  return out;
}

std::deque<RequestInfo> likely_url_requests(const RequestNames& names, const ReachTarget& target) {
  std::deque<RequestInfo> out;
  for (const std::uint32_t i : target.values[kPathSide]) {
    std::vector<std::string> paths;
    if (target.paths[i] == "/" + names.unnamed) paths = {"/version", "/metrics", "/openapi/v2"};
    paths.push_back(target.paths[i]);
    for (const std::string& path : paths) {
      for (const std::string& verb : verb_choices(names, target)) {
        if (out.size() >= kMaxRequests) break;
        RequestInfo& info = out.emplace_back();
        info.verb = verb;
        info.path = path;
      }
    }
  }
  if (!target.values[kVerbSide].empty() && !target.values[kPathSide].empty()) {
    RequestInfo& info = out.emplace_back();
    info.verb = names.text(kVerbSide, target.values[kVerbSide][0]);
    info.path = target.paths[target.values[kPathSide][0]];
  }
  return out;
}

bool says_the_same(const RequestInfo& a, const RequestInfo& b) {
  return a.is_resource_request == b.is_resource_request && a.verb == b.verb && a.api_group == b.api_group &&
         a.resource == b.resource && a.subresource == b.subresource && a.ns == b.ns;
}

std::string resource_words(const RequestInfo& request) {
  std::string resource = request.resource;
  // "deployments" alone would be those of apps; the dot says that the core group is meant.
  const std::string_view core;
  const ApiResource* first = find_api_resource(resource, nullptr);
  const bool clear = first && first->group == core;
  if (!request.api_group.empty() || !clear) resource += "." + request.api_group;
  if (!request.subresource.empty()) resource += "/" + request.subresource;
  try {
    const NamedRequest named = name_request(request.verb, resource, request.name, request.ns);
    if (!named.request.error().empty()) return {};
    if (!says_the_same(named.request.info, request)) return {};
  } catch (const Error&) {
    return {};
  }
  std::string out = shell_word(request.verb) + " " + shell_word(resource);
  if (!request.name.empty()) out += " " + shell_word(request.name);
  const bool said = request.api_group.empty() && request.resource == "namespaces" && request.ns == request.name;
  if (!request.ns.empty() && !said) out += " -n " + shell_word(request.ns);
  return out;
}

std::string url_words(const RequestInfo& request) {
  if (!request.path.starts_with('/') || request.verb.empty()) return {};
  ParsedRequest parsed;
  parse_audited_request(request.verb, request.path, parsed);
  if (!parsed.error().empty()) return {};
  if (parsed.info.is_resource_request || parsed.info.path != request.path || parsed.info.verb != request.verb)
    return {};
  return shell_word(request.verb) + " " + shell_word(request.path);
}

}  // namespace

LikelyRequests::LikelyRequests(const RequestNames& names, const ReachTarget& target) {
  if (target.is_url) {
    made_ = likely_url_requests(names, target);
    return;
  }
  for (const std::uint32_t id : target.values[kNamespaceSide]) {
    if (namespaces_.size() >= kMaxChoices) break;
    if (id == kUnnamed) namespaces_.emplace_back("default");
    namespaces_.emplace_back(names.text(kNamespaceSide, id));
  }
  verbs_ = verb_choices(names, target);
  choices_ = resource_choices(names, target);
  const auto first = [&](std::size_t side) { return names.text(side, target.values[side][0]); };
  if (!target.values[kVerbSide].empty() && !namespaces_.empty() && !target.values[kGroupSide].empty() &&
      !target.values[kResourceSide].empty()) {
    last_.push_back(resource_request(first(kVerbSide),
                                     {std::string(first(kGroupSide)), std::string(first(kResourceSide)), 0},
                                     first(kNamespaceSide)));
  }
}

LikelyRequests::LikelyRequests(const ReachIndex& index, const ReachTarget& target)
    : LikelyRequests({[&](std::size_t, std::uint32_t id) { return index.text(id); }, index.unnamed()}, target) {}

bool LikelyRequests::make_next() {
  const std::size_t of_choice = namespaces_.size() * verbs_.size();
  for (;;) {
    for (; next_ < choices_.size() * of_choice && made_here_ < kMaxRequests; ++next_) {
      const ResourceChoice& choice = choices_[next_ / of_choice];
      const std::string& ns = namespaces_[next_ % of_choice / verbs_.size()];
      const std::string& verb = verbs_[next_ % verbs_.size()];
      const bool collection = verb == "list" || verb == "watch";
      const bool fits = choice.scope == 0 || (choice.scope == 2) == ns.empty() || (collection && ns.empty());
      if (fits != fitting_) continue;
      made_.push_back(resource_request(verb, choice, ns));
      ++made_here_;
      ++next_;
      return true;
    }
    if (!fitting_) break;
    fitting_ = false;
    next_ = made_here_ = 0;
  }
  if (last_.empty()) return false;
  made_.push_back(std::move(last_.front()));
  last_.pop_front();
  return true;
}

void LikelyRequests::append(std::vector<RequestInfo> requests) {
  std::move(requests.begin(), requests.end(), std::back_inserter(last_));
}

const RequestInfo* LikelyRequests::at(std::size_t number) {
  while (number >= made_.size())
    if (!make_next()) return nullptr;
  return &made_[number];
}

std::string request_words(const RequestInfo& request) {
  for (const std::string* text : {&request.verb, &request.path, &request.ns, &request.resource}) {
    if (!is_one_line(*text)) return {};
  }
  return request.is_resource_request ? resource_words(request) : url_words(request);
}

std::string explain_command(const User& user, const RequestInfo& request, const std::string& flags) {
  const std::string words = request_words(request);
  if (words.empty() || user.name.empty() || !is_one_line(user.name)) return {};
  std::string out = "apfctl explain " + words;
  std::string groups;  // but for the implied ones, which the command itself adds
  for (const std::string& group : user.groups) {
    User without = user;
    std::erase(without.groups, group);
    const std::vector<std::string> added = add_implied_groups(without);
    if (std::find(added.begin(), added.end(), group) != added.end()) continue;
    if (!is_one_line(group) || group.empty()) return {};
    groups += " --as-group " + shell_word(group);
  }
  if (user.name != "system:anonymous" || !groups.empty()) out += " --as " + shell_word(user.name);
  return out + groups + flags;
}

std::string command_flags(const Config& config, KubeVersion version) {
  std::set<std::string> files, presets;
  const auto add = [&](const ObjectMeta& meta) {
    const std::string& file = meta.source.file;
    if (!meta.source.tree) return;
    const std::string preset = file.starts_with(kPresetText) ? file.substr(kPresetText.size()) : std::string();
    if (find_preset(preset)) presets.insert(preset);
    else files.insert(file);
  };
  for (const FlowSchema& object : config.flow_schemas) add(object.meta);
  for (const PriorityLevel& object : config.priority_levels) add(object.meta);
  if (files.size() > kMaxFiles) {
    // What all paths begin with, up to a folder.
    const std::string &first = *files.begin(), &last = *files.rbegin();
    const auto differs = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
    const std::size_t slash =
        std::string_view(first).substr(0, static_cast<std::size_t>(differs - first.begin())).rfind('/');
    files = {slash == std::string::npos ? "." : slash == 0 ? "/" : first.substr(0, slash)};
  }
  std::string out;
  for (const std::string& file : files) out += " -f " + (file == "<stdin>" ? "-" : shell_word(file));
  if (version != kNewestKubeVersion) out += " --kubernetes-version " + version.str();
  for (const std::string& preset : presets) out += " --preset " + preset;
  return out;
}

}  // namespace apf
