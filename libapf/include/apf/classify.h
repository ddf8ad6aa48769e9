// From a request to a FlowSchema, a priority level and a flow: compiled once, then cheap per request.
// Mirrors k8s.io/apiserver/pkg/util/flowcontrol (rule.go, apf_controller.go, v1.36; KEP-1040 "Request Categorization").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/request.h>
#include <apf/version.h>

namespace apf {

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

}  // namespace apf
