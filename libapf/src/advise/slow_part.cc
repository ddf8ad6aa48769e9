#include "advise/slow_part.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "advise/suspects.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

struct Ran {
  Nanos at = 0;
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
  static constexpr std::size_t kBins = 60, kLeastRuns = 8, kLeastInBin = 3, kLeastBins = 3, kLargest = 5;
  static constexpr double kCalm = 0.2, kSlow = 3, kUsual = 2;  // a quantile, times, times

 public:
  SlowParts(const PreparedLog& log, const ReplayOptions& options, const PreparedLog::Experiment& covers)
      : log_(log), places_(log.places_of_flows(options)) {
    each_request(log, covers, [&](const PreparedEvent& event) {
      if (event.watch || event.recorded_refusal || event.execution == kNoTime || event.execution <= 0) return;
      ran_.push_back({event.received, event.service, event.flow, static_cast<double>(event.execution), 0});
    });
    hold_against_calm();
  }

  std::vector<SlowPart> find() const {
    std::vector<SlowPart> out;
    if (auto part = part_of(ran_); part && is_of_most(*part, ran_, [&](const Ran& one) { return level(one); }))
      out.push_back(std::move(*part));
    // The smaller kinds first: those of a resource, of a verb, all that write, as a webhook slows them.
    for (const auto& kinds : {by_kind([](const std::string& words) { return words; }),
                              by_kind([](const std::string& words) { return words.substr(0, words.find(' ')); }),
                              by_kind([](const std::string& words) { return is_write(words) ? "write" : ""; })}) {
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
    for (const auto& shape : log_.shapes()) names.emplace_back(name(request_words(*shape)));
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
      calm[service] = times[static_cast<std::size_t>(kCalm * static_cast<double>(times.size()))];
    }
    std::erase_if(ran_, [&](const Ran& one) { return !calm.contains(one.service); });
    for (Ran& one : ran_) one.times = one.ns / calm[one.service];
  }

  // The longest stretch of slow intervals; one that is empty or calm does not end it.
  static std::optional<SlowPart> part_of(const std::vector<Ran>& ran) {
    if (ran.empty()) return std::nullopt;
    Nanos first = INT64_MAX, last = INT64_MIN;
    for (const Ran& one : ran) first = std::min(first, one.at), last = std::max(last, one.at);
    const Nanos width = (last - first) / static_cast<Nanos>(kBins) + 1;
    std::vector<std::vector<double>> bins(kBins);
    for (const Ran& one : ran) bins[static_cast<std::size_t>((one.at - first) / width)].push_back(one.times);
    std::size_t begin = 0, end = 0, from = 0, missed = kBins;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      const bool slow = bins[bin].size() >= kLeastInBin && median(bins[bin]) >= kSlow;
      if (!slow && ++missed > 1) continue;
      if (slow && missed > 1) from = bin;
      if (slow) missed = 0;
      if (slow && bin + 1 - from > end - begin) begin = from, end = bin + 1;
    }
    if (end - begin < kLeastBins) return std::nullopt;
    SlowPart out{first + static_cast<Nanos>(begin) * width, first + static_cast<Nanos>(end) * width, 1, {}, {}};
    std::vector<double> within, outside;
    std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>> services;  // outside, within
    for (const Ran& one : ran) {
      const bool slow = one.at >= out.from && one.at < out.to;
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

  // Whether two thirds of the levels, or of the users, were slow; else it is what some of them ask for that takes long.
  template <class Name>
  static bool is_of_most(const SlowPart& part, const std::vector<Ran>& ran, const Name& name) {
    std::map<std::string, std::vector<double>> groups;
    for (const Ran& one : ran)
      if (one.at >= part.from && one.at < part.to) groups[name(one)].push_back(one.times);
    std::size_t slow = 0, seen = 0;
    for (const auto& [group, times] : groups)
      if (times.size() >= kLeastInBin) ++seen, slow += median(times) >= kUsual;
    return seen >= 2 && 3 * slow >= 2 * seen;
  }
  const std::string& level(const Ran& one) const { return places_[one.flow].priority_level; }
  const std::string& user(const Ran& one) const { return places_[one.flow].user; }

  const PreparedLog& log_;
  const std::vector<PreparedLog::FlowPlace> places_;
  std::vector<Ran> ran_;
};

}  // namespace

std::vector<SlowPart> find_slow_parts(const PreparedLog& log, const ReplayOptions& options,
                                      const PreparedLog::Experiment& covers) {
  return SlowParts(log, options, covers).find();
}

}  // namespace apf
