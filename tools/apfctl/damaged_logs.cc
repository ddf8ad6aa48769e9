#include "damaged_logs.h"

#include <algorithm>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "options.h"
#include "output.h"

namespace apfctl {

namespace {

bool is_of_damaged_log(const apf::Remark& remark) { return remark.kind == apf::RemarkKind::log_damaged; }

}  // namespace

void refuse_damaged_logs(const std::string& flag, const std::vector<apf::Remark>& warnings, const char* cure) {
  for (const apf::Remark& remark : warnings)
    if (is_of_damaged_log(remark))
      throw apf::Error(flag + " is not decided: " + remark.name + " " + remark.detail + "; give the whole log" + cure);
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

std::string no_requests(const std::vector<apf::Remark>& warnings) {
  std::string out = "no requests found in the log";
  for (const apf::Remark& remark : warnings)
    if (is_of_damaged_log(remark)) out += ": " + remark.name + " " + remark.detail;
  return out;
}

void refuse_doubtful_logs(const apf::SweepReport& report) {
  const auto names = [&](const auto& is_meant) {
    std::string out;
    std::size_t count = 0;
    for (const apf::SweepReport::DoubtfulLog& log : report.doubtful)
      if (is_meant(log) && ++count <= 3) out += (count > 1 ? ", " : "") + log.name;
    if (count > 3) out += fmt::format(" and {} more", apf::grouped(count - 3));
    return out;
  };
  if (const std::string empty = names([](const auto& log) { return log.requests == 0; }); !empty.empty())
    throw apf::Error("no requests found in the log " + empty + "; use --allow-empty to accept that");
  const auto is_damaged = [](const auto& log) {
    return std::any_of(log.warnings.begin(), log.warnings.end(), is_of_damaged_log);
  };
  if (const std::string damaged = names(is_damaged); !damaged.empty() && report.combinations.size() > 1)
    throw apf::Error("what fares best is not decided: not all of the log " + damaged +
                     " can be read; give the whole log" + kAllowEmpty);
}

}  // namespace apfctl
