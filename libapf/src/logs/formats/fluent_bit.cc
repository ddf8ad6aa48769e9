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

bool recognises(std::string_view line, const JsonOutline&) { return recognise_wrapping(line) == &kFluentBitFormat; }

}  // namespace

constinit const FormatRow kFluentBitFormat{"fluent-bit", recognises,
                                           [] { return make_record_parser(&kFluentBitFormat); }, kWrappings};

}  // namespace apf
