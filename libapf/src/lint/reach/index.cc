#include "lint/reach/index.h"

#include <algorithm>

#include "classify/flow_schema.h"

namespace apf {

namespace {

// Lists up to this long are walked; longer ones are filed by value.
constexpr std::size_t kShortList = 24;
std::string user_key(std::string_view name) { return "u" + std::string(name); }
std::string group_key(std::string_view name) { return "g" + std::string(name); }
std::string accounts_key(std::string_view ns) { return "n" + std::string(ns); }
constexpr const char* kEveryoneKey = "*";

// Under what a subject is filed; empty if it matches nobody.
std::string subject_key(const Subject& subject) {
  if (subject.kind == "User" && subject.user) return *subject.user == "*" ? kEveryoneKey : user_key(*subject.user);
  if (subject.kind == "Group" && subject.group) return *subject.group == "*" ? kEveryoneKey : group_key(*subject.group);
  if (subject.kind == "ServiceAccount" && subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    if (name == "*") return accounts_key(ns);
    return user_key(std::string(kServiceAccountPrefix) + ns + ':' + name);
  }
  return {};
}

std::uint64_t mask_of(const std::vector<std::uint32_t>& ids) {
  std::uint64_t mask = 0;
  for (const std::uint32_t id : ids) mask |= std::uint64_t{1} << (id % 64);
  return mask;
}

}  // namespace

std::array<std::size_t, kSides> ReachTarget::sizes() const {
  return {values[0].size(), values[1].size(), values[2].size(), values[3].size()};
}

ReachIndex::ReachIndex(std::span<const FlowSchema* const> schemas) {
  texts_.emplace_back();  // of kUnnamed
  no_namespace_ = add_text("");
  for (std::uint32_t schema = 0; schema < schemas.size(); ++schema) {
    const std::vector<PolicyRule>& rules = schemas[schema]->rules;
    std::vector<std::uint32_t>& begins = rule_begins_.emplace_back();
    for (std::uint32_t rule = 0; rule < rules.size(); ++rule) {
      const auto begin = static_cast<std::uint32_t>(parts_.size());
      begins.push_back(begin);
      for (std::uint32_t i = 0; i < rules[rule].resource_rules.size(); ++i) {
        add_part(rules[rule].resource_rules[i], {schema, rule, i, false, {}, false, {}, {}, {}});
      }
      for (std::uint32_t i = 0; i < rules[rule].non_resource_rules.size(); ++i) {
        add_part(rules[rule].non_resource_rules[i], {schema, rule, i, true, {}, false, {}, {}, {}});
      }
      const auto end = static_cast<std::uint32_t>(parts_.size());
      for (const Subject& subject : rules[rule].subjects) {
        std::string key = subject_key(subject);
        if (key.empty()) continue;
        std::vector<std::uint32_t>& list = subjects_[add_subject(std::move(key))].parts;
        if (!list.empty() && list.back() >= begin) continue;  // the subject is there twice
        for (std::uint32_t part = begin; part < end; ++part) list.push_back(part);
      }
    }
    begins.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
  choose_unnamed(schemas);
  number_paths();
  for (SubjectList& list : subjects_) {
    if (list.parts.size() > kShortList) file_by_value(list);
  }
}

std::pair<std::uint32_t, std::uint32_t> ReachIndex::parts_of(std::uint32_t schema, std::uint32_t rule) const {
  return {rule_begins_[schema][rule], rule_begins_[schema][rule + 1]};
}

std::uint32_t ReachIndex::add_text(std::string_view text) {
  const std::uint32_t id = strings_.add(text);
  if (id == texts_.size()) texts_.push_back(text);
  return id;
}

IdSet ReachIndex::add_list(const std::vector<std::string>& list) {
  IdSet out;
  out.any = is_any(list);
  if (out.any) return out;
  for (const std::string& text : list) out.ids.push_back(add_text(text));
  std::sort(out.ids.begin(), out.ids.end());
  out.ids.erase(std::unique(out.ids.begin(), out.ids.end()), out.ids.end());
  out.mask = mask_of(out.ids);
  return out;
}

void ReachIndex::add_part(const ResourceRule& rule, ReachPart part) {
  part.sides = {add_list(rule.verbs), add_list(rule.api_groups), add_list(rule.resources), add_list(rule.namespaces)};
  // Without a namespace only clusterScope counts, "" in `namespaces` matches nothing.
  IdSet& namespaces = part.sides[kNamespaceSide];
  std::erase(namespaces.ids, no_namespace_);
  if (rule.cluster_scope) namespaces.ids.insert(namespaces.ids.begin(), no_namespace_);  // the smallest id
  namespaces.mask = mask_of(namespaces.ids);
  parts_.push_back(std::move(part));
}

void ReachIndex::add_part(const NonResourceRule& rule, ReachPart part) {
  part.sides[kVerbSide] = add_list(rule.verbs);
  for (const std::string& entry : rule.urls) {
    part.any_path = part.any_path || entry == "*";
    part.exact_paths.push_back(entry);
    part.path_prefixes.push_back(url_prefix(entry));
  }
  parts_.push_back(std::move(part));
}

std::uint32_t ReachIndex::add_subject(std::string key) {
  const auto [at, is_new] = subject_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(subjects_.size()));
  if (is_new) subjects_.emplace_back();
  return at->second;
}

// A prefix ends with a slash. So a path matches an entry if it, or what of it ends with some slash, has the number of
// the entry or of its prefix: an entry that ends with a slash is its own prefix.
void ReachIndex::number_paths() {
  for (ReachPart& part : parts_) {
    for (const std::vector<std::string>* list : {&part.exact_paths, &part.path_prefixes}) {
      for (const std::string& path : *list) part.path_keys.push_back(paths_.add(path));
    }
    for (const std::string& prefix : part.path_prefixes) prefix_lengths_.push_back(prefix.size());
    std::sort(part.path_keys.begin(), part.path_keys.end());
    part.path_keys.erase(std::unique(part.path_keys.begin(), part.path_keys.end()), part.path_keys.end());
  }
  std::sort(prefix_lengths_.begin(), prefix_lengths_.end());
  prefix_lengths_.erase(std::unique(prefix_lengths_.begin(), prefix_lengths_.end()), prefix_lengths_.end());
}

void ReachIndex::add_path(std::string path, ReachTarget& out) const {
  const auto add = [&](std::string_view text) {
    if (const std::uint32_t key = paths_.find(text); key != 0) out.path_keys.push_back(key);
  };
  if (!path.ends_with('/')) add(path);
  for (const std::size_t length : prefix_lengths_) {
    if (length > path.size()) break;
    if (path[length - 1] == '/') add(std::string_view(path).substr(0, length));
  }
  out.paths.push_back(std::move(path));
  out.path_key_ends.push_back(out.path_keys.size());
}

std::span<const std::uint32_t> ReachIndex::keys_of(const ReachTarget& target, std::uint32_t path) const {
  const std::size_t begin = path == 0 ? 0 : target.path_key_ends[path - 1];
  return std::span(target.path_keys).subspan(begin, target.path_key_ends[path] - begin);
}

bool ReachIndex::holds_path(const ReachPart& part, const ReachTarget& target, std::uint32_t path) const {
  if (part.any_path) return true;
  const std::span<const std::uint32_t> keys = keys_of(target, path);
  return std::any_of(keys.begin(), keys.end(), [&](std::uint32_t key) {
    return std::binary_search(part.path_keys.begin(), part.path_keys.end(), key);
  });
}

std::span<const std::uint32_t> ReachIndex::ValueIndex::find(std::uint64_t key) const {
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  if (at == keys.end() || *at != key) return {};
  const auto i = static_cast<std::size_t>(at - keys.begin());
  const std::uint32_t begin = i == 0 ? 0 : ends[i - 1];
  return std::span(numbers).subspan(begin, ends[i] - begin);
}

// Each part under the values of the side whose values the fewest other parts of the list name.
void ReachIndex::file_by_value(SubjectList& list) {
  list.by_value = std::make_unique<ValueIndex>();
  ValueIndex& index = *list.by_value;
  const auto each_side = [&](std::uint32_t number, auto visit) {
    const ReachPart& part = parts_[number];
    const std::size_t sides = part.is_url ? 1 : kSides;
    for (std::size_t side = 0; side < sides; ++side) {
      if (!part.sides[side].any) visit(part.is_url ? kUrlVerb : side, part.sides[side].ids);
    }
    if (part.is_url && !part.any_path) visit(kUrlPath, part.path_keys);
  };
  std::vector<std::uint64_t> uses;
  for (const std::uint32_t number : list.parts) {
    each_side(number, [&](std::size_t side, const std::vector<std::uint32_t>& ids) {
      for (const std::uint32_t id : ids) uses.push_back(value_key(side, id));
    });
  }
  std::sort(uses.begin(), uses.end());
  const auto count = [&](std::uint64_t key) {
    const auto [begin, end] = std::equal_range(uses.begin(), uses.end(), key);
    return static_cast<std::uint64_t>(end - begin);
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> filed;
  for (const std::uint32_t number : list.parts) {
    std::uint64_t least = UINT64_MAX;
    std::size_t chosen = 0;
    const std::vector<std::uint32_t>* values = nullptr;
    each_side(number, [&](std::size_t side, const std::vector<std::uint32_t>& ids) {
      std::uint64_t sum = 0;
      for (const std::uint32_t id : ids) sum += count(value_key(side, id));
      if (sum >= least) return;
      least = sum;
      chosen = side;
      values = &ids;
    });
    if (!values) {
      index.unfiled[parts_[number].is_url].push_back(number);
      continue;
    }
    for (const std::uint32_t id : *values) filed.emplace_back(value_key(chosen, id), number);
  }
  std::sort(filed.begin(), filed.end());
  for (const auto& [key, number] : filed) {
    if (index.keys.empty() || index.keys.back() != key) {
      index.keys.push_back(key);
      index.ends.push_back(0);
    }
    index.numbers.push_back(number);
    index.ends.back() = static_cast<std::uint32_t>(index.numbers.size());
  }
}

// A word that occurs in no text of the configuration.
void ReachIndex::choose_unnamed(std::span<const FlowSchema* const> schemas) {
  std::string all;
  const auto add = [&](std::string_view text) { (all += text) += '\n'; };
  unnamed_ = "any-other";
  for (const std::string_view text : texts_) {
    if (text.find(unnamed_) != text.npos) add(text);
  }
  for (const ReachPart& part : parts_) {
    for (const std::string& path : part.exact_paths) {
      if (path.find(unnamed_) != path.npos) add(path);
    }
  }
  for (const FlowSchema* schema : schemas) {
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) {
        const std::string key = subject_key(subject);
        if (key.find(unnamed_) != key.npos) add(key);
      }
    }
  }
  for (int number = 2; all.find(unnamed_) != all.npos; ++number) unnamed_ = "any-other-" + std::to_string(number);
}

ReachUser ReachIndex::file_user(User user) const {
  ReachUser out;
  const auto add = [&](const std::string& key) {
    if (const auto found = subject_ids_.find(key); found != subject_ids_.end()) out.subjects.push_back(found->second);
  };
  add(kEveryoneKey);
  add(user_key(user.name));
  for (const std::string& group : user.groups) add(group_key(group));
  const std::string_view name = user.name;
  if (name.starts_with(kServiceAccountPrefix)) {
    // The namespace may be any part before a colon: names are compared as texts.
    const std::string_view account = name.substr(kServiceAccountPrefix.size());
    for (std::size_t colon = account.find(':'); colon != account.npos; colon = account.find(':', colon + 1)) {
      add(accounts_key(account.substr(0, colon)));
    }
  }
  out.user = std::move(user);
  return out;
}

std::vector<ReachUser> ReachIndex::least_users(const Subject& subject) const {
  const auto implied = [&](std::string name, std::vector<std::string> groups) {
    User user{std::move(name), std::move(groups)};
    add_implied_groups(user);
    return file_user(std::move(user));
  };
  // Anonymous requests are the only ones without authentication; where no FlowSchema names their user, it represents
  // all.
  const auto anonymous = [&] {
    const bool is_named = subject_ids_.contains(user_key("system:anonymous"));
    return implied(is_named ? unnamed_ : "system:anonymous", {"system:unauthenticated"});
  };
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if ((is_user && *subject.user == "*") || (is_group && *subject.group == "*"))
    return {implied(unnamed_, {}), anonymous()};
  if (is_user) return {implied(*subject.user, {})};
  if (is_group) {
    if (*subject.group == "system:unauthenticated") return {anonymous()};
    // All service accounts: one of a namespace that is not named has no further group that is.
    if (*subject.group == "system:serviceaccounts") {
      return {implied(std::string(kServiceAccountPrefix) + unnamed_ + ':' + unnamed_, {})};
    }
    return {implied(unnamed_, {*subject.group})};
  }
  if (subject.kind == "ServiceAccount" && subject.service_account) {
    const auto& [ns, name] = *subject.service_account;
    return {implied(std::string(kServiceAccountPrefix) + ns + ':' + (name == "*" ? unnamed_ : name), {})};
  }
  return {};
}

}  // namespace apf
