// Classification: from a request to a FlowSchema, a priority level and a flow. A Classifier is compiled once and then
// cheap per request; explain() says in addition why each FlowSchema matches or not.
//
//   const apf::Classifier classifier(apf::bootstrap_config(apf::kNewestKubeVersion));
//   apf::ParsedRequest request;
//   apf::parse_request("GET", "/api/v1/namespaces/ci/pods?limit=500", request);
//   apf::User user{"system:serviceaccount:ci:builder", {}};
//   apf::add_implied_groups(user);
//   const apf::Classifier::Match match = classifier.match(request.info, user);
//   std::puts(classifier.schemas()[match.schema].name.c_str());  // service-accounts
//   const apf::Explanation why = apf::explain(classifier, request.info, user);
//   for (const apf::TraceEntry& entry : why.trace) std::puts(entry.because.c_str());
//
// Mirrors k8s.io/apiserver/pkg/endpoints/request (RequestInfoFactory, prefixes api and apis) and pkg/util/flowcontrol
// (rule.go, apf_controller.go), v1.36; KEP-1040 "Request Categorization". A Classifier owns copies of what it needs and
// may be used by several threads at once. A request that does not parse throws no exception: ParsedRequest says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/remarks.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// What the API server has of a request before it classifies it: RequestInfo and the user.
// Mirrors k8s.io/apiserver/pkg/endpoints/request.RequestInfoFactory (v1.36, prefixes api and apis).

struct RequestInfo {
  bool is_resource_request = false;
  std::string path;  // decoded
  std::string verb;  // "get", "list", …; the lower-cased method for non-resource requests
  std::string api_prefix, api_group, api_version;
  std::string ns, resource, subresource, name;
  std::vector<std::string> parts;
  bool has_parts = false;                      // false: Go's nil
  std::string field_selector, label_selector;  // see records_selectors()

  APF_API void clear();  // keeps capacities
};

// Whether servers of the release put the selectors of a list into RequestInfo, for authorization: since 1.32. Older
// ones leave them empty (1.31 has them behind a feature gate that is off).
APF_API bool records_selectors(KubeVersion version);

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

// How wide a request is: seats while it runs, and seats that linger after it.
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
  // Why it is no request; empty for one that is.
  const std::string& error() const { return url_error.empty() ? info_error : url_error; }

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

// A request named as kubectl names one: "list deployments.apps/scale -n ci web".

struct NamedRequest {
  ParsedRequest request;
  std::string method, uri;    // the HTTP request it describes
  std::vector<Remark> notes;  // what was guessed or ignored
};

// `resource`: RESOURCE[.VERSION][.GROUP][/SUBRESOURCE], or, with an empty `name`, RESOURCE[.VERSION][.GROUP]/NAME,
// where NAME is no known subresource; a resource that Kubernetes has built in may go without its group, in the plural,
// the singular or kubectl's short form. An empty `ns`: all namespaces, or a cluster-scoped object. Throws
// Error for a verb that no resource request can have.
APF_API NamedRequest name_request(std::string_view verb, std::string_view resource, std::string_view name,
                                  std::string_view ns);

// Why the server ignores a level (type Limited without limited, queue numbers that cannot be dealt, …);
// empty for a well-formed one.
APF_API std::string malformed_reason(const PriorityLevel& level);

// Does this FlowSchema match? Straight from the object, unindexed: for tests, explaining and linting.
APF_API bool matches_flow_schema(const FlowSchema& schema, const RequestInfo& info, const User& user);

class APF_API Classifier {
 public:
  // Schemas without a well-formed level are left out; the mandatory exempt and catch-all objects are supplied
  // where missing (the backstops of the KEP's dialect for one that is in it). Does not default: pass defaulted objects.
  explicit Classifier(const Config& config);
  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  struct Level {
    std::string name;
    bool exempt = false;
    bool reject = false;                                    // Limited without queues
    int queues = 0, hand_size = 0, queue_length_limit = 0;  // 0 unless queuing
    bool uses_flows() const { return queues > 1; }
  };
  struct Schema {
    std::string name;
    std::int32_t matching_precedence = 0;
    std::uint32_t level = 0;  // index into levels()
    // The last two: what the KEP's dialect extracts from the attribute.
    enum class Distinguisher : std::uint8_t { none, by_user, by_namespace, by_user_part, by_namespace_part };
    Distinguisher distinguisher = Distinguisher::none;
    // What distinguishes flows once the level is known: none when the level has at most one queue or is exempt.
    Distinguisher effective = Distinguisher::none;
    FlowSchema object;
  };
  struct Dropped {  // a FlowSchema that is not consulted
    std::string name, priority_level, reason;
  };

  const std::vector<Schema>& schemas() const;  // in the order consulted
  const std::vector<Level>& levels() const;    // sorted by name, the supplied ones included
  const std::vector<Dropped>& dropped() const;

  // The schemas and rules that can match a user at all: computed once per user, kept by the caller.
  struct APF_LOCAL Candidates;
  std::shared_ptr<const Candidates> candidates(const User& user) const;

  struct Match {
    std::uint32_t schema = 0;  // index into schemas()
    bool fallback = false;     // nothing matched; catch-all was taken regardless
  };
  Match match(const RequestInfo& info, const Candidates& candidates) const;
  Match match(const RequestInfo& info, const User& user) const;

  // The text that distinguishes the flow within its FlowSchema, and is hashed; empty when the level has no flows.
  std::string_view distinguisher(std::uint32_t schema, const RequestInfo& info, const User& user) const;

 private:
  struct APF_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

// One line of the trace of an explanation.
struct TraceEntry {
  std::string flow_schema;
  std::int32_t matching_precedence = 0;
  bool matches = false;
  std::string because;  // which rule, or the nearest miss: what differs and where in the spec
  std::string field;    // path within the schema that decided ("spec.rules[0].subjects[1]"), may be empty
};

struct Explanation {
  Classifier::Match match;
  std::string flow_schema, priority_level, flow_distinguisher;
  std::string flow_distinguisher_from;  // how a pattern of the KEP's dialect came by it; else empty
  bool exempt = false, fallback = false;
  bool has_flow = false;  // a hash and a hand exist
  std::uint64_t hash = 0;
  std::vector<std::uint32_t> hand;
  std::vector<TraceEntry> trace;  // all schemas in the order consulted, those after the match too
};

APF_API Explanation explain(const Classifier& classifier, const RequestInfo& info, const User& user);

struct AuditVerdict {
  AuditLevel level = AuditLevel::none;
  std::optional<std::size_t> rule;  // the first that matches; nothing: none does, and the level is None
  AuditStageSet omit_stages;
  // Is an event of this stage written?
  bool writes(AuditStage stage) const { return level != AuditLevel::none && !omit_stages.has(stage); }
};

// What the server does with a request. `user` is the authenticated user, before impersonation.
APF_API AuditVerdict audit_verdict(const AuditPolicy& policy, const RequestInfo& request, const User& user);

}  // namespace apf
