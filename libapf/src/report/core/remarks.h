// Remarks in the reports: as sentences for people, as objects in JSON.
#pragma once

#include <string>
#include <vector>

#include <apf/output.h>
#include <apf/remarks.h>
#include <apf/time.h>

namespace apf {

std::vector<std::string> texts_of(const std::vector<Remark>& remarks);  // with their hints
void write_remark_fields(JsonWriter& json, const Remark& remark);       // within an object

// When a log begins. A year that was assumed is not told as if the log had it.
std::string first_in_words(Nanos first, const std::vector<Remark>& warnings);

}  // namespace apf
