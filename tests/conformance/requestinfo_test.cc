// RequestInfo of methods and URLs, against what kube-apiserver's own RequestInfoFactory made of them.
#include <apf/classify.h>
#include <simdjson.h>

#include "catch.h"
#include "classify/go_url.h"
#include "classify/request_view.h"
#include "support/vectors.h"

using namespace apf;
using simdjson::dom::element;

namespace {

std::string_view view_of(element object, std::string_view key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) return {};
  return text;
}

void check_info(const RequestInfo& got, element want) {
  CHECK(got.is_resource_request == want["isResourceRequest"].get_bool().value());
  CHECK(got.path == view_of(want, "path"));
  CHECK(got.verb == view_of(want, "verb"));
  CHECK(got.api_prefix == view_of(want, "apiPrefix"));
  CHECK(got.api_group == view_of(want, "apiGroup"));
  CHECK(got.api_version == view_of(want, "apiVersion"));
  CHECK(got.ns == view_of(want, "namespace"));
  CHECK(got.resource == view_of(want, "resource"));
  CHECK(got.subresource == view_of(want, "subresource"));
  CHECK(got.name == view_of(want, "name"));
  CHECK(got.field_selector == view_of(want, "fieldSelector"));
  CHECK(got.label_selector == view_of(want, "labelSelector"));
  CHECK(got.has_parts == !want["parts"].is_null());
  std::vector<std::string> parts;
  if (!want["parts"].is_null()) {
    for (const element part : want["parts"].get_array()) parts.emplace_back(part.get_string().value());
  }
  CHECK(got.parts == parts);
}

}  // namespace

TEST_CASE("requestinfo vectors", "[classify][conformance]") {
  simdjson::dom::parser parser;
  ParsedRequest out;  // one for all, so that nothing of an earlier request may shine through
  for (const std::string& line : test::read_vectors("requestinfo.jsonl")) {
    const element vector = parser.parse(line);
    const std::string_view method = view_of(vector, "method"), url = view_of(vector, "url");
    INFO(method << " " << url);
    parse_request(method, url, out);
    GoUrl go_url;
    std::string error;
    CHECK(parse_request_uri(url, go_url, error) ==
          (view_of(vector, "parse") == "ParseRequestURI" && view_of(vector, "urlError").empty()));
    CHECK(error == view_of(vector, "urlError"));
    if (vector["info"].error() != simdjson::SUCCESS || vector["info"].is_null()) {
      CHECK(out.url_error == view_of(vector, "urlError"));
      continue;
    }
    CHECK(out.url_error.empty());
    CHECK(out.info_error == view_of(vector, "error"));
    check_info(out.info, vector["info"]);
  }
}

// An audit event has the verb instead of the method; everything else must come out the same.
TEST_CASE("requestinfo vectors as audit events", "[classify][conformance]") {
  simdjson::dom::parser parser;
  ParsedRequest out;
  for (const std::string& line : test::read_vectors("requestinfo.jsonl")) {
    const element vector = parser.parse(line);
    if (vector["info"].error() != simdjson::SUCCESS || vector["info"].is_null()) continue;
    const element info = vector["info"];
    const std::string_view url = view_of(vector, "url");
    INFO(view_of(info, "verb") << " " << url);
    parse_audited_request(view_of(info, "verb"), url, out);
    check_info(out.info, info);
  }
}
