// Explains a request and renders the explanation, for all ways to give a request.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/limits.h>
#include <apf/logs.h>
#include <apf/report.h>

#include "flags/assumptions.h"

namespace apfctl {

// The server that answers, and where each value is from.
struct AskedServer {
  std::string configuration, seats;  // as sentences say it
  std::vector<std::string> files;    // as given
  apf::KubeVersion version;
  int server_concurrency_limit = 0;
};

// Compiles the configuration once and explains any number of requests.
class Explainer {
 public:
  Explainer(const apf::Config& config, AskedServer server, apf::ObjectCounts objects,
            std::optional<apf::AuditPolicy> policy = std::nullopt);

  struct Answer {
    apf::Explanation explanation;
    apf::WorkEstimate seats;
    std::optional<int> wanted_seats;  // set: it is wider than it may be
    bool estimated = true;            // SeatEstimate::estimated
    bool selectors = true;            // the release records them in RequestInfo
    bool passes_by = false;           // API Priority and Fairness lets it by
    bool seats_given = false;         // the trace line has them; they are not estimated
    std::vector<apf::Remark> notes;   // a list of an unknown number of objects
    std::vector<Assumption> assumptions;
    const apf::LevelLimits* level = nullptr;
    const apf::Classifier::Schema* schema = nullptr;
    std::string flow_schema_uid, priority_level_uid;  // empty: the configuration has none
    std::optional<apf::AuditVerdict> audit;           // where an audit policy is given
  };
  Answer explain(const apf::RequestInfo& info, const apf::RequestQuery& query, const apf::User& user,
                 const std::optional<apf::WorkEstimate>& seats = std::nullopt,
                 const std::optional<apf::User>& authenticated = std::nullopt) const;  // who impersonates `user`

  // Of the answer only the FlowSchema and the priority level: all that a line says, and much faster.
  Answer place(const apf::RequestInfo& info, const apf::User& user) const;

  const apf::LimitsTable& limits() const { return limits_; }
  const AskedServer& server() const { return server_; }
  const apf::Classifier& classifier() const { return classifier_; }
  // A FlowSchema that has the name of one that Kubernetes adds.
  bool is_built_in(const std::string& flow_schema) const { return built_in_.contains(flow_schema); }

 private:
  apf::Classifier classifier_;
  apf::LimitsTable limits_;
  std::set<std::string> built_in_;
  std::map<std::string, std::string> schema_uids_, level_uids_;  // by name
  AskedServer server_;
  apf::ObjectCounts objects_;
  std::optional<apf::AuditPolicy> policy_;
};

enum class TraceShown { until_match, all, nearest };

struct TextRequest {                 // what the text output shows in addition to the answer
  std::string method, uri;           // empty if unknown
  std::vector<std::string> implied;  // groups that were added
  TraceShown shown = TraceShown::until_match;
  bool titled = false;  // the ladder
};

std::string render_json(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                        const Explainer& explainer);
apf::Document document_of(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                          const Explainer& explainer, const TextRequest& request);
// A request in a list of requests: one line, or more where it does not fit into the width; names are not cut.
std::string render_line(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                        const apf::TextStyle& style);

}  // namespace apfctl
