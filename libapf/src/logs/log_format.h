// The log formats, each by its row in the table (formats/format.h).
#pragma once

namespace apf {

struct FormatRow;
using LogFormat = const FormatRow*;
inline constexpr LogFormat kAnyFormat = nullptr;  // any, or not known

#define APF_LOG_FORMAT(row) extern const FormatRow row;
#include "logs/formats/formats.inc"
#undef APF_LOG_FORMAT

}  // namespace apf
