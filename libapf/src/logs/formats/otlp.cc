// OpenTelemetry, as collectors write it to files.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kOtlpWrappings[] = {
    {"resourceLogs[].scopeLogs[].logRecords[]", "body.stringValue", "", ""},
};

bool recognises_otlp(std::string_view, const JsonOutline& record) { return record.has("resourceLogs"); }

}  // namespace

constinit const FormatRow kOtlpFormat{"otlp", recognises_otlp, [] { return make_record_parser(&kOtlpFormat); },
                                      kOtlpWrappings};

}  // namespace apf
