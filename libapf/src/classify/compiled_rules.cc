// Compiling FlowSchemas. Done once per configuration, so clarity goes before speed here.
#include "classify/compiled_rules.h"

#include <algorithm>
#include <map>

#include "base/identities.h"
#include "classify/flow_schema.h"

namespace apf {
namespace {

constexpr std::uint32_t kAllVerbs = (1U << kVerbCount) - 1;

// "/a/b" -> "a"; "" where a path has none that could serve as a key.
std::string_view first_segment(std::string_view path) {
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

}  // namespace

unsigned verb_number(std::string_view verb) {
  switch (verb.size()) {
    case 3:
      return verb == "get" ? 0 : verb == "put" ? 10 : kOtherVerb;
    case 4:
      return verb == "list" ? 1 : verb == "post" ? 9 : verb == "head" ? 11 : kOtherVerb;
    case 5:
      return verb == "watch" ? 2 : verb == "patch" ? 5 : verb == "proxy" ? 8 : kOtherVerb;
    case 6:
      return verb == "create" ? 3 : verb == "update" ? 4 : verb == "delete" ? 6 : kOtherVerb;
    case 7:
      return verb == "options" ? 12 : verb == "connect" ? 13 : kOtherVerb;
    case 16:
      return verb == "deletecollection" ? 7 : kOtherVerb;
    default:
      return kOtherVerb;
  }
}

CompiledRules::CompiledRules(std::span<const FlowSchema* const> schemas, std::uint32_t catch_all_schema)
    : catch_all(catch_all_schema) {
  no_namespace = strings.add("");
  for (std::uint32_t schema = 0; schema < schemas.size(); ++schema) {
    for (const apf::PolicyRule& rule : schemas[schema]->rules) {
      add_subjects(rule.subjects, static_cast<std::uint32_t>(policy_rules.size()));
      PolicyRule& compiled = policy_rules.emplace_back();
      compiled.resource_begin = static_cast<std::uint32_t>(resource_rules.size());
      for (const ResourceRule& part : rule.resource_rules) compile(part, schema);
      compiled.resource_end = static_cast<std::uint32_t>(resource_rules.size());
      compiled.url_begin = static_cast<std::uint32_t>(url_rules.size());
      for (const NonResourceRule& part : rule.non_resource_rules) compile(part, schema);
      compiled.url_end = static_cast<std::uint32_t>(url_rules.size());
    }
  }
  choose_dimensions();
}

void CompiledRules::add_subjects(const std::vector<Subject>& subjects, std::uint32_t rule) {
  for (const Subject& subject : subjects) {
    if (subject.kind == "User" && subject.user) {
      (*subject.user == "*" ? everyone_ : by_user_[*subject.user]).push_back(rule);
    } else if (subject.kind == "Group" && subject.group) {
      (*subject.group == "*" ? everyone_ : by_group_[*subject.group]).push_back(rule);
    } else if (subject.kind == "ServiceAccount" && subject.service_account) {
      const auto& account = *subject.service_account;
      if (account.name == "*") {
        by_account_namespace_[account.ns].push_back(rule);
      } else {
        by_user_[std::string(kServiceAccountPrefix) + account.ns + ':' + account.name].push_back(rule);
      }
    }
  }
}

std::vector<std::uint32_t> CompiledRules::rules_for(const User& user) const {
  std::vector<std::uint32_t> rules = everyone_;
  const auto add = [&](const Index& index, std::string_view key) {
    if (const auto found = index.find(key); found != index.end())
      rules.insert(rules.end(), found->second.begin(), found->second.end());
  };
  add(by_user_, user.name);
  for (const std::string& group : user.groups) add(by_group_, group);
  if (user.name.starts_with(kServiceAccountPrefix)) {
    // The namespace may be any part before a colon: names are compared as texts.
    const std::string_view account = std::string_view(user.name).substr(kServiceAccountPrefix.size());
    for (std::size_t colon = account.find(':'); colon != account.npos; colon = account.find(':', colon + 1)) {
      add(by_account_namespace_, account.substr(0, colon));
    }
  }
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

bool CompiledRules::holds(const IdList& list, std::uint32_t id) const {
  if (list.any) return true;
  const std::uint32_t* const begin = pool.data() + list.begin;
  const std::uint32_t* const end = pool.data() + list.end;
  if (end - begin > 16) return std::binary_search(begin, end, id);
  for (const std::uint32_t* at = begin; at != end; ++at) {
    if (*at == id) return true;
  }
  return false;
}

IdList CompiledRules::add_ids(const std::vector<std::string>& list) {
  IdList out;
  out.begin = static_cast<std::uint32_t>(pool.size());
  for (const std::string& text : list) pool.push_back(strings.add(text));
  std::sort(pool.begin() + out.begin, pool.end());
  pool.erase(std::unique(pool.begin() + out.begin, pool.end()), pool.end());
  out.end = static_cast<std::uint32_t>(pool.size());
  return out;
}

IdList CompiledRules::compile_list(const std::vector<std::string>& list) {
  IdList out;
  out.any = is_any(list);
  return out.any ? out : add_ids(list);
}

VerbSet CompiledRules::compile_verbs(const std::vector<std::string>& list) {
  VerbSet out;
  if (is_any(list)) {
    out.bits = kAllVerbs;
    out.others.any = true;
    return out;
  }
  std::vector<std::string> others;
  for (const std::string& verb : list) {
    const unsigned number = verb_number(verb);
    out.bits |= 1U << number;
    if (number == kOtherVerb) others.push_back(verb);
  }
  out.others = add_ids(others);
  return out;
}

void CompiledRules::compile(const ResourceRule& rule, std::uint32_t schema) {
  CompiledResourceRule& out = resource_rules.emplace_back();
  out.schema = schema;
  out.verbs = compile_verbs(rule.verbs);
  out.groups = compile_list(rule.api_groups);
  out.resources = compile_list(rule.resources);
  out.namespaces = compile_list(rule.namespaces);
  out.cluster_scope = rule.cluster_scope;
}

void CompiledRules::compile(const NonResourceRule& rule, std::uint32_t schema) {
  CompiledUrlRule& out = url_rules.emplace_back();
  out.schema = schema;
  out.verbs = compile_verbs(rule.verbs);
  out.begin = static_cast<std::uint32_t>(urls.size());
  std::vector<std::string> segments;
  bool keyed = true;
  for (const std::string& entry : rule.urls) {
    out.any = out.any || entry == "*";
    const CompiledUrl& url = urls.emplace_back(CompiledUrl{entry, url_prefix(entry)});
    for (const std::string_view path : {std::string_view(url.exact), std::string_view(url.prefix)}) {
      const std::string_view segment = first_segment(path);
      keyed = keyed && !segment.empty();
      segments.emplace_back(segment);
    }
  }
  out.end = static_cast<std::uint32_t>(urls.size());
  if (!keyed || out.any) return;
  out.segments = add_ids(segments);
  out.dimension = Dimension::segment;
}

// A rule is filed under the field whose values the fewest other rules name, so that lists to walk stay short.
void CompiledRules::choose_dimensions() {
  std::map<std::pair<Dimension, std::uint32_t>, std::uint64_t> uses;
  const auto each = [&](const CompiledResourceRule& rule, auto visit) {
    const std::pair<Dimension, const IdList*> fields[] = {
        {Dimension::ns, &rule.namespaces}, {Dimension::resource, &rule.resources}, {Dimension::group, &rule.groups}};
    for (const auto& [dimension, list] : fields) {
      if (!list->any) visit(dimension, *list);
    }
  };
  for (const CompiledResourceRule& rule : resource_rules) {
    each(rule, [&](Dimension dimension, const IdList& list) {
      for (std::uint32_t i = list.begin; i < list.end; ++i) ++uses[{dimension, pool[i]}];
      if (dimension == Dimension::ns && rule.cluster_scope) ++uses[{dimension, no_namespace}];
    });
  }
  for (CompiledResourceRule& rule : resource_rules) {
    std::uint64_t least = UINT64_MAX;
    each(rule, [&](Dimension dimension, const IdList& list) {
      std::uint64_t sum = 0;
      for (std::uint32_t i = list.begin; i < list.end; ++i) sum += uses[{dimension, pool[i]}];
      if (dimension == Dimension::ns && rule.cluster_scope) sum += uses[{dimension, no_namespace}];
      if (sum < least) {
        least = sum;
        rule.dimension = dimension;
      }
    });
  }
}

}  // namespace apf
