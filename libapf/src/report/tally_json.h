// How requests fared, as members of a JSON object: the same keys in all reports.
#pragma once

#include <apf/output.h>

#include "report/ranges.h"

namespace apf {

void write_tally(JsonWriter& json, const TallyVersions& tally);

}  // namespace apf
