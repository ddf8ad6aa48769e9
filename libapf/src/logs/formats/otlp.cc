// OpenTelemetry, as collectors write it to files.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kWrappings[] = {
    {"resourceLogs[].scopeLogs[].logRecords[]", "body.stringValue", "", ""},
};

bool recognises(std::string_view, const JsonOutline& record) { return record.has("resourceLogs"); }

}  // namespace

constinit const FormatRow kOtlpFormat{"otlp", recognises, [] { return make_record_parser(&kOtlpFormat); }, kWrappings};

}  // namespace apf
