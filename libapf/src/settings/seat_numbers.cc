// Which of several sources says how many seats a server has.
#include <apf/settings.h>

namespace apf {

void SeatNumbers::take(const std::optional<int>& reads, const std::optional<int>& writes, const std::optional<int>& sum,
                       const std::string& of) {
  if (server_concurrency || !from.empty() || !(reads || writes || sum)) return;
  if (!given()) from = of;
  if (sum && given()) return;
  if (!max_requests_inflight) max_requests_inflight = reads;
  if (!max_mutating_requests_inflight) max_mutating_requests_inflight = writes;
  server_concurrency = sum;
}

}  // namespace apf
