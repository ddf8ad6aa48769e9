// Copies of the options and reports of a replay. They are made here alone: what holds one compiles faster.
#include <apf/replay.h>

namespace apf {

ReplayOptions::ReplayOptions() = default;
ReplayOptions::ReplayOptions(const ReplayOptions&) = default;
ReplayOptions::ReplayOptions(ReplayOptions&&) noexcept = default;
ReplayOptions& ReplayOptions::operator=(ReplayOptions&&) noexcept = default;
ReplayOptions::~ReplayOptions() = default;

ReplayReport::ReplayReport() = default;
ReplayReport::ReplayReport(const ReplayReport&) = default;
ReplayReport::ReplayReport(ReplayReport&&) noexcept = default;
ReplayReport& ReplayReport::operator=(const ReplayReport&) = default;
ReplayReport& ReplayReport::operator=(ReplayReport&&) noexcept = default;
ReplayReport::~ReplayReport() = default;

}  // namespace apf
