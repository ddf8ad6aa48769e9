// Which requests reach which FlowSchema.
#pragma once

#include <vector>

#include <apf/config.h>

namespace apf {

class Reach {
 public:
  explicit Reach(const Config& effective);

  // In the order in which the server consults them; those without a well-formed level are left out.
  const std::vector<const FlowSchema*>& consulted() const { return consulted_; }

 private:
  std::vector<const FlowSchema*> consulted_;
};

}  // namespace apf
