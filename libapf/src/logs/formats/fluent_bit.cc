// Fluent Bit, Fluentd, and the json-file driver of container runtimes.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kFluentBitWrappings[] = {
    {"", "log", "kubernetes.host", "time"},
    {"", "message", "kubernetes.host", ""},
};

bool recognises_fluent_bit(std::string_view line, const JsonOutline&) {
  return recognise_wrapping(line) == &kFluentBitFormat;
}

}  // namespace

constinit const FormatRow kFluentBitFormat{"fluent-bit", recognises_fluent_bit,
                                           [] { return make_record_parser(&kFluentBitFormat); }, kFluentBitWrappings};

}  // namespace apf
