// What one request of a log counts for. Most of it follows from what its user asks, and is found once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "summary/places.h"
#include "summary/request_facts.h"
#include "summary/request_kinds.h"
#include "summary/request_seats.h"

namespace apf {

// Whether one of the two filters saw it.
inline bool is_filtered(const AskedFacts& facts, const TraceRequest& course) {
  return facts.limited && course.code != 401;
}
// In the log.
bool has_level(const TracedRequest& traced);

class FactsReader {
 public:
  // Names become those of `names`.
  FactsReader(const LogSummaryOptions& options, LogNames& names)
      : names_(names), kinds_(names), places_(options.config, names), seats_(options) {}
  RequestFacts read(const TracedRequest& traced);
  // Of one that is not counted: how long it took.
  RequestFacts times_of(const TracedRequest& traced) const;
  void name(const RequestView::Fields& f, AskedFacts& facts);

 private:
  struct Asked : AskedFacts {
    std::optional<Places::Place> place;  // by the configuration
    std::optional<WorkEstimate> work;    // at that level
    std::uint32_t level = 0;
    bool known = false;
  };
  Asked& asked_of(const TracedRequest& traced);
  void name(const TracedRequest& traced, Asked& asked, RequestFacts& facts);
  std::uint32_t about(const TracedRequest& traced);
  std::uint32_t user_of(const User& user, std::uint32_t number) {
    return id_of(names_.users, user.name, number, users_);
  }
  static std::uint32_t id_of(Names& names, std::string_view text, std::uint32_t number,
                             std::vector<std::uint32_t>& known);
  void add_seats(const TracedRequest& traced, Asked& asked, RequestFacts& facts);

  LogNames& names_;
  RequestKinds kinds_;
  Places places_;
  RequestSeats seats_;
  RequestView view_;
  std::vector<Asked> asked_;                               // by number
  std::vector<std::uint32_t> users_, agents_, addresses_;  // by number: that of the name
};

}  // namespace apf
