#include "remark_hints.h"

#include <utility>

#include <apf/report.h>

namespace apfctl {

namespace {

void add_hint(apf::Remark& remark) {
  if (std::string hint = apf::hint_of(remark); !hint.empty()) remark.hint = std::move(hint);
}

}  // namespace

void add_hints(std::vector<apf::Remark>& remarks) {
  for (apf::Remark& remark : remarks) add_hint(remark);
}

std::vector<apf::Remark> with_hints(std::vector<apf::Remark> remarks) {
  add_hints(remarks);
  return remarks;
}

void add_hints(apf::SweepReport& report) {
  for (apf::SweepReport::UnusedEntry& entry : report.unused) add_hint(entry.remark);
}

void add_hints(apf::LogReport& report) {
  add_hints(report.assumptions);
  add_hints(report.incomplete);
  add_hints(report.warnings);
}

void add_hints(apf::ReplayReport& report) {
  add_hints(static_cast<apf::LogReport&>(report));
  if (report.undecided)
    report.undecided->hint =
        "use --recorded config to say what the server ran when the log was written, 'same' if it is what is replayed";
}

}  // namespace apfctl
