// Any text as the plan of a sweep, and as a line of a partial result: it always ends, what is wrong of a plan has its
// place, and what reads as a result is written as it was read.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <apf/error.h>
#include <apf/sweep.h>

#include "fuzz/entry.h"
#include "sweep/cell.h"

using apf::fuzz::require;

namespace {

void read_plan(const std::string& text) {
  apf::SweepPlan plan = apf::read_sweep_plan({"plan.yaml", text});
  for (const apf::Diagnostic& d : plan.faults)
    require(!d.message.empty() && d.severity == apf::Severity::error && d.span.known());
  if (!plan.faults.empty()) return;
  require(!plan.logs.empty() && !plan.configurations.empty() && !plan.flags.empty() && !plan.seeds.empty());
  for (const apf::SweepLog& log : plan.logs) require(!log.name.empty() && !log.files.empty());
  const std::size_t combinations = plan.configurations.size() * plan.flags.size();
  if (combinations > 100) return;
  for (apf::SweepFlags& flags : plan.flags) {  // as if their files had been read
    flags.replay.event_rate_limit.emplace();
    flags.replay.resource_quotas.emplace_back();
  }
  const apf::SweepOptions options = apf::sweep_options(plan, std::vector<apf::Config>(combinations));
  std::uint64_t at = 0;
  for (int number = 1; number <= 5; ++number) {
    const apf::SweepShare share = apf::share_of({number, 5}, options.logs.size(), options.replays_of_log());
    require(share.first == at && share.end >= at);
    at = share.end;
  }
  require(at == options.replays());
}

void read_line(const std::string& text) {
  try {
    const std::string line = apf::write_cell(apf::read_cell(text));
    require(apf::write_cell(apf::read_cell(line)) == line);
  } catch (const apf::Error& error) {
    require(*error.what() != '\0');
  }
}

}  // namespace

APF_FUZZER(sweep_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_plan(text);
  read_line(text);
}
