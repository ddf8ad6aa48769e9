// Loki: results of queries, what is pushed to it, and what logcli writes.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kLokiWrappings[] = {
    {"data.result[].values[]", "1", "", ""},
    {"streams[].values[]", "1", "", ""},
    {"", "line", "", ""},
};

bool recognises_loki(std::string_view line, const JsonOutline& record) {
  return recognise_wrapping(line) == &kLokiFormat || contains(record.value("streams"), "\"values\"") ||
         contains(record.value("data"), "\"resultType\"");
}

}  // namespace

constinit const FormatRow kLokiFormat{"loki", recognises_loki, [] { return make_record_parser(&kLokiFormat); },
                                      kLokiWrappings};

}  // namespace apf
