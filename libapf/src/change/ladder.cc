// apf::make_ladder() and apf::place_on_ladder().
#include <apf/change.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "change/place_names.h"
#include "lint/reach/box_text.h"
#include "lint/reach/cover.h"
#include "lint/reach/decision_list.h"
#include "lint/reach/reach.h"

namespace apf {

namespace {

// The server refuses numbers outside of these for objects that are not its own.
constexpr std::int32_t kLeast = 2, kMost = 10000;

bool is_general(const std::string& name) {
  constexpr std::array kGeneral = {"service-accounts", "global-default", "catch-all"};
  return std::find(kGeneral.begin(), kGeneral.end(), name) != kGeneral.end();
}

// Whom the rules name, whatever they say of requests.
std::string who_is_named(const RequestSpace& space, std::vector<RequestBox> boxes) {
  for (RequestBox& box : boxes) {
    const RequestBox whole = space.whole(false);
    box.is_url = false;
    box.sides = whole.sides;
  }
  std::string out;
  for (const RequestBox& box : plainest_cover(space, std::move(boxes))) {
    const std::string who = who_of(space, box);
    out += (out.empty() ? "" : ", ") + who;
  }
  return out.empty() ? "nobody" : out;
}

// Numbers before and after all others.
constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min(),
                       kEnd = std::numeric_limits<std::int32_t>::max();

// What is free between two numbers, both left out.
std::optional<LadderGap> between(std::int32_t after, std::int32_t before) {
  const std::int32_t first = std::max(kLeast, after == kNone ? kLeast : after + 1);
  const std::int32_t last = std::min(kMost, before == kEnd ? kMost : before - 1);
  if (first > last) return std::nullopt;
  return LadderGap{first, last};
}

// Whoever is in a group of the new FlowSchema and in one of another may be taken from that.
void look_at_pairs(const FlowSchema& schema, const std::vector<const FlowSchema*>& others, RequestSpace& space) {
  if (!space.users().one_group_each()) return;
  const std::set<std::string> groups = own_groups(schema);
  for (const FlowSchema* other : others) {
    for (const std::string& theirs : own_groups(*other))
      for (const std::string& group : groups) space.look_at_both(group, theirs);
  }
}

Config without(const Config& config, const std::string& name) {
  Config out = config;
  std::erase_if(out.flow_schemas, [&](const FlowSchema& schema) { return schema.meta.name == name; });
  return out;
}

}  // namespace

Ladder make_ladder(const Config& config) {
  const ConsultedSchemas schemas(config);
  const std::vector<const FlowSchema*> objects = schemas.objects();
  const RequestSpace space(objects);
  const Reach reach(objects);
  Ladder out;
  for (std::uint32_t i = 0; i < schemas.size(); ++i) {
    LadderStep& step = out.steps.emplace_back();
    step.matching_precedence = objects[i]->matching_precedence;
    step.flow_schema = schemas.name(i);
    step.priority_level = schemas.level_name(i);
    step.tied = i > 0 && objects[i - 1]->matching_precedence == step.matching_precedence;
    step.reached = reach.of(i).reached;
    step.who = who_is_named(space, space.boxes_of(*objects[i]));
  }
  return out;
}

LadderPlace place_on_ladder(const Config& config, const FlowSchema& schema, const std::string& flags) {
  const ConsultedSchemas schemas(without(config, schema.meta.name));
  std::vector<const FlowSchema*> objects = schemas.objects();
  objects.push_back(&schema);
  RequestSpace space(objects);
  objects.pop_back();
  look_at_pairs(schema, objects, space);
  const DecisionList list(space, objects);
  std::vector<std::vector<RequestBox>> taken(schemas.size());
  for (const RequestBox& box : space.boxes_of(schema)) {
    list.distribute({box}, box, [&](std::uint32_t taker, RequestBox part) {
      taken[taker == list.fallback() ? schemas.catch_all() : taker].push_back(std::move(part));
    });
  }
  LadderPlace out;
  out.flow_schema = schema.meta.name;
  // Numbers: of the first that takes anything, of the last that is not general, of the first general one after it.
  std::int32_t before_first = kEnd, after_own = kNone, before_general = kEnd;
  for (std::uint32_t i = 0; i < schemas.size(); ++i) {
    if (taken[i].empty()) continue;
    LadderLoss& loss = out.losses.emplace_back();
    loss.matching_precedence = objects[i]->matching_precedence;
    loss.flow_schema = schemas.name(i);
    loss.priority_level = schemas.level_name(i);
    loss.general = is_general(loss.flow_schema);
    for (const RequestBox& box : plainest_cover(space, std::move(taken[i]))) {
      loss.requests.push_back(words_of(space, box));
      if (!loss.command.empty()) continue;
      if (const std::optional<Witness> witness = witness_in(space, box, flags)) loss.command = witness->command;
    }
    before_first = std::min(before_first, loss.matching_precedence);
    if (!loss.general) {
      after_own = loss.matching_precedence;
      before_general = kEnd;
    } else {
      before_general = std::min(before_general, loss.matching_precedence);
    }
  }
  out.for_all = between(kNone, before_first);
  if (before_general != kEnd) out.without_harm = between(after_own, before_general);
  return out;
}

LadderPlace place_on_ladder(const Config& config, const RequestInfo& request, const User& user,
                            const std::string& words, const std::string& flags) {
  const Classifier classifier(config);
  const Classifier::Schema& taker = classifier.schemas()[classifier.match(request, user).schema];
  LadderPlace out;
  out.flow_schema = words;
  out.losses.push_back({taker.matching_precedence,
                        taker.name,
                        classifier.levels()[taker.level].name,
                        is_general(taker.name),
                        {words},
                        "apfctl explain " + words + flags});
  out.for_all = between(kNone, taker.matching_precedence);
  if (out.losses.front().general) out.without_harm = out.for_all;
  return out;
}

}  // namespace apf
