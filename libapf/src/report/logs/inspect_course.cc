// What samples over time say of each level: when it refused requests, and when most of them waited.
#include <algorithm>

#include <fmt/format.h>

#include "report/core/units.h"
#include "report/logs/inspect_words.h"

namespace apf {

namespace {

std::string clock_text(Nanos time) { return format_rfc3339(time).substr(0, 19) + "Z"; }

std::string per_minute(const CourseFacts::Step& step) {
  const double minutes = static_cast<double>(step.to - step.from) / static_cast<double>(60 * kSecond);
  return minutes > 0 ? fmt::format(", {} a minute", grouped(whole(step.requests / minutes))) : std::string();
}

std::string refusals_over_time(const CourseFacts& facts) {
  if (facts.refusals.empty())
    return fmt::format("refused nothing from {} to {}", clock_text(facts.first), clock_text(facts.last));
  CourseFacts::Step all = facts.refusals.front();
  all.to = facts.refusals.back().to;
  all.requests = 0;
  const CourseFacts::Step* worst = &facts.refusals.front();
  const auto rate = [](const CourseFacts::Step& step) {
    return step.requests / static_cast<double>(std::max<Nanos>(1, step.to - step.from));
  };
  for (const CourseFacts::Step& step : facts.refusals) {
    all.requests += step.requests;
    if (rate(step) > rate(*worst)) worst = &step;
  }
  std::string out = fmt::format("refused {} from {} to {}{}", counted(whole(all.requests), "request", "requests"),
                                clock_text(all.from), clock_text(all.to), per_minute(all));
  if (all.from > facts.first) out += fmt::format("; none in the {} before", human_duration(all.from - facts.first));
  if (all.to < facts.last) out += fmt::format("; none in the {} after", human_duration(facts.last - all.to));
  if (rate(*worst) > 1.2 * rate(all))
    out += fmt::format("; most from {}{}", clock_text(worst->from), per_minute(*worst));
  return out;
}

}  // namespace

CourseFacts facts_of(const ScrapeCourse& course) {
  CourseFacts out;
  const auto& rejected = course.rejected;
  for (const auto* samples : {&course.waiting, &rejected}) {
    if (samples->empty()) continue;
    out.first = out.first == 0 ? samples->front().time : std::min(out.first, samples->front().time);
    out.last = std::max(out.last, samples->back().time);
  }
  for (std::size_t i = 1; i < rejected.size(); ++i) {
    const bool fell = rejected[i].value < rejected[i - 1].value;
    if (fell) out.restarted = rejected[i].time;
    const double requests = rejected[i].value - (fell ? 0 : rejected[i - 1].value);
    if (requests > 0) out.refusals.push_back({rejected[i - 1].time, rejected[i].time, requests});
  }
  for (const ScrapeCourse::Sample& sample : course.waiting)
    if (!out.most || sample.value > out.most->requests)
      out.most = CourseFacts::Step{sample.time, sample.time, sample.value};
  return out;
}

std::vector<std::string> course_sentences(const Inspection& inspection) {
  std::vector<std::string> out;
  std::optional<Nanos> restarted;
  for (const ScrapeCourse& course : inspection.courses) {
    const CourseFacts facts = facts_of(course);
    if (facts.restarted) restarted = std::max(restarted.value_or(0), *facts.restarted);
    const double most = facts.most ? facts.most->requests : 0;
    if (facts.refusals.empty() && !(most > 0)) continue;
    std::string said = printable(course.level) + ": ";
    if (!course.rejected.empty()) said += refusals_over_time(facts) + ".";
    if (most > 0)
      said += fmt::format("{} waited at {}, the most at once.",
                          (course.rejected.empty() ? "" : " ") + counted(whole(most), "request", "requests"),
                          clock_text(facts.most->from));
    out.push_back(said);
  }
  if (restarted)
    out.insert(out.begin(), fmt::format("Counters fall before {}: the server started again. Counts of "
                                        "requests are of the time since then.",
                                        clock_text(*restarted)));
  return out;
}

}  // namespace apf
