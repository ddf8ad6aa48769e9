// Any text as a scrape of /metrics, and a half of it against the other as two scrapes of one server: numbers however
// absurd give a load whose counts are none below zero, and a plan of what is missing that fits its window.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <apf/error.h>
#include <apf/server.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

void check(const apf::ServerLoad& load) {
  static const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
  for (const auto& [key, series] : load.series) {
    require(std::isfinite(series.dispatched) && series.dispatched >= 0 && series.rejected >= 0);
    require(!key.first.empty() || !key.second.empty());
  }
  if (const auto seats = apf::seats_by_limits(load.levels, config, apf::kNewestKubeVersion))
    require(0 < seats->least && seats->least <= seats->number && seats->number <= seats->most);
  apf::LoggedLoad logged;
  logged.begin = load.begin.value_or(1'600'000'000 * apf::kSecond);
  logged.end = load.end.value_or(*logged.begin + 60 * apf::kSecond);
  try {
    const apf::CoverageReport coverage = apf::compare_load(load, logged, config);
    require(coverage.percent() >= 0 && coverage.percent() <= 100);
    const apf::FillPlan plan = apf::plan_fill(load, logged, coverage, config);
    require(plan.begin <= plan.end);
    for (const apf::FillPlan::Schema& schema : plan.schemas) {
      require(!schema.executions.empty() && !schema.widths.empty() && schema.flows > 0);
      for (const apf::Nanos execution : schema.executions) require(execution >= 0);
      for (const int width : schema.widths) require(width > 0);
    }
  } catch (const apf::Error& error) {
    require(*error.what() != 0);
  }
}

}  // namespace

APF_FUZZER(scrape_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(apf::load_since_start(apf::parse_scrape(text, "after.txt")));
  } catch (const apf::Error& error) {
    require(*error.what() != 0);
  }
  const std::size_t middle = text.find("\n\n");
  if (middle == text.npos) return;
  try {
    check(apf::load_between(apf::parse_scrape(text.substr(0, middle + 1), "before.txt"),
                            apf::parse_scrape(text.substr(middle + 2), "after.txt")));
  } catch (const apf::Error& error) {
    require(*error.what() != 0);
  }
}
