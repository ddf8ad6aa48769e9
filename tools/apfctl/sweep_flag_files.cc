#include "sweep_flag_files.h"

#include <fmt/core.h>

#include <map>
#include <memory>

#include <apf/error.h>
#include <apf/report.h>

#include "admission_files.h"
#include "input.h"

namespace apfctl {

namespace {

// Many sets may name the same files.
class FlagFiles {
 public:
  FlagFiles(const Console& console, bool no_validate, std::vector<std::string>& texts)
      : console_(console), no_validate_(no_validate), texts_(texts) {}

  bool read(apf::SweepFlags& flags) {
    if (!flags.event_rate_limit_file.empty() && !read_events(flags)) return false;
    return flags.quota_files.empty() || read_quotas(flags);
  }

 private:
  std::vector<apf::ConfigText> read_files(const std::vector<std::string>& paths) {
    std::vector<apf::ConfigText> read = read_configs(paths);
    texts_.push_back(std::to_string(read.size()));
    for (const apf::ConfigText& text : read) texts_.push_back(text.text);
    return read;
  }

  bool read_events(apf::SweepFlags& flags) {
    auto& known = events_[flags.event_rate_limit_file];
    if (!known) {
      auto found =
          event_rate_limit_of(read_files({flags.event_rate_limit_file}), flags.event_rate_limit_file, console_);
      if (!found) return false;
      known = std::make_shared<const apf::EventRateLimitConfiguration>(std::move(*found));
    }
    flags.event_rate_limit = known;
    return true;
  }

  bool read_quotas(apf::SweepFlags& flags) {
    auto& known = quotas_[flags.quota_files];
    if (!known) {
      std::optional<QuotaFiles> found =
          quotas_of(read_files(flags.quota_files), flags.quota_files, console_, no_validate_);
      if (!found) return false;
      known = std::make_shared<const apf::SweepQuotas>(
          apf::SweepQuotas{std::move(found->quotas), std::move(found->configuration)});
    }
    flags.quotas = known;
    return true;
  }

  const Console& console_;
  const bool no_validate_;
  std::vector<std::string>& texts_;
  std::map<std::string, std::shared_ptr<const apf::EventRateLimitConfiguration>> events_;
  std::map<std::vector<std::string>, std::shared_ptr<const apf::SweepQuotas>> quotas_;
};

}  // namespace

bool read_flag_files(apf::SweepPlan& plan, const Console& console, bool no_validate, std::vector<std::string>& texts) {
  FlagFiles files(console, no_validate, texts);
  for (apf::SweepFlags& flags : plan.flags) {
    try {
      if (!files.read(flags)) return false;
    } catch (const apf::Error& error) {
      throw apf::Error(fmt::format("{}:{}: flags \"{}\": {}", apf::printable(plan.name), flags.span.line,
                                   apf::printable(flags.name), error.what()));
    }
  }
  return true;
}

}  // namespace apfctl
