#include "advise/slow_part.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>

#include "advise/suspects.h"
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

class SlowParts {
  static constexpr std::size_t kLeastRuns = 8, kLeastOfGroup = 2, kLeastSlow = 12, kLargest = 5;
  static constexpr double kCalm = 0.2;            // a quantile
  static constexpr double kSlow = 3, kUsual = 2;  // times
  static constexpr double kCalmWeight = -2;       // of a calm execution; that of a slow one is 1
  static constexpr double kLong = 3;              // as the median of the slow ones: it is slow by itself

 public:
  SlowParts(const PreparedLog& log, const ReplayOptions& options, const PreparedLog::Experiment& covers)
      : places_(log.places_of_flows(options)) {
    for (const auto& shape : log.shapes()) words_.push_back(request_words(*shape));
    each_request(log, covers, [&](const PreparedEvent& event) {
      if (event.watch || event.recorded_refusal || event.execution == kNoTime || event.execution <= 0) return;
      ran_.push_back({began(event), event.service, event.flow, static_cast<double>(event.execution), 0});
    });
    sort_stably(ran_, [](const Ran& a, const Ran& b) { return a.began < b.began; });
    hold_against_calm();
  }

  std::vector<SlowPart> find() const {
    std::vector<SlowPart> out;
    if (auto part = part_of(ran_); part && is_of_most(*part, ran_, [&](const Ran& one) { return level(one); }))
      out.push_back(std::move(*part));
    // All that write, as a slow disk slows them; those of a verb; of a verb and a resource, as a webhook does.
    const std::function<std::string(const std::string&)> kinds_of[] = {
        [](const std::string& words) { return is_write(words) ? "write" : ""; },
        [](const std::string& words) { return words.substr(0, words.find(' ')); },
        [](const std::string& words) { return words; }};
    for (const auto& kind_of : kinds_of) {
      const auto kinds = by_kind(kind_of);
      std::vector<std::pair<double, const std::string*>> largest;
      for (const auto& [name, ran] : kinds) {
        double work = 0;
        for (const Ran& one : ran) work += one.ns;
        if (!name.empty()) largest.emplace_back(work, &name);
      }
      sort_stably(largest, [](const auto& a, const auto& b) { return a.first > b.first; });
      for (std::size_t i = 0; i < largest.size() && i < kLargest; ++i) {
        const std::vector<Ran>& ran = kinds.at(*largest[i].second);
        auto part = part_of(ran);
        if (!part || !is_of_most(*part, ran, [&](const Ran& one) { return user(one); })) continue;
        const bool is_wide = &kind_of != std::end(kinds_of) - 1;
        if (is_wide && !is_of_most(*part, ran, [&](const Ran& one) { return words_[one.flow]; })) continue;
        part->request = *largest[i].second;
        out.push_back(std::move(*part));
      }
    }
    return out;
  }

 private:
  static bool is_write(std::string_view words) {
    constexpr std::string_view kVerbs[] = {"create ", "update ", "patch ", "delete ", "deletecollection "};
    return std::any_of(std::begin(kVerbs), std::end(kVerbs), [&](auto verb) { return words.starts_with(verb); });
  }
  template <class Name>
  std::map<std::string, std::vector<Ran>> by_kind(const Name& name) const {
    std::vector<std::string> names;
    for (const std::string& words : words_) names.emplace_back(name(words));
    std::map<std::string, std::vector<Ran>> out;
    for (const Ran& one : ran_) out[names[one.flow]].push_back(one);
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

  // The stretch of executions, in order of their begin, in which slow ones outweigh the calm ones most.
  static std::optional<SlowPart> part_of(const std::vector<Ran>& ran) {
    double sum = 0, most = 0;
    std::size_t from = 0, begin = 0, end = 0;
    for (std::size_t i = 0; i < ran.size(); ++i) {
      if (sum <= 0) sum = 0, from = i;
      sum += ran[i].times >= kSlow ? 1 : kCalmWeight;
      if (sum > most) most = sum, begin = from, end = i + 1;
    }
    if (most < static_cast<double>(kLeastSlow)) return std::nullopt;
    SlowPart out;
    out.from = ran[begin].began, out.last = ran[end - 1].began;
    std::vector<double> slow_ns;
    for (std::size_t i = begin; i < end; ++i)
      if (ran[i].times >= kSlow) slow_ns.push_back(ran[i].ns);
    const double longest = kLong * median(slow_ns);
    for (std::size_t i = begin; i < end; ++i)
      if (ran[i].times >= kSlow && ran[i].ns <= longest)
        out.to = std::max(out.to, ran[i].began + static_cast<Nanos>(ran[i].ns));
    std::vector<double> within, outside;
    std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>> services;  // outside, within
    for (const Ran& one : ran) {
      const bool slow = out.holds(one.began);
      (slow ? within : outside).push_back(one.times);
      (slow ? services[one.service].second : services[one.service].first).push_back(one.ns);
    }
    if (outside.empty() || median(outside) > kUsual) return std::nullopt;
    out.times = median(within) / median(outside);
    for (const auto& [service, times] : services)
      if (!times.first.empty() && !times.second.empty())
        out.times_of[service] = std::max(1.0, median(times.second) / median(times.first));
    return out;
  }

  // Whether two thirds of the levels, or of the users, were slow, and not so at other times; else it is what some of
  // them ask for that takes long.
  template <class Name>
  static bool is_of_most(const SlowPart& part, const std::vector<Ran>& ran, const Name& name) {
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> groups;  // within, outside
    for (const Ran& one : ran) {
      auto& [within, outside] = groups[name(one)];
      (part.holds(one.began) ? within : outside).push_back(one.times);
    }
    std::size_t slow = 0, seen = 0;
    for (const auto& [group, times] : groups) {
      if (times.first.size() < kLeastOfGroup || times.second.empty()) continue;
      ++seen, slow += median(times.first) >= kUsual && median(times.second) < kUsual;
    }
    return seen >= 2 && 3 * slow >= 2 * seen;
  }
  const std::string& level(const Ran& one) const { return places_[one.flow].priority_level; }
  const std::string& user(const Ran& one) const { return places_[one.flow].user; }

  const std::vector<PreparedLog::FlowPlace> places_;
  std::vector<std::string> words_;  // by flow
  std::vector<Ran> ran_;
};

}  // namespace

Nanos began(const PreparedEvent& event) {
  if (event.queue_wait != kNoTime) return event.received + event.queue_wait;
  if (event.recorded_refusal || event.stage_time == kNoTime || event.execution == kNoTime) return event.received;
  return std::max(event.received, event.stage_time - event.execution);
}

std::vector<SlowPart> find_slow_parts(const PreparedLog& log, const ReplayOptions& options,
                                      const PreparedLog::Experiment& covers) {
  return SlowParts(log, options, covers).find();
}

}  // namespace apf
