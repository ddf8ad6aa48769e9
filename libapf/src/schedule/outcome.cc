// What becomes of a request: the stages of the admission pipeline, the outcomes they have, and the one table of how
// every output names them. A new outcome is a row here; decisions, reports, metrics and expectations follow.
#include <apf/limits.h>

namespace apf {

const char* to_string(AdmissionStage stage) {
  switch (stage) {
    case AdmissionStage::client_limiter:
      return "client-limiter";
    case AdmissionStage::apf:
      return "apf";
    case AdmissionStage::max_in_flight:
      return "max-in-flight";
    case AdmissionStage::event_rate_limit:
      return "event-rate-limit";
    case AdmissionStage::resource_quota:
      return "resource-quota";
    case AdmissionStage::kCount:
      break;
  }
  return "";
}

}  // namespace apf
