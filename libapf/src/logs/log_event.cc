#include "logs/log_event.h"

namespace apf {

const char* to_string(Unusable reason) {
  switch (reason) {
    case Unusable::not_json:
      return "not JSON";
    case Unusable::not_yaml:
      return "not YAML";
    case Unusable::not_event:
      return "JSON of another kind";
    case Unusable::truncated:
      return "cut off in the middle";
    case Unusable::not_decoded:
      return "base64 or gzip is damaged, or unpacks to more than 16 MiB";
    case Unusable::nul_bytes:
      return "NUL bytes";
    case Unusable::too_long:
      return "line too long";
    case Unusable::not_utf8:
      return "not UTF-8";
    case Unusable::no_timestamp:
      return "no timestamp";
    case Unusable::no_verb_or_uri:
      return "no verb or no URI";
    case Unusable::bad_field:
      return "field of the wrong type";
    case Unusable::out_of_range:
      return "time or duration out of range";
    case Unusable::kCount:
      break;
  }
  return "unusable";
}

}  // namespace apf
