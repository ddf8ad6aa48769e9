// Azure diagnostics: Event Hubs, storage accounts, and exports of Log Analytics.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kAzureWrappings[] = {
    {"records[]", "properties.log", "properties.pod", ""},
    {"", "properties.log", "properties.pod", ""},
    {"", "log_s", "pod_s", ""},
};

bool recognises_azure(std::string_view line, const JsonOutline& record) {
  return recognise_wrapping(line) == &kAzureFormat || (record.has("operationName") && record.has("category")) ||
         contains(record.value("records"), "operationName");
}

}  // namespace

constinit const FormatRow kAzureFormat{"azure", recognises_azure, [] { return make_record_parser(&kAzureFormat); },
                                       kAzureWrappings};

}  // namespace apf
