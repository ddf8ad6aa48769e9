// A request as classification and width estimation read it, without owning any text: the one implementation behind
// parse_request and parse_audited_request, and what the replay parses millions of log lines into.
// Mirrors RequestInfoFactory.NewRequestInfo and the ListOptions the work estimator decodes (k8s.io/apiserver v1.36).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <apf/classify.h>

namespace apf {

struct RequestView {
  RequestView() = default;
  RequestView(const RequestView&) = delete;  // views may point into `scratch`
  RequestView& operator=(const RequestView&) = delete;

  enum class Fault : std::uint8_t {
    none,
    bad_url,     // not a URL: nothing else is set
    no_resource  // /api/v1/watch with nothing after it: what was known so far is set
  };

  // Everything but `scratch` in one aggregate, so that a parse starts from a clean one.
  struct Fields {
    std::string_view path, verb;  // path decoded; verb empty for methods a resource does not know
    std::string_view api_prefix, api_group, api_version;
    std::string_view ns, resource, subresource, name;
    std::string_view parts;                           // the path from `resource` on, "/" between parts
    std::string_view field_selector, label_selector;  // as RequestInfo records them
    std::string_view resource_version, resource_version_match;
    std::int64_t limit = 0;
    Nanos timeout = 0;          // 0: none given, or not positive
    Nanos timeout_seconds = 0;  // of a watch; 0: none given, or not positive
    Fault fault = Fault::none;
    bool is_resource = false;
    bool has_parts = false;
    bool verb_from_path = false;  // /api/v1/watch/…, /api/v1/proxy/…
    bool long_running = false;
    bool list_options_ok = true;
    bool has_selector = false;
    bool has_continue = false;
    bool send_initial_events = false;
    bool timeout_invalid = false;
    bool node_name_selector = false;  // computed for watches only
  };
  Fields f;
  std::string scratch;  // decoded text; memory is kept between parses
};

// `method` as in the request line, `uri` the request target. Views point into `uri`, `method`, static text or
// out.scratch: valid until the next parse into `out` and as long as the arguments live.
void parse_request_view(std::string_view method, std::string_view uri, RequestView& out);

// From an audit event: `verb` is kept as recorded.
void parse_audited_view(std::string_view verb, std::string_view uri, RequestView& out);

// The same request seen through a view; `query` may be null. Nothing is copied.
void view_request(const RequestInfo& info, const RequestQuery* query, RequestView& out);

// kube-apiserver's BasicLongRunningRequestCheck.
bool is_long_running_request(bool is_resource, std::string_view verb, std::string_view subresource,
                             std::string_view path);

}  // namespace apf
