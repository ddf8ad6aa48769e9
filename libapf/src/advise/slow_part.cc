#include "advise/slow_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "advise/suspects.h"
#include "base/rfc3339.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

struct Ran {
  Nanos began = 0;
  std::uint32_t service = 0, flow = 0;
  double ns = 0, times = 0;  // times: as long as such requests run when all is calm
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The words of a kind of request: "patch deployments.apps/status".
struct Kind {
  explicit Kind(const std::string& all)
      : words(all),
        verb(all.substr(0, all.find(' '))),
        resource(all.substr(std::min(all.size(), verb.size() + 1))),
        is_write(verb == "create" || verb == "update" || verb == "patch" || verb.starts_with("delete")) {
    resource = resource.substr(0, resource.find('/'));
    if (const auto dot = resource.find('.'); dot != std::string::npos) group = resource.substr(dot);
  }

  std::string words, verb, resource, group;  // ".apps"
  bool is_write = false;
};

// A name of those kinds that tells them from the others.
class KindsName {
 public:
  KindsName(const std::vector<Kind>& kinds, const std::vector<std::size_t>& slow, const std::set<std::size_t>& seen)
      : kinds_(kinds), slow_(slow), seen_(seen) {}

  std::string words() const {
    const Kind& first = kinds_[slow_.front()];
    if (slow_.size() == 1) return first.words;
    if (slow_.size() == seen_.size()) return "requests of all kinds";
    if (are_all([&](const Kind& kind) { return kind.verb == first.verb; })) return first.verb;
    if (!first.resource.empty() && are_all([&](const Kind& kind) { return kind.resource == first.resource; }))
      return "requests for " + first.resource;
    if (!first.group.empty() && are_all([&](const Kind& kind) { return kind.group == first.group; }))
      return "requests for *" + first.group;
    if (const std::string writes = of_writes(); !writes.empty()) return writes;
    constexpr std::size_t kNamedKinds = 2;
    std::string out = first.words;
    for (std::size_t i = 1; i < slow_.size() && i < kNamedKinds; ++i)
      out += (slow_.size() == kNamedKinds ? " and " : ", ") + kinds_[slow_[i]].words;
    if (slow_.size() > kNamedKinds) out += " and " + std::to_string(slow_.size() - kNamedKinds) + " more kinds";
    return out;
  }

 private:
  // Whether the slow ones are those that are so.
  template <class IsOne>
  bool are_all(const IsOne& is_one) const {
    const auto of = [&](const auto& kinds) {
      return std::count_if(kinds.begin(), kinds.end(), [&](std::size_t kind) { return is_one(kinds_[kind]); });
    };
    return of(slow_) == static_cast<std::ptrdiff_t>(slow_.size()) && of(seen_) == of(slow_);
  }

  // Empty: reads were slow as well, or no more than a part of what writes.
  std::string of_writes() const {
    std::set<std::size_t> fast;
    for (const std::size_t kind : seen_)
      if (kinds_[kind].is_write) fast.insert(kind);
    const std::size_t all = fast.size();
    for (const std::size_t kind : slow_)
      if (fast.erase(kind) == 0) return {};
    if (3 * fast.size() > all) return {};
    if (fast.empty()) return "writes";
    const std::string& resource = kinds_[*fast.begin()].resource;
    const bool is_of_one =
        std::all_of(fast.begin(), fast.end(), [&](std::size_t kind) { return kinds_[kind].resource == resource; });
    return is_of_one ? "writes other than of " + resource : "most writes";
  }

  const std::vector<Kind>& kinds_;
  const std::vector<std::size_t>& slow_;
  const std::set<std::size_t>& seen_;
};

class SlowParts {
  static constexpr std::size_t kLeastRuns = 8, kLeastOfGroup = 2, kLeastSlow = 12, kLargest = 5;
  static constexpr double kCalm = 0.2;            // a quantile
  static constexpr double kSlow = 3, kUsual = 2;  // times
  static constexpr double kLeastTimes = 5;        // of kinds of requests
  static constexpr double kCalmWeight = -2;       // of a calm execution; that of a slow one is 1
  static constexpr double kLong = 3;              // as the median of the slow ones: it is slow by itself

 public:
  SlowParts(const PreparedLog& log, const ReplayOptions& options, const PreparedLog::Experiment& covers)
      : places_(log.places_of_flows(options)) {
    std::map<std::string, std::size_t> numbers;
    for (const auto& shape : log.shapes()) {
      const std::string words = request_words(*shape);
      const auto [at, is_new] = numbers.emplace(words, kinds_.size());
      if (is_new) kinds_.emplace_back(words);
      kind_of_.push_back(at->second);
    }
    each_request(log, covers, [&](const PreparedEvent& event) {
      if (event.watch || event.recorded_refusal || event.execution == kNoTime || event.execution <= 0) return;
      ran_.push_back({began(event), event.service, event.flow, static_cast<double>(event.execution), 0});
    });
    sort_stably(ran_, [](const Ran& a, const Ran& b) { return a.began < b.began; });
    hold_against_calm();
  }

  std::vector<SlowPart> find() const {
    std::vector<SlowPart> out;
    SlowPart all = part_of(ran_);
    if (is_of_most(all, ran_, [&](const Ran& one) { return std::string_view(places_[one.flow].priority_level); }) &&
        measure(all, ran_))
      out.push_back(std::move(all));
    // All that write, as a slow disk slows them; those of a verb; of a resource, as a server of its own does; of both,
    // as a webhook does. Each with what was slow at the same time.
    KnownKinds known;
    std::vector<std::pair<double, SlowPart>> found;
    const auto add = [&](const std::vector<Ran>& seed) {
      if (auto part = grown(part_of(seed), known)) found.push_back(std::move(*part));
    };
    add_seeds([](const Kind& kind) { return kind.is_write ? "write" : ""; }, add);
    add_seeds([](const Kind& kind) { return kind.verb; }, add);
    add_seeds([](const Kind& kind) { return kind.resource; }, add);
    add_seeds([](const Kind& kind) { return kind.words; }, add);
    sort_stably(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    found.resize(std::min(found.size(), kLargest));
    SlowPart together = found.empty() ? SlowPart() : found.front().second;
    for (auto& [work, part] : found) {
      if (!have_in_common(together, part)) take_with(together, part);
      out.push_back(std::move(part));
    }
    if (!together.others.empty()) out.push_back(std::move(together));
    return out;
  }

 private:
  static bool have_in_common(const SlowPart& parts, const SlowPart& part) {
    for (std::size_t flow = 0; flow < part.flows.size(); ++flow)
      if (part.flows[flow] && parts.flows[flow]) return true;
    return std::any_of(parts.others.begin(), parts.others.end(),
                       [&](const SlowPart& other) { return have_in_common(other, part); });
  }
  static void take_with(SlowPart& parts, const SlowPart& part) {
    parts.others.push_back(part);
    parts.request += " and " + part.request;
    parts.times = std::max(parts.times, part.times);
  }

  using KnownKinds = std::set<std::pair<bool, std::vector<std::size_t>>>;

  // The executions of each of the kinds that have the most work, by these names.
  template <class Name, class Add>
  void add_seeds(const Name& name, const Add& add) const {
    std::vector<std::string> names;
    for (const Kind& kind : kinds_) names.emplace_back(name(kind));
    std::map<std::string, double> work;
    for (const Ran& one : ran_) work[names[kind_of_[one.flow]]] += one.ns;
    work.erase("");
    std::vector<std::pair<std::string, double>> largest(work.begin(), work.end());
    sort_stably(largest, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t i = 0; i < largest.size() && i < kLargest; ++i)
      add(runs_of([&](const Ran& one) { return names[kind_of_[one.flow]] == largest[i].first; }));
  }
  template <class IsOne>
  std::vector<Ran> runs_of(const IsOne& is_one) const {
    std::vector<Ran> out;
    std::copy_if(ran_.begin(), ran_.end(), std::back_inserter(out), is_one);
    return out;
  }

  void hold_against_calm() {
    std::map<std::uint32_t, std::vector<double>> of_service;
    for (const Ran& one : ran_) of_service[one.service].push_back(one.ns);
    std::map<std::uint32_t, double> calm;
    for (auto& [service, times] : of_service) {
      if (times.size() < kLeastRuns) continue;
      std::sort(times.begin(), times.end());
      const double low = times[static_cast<std::size_t>(kCalm * static_cast<double>(times.size()))];
      calm[service] = std::min(kUsual * low, times[times.size() / 2]);
    }
    std::erase_if(ran_, [&](const Ran& one) { return !calm.contains(one.service); });
    for (Ran& one : ran_) one.times = one.ns / calm[one.service];
  }

  // The stretches of executions, in order of their begin, in which slow ones outweigh the calm ones most.
  static SlowPart part_of(const std::vector<Ran>& ran) {
    SlowPart out;
    for (std::size_t i = 0; i < ran.size();) {
      double sum = 0, most = 0;
      const std::size_t begin = i;
      std::size_t end = i + 1;
      for (; i < ran.size() && (sum > 0 || i == begin); ++i) {
        sum += ran[i].times >= kSlow ? 1 : kCalmWeight;
        if (sum > most) most = sum, end = i + 1;
      }
      if (most < static_cast<double>(kLeastSlow)) continue;
      out.stretches.push_back(stretch_of(ran, begin, end));
      i = end;  // what comes after the most of it may be a stretch of its own
    }
    return out;
  }
  static SlowPart::Stretch stretch_of(const std::vector<Ran>& ran, std::size_t begin, std::size_t end) {
    SlowPart::Stretch out;
    out.from = ran[begin].began, out.last = ran[end - 1].began;
    std::vector<double> slow_ns;
    for (std::size_t i = begin; i < end; ++i)
      if (ran[i].times >= kSlow) slow_ns.push_back(ran[i].ns);
    const double longest = kLong * median(slow_ns);
    for (std::size_t i = begin; i < end; ++i)
      if (ran[i].times >= kSlow && ran[i].ns <= longest)
        out.to = std::max(out.to, ran[i].began + static_cast<Nanos>(ran[i].ns));
    return out;
  }

  // How many times as long executions took; false: they took as long at most times.
  static bool measure(SlowPart& part, const std::vector<Ran>& ran) {
    std::vector<double> within, outside;
    std::map<std::uint32_t, std::vector<double>> calm;
    std::map<std::pair<const SlowPart::Stretch*, std::uint32_t>, std::vector<double>> slow;
    for (const Ran& one : ran) {
      const SlowPart::Stretch* const at = part.at(one.began);
      (at ? within : outside).push_back(one.times);
      (at ? slow[{at, one.service}] : calm[one.service]).push_back(one.ns);
    }
    if (within.empty() || outside.empty() || median(outside) > kUsual) return false;
    part.times = median(within) / median(outside);
    for (SlowPart::Stretch& stretch : part.stretches)
      for (const auto& [service, times] : calm)
        if (const auto found = slow.find({&stretch, service}); found != slow.end())
          stretch.times_of[service] = std::max(1.0, median(found->second) / median(times));
    return true;
  }

  // Leaves those stretches in which two thirds of the levels, or of the users, were slow, and not so at other times;
  // else it is what some of them ask for that takes long. False: none.
  template <class Name>
  static bool is_of_most(SlowPart& part, const std::vector<Ran>& ran, const Name& name) {
    using Times = std::map<std::string_view, std::vector<double>>;
    Times calm;
    std::map<const SlowPart::Stretch*, Times> slow;
    for (const Ran& one : ran) {
      const SlowPart::Stretch* const at = part.at(one.began);
      (at ? slow[at] : calm)[name(one)].push_back(one.times);
    }
    std::map<std::string_view, double> usual;
    for (const auto& [group, times] : calm) usual[group] = median(times);
    std::vector<SlowPart::Stretch> left;
    for (const SlowPart::Stretch& stretch : part.stretches) {
      std::size_t slowed = 0, seen = 0;
      for (const auto& [group, times] : slow[&stretch]) {
        const auto known = usual.find(group);
        if (times.size() < kLeastOfGroup || known == usual.end()) continue;
        ++seen, slowed += median(times) >= kUsual && known->second < kUsual;
      }
      if (seen >= 2 && 3 * slowed >= 2 * seen) left.push_back(stretch);
    }
    part.stretches = std::move(left);
    return !part.stretches.empty();
  }

  // How a kind of request fared within a part, and at other times.
  struct OfKind {
    std::map<std::string_view, std::vector<double>> users;  // times within
    std::vector<double> within, outside;                    // times
    double work = 0;                                        // ns, within

    bool is_seen() const { return within.size() >= kLeastOfGroup && !outside.empty(); }
    bool is_slow() const { return is_seen() && median(within) >= kSlow && median(outside) < kUsual; }
    // It was slow for most of several users, so that it is not what one of them asks for.
    bool is_of_users() const {
      std::size_t slowed = 0, seen = 0;
      for (const auto& [user, times] : users)
        if (times.size() >= kLeastOfGroup) ++seen, slowed += median(times) >= kUsual;
      return seen >= 2 && 3 * slowed >= 2 * seen;
    }
  };
  std::vector<OfKind> kinds_in(const SlowPart& part) const {
    std::vector<OfKind> out(kinds_.size());
    for (const Ran& one : ran_) {
      OfKind& kind = out[kind_of_[one.flow]];
      const bool within = part.at(one.began) != nullptr;
      (within ? kind.within : kind.outside).push_back(one.times);
      if (within) kind.work += one.ns, kind.users[user(one)].push_back(one.times);
    }
    return out;
  }
  std::vector<Ran> runs_of_kinds(const std::vector<std::size_t>& kinds) const {
    std::vector<bool> taken(kinds_.size());
    for (const std::size_t kind : kinds) taken[kind] = true;
    return runs_of([&](const Ran& one) { return taken[kind_of_[one.flow]]; });
  }

  // All that was slow at the times of a part, and its work; nothing if it is known, or what one user asks for.
  std::optional<std::pair<double, SlowPart>> grown(SlowPart part, KnownKinds& known) const {
    if (part.stretches.empty()) return std::nullopt;
    std::vector<std::size_t> slow;
    for (const bool is_last : {false, true}) {
      const std::vector<OfKind> kinds = kinds_in(part);
      slow.clear();
      std::set<std::size_t> seen;
      double of_users = 0, work = 0;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i].is_seen()) seen.insert(i);
        const bool is_of_users = kinds[i].is_slow() && kinds[i].is_of_users();
        if (!is_of_users && !(is_last && kinds[i].is_slow())) continue;
        slow.push_back(i);
        work += kinds[i].work, of_users += is_of_users ? kinds[i].work : 0;
      }
      if (slow.empty() || 2 * of_users < work || !known.emplace(is_last, slow).second) return std::nullopt;
      const std::vector<Ran> ran = runs_of_kinds(slow);
      part = part_of(ran);
      if (!is_of_most(part, ran, [&](const Ran& one) { return user(one); })) return std::nullopt;
      if (!is_last) continue;
      if (!measure(part, ran) || part.times < kLeastTimes) return std::nullopt;
      part.flows.resize(kind_of_.size());
      for (std::size_t flow = 0; flow < kind_of_.size(); ++flow)
        part.flows[flow] = std::binary_search(slow.begin(), slow.end(), kind_of_[flow]);
      sort_stably(slow, [&](std::size_t a, std::size_t b) { return kinds[a].work > kinds[b].work; });
      part.request = KindsName(kinds_, slow, seen).words();
      return std::pair(work, std::move(part));
    }
    return std::nullopt;
  }

  std::string_view user(const Ran& one) const { return places_[one.flow].user; }

  const std::vector<PreparedLog::FlowPlace> places_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;  // by flow
  std::vector<Ran> ran_;
};

}  // namespace

const SlowPart::Stretch* SlowPart::at(Nanos began) const {
  const auto next = std::upper_bound(stretches.begin(), stretches.end(), began,
                                     [](Nanos time, const Stretch& stretch) { return time < stretch.from; });
  return next != stretches.begin() && began <= std::prev(next)->last ? &*std::prev(next) : nullptr;
}

std::vector<SlowPart::Stretch> SlowPart::all_stretches() const {
  std::vector<Stretch> out = stretches;
  for (const SlowPart& other : others) out.insert(out.end(), other.stretches.begin(), other.stretches.end());
  sort_stably(out, [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
  return out;
}

double SlowPart::times_of(const PreparedEvent& event) const {
  double out = 1;
  for (const SlowPart& other : others) out = std::max(out, other.times_of(event));
  const Stretch* const stretch = at(began(event));
  if (!stretch || (!flows.empty() && !flows[event.flow])) return out;
  const auto known = stretch->times_of.find(event.service);
  return known != stretch->times_of.end() ? known->second : flows.empty() ? times : out;
}

Nanos began(const PreparedEvent& event) {
  if (event.queue_wait != kNoTime) return event.received + event.queue_wait;
  if (event.recorded_refusal || event.stage_time == kNoTime || event.execution == kNoTime) return event.received;
  return std::max(event.received, event.stage_time - event.execution);
}

std::string times_again(const std::vector<SlowPart::Stretch>& stretches) {
  constexpr std::size_t kSaid = 4;
  std::string out;
  for (std::size_t i = 1; i < stretches.size() && i <= kSaid; ++i)
    out += fmt::format("{} {} to {}", i == 1 ? "again from" : ", from", clock_of(stretches[i].from),
                       clock_of(stretches[i].to));
  if (stretches.size() > kSaid + 1) out += fmt::format(" and {} more times", stretches.size() - kSaid - 1);
  return out;
}

std::vector<SlowPart> find_slow_parts(const PreparedLog& log, const ReplayOptions& options,
                                      const PreparedLog::Experiment& covers) {
  return SlowParts(log, options, covers).find();
}

}  // namespace apf
