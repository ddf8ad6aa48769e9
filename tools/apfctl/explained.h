// One explained request: what explain prints, whatever way the request was given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/limits.h>
#include <apf/logged_request.h>
#include <apf/report.h>
#include <apf/request.h>
#include <apf/seats.h>

namespace apfctl {

// The server side of explaining: compiled once, used for every request.
class Explainer {
 public:
  Explainer(const apf::Config& config, int server_concurrency_limit, apf::KubeVersion version,
            apf::ObjectCounts objects);

  struct Answer {
    apf::Explanation explanation;
    apf::WorkEstimate seats;
    bool seats_given = false;        // by the trace line, not estimated
    std::vector<apf::Remark> notes;  // of a list whose number of objects is not known
    const apf::LevelLimits* level = nullptr;
    const apf::Classifier::Schema* schema = nullptr;
  };
  Answer explain(const apf::RequestInfo& info, const apf::RequestQuery& query, const apf::User& user,
                 const std::optional<apf::WorkEstimate>& seats = std::nullopt) const;

  const apf::LimitsTable& limits() const { return limits_; }
  const apf::Classifier& classifier() const { return classifier_; }

 private:
  apf::Classifier classifier_;
  apf::LimitsTable limits_;
  apf::SeatRules rules_;
  apf::ObjectCounts objects_;
};

enum class TraceShown { until_match, all, nearest };

struct TextRequest {                 // what the text form says beside the answer
  std::string method, uri;           // empty: not known
  std::vector<std::string> implied;  // groups that were added
  TraceShown shown = TraceShown::until_match;
};

std::string render_json(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer);
std::string render_text(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                        const Explainer& explainer, const TextRequest& request, const apf::TextStyle& style);
// One line of a list of requests.
std::string render_line(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer);

}  // namespace apfctl
