// What a quota asks of a request, as far as the log holds it.
#pragma once

#include <optional>

#include <apf/time.h>

#include "admission/quota_engine.h"
#include "replay/prepare/attributes.h"

namespace apf {

// A request, its objects measured.
struct QuotaAsk {
  AdmissionAttributes attributes;       // without the objects
  std::optional<QuotaSubject> subject;  // what it is about, as stored or sent; nothing: the log does not hold it
  bool has_answer = false;              // the log holds the object of the answer
  Nanos grace = 0;                      // of a deleted pod
};

QuotaAsk read_quota_ask(const AdmissionAttributes& request, Nanos now);

// By the log.
inline bool was_served(int code) { return code == 0 || (code >= 200 && code < 300); }

// By the log, other checks refused it before.
bool is_turned_away_before(const AdmissionAttributes& request);

}  // namespace apf
