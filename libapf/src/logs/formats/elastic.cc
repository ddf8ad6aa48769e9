// Elasticsearch and Elastic Agent: documents, and the hits of a search.
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr Wrapping kElasticWrappings[] = {
    {"hits.hits[]", "_source", "", ""},
    {"", "_source", "", ""},
    {"", "kubernetes.audit", "host.name", ""},
    {"", "event.original", "host.name", ""},
};

bool recognises_elastic(std::string_view line, const JsonOutline& record) {
  return recognise_wrapping(line) == &kElasticFormat || record.has("_source") || record.has("hits") ||
         contains(record.value("kubernetes"), "\"audit\"");
}

}  // namespace

constinit const FormatRow kElasticFormat{"elastic", recognises_elastic,
                                         [] { return make_record_parser(&kElasticFormat); }, kElasticWrappings};

}  // namespace apf
