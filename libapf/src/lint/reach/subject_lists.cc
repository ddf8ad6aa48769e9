#include "lint/reach/subject_lists.h"

#include "base/identities.h"
#include "classify/flow_schema.h"

namespace apf {

namespace {

// Lists up to this long are walked; longer ones are filed by value.
constexpr std::size_t kShortList = 24;
std::string user_key(std::string_view name) { return "u" + std::string(name); }
std::string group_key(std::string_view name) { return "g" + std::string(name); }
std::string accounts_key(std::string_view ns) { return "n" + std::string(ns); }
constexpr const char* kEveryoneKey = "*";

// Each part under the values of the side whose values the fewest other parts of the list name.
ValueIndex file_by_value(std::span<const std::uint32_t> list, std::span<const ReachPart> parts) {
  ValueIndex index;
  const auto each_side = [&](std::uint32_t number, auto visit) {
    const ReachPart& part = parts[number];
    const std::size_t sides = part.is_url ? 1 : kSides;
    for (std::size_t side = 0; side < sides; ++side) {
      if (!part.sides[side].any) visit(part.is_url ? kUrlVerb : side, part.sides[side].ids);
    }
    if (part.is_url && !part.any_path) visit(kUrlPath, part.path_keys);
  };
  std::vector<std::uint64_t> uses;
  for (const std::uint32_t number : list) {
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
  for (const std::uint32_t number : list) {
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
      index.unfiled[parts[number].is_url].push_back(number);
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
  return index;
}

}  // namespace

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

std::span<const std::uint32_t> ValueIndex::find(std::uint64_t key) const {
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  if (at == keys.end() || *at != key) return {};
  const auto i = static_cast<std::size_t>(at - keys.begin());
  const std::uint32_t begin = i == 0 ? 0 : ends[i - 1];
  return std::span(numbers).subspan(begin, ends[i] - begin);
}

void SubjectLists::add(const Subject& subject, std::uint32_t begin, std::uint32_t end) {
  std::string key = subject_key(subject);
  if (key.empty()) return;
  const auto [at, is_new] = ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(lists_.size()));
  if (is_new) lists_.emplace_back();
  std::vector<std::uint32_t>& list = lists_[at->second].parts;
  if (!list.empty() && list.back() >= begin) return;  // the subject is there twice
  for (std::uint32_t part = begin; part < end; ++part) list.push_back(part);
}

void SubjectLists::finish(std::span<const ReachPart> parts) {
  for (List& list : lists_) {
    if (list.parts.size() > kShortList) list.by_value = std::make_unique<ValueIndex>(file_by_value(list.parts, parts));
  }
}

bool SubjectLists::names_user(std::string_view name) const { return ids_.contains(user_key(name)); }

ReachUser SubjectLists::file_user(User user) const {
  ReachUser out;
  const auto add = [&](const std::string& key) {
    if (const auto found = ids_.find(key); found != ids_.end()) out.subjects.push_back(found->second);
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

}  // namespace apf
