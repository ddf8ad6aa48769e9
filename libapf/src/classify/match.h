// Matching a request against what can match its user, without owning any text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <apf/classify.h>

#include "classify/compiled_rules.h"
#include "classify/dialect.h"
#include "classify/request_view.h"

namespace apf {

// What matching looks at.
struct MatchInput {
  bool is_resource = false;
  std::string_view verb, group, resource, subresource, ns, path;
};

inline MatchInput match_input(const RequestView& request) {
  const RequestView::Fields& f = request.f;
  return {f.is_resource, f.verb, f.api_group, f.resource, f.subresource, f.ns, f.path};
}

struct Classifier::Candidates {
  Candidates(std::shared_ptr<const CompiledRules> all, const std::vector<std::uint32_t>& policy_rules);
  // Where FlowSchemas have predicates: no compiled rule matches, `matcher` decides.
  Candidates(std::shared_ptr<const CompiledRules> all, std::unique_ptr<const UserMatcher> of_predicates);

  struct Entry {
    std::uint32_t schema, rule;
  };
  struct List {
    std::uint32_t begin = 0, end = 0;
  };
  struct Slot {
    std::uint64_t key = 0;  // 0 = free
    List list;
  };

  // Never 0. Dimension::none goes with id 0.
  static std::uint64_t key(unsigned verb, Dimension dimension, std::uint32_t id) {
    return std::uint64_t{id} << 16 | std::uint64_t{verb} << 8 | static_cast<std::uint64_t>(dimension) << 1 | 1;
  }
  static unsigned key_verb(std::uint64_t key) { return key >> 8 & 0xff; }
  static bool is_filed_under_value(std::uint64_t key) { return key >> 16 != 0; }
  List find(std::uint64_t key) const;
  void place(std::uint64_t key, List list);

  std::shared_ptr<const CompiledRules> rules;
  std::vector<Entry> entries;                          // each list ascending by schema
  std::array<List, kVerbCount> any_resource, any_url;  // rules that no field files further
  std::vector<Slot> slots;                             // the lists of single values; power of two, at most half full
  std::array<bool, 5> filed{};                         // by Dimension: is there such a list at all?
  bool needs_group = false, needs_resource = false, needs_ns = false;
  std::unique_ptr<const UserMatcher> matcher;  // null if compiled rules match
};

// The first schema that matches, or catch-all.
Classifier::Match match_request(const MatchInput& input, const Classifier::Candidates& candidates);

// `candidates` are of this classifier.
inline Classifier::Match match_view(const Classifier&, const RequestView& request,
                                    const Classifier::Candidates& candidates) {
  const Classifier::Match match = match_request(match_input(request), candidates);
  if (!match.fallback || !candidates.matcher) return match;
  return {candidates.matcher->match(request, match.schema), false};
}

// As Classifier::distinguisher. Points into `request` or `user`.
inline std::string_view distinguisher_of(const Classifier& classifier, std::uint32_t schema, const RequestView& request,
                                         const User& user) {
  switch (classifier.schemas()[schema].effective) {
    case Classifier::Schema::Distinguisher::by_user:
      return user.name;
    case Classifier::Schema::Distinguisher::by_namespace:
      return request.f.ns;
    case Classifier::Schema::Distinguisher::by_user_part:
      return distinguisher_part(classifier.schemas()[schema], user.name);
    case Classifier::Schema::Distinguisher::by_namespace_part:
      return distinguisher_part(classifier.schemas()[schema], request.f.ns);
    case Classifier::Schema::Distinguisher::none:
      break;
  }
  return {};
}

}  // namespace apf
