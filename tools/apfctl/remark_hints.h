// What the user of apfctl can do about a remark of the library.
#pragma once

#include <vector>

#include <apf/findings.h>
#include <apf/logs.h>

namespace apfctl {

// Fills Remark::hint where there is a flag that helps.
void add_hints(std::vector<apf::Remark>& remarks);
void add_hints(apf::LogReport& report);  // a ReplayReport is one

}  // namespace apfctl
