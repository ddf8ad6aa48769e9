// What the API server knows of a request before it classifies it: RequestInfo and the user.
// Mirrors k8s.io/apiserver/pkg/endpoints/request.RequestInfoFactory (v1.36, prefixes api and apis).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/time.h>
#include <apf/version.h>

namespace apf {

struct RequestInfo {
  bool is_resource_request = false;
  std::string path;  // decoded
  std::string verb;  // "get", "list", …; the lower-cased method for non-resource requests
  std::string api_prefix, api_group, api_version;
  std::string ns, resource, subresource, name;
  std::vector<std::string> parts;
  bool has_parts = false;  // false: Go's nil
  std::string field_selector, label_selector;

  APF_API void clear();  // keeps capacities
};

// The query's meaning for the scheduler: metainternalversion.ListOptions as the work estimator and the
// deadline filter read it. Filled by parse_request.
struct RequestQuery {
  bool list_options_ok = true;  // every number among them parses (selectors are not parsed here)
  std::int64_t limit = 0;
  bool has_selector = false;  // a non-empty fieldSelector or labelSelector
  std::string resource_version, resource_version_match;
  bool has_continue = false;
  bool send_initial_events = false;
  std::optional<Nanos> timeout;     // `timeout` as a positive Go duration; nothing = the server's default
  bool timeout_invalid = false;     // present and no duration: the server answers 400
  bool node_name_selector = false;  // fieldSelector demands one exact non-empty spec.nodeName
};

// How wide a request is (apf/seats.h): seats while it runs, and seats that linger after it.
struct WorkEstimate {
  int initial_seats = 1;
  int final_seats = 0;
  Nanos additional_latency = 0;
};

struct ParsedRequest {
  RequestInfo info;
  RequestQuery query;
  std::string url_error;   // not empty: the URL does not parse, nothing else is set
  std::string info_error;  // not empty: NewRequestInfo's error; `info` holds what it knew so far

  struct Spare {  // memory kept between calls; of no meaning to callers
    std::string text;
    std::vector<std::string> parts;
  } spare;
};

// HTTP method ("GET") and request target ("/api/v1/pods?watch=1"; absolute URLs too). Reuses `out`'s
// memory: a caller that keeps one ParsedRequest makes no allocation in the steady state.
APF_API void parse_request(std::string_view method, std::string_view uri, ParsedRequest& out);

// From an audit event, which has no method: `verb` is RequestInfo's verb for resource requests and the
// lower-cased method for others. The path decides between the two; the recorded verb is kept.
APF_API void parse_audited_request(std::string_view verb, std::string_view uri, ParsedRequest& out);

// watch, proxy; attach, exec, proxy, log, portforward; /debug/pprof/…: kube-apiserver's BasicLongRunningRequestCheck.
APF_API bool is_long_running(const RequestInfo& info);

// verb not in get, list, watch: what max-in-flight counts as mutating.
APF_API bool is_mutating(const RequestInfo& info);

struct User {
  std::string name;
  std::vector<std::string> groups;
};

// Adds the groups that authentication implies: system:serviceaccounts and system:serviceaccounts:NS for a
// service account, system:unauthenticated for system:anonymous (or an empty name), else system:authenticated.
// Groups already present are not repeated. Returns those added.
APF_API std::vector<std::string> add_implied_groups(User& user);

}  // namespace apf
