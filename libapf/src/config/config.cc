// Copies of apf::Config. They are made here alone: what holds one compiles faster.
#include <apf/config.h>

namespace apf {

Config::Config() = default;
Config::Config(const Config&) = default;
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(const Config&) = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

}  // namespace apf
