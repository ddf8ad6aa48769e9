// Whether a log is a selection by what people select requests by, rather than the traffic of a server: from the
// requests of one user, of one verb, from refusals or slow requests alone or from beginnings without ends nothing
// follows for a server.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/remarks.h>
#include <apf/time.h>

#include "logs/log_event.h"

namespace apf {

using VerbBits = std::uint16_t;
// One of them; all verbs that Kubernetes does not know have one together.
VerbBits verb_bit(std::string_view verb);

// Of recorded requests. What is written by hand is whatever its author wants.
class Selection {
 public:
  void note_verbs(VerbBits verbs) { verbs_ |= verbs; }
  // `client`: a small number for a user, who may have several.
  // `took`: from its arrival to its end, kNoTime if that is not known.
  void add(std::uint32_t client, bool has_end, bool refused, Nanos took) {
    ++requests_;
    if (took != kNoTime) {
      ++timed_;
      shortest_ = std::min(shortest_, took);
    }
    ends_ += has_end ? 1 : 0;
    refused_ += refused ? 1 : 0;
    if (client != last_client_) note_client(client);
  }
  // At the head of `out`, which is what the log is known to lack. `name_of`: the user's name, empty if nobody knows.
  void remark(const std::function<std::string(std::uint32_t client)>& name_of, std::vector<Remark>& out) const;

 private:
  void note_client(std::uint32_t client);

  std::uint64_t requests_ = 0, ends_ = 0, refused_ = 0, timed_ = 0;
  Nanos shortest_ = INT64_MAX;
  VerbBits verbs_ = 0;
  std::uint32_t last_client_ = UINT32_MAX;
  std::vector<std::uint32_t> clients_;  // the first ones
};

}  // namespace apf
