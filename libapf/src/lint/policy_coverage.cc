// Which requests of each FlowSchema an audit policy never records: what a FlowSchema takes of each user's requests is a
// set of boxes, from which the rules of the policy take theirs one after the other.
#include <apf/lint.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include "classify/flow_schema.h"
#include "lint/reach/record_space.h"

namespace apf {

namespace {

constexpr std::size_t kMostPieces = 4;    // of one rule and user that are described one by one
constexpr std::size_t kMostMerged = 64;   // boxes
constexpr std::size_t kMostBoxes = 4096;  // of one user: more than any real configuration needs

template <class Accepts>
void fill(Bits& bits, std::size_t size, Accepts accepts) {
  bits.assign(size, false);
  for (std::size_t i = 0; i < size; ++i)
    if (accepts(i)) bits.set(i);
}

bool is_subresource(const RecordSpace::Resource& resource) {
  return !resource.subresource.empty() && resource.subresource != "*";
}

// Calls `visit` for each member, the smallest first.
template <class Visit>
void for_each_member(const Bits& bits, Visit visit) {
  std::vector<std::uint64_t> words;
  bits.words(words);
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (; words[w] != 0; words[w] &= words[w] - 1)
      visit(w * 64 + static_cast<std::size_t>(std::countr_zero(words[w])));
  }
}

double points(const Box& box) {
  double out = 1;
  for (const Bits& side : box) out *= static_cast<double>(side.count());
  return out;
}

double common_points(Box a, const Box& b) {
  for (std::size_t side = 0; side < kSides; ++side) {
    a[side] &= b[side];
    if (a[side].none()) return 0;
  }
  return points(a);
}

std::vector<Box> common(const Region& region, const Box& with) {
  std::vector<Box> out;
  for (const Box& box : region.boxes()) {
    Box piece = box;
    bool some = true;
    for (std::size_t side = 0; side < kSides && some; ++side) {
      piece[side] &= with[side];
      some = !piece[side].none();
    }
    if (some) out.push_back(std::move(piece));
  }
  return out;
}

Box bounds_of(const std::vector<Box>& boxes) {
  Box out = boxes.front();
  for (const Box& box : boxes)
    for (std::size_t side = 0; side < kSides; ++side) out[side] |= box[side];
  return out;
}

// Disjoint boxes that differ on one side only are one.
void merge(std::vector<Box>& boxes) {
  const auto one = [](Box& a, const Box& b) {
    std::size_t differs = kSides;
    for (std::size_t side = 0; side < kSides; ++side) {
      if (a[side] == b[side]) continue;
      if (differs != kSides) return false;
      differs = side;
    }
    if (differs != kSides) a[differs] |= b[differs];
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t k = boxes.size() - 1; k > i; --k) {
        if (!one(boxes[i], boxes[k])) continue;
        boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(k));
        changed = true;
      }
    }
  }
}

// What a rule of the policy decides about a FlowSchema's requests of one user.
struct RulePiece {
  std::size_t user = 0;  // in RecordSpace::users()
  bool paths = false;
  std::vector<Box> boxes;
};

// All that a FlowSchema takes of a user's requests.
struct Taken {
  std::vector<Box> boxes;  // disjoint
  Box bounds;
};

// The same of all users, by rule; the number of rules stands for "no rule".
struct Decided {
  std::map<std::size_t, std::vector<RulePiece>> by_rule;
  std::map<std::pair<std::size_t, bool>, Taken> whole;  // by user and kind
  std::array<std::vector<std::size_t>, 2> users;        // of `whole`, sorted: of resources, of paths
};

class PolicyWalk {
 public:
  PolicyWalk(const Classifier& classifier, const AuditPolicy& policy)
      : classifier_(classifier), policy_(policy), space_(classifier, policy), decided_(classifier.schemas().size()) {
    for (const auto& schema : classifier_.schemas()) {
      for (const PolicyRule& rule : schema.object.rules)
        schema_rules_.push_back({space_.boxes_of(rule, false), space_.boxes_of(rule, true)});
    }
    file_rules();
    for (std::size_t user = 0; user < space_.users().size(); ++user) {
      const std::vector<std::size_t> rules = rules_of(space_.users()[user].user);
      for (const bool paths : {false, true}) walk(user, paths, rules);
    }
  }

  PolicyCoverage result() const {
    PolicyCoverage out;
    for (std::size_t i = 0; i < decided_.size(); ++i) {
      if (decided_[i].whole.empty()) continue;
      out.schemas.push_back(describe(i));
    }
    out.without_objects = without_objects_;
    return out;
  }

 private:
  bool is_written(std::size_t rule) const {
    return rule < policy_.rules.size() && policy_.rules[rule].level != AuditLevel::none;
  }
  bool writes(std::size_t rule, AuditStage stage) const {
    return is_written(rule) && !policy_.rules[rule].omit_stages.has(stage);
  }

  // Rules that name users by these, others by their groups.
  void file_rules() {
    for (std::size_t i = 0; i < policy_.rules.size(); ++i) {
      const AuditRule& rule = policy_.rules[i];
      policy_rules_.push_back({space_.boxes_of(rule, false), space_.boxes_of(rule, true)});
      for (const std::string& user : rule.users) by_user_[user].push_back(i);
      if (!rule.users.empty()) continue;
      for (const std::string& group : rule.user_groups) by_group_[group].push_back(i);
      if (rule.user_groups.empty()) for_all_.push_back(i);
    }
  }

  // Those of the policy that match the user, in their order.
  std::vector<std::size_t> rules_of(const User& user) const {
    std::vector<std::size_t> out = for_all_;
    const auto add = [&](const auto& filed, const std::string& name) {
      if (const auto at = filed.find(name); at != filed.end())
        out.insert(out.end(), at->second.begin(), at->second.end());
    };
    add(by_user_, user.name);
    for (const std::string& group : user.groups) add(by_group_, group);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    std::erase_if(out, [&](std::size_t i) {
      const std::vector<std::string>& wanted = policy_.rules[i].user_groups;
      return !wanted.empty() && std::none_of(user.groups.begin(), user.groups.end(), [&](const std::string& group) {
        return std::find(wanted.begin(), wanted.end(), group) != wanted.end();
      });
    });
    return out;
  }

  // Sends all requests of a user through the FlowSchemas, and those of each through the policy.
  void walk(std::size_t number, bool paths, const std::vector<std::size_t>& rules) {
    const User& user = space_.users()[number].user;
    std::vector<Box> taken;
    std::size_t place = 0;  // in schema_rules_
    for (std::size_t schema = 0; schema < decided_.size(); ++schema) {
      for (const PolicyRule& rule : classifier_.schemas()[schema].object.rules) {
        const std::vector<Box>& boxes = schema_rules_[place++][paths];
        if (std::none_of(rule.subjects.begin(), rule.subjects.end(),
                         [&](const Subject& subject) { return subject_matches(subject, user); }))
          continue;
        for (const Box& box : boxes) {
          Region left(box);
          for (const Box& earlier : taken) {
            left.take(earlier);
            if (left.empty() || left.boxes().size() > kMostBoxes) break;
          }
          taken.push_back(box);
          if (!left.empty()) decide(schema, number, paths, std::move(left), rules);
        }
      }
    }
  }

  void decide(std::size_t schema, std::size_t user, bool paths, Region left, const std::vector<std::size_t>& rules) {
    Decided& out = decided_[schema];
    Taken& whole = out.whole[{user, paths}];
    if (whole.boxes.empty()) out.users[paths].push_back(user);
    whole.boxes.insert(whole.boxes.end(), left.boxes().begin(), left.boxes().end());
    whole.bounds = bounds_of(whole.boxes);
    for (const std::size_t rule : rules) {
      if (left.empty()) return;
      for (const Box& box : policy_rules_[rule][paths]) {
        std::vector<Box> pieces = common(left, box);
        if (pieces.empty()) continue;
        left.take(box);
        add(out.by_rule[rule], user, paths, std::move(pieces));
        without_objects_ = without_objects_ || (!paths && policy_.rules[rule].level == AuditLevel::metadata);
        if (left.empty()) break;
      }
    }
    if (!left.empty()) add(out.by_rule[policy_.rules.size()], user, paths, left.boxes());
  }

  static void add(std::vector<RulePiece>& pieces, std::size_t user, bool paths, std::vector<Box> boxes) {
    if (pieces.empty() || pieces.back().user != user || pieces.back().paths != paths)
      pieces.push_back({user, paths, {}});
    auto& to = pieces.back().boxes;
    to.insert(to.end(), std::make_move_iterator(boxes.begin()), std::make_move_iterator(boxes.end()));
  }

  PolicySchema describe(std::size_t number) const {
    const Decided& decided = decided_[number];
    const Classifier::Schema& schema = classifier_.schemas()[number];
    PolicySchema out;
    out.name = schema.name;
    out.priority_level = classifier_.levels()[schema.level].name;
    bool some_written = false, some_not = false;
    for (const auto& [rule, pieces] : decided.by_rule) {
      (is_written(rule) ? some_written : some_not) = true;
      const std::vector<RequestSet> sets = sets_of(rule, pieces, decided);
      const auto append = [&](std::vector<RequestSet>& to) { to.insert(to.end(), sets.begin(), sets.end()); };
      append(is_written(rule) ? out.still : out.never);
      if (is_written(rule) && !writes(rule, AuditStage::response_complete)) append(out.without_end);
      if (is_written(rule) && !writes(rule, AuditStage::request_received) &&
          !writes(rule, AuditStage::response_started) && holds_watches(pieces))
        out.watches_without_start = true;
    }
    using Recorded = PolicySchema::Recorded;
    out.recorded = !some_not ? Recorded::all : some_written ? Recorded::part : Recorded::nothing;
    return out;
  }

  bool holds_watches(const std::vector<RulePiece>& pieces) const {
    const auto at = std::find(space_.verbs().begin(), space_.verbs().end(), "watch");
    const auto watch = static_cast<std::size_t>(at - space_.verbs().begin());
    return std::any_of(pieces.begin(), pieces.end(), [&](const RulePiece& piece) {
      return !piece.paths &&
             std::any_of(piece.boxes.begin(), piece.boxes.end(), [&](const Box& box) { return box[0].test(watch); });
    });
  }

  // Users of whom the rule decides the same are described together.
  std::vector<RequestSet> sets_of(std::size_t rule, const std::vector<RulePiece>& pieces,
                                  const Decided& decided) const {
    std::vector<RequestSet> out;
    std::vector<std::vector<std::size_t>> users;  // by set
    std::unordered_map<std::string, std::size_t> places;
    for (const RulePiece& piece : pieces) {
      for (RequestSet& set : sets_of(piece, decided.whole.at({piece.user, piece.paths}))) {
        if (rule < policy_.rules.size()) set.rule = rule;
        const auto [at, is_new] = places.try_emplace(key_of(set), out.size());
        if (is_new) {
          users.emplace_back();
          out.push_back(std::move(set));
        }
        std::vector<std::size_t>& of = users[at->second];
        if (of.empty() || of.back() != piece.user) of.push_back(piece.user);
      }
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i].users = users_in_words(users[i], decided.users[out[i].is_path]);
    return out;
  }

  // Of sets of one rule: equal ones have equal keys.
  static std::string key_of(const RequestSet& set) {
    std::string out = {set.is_path ? 'p' : 'r', set.some ? 's' : 'a'};
    for (const TextSet* texts : {&set.verbs, &set.groups, &set.namespaces, &set.resources, &set.paths}) {
      out += texts->others ? '\1' : '\2';
      for (const std::string& name : texts->names) (out += name) += '\0';
    }
    return out;
  }

  // Both sorted, `some` out of `all`.
  TextSet users_in_words(const std::vector<std::size_t>& some, const std::vector<std::size_t>& all) const {
    const auto others_in = [&](const std::vector<std::size_t>& users) {
      return std::count_if(users.begin(), users.end(), [&](std::size_t user) { return space_.users()[user].other; });
    };
    const std::size_t rest = all.size() - some.size();
    const bool shorter = rest < some.size();
    TextSet out{rest == 0 || (shorter && others_in(some) > 0 && others_in(some) == others_in(all)), {}};
    std::vector<std::size_t> named = some;
    if (out.others) {
      named.clear();
      std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(named));
    }
    for (const std::size_t user : named) out.names.push_back(space_.users()[user].label);
    return out;
  }

  std::vector<RequestSet> sets_of(const RulePiece& piece, const Taken& taken) const {
    const Box& whole = taken.bounds;
    const Box bounds = bounds_of(piece.boxes);
    double sum = 0, all = 0;
    for (const Box& box : piece.boxes) sum += points(box);
    for (const Box& box : taken.boxes) all += common_points(box, bounds);
    if (sum == all) return {set_of(bounds, whole, piece.paths)};
    std::vector<Box> boxes = piece.boxes;
    if (boxes.size() <= kMostMerged) merge(boxes);
    if (boxes.size() > kMostPieces) {
      RequestSet set = set_of(bounds, whole, piece.paths);
      set.some = true;
      return {set};
    }
    std::vector<RequestSet> out;
    for (const Box& box : boxes) out.push_back(set_of(box, whole, piece.paths));
    return out;
  }

  RequestSet set_of(const Box& box, const Box& whole, bool paths) const {
    RequestSet out;
    out.is_path = paths;
    out.verbs = texts_of(space_.verbs(), box[0], whole[0]);
    if (paths) {
      out.paths = texts_of(space_.paths(), box[1], whole[1]);
      for (std::string& path : out.paths.names)
        if (path.ends_with(space_.unnamed())) path.replace(path.size() - space_.unnamed().size(), path.npos, "*");
      drop_covered(out.paths.names);
      return out;
    }
    out.groups = texts_of(space_.groups(), box[1], whole[1]);
    out.resources = resources_of(box[2], whole[2]);
    out.namespaces = texts_of(space_.namespaces(), box[3], whole[3]);
    return out;
  }

  // "/api" and "/api/x" are in "/api*".
  static void drop_covered(std::vector<std::string>& paths) {
    std::erase_if(paths, [&](const std::string& path) {
      return std::any_of(paths.begin(), paths.end(), [&](const std::string& other) {
        return other != path && other.ends_with('*') && path.starts_with(other.substr(0, other.size() - 1));
      });
    });
  }

  // Those of `of` that are in `some`, or those that are not.
  static Bits named_in(const Bits& some, const Bits& of, bool others) {
    Bits out = of;
    if (others) out -= some;
    else out &= some;
    return out;
  }

  static TextSet texts_of(const std::vector<std::string>& texts, const Bits& some, const Bits& of) {
    if (some == of) return {};
    TextSet out{some.test(0), {}};
    for_each_member(named_in(some, of, out.others), [&](std::size_t i) {
      if (i > 0) out.names.push_back(texts[i]);
    });
    return out;
  }

  // "pods/*" where all subresources are meant, "*/status" where all resources are, "other/status" where those are that
  // nobody names, and "configmaps name" of some names.
  TextSet resources_of(const Bits& some, const Bits& of) const {
    if (some == of) return {};
    const auto& resources = space_.resources();
    TextSet out{some.test(0), {}};
    const Bits named = named_in(some, of, out.others);
    Bits left = named;
    take_whole_subresources(left, of, out.names);
    std::size_t next = 0;
    for_each_member(left, [&](std::size_t i) {
      if (i < next) return;
      std::size_t begin = i;  // the points of one resource stand together
      while (begin > 0 && resources[begin - 1].resource == resources[i].resource) --begin;
      next = i;
      while (next < resources.size() && resources[next].resource == resources[i].resource) ++next;
      add_resource(begin, next, named, left, of, out.names);
    });
    return out;
  }

  // "*/status" where that subresource of every resource is meant; what it covers needs no name of its own.
  void take_whole_subresources(Bits& left, const Bits& of, std::vector<std::string>& out) const {
    const auto& resources = space_.resources();
    bool some = false;
    for_each_member(left, [&](std::size_t i) { some = some || is_subresource(resources[i]); });
    if (!some) return;
    std::map<std::string, bool> whole;  // by subresource
    for (std::size_t i = 0; i < resources.size(); ++i) {
      if (!is_subresource(resources[i]) || !of.test(i)) continue;
      bool& is_whole = whole.try_emplace(resources[i].subresource, true).first->second;
      is_whole = is_whole && left.test(i);
    }
    for (const auto& [subresource, is_whole] : whole) {
      std::set<std::string> of_resources;
      for (std::size_t i = 0; is_whole && i < resources.size(); ++i)
        if (resources[i].subresource == subresource && of.test(i)) of_resources.insert(resources[i].resource);
      if (!of_resources.contains("")) continue;  // not of those that nobody names
      out.push_back("*/" + subresource);
      Bits said;
      fill(said, resources.size(),
           [&, &subresource = subresource](std::size_t i) { return resources[i].subresource == subresource; });
      left -= said;
    }
  }

  // `left`: those of the named ones that nothing says yet.
  void add_resource(std::size_t begin, std::size_t end, const Bits& named, const Bits& left, const Bits& of,
                    std::vector<std::string>& out) const {
    const auto is_named = [&](std::size_t i) { return left.test(i); };
    const auto& resources = space_.resources();
    const std::string resource = resources[begin].resource.empty() ? "other" : resources[begin].resource;
    bool all = true, some = false;
    for (std::size_t i = begin; i < end; ++i) {
      all = all && (named.test(i) || !of.test(i));
      some = some || is_named(i);
    }
    if (!some) return;
    if (all && end - begin > 1 && has_subresources(begin, end, of)) return out.push_back(resource + "/*");
    for (std::size_t i = begin; i < end;) {
      std::size_t next = i;
      bool whole = true;
      while (next < end && resources[next].subresource == resources[i].subresource) {
        whole = whole && (is_named(next) || !of.test(next));
        ++next;
      }
      const std::string& subresource = resources[i].subresource;
      const std::string path =
          subresource.empty() ? resource : resource + '/' + (subresource == "*" ? "…" : subresource);
      for (std::size_t k = i; k < next; ++k) {
        if (!is_named(k)) continue;
        out.push_back(whole || resources[k].name.empty() ? path : path + ' ' + resources[k].name);
        if (whole) break;
      }
      i = next;
    }
  }

  bool has_subresources(std::size_t begin, std::size_t end, const Bits& of) const {
    for (std::size_t i = begin; i < end; ++i)
      if (of.test(i) && !space_.resources()[i].subresource.empty()) return true;
    return false;
  }

  const Classifier& classifier_;
  const AuditPolicy& policy_;
  const RecordSpace space_;
  // What their rules match, of resources and of paths: those of all FlowSchemas one after the other.
  std::vector<std::array<std::vector<Box>, 2>> schema_rules_, policy_rules_;
  std::vector<std::size_t> for_all_;  // rules of the policy that name neither users nor groups
  std::unordered_map<std::string, std::vector<std::size_t>> by_user_, by_group_;
  std::vector<Decided> decided_;  // by FlowSchema
  bool without_objects_ = false;
};

}  // namespace

PolicyCoverage policy_coverage(const Config& config, const AuditPolicy& policy) {
  return PolicyWalk(Classifier(config), policy).result();
}

}  // namespace apf
