#include "damaged_logs.h"

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>

#include "options.h"

namespace apfctl {

namespace {

bool is_of_damaged_log(const apf::Remark& remark) { return remark.kind == apf::RemarkKind::log_damaged; }

}  // namespace

void refuse_damaged_logs(const std::string& flag, const std::vector<apf::Remark>& warnings, const char* cure) {
  for (const apf::Remark& remark : warnings)
    if (is_of_damaged_log(remark))
      throw apf::Error(flag + " is not decided: " + remark.name + " " + remark.detail + "; give the whole log" + cure);
}

void warn_of_damaged_logs(const std::vector<apf::Remark>& warnings, const Console& console) {
  for (const apf::Remark& remark : warnings)
    if (is_of_damaged_log(remark)) console.warn(apf::printable(apf::render_text(remark)));
}

std::string no_requests(const std::vector<apf::Remark>& warnings) {
  std::string out = "no requests found in the log";
  for (const apf::Remark& remark : warnings)
    if (is_of_damaged_log(remark)) out += ": " + remark.name + " " + remark.detail;
  return out;
}

}  // namespace apfctl
