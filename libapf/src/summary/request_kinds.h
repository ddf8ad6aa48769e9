// What requests are about, by number: RESOURCE[.GROUP][/SUBRESOURCE] or the path, and the verb. What clients ask to
// learn which resources there are is one.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "classify/request_view.h"
#include "summary/request_facts.h"

namespace apf {

class RequestKinds {
 public:
  explicit RequestKinds(LogNames& names) : names_(names) {}
  struct Kind {
    std::uint32_t verb = 0, resource = 0, request = 0;
  };
  Kind of(const RequestView::Fields& f);

 private:
  Kind name(const RequestView::Fields& f, bool discovery);

  LogNames& names_;
  std::unordered_map<std::uint64_t, Kind> known_;
  std::uint64_t last_key_ = 0;  // of the request before: many that follow each other have one
  Kind last_;
  std::string text_;
};

}  // namespace apf
