#include "report/doubts.h"

#include <apf/report.h>
#include <fmt/core.h>

#include "report/units.h"

namespace apf {

namespace {

constexpr double kMostUnusable = 0.1;

std::uint64_t unusable_lines(const LogReport& report) {
  std::uint64_t out = 0;
  for (const auto& [reason, lines] : report.unusable) out += lines;
  return out;
}

}  // namespace

bool are_too_many(std::uint64_t unusable, std::uint64_t lines) {
  return static_cast<double>(unusable) > kMostUnusable * static_cast<double>(lines);
}

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

std::vector<std::string> doubts_of(const ReplayReport& report) {
  std::vector<std::string> out;
  for (const Remark& remark : report.warnings)
    if (remark.kind == RemarkKind::log_damaged) out.push_back(render_text(remark));
  std::string cure;  // after what the log says of the seats
  for (const Remark& remark : report.warnings) {
    if (!is_doubt(remark) || remark.kind == RemarkKind::log_damaged) continue;
    out.push_back(sentence_of(remark));
    if (!remark.hint.empty()) cure = remark.hint;
  }
  if (!cure.empty()) out.push_back(cure + ".");
  for (const Remark& remark : report.incomplete)
    if (is_of_selection(remark)) out.push_back(render_text(remark));
  if (has_too_many_unusable_lines(report)) out.push_back(unusable_sentence(report));
  return out;
}

}  // namespace apf
