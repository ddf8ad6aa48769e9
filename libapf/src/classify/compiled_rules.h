// The rules of all consulted FlowSchemas in the form that matching runs on: strings as numbers, verbs as bits,
// subjects as an index from a user to the rules that can concern it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

#include "classify/string_table.h"

namespace apf {

// Verbs that have a number; any other text is kOtherVerb and compared as a string.
inline constexpr std::string_view kVerbs[] = {
    "get",   "list", "watch", "create", "update",  "patch",  "delete", "deletecollection",
    "proxy", "post", "put",   "head",   "options", "connect"};
inline constexpr unsigned kOtherVerb = std::size(kVerbs);
inline constexpr unsigned kVerbCount = kOtherVerb + 1;
unsigned verb_number(std::string_view verb);

// Ids of a list: any (exactly "*"), or a sorted stretch of the pool.
struct IdList {
  bool any = false;
  std::uint32_t begin = 0, end = 0;
};

struct VerbSet {
  std::uint32_t bits = 0;  // by verb_number; kOtherVerb's bit: there are `others`, or any
  IdList others;
};

// What a rule is looked up by: the field that distinguishes it best from the others.
enum class Dimension : std::uint8_t { none, ns, resource, group, segment };

struct CompiledResourceRule {
  std::uint32_t schema = 0;
  VerbSet verbs;
  IdList groups, resources, namespaces;
  bool cluster_scope = false;
  Dimension dimension = Dimension::none;
};

struct CompiledUrlRule {
  std::uint32_t schema = 0;
  VerbSet verbs;
  bool any = false;
  std::uint32_t begin = 0, end = 0;  // of urls
  IdList segments;                   // first segments that a matching path can have
  Dimension dimension = Dimension::none;
};

struct CompiledUrl {
  std::string exact, prefix;
};

class CompiledRules {
 public:
  // `schemas` in the order consulted; `catch_all` is taken when none matches.
  CompiledRules(std::span<const FlowSchema* const> schemas, std::uint32_t catch_all);

  struct PolicyRule {
    std::uint32_t resource_begin = 0, resource_end = 0, url_begin = 0, url_end = 0;
  };

  // Policy rules whose subjects match, ascending, that is in the order consulted.
  std::vector<std::uint32_t> rules_for(const User& user) const;

  std::vector<PolicyRule> policy_rules;
  std::vector<CompiledResourceRule> resource_rules;
  std::vector<CompiledUrlRule> url_rules;
  std::vector<CompiledUrl> urls;
  std::vector<std::uint32_t> pool;
  StringTable strings;
  std::uint32_t no_namespace = 0;  // the id of ""
  std::uint32_t catch_all = 0;

  bool holds(const IdList& list, std::uint32_t id) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return hash_bytes(text); }
  };
  using Index = std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>>;

  void add_subjects(const std::vector<Subject>& subjects, std::uint32_t rule);
  IdList add_ids(const std::vector<std::string>& list);
  IdList compile_list(const std::vector<std::string>& list);
  VerbSet compile_verbs(const std::vector<std::string>& list);
  void compile(const ResourceRule& rule, std::uint32_t schema);
  void compile(const NonResourceRule& rule, std::uint32_t schema);
  void choose_dimensions();

  std::vector<std::uint32_t> everyone_;
  Index by_user_, by_group_;
  Index by_account_namespace_;  // ServiceAccount subjects with name "*"
};

}  // namespace apf
