#include "flags/damaged_logs.h"

#include <algorithm>

#include <apf/error.h>
#include <apf/log_question.h>
#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "flags/options.h"
#include "shared/output.h"

namespace apfctl {

namespace {

bool is_of_damaged_log(const apf::Remark& remark) { return remark.kind == apf::RemarkKind::log_damaged; }

}  // namespace

void refuse_damaged_logs(const std::string& flag, const std::vector<apf::Remark>& warnings, const char* cure) {
  if (const std::string why = apf::why_damaged(warnings); !why.empty())
    throw apf::Error(flag + " is not decided: " + why + cure);
}

bool report_damaged_logs(const std::vector<apf::Remark>& warnings) {
  bool damaged = false;
  for (const apf::Remark& remark : warnings) {
    if (!is_of_damaged_log(remark)) continue;
    damaged = true;
    write_stderr("apfctl: " + apf::printable(remark.name + " " + remark.detail) + "; give the whole log\n");
  }
  return damaged;
}

bool report_unclassified(std::uint64_t bad, std::uint64_t requests, const std::string& log, const Console& console) {
  if (bad == 0) return false;
  const std::string words = fmt::format("{} of {} requests of {} cannot be classified", apf::grouped(bad),
                                        apf::grouped(requests), apf::printable(log));
  const bool too_many = apf::are_too_many(bad, requests);
  if (too_many) write_stderr("apfctl: " + words + ", more than 10 %\n");
  else console.warn(words);
  return too_many;
}

void refuse_doubtful_logs(const apf::SweepReport& report, const SweepGate& gate) {
  const auto names = [&](const auto& is_meant) {
    std::string out;
    std::size_t count = 0;
    for (const apf::SweepReport::DoubtfulLog& log : report.doubtful)
      if (is_meant(log) && ++count <= 3) out += (count > 1 ? ", " : "") + log.name;
    if (count > 3) out += fmt::format(" and {} more", apf::grouped(count - 3));
    return out;
  };
  const auto has = [](const auto& is_meant) {
    return [&is_meant](const apf::SweepReport::DoubtfulLog& log) {
      return std::any_of(log.warnings.begin(), log.warnings.end(), is_meant);
    };
  };
  const bool compares = report.combinations.size() > 1;
  if (const std::string logs = names(has(apf::is_contradiction)); !logs.empty() && compares && !gate.allow_disagreement)
    throw apf::Error("cannot decide which combination is best: the log " + logs +
                     " contradicts its replays; give what the server ran as `recorded` of the plan, or use "
                     "--allow-disagreement to accept that");
  if (gate.allow_empty) return;
  if (const std::string empty = names([](const auto& log) { return log.requests == 0; }); !empty.empty())
    throw apf::Error("no requests found in the log " + empty + "; use --allow-empty to accept that");
  if (const std::string selected = names(has(apf::is_of_selection)); !selected.empty())
    throw apf::Error((compares ? "cannot decide which combination is best: the log " : "the log ") + selected +
                     " is a selection, not the traffic of a server" + apf::kAllowEmpty);
  if (const std::string damaged = names(has(is_of_damaged_log)); !damaged.empty())
    throw apf::Error("not all of the log " + damaged + " can be read; give the whole log" + apf::kAllowEmpty);
}

}  // namespace apfctl
