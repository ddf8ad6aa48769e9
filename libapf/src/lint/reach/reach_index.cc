#include "lint/reach/reach_index.h"

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

constexpr std::uint32_t kUrlVerb = 4, kUrlPath = 5;  // after the sides of resourceRules

std::uint64_t value_key(std::size_t side, std::uint32_t id) { return std::uint64_t{side} << 32 | id; }

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

namespace {

bool holds_id(const IdSet& set, std::uint32_t id) {
  return (set.mask >> (id % 64) & 1) != 0 && std::binary_search(set.ids.begin(), set.ids.end(), id);
}

// Both sorted. Where one is far longer, its values are searched for.
bool share_one(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  const std::vector<std::uint32_t>&few = a.size() < b.size() ? a : b, &many = a.size() < b.size() ? b : a;
  auto at = many.begin();
  for (const std::uint32_t id : few) {
    at = many.size() > few.size() * 8 ? std::lower_bound(at, many.end(), id)
                                      : std::find_if(at, many.end(), [&](std::uint32_t other) { return other >= id; });
    if (at == many.end()) return false;
    if (*at == id) return true;
  }
  return false;
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
        if (!list.empty() && list.back() >= begin) continue;  // the subject stands twice
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
  // Anonymous requests are the only ones without authentication; where no FlowSchema names their user, it stands for
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
    add_path(any ? "/" + unnamed_ : part.exact_paths[i], out);
    add_path(any ? "/" + unnamed_ : part.path_prefixes[i] + unnamed_, out);
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
        return (set.any && !(is_namespace && id == no_namespace_)) || holds_id(set, id);
      };
      return !holds(a.sides[side]) || !holds(b.sides[side]);
    });
  }
  if (!a.is_url) return out;
  for (const std::string& path : other.paths) add_path(path, out);
  out.values[kPathSide].clear();
  for (std::uint32_t i = 0; i < out.paths.size(); ++i) {
    if (holds_path(a, out, i) && holds_path(b, out, i)) out.values[kPathSide].push_back(i);
  }
  return out;
}

ReachTarget ReachIndex::target_of(const RequestInfo& request) const {
  ReachTarget out;
  out.is_url = !request.is_resource_request;
  out.values[kVerbSide] = {find(request.verb)};
  if (out.is_url) {
    add_path(request.path, out);
    out.values[kPathSide] = {0};
    out.values[2] = out.values[3] = {kUnnamed};
    return out;
  }
  out.values[kGroupSide] = {find(request.api_group)};
  out.values[kResourceSide] = {find(joined_resource(request))};
  out.values[kNamespaceSide] = {find(request.ns)};
  return out;
}

// The values are sorted, but for an unnamed one at the end.
bool ReachIndex::cover_side(const IdSet& set, const std::vector<std::uint32_t>& values, bool is_namespace,
                            Bits& out) const {
  if (set.any && !is_namespace) {
    out.assign(values.size(), true);
    return !values.empty();
  }
  out.assign(values.size(), false);
  bool some = false;
  const bool is_long = set.ids.size() > values.size() * 8;
  auto at = set.ids.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool holds = set.any && values[i] != no_namespace_;
    if (!holds && (set.mask >> (values[i] % 64) & 1) != 0) {
      if (is_long) at = std::lower_bound(at, set.ids.end(), values[i]);
      else
        while (at != set.ids.end() && *at < values[i]) ++at;
      holds = at != set.ids.end() && *at == values[i];
    }
    if (!holds) continue;
    out.set(i);
    some = true;
  }
  return some;
}

bool ReachIndex::cover(const ReachPart& part, const ReachTarget& target, Box& out) const {
  if (part.is_url != target.is_url) return false;
  for (std::size_t side = 0; side < (part.is_url ? kPathSide : kSides); ++side) {
    if (!cover_side(part.sides[side], target.values[side], !part.is_url && side == kNamespaceSide, out[side])) {
      return false;
    }
  }
  if (!part.is_url) return true;
  const std::vector<std::uint32_t>& paths = target.values[kPathSide];
  bool some = false;
  out[kPathSide].assign(paths.size(), false);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!holds_path(part, target, paths[i])) continue;
    out[kPathSide].set(i);
    some = true;
  }
  for (std::size_t side = kPathSide + 1; side < kSides; ++side) out[side].assign(target.values[side].size(), true);
  return some;
}

bool ReachIndex::meets(const ReachPart& part, const ReachTarget& target) const {
  if (part.is_url != target.is_url) return false;
  const std::size_t sides = part.is_url ? 1 : kSides;
  for (std::size_t side = 0; side < sides; ++side) {
    const IdSet& set = part.sides[side];
    if (set.any && (part.is_url || side != kNamespaceSide)) continue;
    const auto holds = [&](std::uint32_t id) { return (set.any && id != no_namespace_) || holds_id(set, id); };
    if (std::none_of(target.values[side].begin(), target.values[side].end(), holds)) return false;
  }
  if (!part.is_url || part.any_path) return true;
  return std::any_of(target.values[kPathSide].begin(), target.values[kPathSide].end(),
                     [&](std::uint32_t i) { return holds_path(part, target, i); });
}

template <class Visit>
void ReachIndex::visit_lists(const SubjectList& list, const ReachTarget& target, Visit visit) const {
  if (!list.by_value) return visit(std::span<const std::uint32_t>(list.parts), kSides, 0);
  visit(std::span<const std::uint32_t>(list.by_value->unfiled[target.is_url]), kSides, 0);
  const auto look_up = [&](std::uint64_t key, std::size_t side, std::size_t value) {
    const std::span<const std::uint32_t> found = list.by_value->find(key);
    if (!found.empty()) visit(found, side, value);
  };
  for (std::size_t side = 0; side < (target.is_url ? 1 : kSides); ++side) {
    for (std::size_t i = 0; i < target.values[side].size(); ++i) {
      const std::uint32_t id = target.values[side][i];
      if (id != kUnnamed) look_up(value_key(target.is_url ? kUrlVerb : side, id), side, i);
    }
  }
  if (!target.is_url) return;
  std::vector<std::uint32_t> keys;
  for (const std::uint32_t i : target.values[kPathSide]) {
    const std::span<const std::uint32_t> of_path = keys_of(target, i);
    keys.insert(keys.end(), of_path.begin(), of_path.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::uint32_t key : keys) look_up(value_key(kUrlPath, key), kSides, 0);
}

ReachIndex::Walk::Walk(const ReachIndex& index, const ReachUser& user, const ReachTarget& target, std::uint32_t end)
    : index_(index), end_(end) {
  for (const std::uint32_t subject : user.subjects) {
    index.visit_lists(index.subjects_[subject], target,
                      [&](std::span<const std::uint32_t> list, std::size_t side, std::size_t value) {
                        if (list.empty() || index.parts_[list.front()].schema >= end) return;
                        sources_.push_back({list.data(), list.data() + list.size(), side, value});
                      });
  }
}

std::optional<std::uint32_t> ReachIndex::Walk::next() {
  if (looked_at_ >= kMaxLookedAt) {
    complete_ = complete_ && sources_.empty();
    return std::nullopt;
  }
  looked_at_ += 1 + sources_.size() / 8;
  std::uint32_t least = UINT32_MAX;
  for (const Source& source : sources_) least = std::min(least, *source.at);
  if (least == UINT32_MAX || index_.parts_[least].schema >= end_) return std::nullopt;
  // A part may stand in several lists.
  for (Source& source : sources_) source.at += *source.at == least;
  std::erase_if(sources_, [](const Source& source) { return source.at == source.end; });
  return least;
}

void ReachIndex::Walk::forget_taken(const Region& left) {
  std::erase_if(sources_,
                [&](const Source& source) { return source.side < kSides && !left.holds(source.side, source.value); });
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
      if ((a.mask & b.mask) == 0 || !share_one(a.ids, b.ids)) return false;
    }
    return true;
  };
  const ReachTarget target = target_of(part);
  for (const std::uint32_t subject : user.subjects) {
    const auto look = [&](std::span<const std::uint32_t> list, std::size_t, std::size_t) {
      for (auto at = std::lower_bound(list.begin(), list.end(), from, begins_at);
           at != list.end() && parts_[*at].schema < to; ++at) {
        if (++out.looked_at > kMaxLookedAt) return;
        if (sides_meet(parts_[*at])) out.parts.push_back(*at);
      }
    };
    const std::vector<std::uint32_t>& all = subjects_[subject].parts;
    const auto begin = std::lower_bound(all.begin(), all.end(), from, begins_at);
    const auto end = std::lower_bound(begin, all.end(), to, begins_at);
    if (end - begin <= kMaxWalked) look(all, kSides, 0);
    else visit_lists(subjects_[subject], target, look);
  }
  std::sort(out.parts.begin(), out.parts.end());
  out.parts.erase(std::unique(out.parts.begin(), out.parts.end()), out.parts.end());
  return out;
}

std::uint32_t ReachIndex::first_match(const ReachUser& user, const ReachTarget& point) const {
  std::uint32_t best = UINT32_MAX;
  for (const std::uint32_t subject : user.subjects) {
    visit_lists(subjects_[subject], point, [&](std::span<const std::uint32_t> list, std::size_t, std::size_t) {
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
