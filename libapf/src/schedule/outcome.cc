#include <apf/outcome.h>

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
