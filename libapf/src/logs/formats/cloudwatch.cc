// Amazon CloudWatch, where EKS keeps its logs: answers of the API, results of queries, subscriptions.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kCloudwatchWrappings[] = {
    {"", "@message", "@logStream", ""},
    {"events[]", "message", "logStreamName", ""},
    {"logEvents[]", "message", "", ""},
};

bool recognises_cloudwatch(std::string_view line, const JsonOutline& record) {
  return recognise_wrapping(line) == &kCloudwatchFormat || record.has("@message") || record.has("logEvents") ||
         contains(record.value("events"), "\"eventId\"");
}

}  // namespace

constinit const FormatRow kCloudwatchFormat{
    "cloudwatch", recognises_cloudwatch, [] { return make_record_parser(&kCloudwatchFormat); }, kCloudwatchWrappings};

}  // namespace apf
