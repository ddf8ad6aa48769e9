#include "report/doubts.h"

#include <apf/report.h>
#include <fmt/core.h>

#include "base/unusable.h"
#include "report/units.h"

namespace apf {

namespace {

std::uint64_t unusable_lines(const LogReport& report) {
  std::uint64_t out = 0;
  for (const auto& [reason, lines] : report.unusable) out += lines;
  return out;
}

}  // namespace

bool are_too_many(std::uint64_t unusable, std::uint64_t lines) { return is_more_than_a_tenth(unusable, lines); }

bool has_too_many_unusable_lines(const LogReport& report) { return are_too_many(unusable_lines(report), report.lines); }

bool is_doubt(const Remark& remark) {
  return is_contradiction(remark) || remark.kind == RemarkKind::seats_while_refusing ||
         remark.kind == RemarkKind::log_damaged || is_of_selection(remark);
}

std::string unusable_sentence(const LogReport& report) {
  const std::uint64_t unusable = unusable_lines(report);
  if (unusable == 0) return {};
  std::string reasons;
  for (const auto& [reason, lines] : report.unusable)
    reasons += (reasons.empty() ? "" : ", ") + grouped(lines) + " " + reason;
  return fmt::format("{} of {} cannot be used: {}.", grouped(unusable), counted(report.lines, "line", "lines"),
                     reasons);
}

std::vector<std::string> sentences_of_doubt(std::span<const Remark> of_log, std::span<const Remark> of_replay) {
  std::vector<std::string> out;
  bool is_traffic = true;  // else its refusals say nothing of the server's seats
  for (const Remark& remark : of_log) {
    if (remark.kind != RemarkKind::log_damaged && !is_of_selection(remark)) continue;
    out.push_back(render_text(remark));
    is_traffic &= remark.kind != RemarkKind::only_refusals;
  }
  if (!is_traffic) return out;
  std::string cure;  // after what the log says of the seats
  for (const Remark& remark : of_replay) {
    if (!is_contradiction(remark) && remark.kind != RemarkKind::seats_while_refusing) continue;
    out.push_back(sentence_of(remark));
    if (!remark.hint.empty()) cure = remark.hint;
  }
  if (!cure.empty()) out.push_back(cure + ".");
  return out;
}

std::vector<std::string> doubts_of(const ReplayReport& report) {
  std::vector<Remark> of_log = report.warnings;
  of_log.insert(of_log.end(), report.incomplete.begin(), report.incomplete.end());
  std::vector<std::string> out = sentences_of_doubt(of_log, report.warnings);
  if (has_too_many_unusable_lines(report)) out.push_back(unusable_sentence(report));
  return out;
}

}  // namespace apf
