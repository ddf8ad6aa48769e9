#include "replay/input.h"

#include <apf/error.h>

#include <algorithm>
#include <thread>

#include "replay/formats/sniff.h"

namespace apf {

std::vector<std::string> log_format_names() {
  std::vector<std::string> names{"auto"};
  for (const FormatRow& row : log_formats()) names.emplace_back(row.name);
  return names;
}

LogFormat parse_log_format(const std::string& name) {
  if (name == "auto") return LogFormat::automatic;
  std::string names = "auto";
  for (const FormatRow& row : log_formats()) {
    if (name == row.name) return row.format;
    names.append(", ").append(row.name);
  }
  throw Error("there is no log format \"" + name + "\"; there are " + names);
}

Input::Input(const std::vector<std::string>& logs, const std::string& format, const PrepareContext& context, int threads,
             int log_year)
    : source_(logs, parse_log_format(format), log_year) {
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int count = std::clamp(threads > 0 ? threads : processors, 1, 64);
  std::vector<std::unique_ptr<Preparer>> makers;
  for (int i = 0; i < count; ++i) makers.push_back(std::make_unique<Preparer>(context, source_, static_cast<std::uint32_t>(i)));
  work_ = std::make_unique<OrderedWork<PrepareJob, Preparer>>(std::move(makers), static_cast<std::size_t>(count) + 2);
}

Input::~Input() = default;

PreparedBatch* Input::next(ReplayReport& report) {
  PrepareJob* job = work_->next();
  if (!job) return nullptr;
  PreparedBatch& batch = job->batch;
  stats_ = job->stats;
  report.lines += batch.lines;
  report.other_lines += batch.other_lines;
  origins_.add(batch.file, batch.origins);
  implied_groups_ += batch.implied_groups;
  report.events += batch.events.size();
  for (int i = 0; i < static_cast<int>(Unusable::kCount); ++i)
    if (batch.unusable[i] > 0) report.unusable[to_string(static_cast<Unusable>(i))] += batch.unusable[i];
  return &batch;
}

void Input::fill(ReplayReport& report) {
  work_.reset();  // the reading threads stop first
  report.logs = source_.names();
  report.bytes = source_.stats().bytes;
  if (const auto n = source_.too_long_lines(); n > 0) {
    report.unusable[to_string(Unusable::too_long)] += n;
    report.lines += n;
  }
  for (const Diagnostic& note : source_.notes()) report.warnings.push_back(note.message);
  if (implied_groups_ > 0)
    report.assumptions.push_back(std::to_string(implied_groups_) +
                                 " events of Google Cloud do not tell the groups of their user: those are taken that "
                                 "follow from the name (system:serviceaccounts, system:nodes, system:authenticated).");
  if (origins_.mixed()) report.warnings.push_back(Origins::kMixed);
}

std::uint32_t IdTexts::put(std::string text) {
  if (free_.empty()) {
    texts_.push_back(std::move(text));
    return static_cast<std::uint32_t>(texts_.size());
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  texts_[id - 1] = std::move(text);
  return id;
}

std::string IdTexts::take(std::uint32_t id) {
  if (id == 0) return {};
  free_.push_back(id);
  return std::move(texts_[id - 1]);
}

}  // namespace apf
