#include "logs/request_event.h"

namespace apf {

const char* to_string(LeftOut reason) {
  switch (reason) {
    case LeftOut::no:
      return "";
    case LeftOut::unauthenticated:
      return "unauthenticated";
    case LeftOut::invalid_timeout:
      return "invalid-timeout";
    case LeftOut::long_running:
      return "long-running";
    case LeftOut::bad_uri:
      return "bad-uri";
    case LeftOut::standing_watch:
      return "began-before-the-log";
    case LeftOut::unclassified:
      return "unclassified";
    case LeftOut::abandoned:
      return "abandoned";
    case LeftOut::kCount:
      break;
  }
  return "";
}

}  // namespace apf
