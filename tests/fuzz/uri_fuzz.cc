// Request targets: no crash, and the quick reading, the thorough one and the audit form agree with each other.
#include <apf/classify.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "classify/go_url.h"
#include "classify/request_view.h"
#include "classify/selectors.h"
#include "fuzz/entry.h"

using namespace apf;

using apf::fuzz::require;

namespace {

void same(const RequestInfo& a, const RequestInfo& b) {
  require(a.is_resource_request == b.is_resource_request && a.has_parts == b.has_parts && a.parts == b.parts);
  require(a.path == b.path && a.verb == b.verb && a.api_prefix == b.api_prefix && a.api_group == b.api_group);
  require(a.api_version == b.api_version && a.ns == b.ns && a.resource == b.resource && a.subresource == b.subresource);
  require(a.name == b.name && a.field_selector == b.field_selector && a.label_selector == b.label_selector);
}

}  // namespace

APF_FUZZER(uri_fuzz) {
  static constexpr std::string_view kMethods[] = {"GET", "POST", "DELETE", "PUT", "HEAD", "PATCH", "OPTIONS", "brew"};
  if (size == 0) return;
  const std::string_view method = kMethods[data[0] % std::size(kMethods)];
  const std::string_view uri(reinterpret_cast<const char*>(data) + 1, size - 1);

  static ParsedRequest kept;  // reused over inputs, as callers do
  parse_request(method, uri, kept);
  ParsedRequest fresh;
  parse_request(method, uri, fresh);
  same(kept.info, fresh.info);
  require(kept.url_error == fresh.url_error && kept.info_error == fresh.info_error);

  GoUrl url;
  std::string error;
  const bool is_target = parse_request_uri(uri, url, error);
  if (is_target) {
    require(fresh.info.path == url.path && fresh.url_error.empty());
    // What Go prints of a request target reads back; of absolute URLs it need not (zones of hosts, "h:/%2Fx").
    GoUrl again;
    const std::string printed = url.str();
    require(parse_url(printed, again, error) || !uri.starts_with("/") || printed.starts_with("//") ||
            printed.find('#') != std::string::npos);
  } else if (!fresh.url_error.empty()) {
    require(fresh.url_error == error);
    return;
  }

  // What the audit log holds of it leads to the same request.
  ParsedRequest audited;
  parse_audited_request(fresh.info.verb, uri, audited);
  if (fresh.info_error.empty()) same(audited.info, fresh.info);
  require(audited.query.limit == fresh.query.limit && audited.query.timeout == fresh.query.timeout);

  is_valid_label_selector(uri);
  std::string scratch;
  scratch.reserve(uri.size());
  parse_field_selector(uri, scratch);
}
