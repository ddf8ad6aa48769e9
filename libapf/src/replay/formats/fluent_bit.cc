// Fluent Bit, Fluentd, and the json-file driver of container runtimes.
#include "replay/formats/format.h"
#include "replay/formats/sniff.h"
#include "replay/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kWrappings[] = {
    {"", "log", "kubernetes.host", "time"},
    {"", "message", "kubernetes.host", ""},
};

bool recognises(std::string_view line, const JsonOutline&) { return recognise_wrapping(line) == LogFormat::fluent_bit; }

}  // namespace

constinit const FormatRow kFluentBitFormat{"fluent-bit", LogFormat::fluent_bit, recognises, [] { return make_record_parser(LogFormat::fluent_bit); }, kWrappings};

}  // namespace apf
