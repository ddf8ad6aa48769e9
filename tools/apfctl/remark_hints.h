// What the user of apfctl can do about a remark of the library.
#pragma once

#include <vector>

#include <apf/logs.h>
#include <apf/remarks.h>
#include <apf/replay.h>
#include <apf/sweep.h>

namespace apfctl {

// Fills Remark::hint where there is a flag that helps.
void add_hints(std::vector<apf::Remark>& remarks);
std::vector<apf::Remark> with_hints(std::vector<apf::Remark> remarks);
void add_hints(apf::LogReport& report);
void add_hints(apf::ReplayReport& report);
void add_hints(apf::SweepReport& report);

}  // namespace apfctl
