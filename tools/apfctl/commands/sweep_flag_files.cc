#include "commands/sweep_flag_files.h"

#include <fmt/core.h>

#include <map>

#include <apf/error.h>
#include <apf/report.h>

#include "flags/admission_files.h"
#include "shared/input.h"

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
    auto at = events_.find(flags.event_rate_limit_file);
    if (at == events_.end()) {
      auto found =
          event_rate_limit_of(read_files({flags.event_rate_limit_file}), flags.event_rate_limit_file, console_);
      if (!found) return false;
      at = events_.emplace(flags.event_rate_limit_file, std::move(*found)).first;
    }
    flags.replay.event_rate_limit = at->second;
    return true;
  }

  bool read_quotas(apf::SweepFlags& flags) {
    auto at = quotas_.find(flags.quota_files);
    if (at == quotas_.end()) {
      std::optional<QuotaFiles> found =
          quotas_of(read_files(flags.quota_files), flags.quota_files, console_, no_validate_);
      if (!found) return false;
      at = quotas_.emplace(flags.quota_files, std::move(*found)).first;
    }
    flags.replay.resource_quotas = at->second.quotas;
    flags.replay.resource_quota_configuration = at->second.configuration;
    return true;
  }

  const Console& console_;
  const bool no_validate_;
  std::vector<std::string>& texts_;
  std::map<std::string, apf::EventRateLimitConfiguration> events_;
  std::map<std::vector<std::string>, QuotaFiles> quotas_;
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
