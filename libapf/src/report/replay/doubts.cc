#include "report/replay/doubts.h"

#include <apf/logs.h>
#include <apf/logs_report.h>
#include <apf/report_words.h>

#include "report/logs/left_out.h"

namespace apf {

bool is_doubt(const Remark& remark) {
  return is_contradiction(remark) || remark.kind == RemarkKind::seats_while_refusing ||
         remark.kind == RemarkKind::log_damaged || is_of_selection(remark);
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
