#include "lint/reach_index.h"

#include <algorithm>

#include "classify/flow_schema.h"

namespace apf {

namespace {

// Lists up to this long are walked; longer ones are filed by value.
constexpr std::size_t kShortList = 24;
// How many parts are looked at for one target. Beyond, what they may take is not known, and the target counts as
// reachable: thousands of FlowSchemas that all meet each other must not take quadratic time.
constexpr std::size_t kMaxLookedAt = 1024;

// Parts of one subject among which meeting ones are searched without the help of values.
constexpr std::ptrdiff_t kMaxWalked = 64;

constexpr std::uint32_t kUrlVerb = 4, kUrlSegment = 5;  // after the sides of resourceRules

std::uint64_t value_key(std::size_t side, std::uint32_t id) { return std::uint64_t{side} << 32 | id; }

std::string_view first_segment(std::string_view path) {
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

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

}  // namespace

bool IdSet::holds(std::uint32_t id) const { return any || std::binary_search(ids.begin(), ids.end(), id); }

bool ReachPart::holds_path(std::string_view path) const {
  if (any_path) return true;
  for (std::size_t i = 0; i < exact_paths.size(); ++i) {
    if (path == exact_paths[i] || path.starts_with(path_prefixes[i])) return true;
  }
  return false;
}

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
        add_part(rules[rule].resource_rules[i], {schema, rule, i, false, {}, false, {}, {}});
      }
      for (std::uint32_t i = 0; i < rules[rule].non_resource_rules.size(); ++i) {
        add_part(rules[rule].non_resource_rules[i], {schema, rule, i, true, {}, false, {}, {}});
      }
      const auto end = static_cast<std::uint32_t>(parts_.size());
      for (const Subject& subject : rules[rule].subjects) {
        std::string key = subject_key(subject);
        if (key.empty()) continue;
        std::vector<std::uint32_t>& list = subjects_[add_subject(std::move(key))].parts;
        if (!list.empty() && list.back() >= begin) continue;  // the subject stands twice
        for (std::uint32_t part = begin; part < end; ++part) list.push_back(part);
      }
    }
    begins.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
  choose_unnamed(schemas);
  for (const ReachPart& part : parts_) segments_.push_back(segments_of(part));
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
  return out;
}

void ReachIndex::add_part(const ResourceRule& rule, ReachPart part) {
  part.sides = {add_list(rule.verbs), add_list(rule.api_groups), add_list(rule.resources), add_list(rule.namespaces)};
  // Without a namespace only clusterScope counts, "" in `namespaces` matches nothing.
  std::vector<std::uint32_t>& ids = part.sides[kNamespaceSide].ids;
  std::erase(ids, no_namespace_);
  if (rule.cluster_scope) ids.insert(ids.begin(), no_namespace_);  // the smallest id
  parts_.push_back(std::move(part));
}

void ReachIndex::add_part(const NonResourceRule& rule, ReachPart part) {
  part.sides[kVerbSide] = add_list(rule.verbs);
  for (const std::string& entry : rule.urls) {
    part.any_path = part.any_path || entry == "*";
    part.exact_paths.push_back(entry);
    part.path_prefixes.push_back(url_prefix(entry));
    for (const std::string_view path : {std::string_view(entry), std::string_view(part.path_prefixes.back())}) {
      const std::string_view segment = first_segment(path);
      if (segment.empty()) continue;
      // The entry begins with either; it outlives the index.
      add_text(std::string_view(entry).substr(1, segment.size()));
    }
  }
  parts_.push_back(std::move(part));
}

std::uint32_t ReachIndex::add_subject(std::string key) {
  const auto [at, is_new] = subject_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(subjects_.size()));
  if (is_new) subjects_.emplace_back();
  return at->second;
}

// The first segments that a matching path can have; none if they do not narrow it down.
std::vector<std::uint32_t> ReachIndex::segments_of(const ReachPart& part) const {
  std::vector<std::uint32_t> out;
  if (part.any_path) return out;
  for (std::size_t i = 0; i < part.exact_paths.size(); ++i) {
    for (const std::string& path : {part.exact_paths[i], part.path_prefixes[i]}) {
      const std::string_view segment = first_segment(path);
      if (segment.empty()) return {};
      out.push_back(strings_.find(segment));
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Each part under the values of the side whose values the fewest other parts of the list name.
void ReachIndex::file_by_value(SubjectList& list) {
  list.by_value = std::make_unique<ValueIndex>();
  const auto each_side = [&](std::uint32_t number, auto visit) {
    const ReachPart& part = parts_[number];
    const std::size_t sides = part.is_url ? 1 : kSides;
    for (std::size_t side = 0; side < sides; ++side) {
      if (!part.sides[side].any) visit(part.is_url ? kUrlVerb : side, part.sides[side].ids);
    }
    if (part.is_url && !segments_[number].empty()) visit(kUrlSegment, segments_[number]);
  };
  std::unordered_map<std::uint64_t, std::uint64_t> uses;
  for (const std::uint32_t number : list.parts) {
    each_side(number, [&](std::size_t side, const std::vector<std::uint32_t>& ids) {
      for (const std::uint32_t id : ids) ++uses[value_key(side, id)];
    });
  }
  for (const std::uint32_t number : list.parts) {
    std::uint64_t least = UINT64_MAX;
    std::size_t chosen = 0;
    const std::vector<std::uint32_t>* values = nullptr;
    each_side(number, [&](std::size_t side, const std::vector<std::uint32_t>& ids) {
      std::uint64_t sum = 0;
      for (const std::uint32_t id : ids) sum += uses[value_key(side, id)];
      if (sum >= least) return;
      least = sum;
      chosen = side;
      values = &ids;
    });
    if (!values) {
      list.by_value->unfiled[parts_[number].is_url].push_back(number);
      continue;
    }
    for (const std::uint32_t id : *values) list.by_value->filed[value_key(chosen, id)].push_back(number);
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
    // The namespace is what stands before a colon, before any colon: names are compared as texts.
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
  // Anonymous requests are the only ones without authentication; where no FlowSchema names their user, it stands for all.
  const auto anonymous = [&] {
    const bool is_named = subject_ids_.contains(user_key("system:anonymous"));
    return implied(is_named ? unnamed_ : "system:anonymous", {"system:unauthenticated"});
  };
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if ((is_user && *subject.user == "*") || (is_group && *subject.group == "*")) return {implied(unnamed_, {}), anonymous()};
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

ReachTarget ReachIndex::target_of(const ReachPart& part) const {
  ReachTarget out;
  out.is_url = part.is_url;
  for (std::size_t side = 0; side < kSides; ++side) {
    out.values[side] = part.sides[side].ids;
    if (part.sides[side].any) out.values[side].push_back(kUnnamed);
  }
  if (!part.is_url) return out;
  for (std::size_t i = 0; i < part.exact_paths.size(); ++i) {
    const bool any = part.exact_paths[i] == "*";
    out.paths.push_back(any ? "/" + unnamed_ : part.exact_paths[i]);
    out.paths.push_back(any ? "/" + unnamed_ : part.path_prefixes[i] + unnamed_);
  }
  out.values[kPathSide].clear();
  for (std::uint32_t i = 0; i < out.paths.size(); ++i) out.values[kPathSide].push_back(i);
  out.values[2] = out.values[3] = {kUnnamed};
  return out;
}

ReachTarget ReachIndex::common_target(const ReachPart& a, const ReachPart& b) const {
  ReachTarget out;
  out.is_url = a.is_url;
  if (a.is_url != b.is_url) return out;
  out = target_of(a);
  const ReachTarget other = target_of(b);
  for (std::size_t side = 0; side < kSides; ++side) {
    if (a.is_url && side == kPathSide) continue;
    std::vector<std::uint32_t>& values = out.values[side];
    std::vector<std::uint32_t> more = other.values[side];
    values.insert(values.end(), more.begin(), more.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (a.is_url && side > kPathSide) continue;
    const bool is_namespace = !a.is_url && side == kNamespaceSide;
    std::erase_if(values, [&](std::uint32_t id) {
      const auto holds = [&](const IdSet& set) {
        if (is_namespace && id == no_namespace_) return std::binary_search(set.ids.begin(), set.ids.end(), id);
        return set.holds(id);
      };
      return !holds(a.sides[side]) || !holds(b.sides[side]);
    });
  }
  if (!a.is_url) return out;
  out.paths.insert(out.paths.end(), other.paths.begin(), other.paths.end());
  out.values[kPathSide].clear();
  for (std::uint32_t i = 0; i < out.paths.size(); ++i) {
    if (a.holds_path(out.paths[i]) && b.holds_path(out.paths[i])) out.values[kPathSide].push_back(i);
  }
  return out;
}

ReachTarget ReachIndex::target_of(const RequestInfo& request) const {
  ReachTarget out;
  out.is_url = !request.is_resource_request;
  out.values[kVerbSide] = {find(request.verb)};
  if (out.is_url) {
    out.paths = {request.path};
    out.values[kPathSide] = {0};
    out.values[2] = out.values[3] = {kUnnamed};
    return out;
  }
  out.values[kGroupSide] = {find(request.api_group)};
  out.values[kResourceSide] = {find(joined_resource(request))};
  out.values[kNamespaceSide] = {find(request.ns)};
  return out;
}

bool ReachIndex::cover(const ReachPart& part, const ReachTarget& target, Box& out) const {
  if (part.is_url != target.is_url) return false;
  for (std::size_t side = 0; side < kSides; ++side) {
    const std::vector<std::uint32_t>& values = target.values[side];
    const bool all_there = part.is_url && side > kPathSide;
    out[side].assign(values.size(), all_there);
    if (all_there) continue;
    bool some = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      bool holds = false;
      if (part.is_url && side == kPathSide) {
        holds = part.holds_path(target.paths[values[i]]);
      } else {
        const IdSet& set = part.sides[side];
        const bool no_name = !part.is_url && side == kNamespaceSide && values[i] == no_namespace_;
        holds = no_name ? !set.ids.empty() && set.ids.front() == no_namespace_ : set.holds(values[i]);
      }
      if (!holds) continue;
      out[side].set(i);
      some = true;
    }
    if (!some) return false;
  }
  return true;
}

bool ReachIndex::meets(const ReachPart& part, const ReachTarget& target) const {
  if (part.is_url != target.is_url) return false;
  const std::size_t sides = part.is_url ? 1 : kSides;
  for (std::size_t side = 0; side < sides; ++side) {
    const IdSet& set = part.sides[side];
    if (set.any && (part.is_url || side != kNamespaceSide)) continue;
    const auto holds = [&](std::uint32_t id) {
      if (set.any && id != no_namespace_) return true;
      return std::binary_search(set.ids.begin(), set.ids.end(), id);
    };
    if (std::none_of(target.values[side].begin(), target.values[side].end(), holds)) return false;
  }
  if (!part.is_url || part.any_path) return true;
  return std::any_of(target.values[kPathSide].begin(), target.values[kPathSide].end(),
                     [&](std::uint32_t i) { return part.holds_path(target.paths[i]); });
}

// The lists, ascending each, that together hold every part of `list` that can meet the target.
template <class Visit>
void ReachIndex::visit_lists(const SubjectList& list, const ReachTarget& target, Visit visit) const {
  if (!list.by_value) return visit(list.parts);
  visit(list.by_value->unfiled[target.is_url]);
  const auto look_up = [&](std::size_t side, std::uint32_t id) {
    if (id == kUnnamed) return;
    const auto found = list.by_value->filed.find(value_key(side, id));
    if (found != list.by_value->filed.end()) visit(found->second);
  };
  const std::size_t sides = target.is_url ? 1 : kSides;
  for (std::size_t side = 0; side < sides; ++side) {
    for (const std::uint32_t id : target.values[side]) look_up(target.is_url ? kUrlVerb : side, id);
  }
  if (!target.is_url) return;
  std::uint32_t last = kUnnamed;
  for (const std::uint32_t i : target.values[kPathSide]) {
    const std::uint32_t id = find(first_segment(target.paths[i]));
    if (id != last) look_up(kUrlSegment, id);
    last = id;
  }
}

ReachIndex::Candidates ReachIndex::candidates(const ReachUser& user, const ReachTarget& target, std::uint32_t from,
                                              std::uint32_t to) const {
  Candidates out;
  const auto begins_at = [&](std::uint32_t number, std::uint32_t schema) { return parts_[number].schema < schema; };
  for (const std::uint32_t subject : user.subjects) {
    visit_lists(subjects_[subject], target, [&](const std::vector<std::uint32_t>& list) {
      for (auto at = std::lower_bound(list.begin(), list.end(), from, begins_at);
           at != list.end() && parts_[*at].schema < to; ++at) {
        if (++out.looked_at > kMaxLookedAt) {
          out.complete = false;
          return;
        }
        if (meets(parts_[*at], target)) out.parts.push_back(*at);
      }
    });
  }
  std::sort(out.parts.begin(), out.parts.end());
  out.parts.erase(std::unique(out.parts.begin(), out.parts.end()), out.parts.end());
  return out;
}

ReachIndex::Candidates ReachIndex::meeting(const ReachUser& user, const ReachPart& part, std::uint32_t from,
                                           std::uint32_t to) const {
  Candidates out;
  const auto begins_at = [&](std::uint32_t number, std::uint32_t schema) { return parts_[number].schema < schema; };
  const auto sides_meet = [&](const ReachPart& other) {
    if (other.is_url != part.is_url) return false;
    for (std::size_t side = 0; side < (part.is_url ? 1 : kSides); ++side) {
      const IdSet &a = part.sides[side], &b = other.sides[side];
      if ((a.any && b.any) || (a.any && !b.ids.empty()) || (b.any && !a.ids.empty())) continue;
      const auto in_b = [&](std::uint32_t id) { return std::binary_search(b.ids.begin(), b.ids.end(), id); };
      if (std::none_of(a.ids.begin(), a.ids.end(), in_b)) return false;
    }
    return true;
  };
  const ReachTarget target = target_of(part);
  for (const std::uint32_t subject : user.subjects) {
    const auto look = [&](const std::vector<std::uint32_t>& list) {
      for (auto at = std::lower_bound(list.begin(), list.end(), from, begins_at);
           at != list.end() && parts_[*at].schema < to; ++at) {
        if (++out.looked_at > kMaxLookedAt) {
          out.complete = false;
          return;
        }
        if (sides_meet(parts_[*at])) out.parts.push_back(*at);
      }
    };
    const std::vector<std::uint32_t>& all = subjects_[subject].parts;
    const auto begin = std::lower_bound(all.begin(), all.end(), from, begins_at);
    const auto end = std::lower_bound(begin, all.end(), to, begins_at);
    if (end - begin <= kMaxWalked) look(all);
    else visit_lists(subjects_[subject], target, look);
  }
  std::sort(out.parts.begin(), out.parts.end());
  out.parts.erase(std::unique(out.parts.begin(), out.parts.end()), out.parts.end());
  return out;
}

std::uint32_t ReachIndex::first_match(const ReachUser& user, const ReachTarget& point) const {
  std::uint32_t best = UINT32_MAX;
  for (const std::uint32_t subject : user.subjects) {
    visit_lists(subjects_[subject], point, [&](const std::vector<std::uint32_t>& list) {
      for (const std::uint32_t number : list) {
        if (parts_[number].schema >= best) return;
        if (meets(parts_[number], point)) {
          best = parts_[number].schema;
          return;
        }
      }
    });
  }
  return best;
}

}  // namespace apf
