// Fluent Bit, Fluentd, and the json-file driver of container runtimes.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kWrappings[] = {
    {"", "log", "kubernetes.host", "time"},
    {"", "message", "kubernetes.host", ""},
};

bool recognises(std::string_view line, const JsonOutline&) { return recognise_wrapping(line) == LogFormat::fluent_bit; }

}  // namespace

constinit const FormatRow kFluentBitFormat{"fluent-bit", LogFormat::fluent_bit, recognises,
                                           [] { return make_record_parser(LogFormat::fluent_bit); }, kWrappings};

}  // namespace apf
