// APF714: what the LimitRanges of one namespace ask of the same Pod, container or claim, and nothing can have.
#include <set>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "lint/namespace_limits.h"

namespace apf {

namespace {

using Item = LimitRange::Item;
using List = ResourceList Item::*;

constexpr std::string_view kContainer = "Container", kPod = "Pod", kClaim = "PersistentVolumeClaim";

// An amount in a LimitRange.
struct Bound {
  const LimitRange* range = nullptr;
  std::size_t item = 0;
  const Quantity* amount = nullptr;
};

std::string field_of(const Bound& bound, std::string_view list, std::string_view name) {
  return fmt::format("spec.limits[{}].{}[{}]", bound.item, list, name);
}

std::string kind_of(std::string_view type) { return type == kContainer ? "container" : type == kPod ? "Pod" : "claim"; }

// "max 2 of type Pod", "max 2 of LimitRange "b"".
std::string in_words(const Bound& bound, std::string_view list, const LimitRange& here) {
  if (bound.range != &here)
    return fmt::format("{} {} of LimitRange \"{}\"", list, bound.amount->str(), bound.range->meta.name);
  return fmt::format("{} {} of type {}", list, bound.amount->str(), here.items[bound.item].type);
}

class Conflicts {
 public:
  Conflicts(const NamespaceLimits& limits, Findings& findings) : limits_(limits), findings_(findings) {}

  void find() {
    std::set<std::string> names;
    for (const StoredRange& stored : limits_.ranges)
      for (const Item& item : stored.items)
        for (const ResourceList* list : {&item.min, &item.max, &item.limit, &item.request, &item.ratio})
          for (const auto& [name, amount] : *list) names.insert(name);
    for (const std::string& name : names) {
      check_bounds(name, kContainer, kContainer);
      check_bounds(name, kPod, kPod);
      check_bounds(name, kClaim, kClaim);
      check_bounds(name, kContainer, kPod);
      check_two_defaults(name);
      check_ratio(name);
      check_pod(name);
    }
  }

 private:
  // The largest, or the smallest, amount of the list among items of the type.
  Bound extreme(std::string_view type, List list, const std::string& name, bool largest) const {
    Bound found;
    for (const StoredRange& stored : limits_.ranges) {
      for (std::size_t i = 0; i < stored.items.size(); ++i) {
        const Quantity* amount = stored.items[i].type == type ? amount_in(stored.items[i].*list, name) : nullptr;
        if (amount && (!found.range || (largest ? *found.amount < *amount : *amount < *found.amount)))
          found = {stored.range, i, amount};
      }
    }
    return found;
  }

  Diagnostic& add(const Bound& at, std::string_view list, const std::string& name, std::string message) {
    return findings_.add(at.range->meta, "LimitRange", field_of(at, list, name), std::move(message));
  }

  // Each object of the inner type needs more than the outer one may have.
  void check_bounds(const std::string& name, std::string_view inner, std::string_view outer) {
    const Bound least = extreme(inner, &Item::min, name, true), most = extreme(outer, &Item::max, name, false);
    if (!least.range || !most.range || *least.amount <= *most.amount) return;
    if (least.range == most.range && least.item == most.item) return;  // the server refuses it
    Diagnostic& d = add(
        least, "min", name,
        fmt::format("no {} is admitted: each {} needs at least {} of {} here, and {} allows no more", kind_of(outer),
                    kind_of(inner), least.amount->str(), name, in_words(most, "max", *least.range)));
    d.notes.push_back(note_at(most.range->meta, field_of(most, "max", name), "the max is here"));
    d.notes.push_back(smallest_change(
        fmt::format("min {}: {} here, or max {}: {} there", name, most.amount->str(), name, least.amount->str())));
  }

  // The list in which a default is written: it may follow from another one.
  static std::string_view written_in(const Bound& bound, bool limit, const std::string& name) {
    const Item& item = bound.range->items[bound.item];
    if (!limit && amount_in(item.request, name)) return "defaultRequest";
    return amount_in(item.limit, name) ? "default" : amount_in(item.max, name) ? "max" : "min";
  }

  // Which of two the server asks first is not certain, and the first gives the default.
  void check_two_defaults(const std::string& name) {
    for (const bool limit : {true, false}) {
      const List list = limit ? &Item::limit : &Item::request;
      const Bound low = extreme(kContainer, list, name, false), high = extreme(kContainer, list, name, true);
      if (!low.range || *low.amount == *high.amount) continue;
      const Bound most = extreme(kContainer, &Item::max, name, false);
      const bool refused = most.range && *most.amount < *high.amount;
      Diagnostic& d = add(
          high, written_in(high, limit, name), name,
          fmt::format("a container that says nothing of {} gets a {} of {} by this or of {} by LimitRange \"{}\", "
                      "as it happens{}",
                      name, limit ? "limit" : "request", high.amount->str(), low.amount->str(), low.range->meta.name,
                      refused ? fmt::format(": with {} its Pod is refused, since {} allows no more", high.amount->str(),
                                            in_words(most, "max", *high.range))
                              : ""));
      d.notes.push_back(
          {"the server asks the LimitRanges of a namespace in no certain order; the first gives the "
           "default",
           {}});
      d.notes.push_back(
          note_at(low.range->meta, field_of(low, written_in(low, limit, name), name), "the other is here"));
      d.notes.push_back(smallest_change(
          fmt::format("{} {}: {} here", limit ? "default" : "defaultRequest", name, low.amount->str())));
      return;
    }
  }

  bool have_one_default(List list, const std::string& name) const {
    const Bound low = extreme(kContainer, list, name, false), high = extreme(kContainer, list, name, true);
    return low.range && *low.amount == *high.amount;
  }

  // Defaults whose ratio the ratio of the same namespace refuses.
  void check_ratio(const std::string& name) {
    const Bound ratio = extreme(kContainer, &Item::ratio, name, false);
    if (!ratio.range || !have_one_default(&Item::limit, name) || !have_one_default(&Item::request, name)) return;
    const Bound limit = extreme(kContainer, &Item::limit, name, false);
    const Bound request = extreme(kContainer, &Item::request, name, false);
    const auto number = [](const Quantity& q) { return static_cast<double>(q.milli_value()); };
    if (request.amount->is_zero() || number(*limit.amount) * 1000 <= number(*ratio.amount) * number(*request.amount))
      return;
    Diagnostic& d = add(ratio, "maxLimitRequestRatio", name,
                        fmt::format("a container that says nothing of {} is refused: its default limit of {} is more "
                                    "than {} times its default request of {}",
                                    name, limit.amount->str(), ratio.amount->str(), request.amount->str()));
    d.notes.push_back(
        note_at(limit.range->meta, field_of(limit, written_in(limit, true, name), name), "the limit is here"));
    d.notes.push_back(
        note_at(request.range->meta, field_of(request, written_in(request, false, name), name), "the request is here"));
    d.notes.push_back(smallest_change(
        fmt::format("a defaultRequest of {} of at least a part in {} of the limit", name, ratio.amount->str())));
  }

  // What type Pod asks of a Pod whose containers leave it to the defaults.
  void check_pod(const std::string& name) {
    const Bound most = extreme(kPod, &Item::max, name, false), least = extreme(kPod, &Item::min, name, true);
    const Bound limit = extreme(kContainer, &Item::limit, name, false);
    const Bound request = extreme(kContainer, &Item::request, name, false);
    if (most.range && limit.range && *limit.amount > *most.amount) {
      Diagnostic& d = add(limit, written_in(limit, true, name), name,
                          fmt::format("a Pod whose container says nothing of {} is refused: it gets a limit of {}, and "
                                      "{} allows no more",
                                      name, limit.amount->str(), in_words(most, "max", *limit.range)));
      d.notes.push_back(note_at(most.range->meta, field_of(most, "max", name), "the max is here"));
      d.notes.push_back(smallest_change(fmt::format("default {}: {}", name, most.amount->str())));
    }
    if (least.range && request.range && have_one_default(&Item::request, name) && *request.amount < *least.amount) {
      Diagnostic& d = add(request, written_in(request, false, name), name,
                          fmt::format("a Pod of one container that says nothing of {} is refused: it requests {}, and "
                                      "{} demands more",
                                      name, request.amount->str(), in_words(least, "min", *request.range)));
      d.notes.push_back(note_at(least.range->meta, field_of(least, "min", name), "the min is here"));
      d.notes.push_back(smallest_change(fmt::format("defaultRequest {}: {}", name, least.amount->str())));
    }
    if (most.range && !limit.range && has_containers()) demand(most, "max", "limit", "default", name);
    if (least.range && !request.range && has_containers()) demand(least, "min", "request", "defaultRequest", name);
  }

  bool has_containers() const {
    for (const StoredRange& stored : limits_.ranges)
      for (const Item& item : stored.items)
        if (item.type == kContainer && (!item.limit.empty() || !item.request.empty())) return true;
    return false;
  }

  void demand(const Bound& bound, std::string_view list, std::string_view part, std::string_view cure,
              const std::string& name) {
    Diagnostic& d = add(bound, list, name,
                        fmt::format("the {} of type Pod demands a {} of {} of every Pod, and the defaults of the "
                                    "namespace give none: a Pod that says nothing of it is refused",
                                    list, part, name));
    d.severity = Severity::info;
    d.notes.push_back(smallest_change(fmt::format("a {} of {} of type Container", cure, name)));
  }

  const NamespaceLimits& limits_;
  Findings& findings_;
};

void check_conflicting_limit_ranges(const LintContext& context, Findings& findings) {
  for (const NamespaceLimits& limits : namespaces_of(context.loaded)) Conflicts(limits, findings).find();
}

}  // namespace

extern const Rule rule_conflicting_limit_ranges = {
    .code = "APF714",
    .name = "conflicting-limit-ranges",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "LimitRanges of a namespace contradict each other or their own defaults",
    .what = R"(In the LimitRanges of one namespace, or the items of one: a min is above a max, also that of a container
above that of a Pod; defaults of containers are outside of what type Pod allows, or further apart than
maxLimitRequestRatio; two LimitRanges give different defaults. A min or max of type Pod without any default is an info,
if the LimitRanges have defaults of other resources.)",
    .why = R"(A Pod must satisfy all LimitRanges of its namespace, for each container and as a whole. The server checks
a default against min and max of its own item only. It asks LimitRanges in no certain order, and the first one with a
default gives it: two defaults make Pods differ by chance.)",
    .example = R"(apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: team-a}
spec:
  limits:
  - {type: Pod, max: {memory: 1Gi}}
  - {type: Container, default: {memory: 2Gi}}
)",
    .instead = R"(spec:
  limits:
  - {type: Pod, max: {memory: 1Gi}}
  - {type: Container, default: {memory: 512Mi}}
)",
    .check = check_conflicting_limit_ranges,
};

}  // namespace apf
