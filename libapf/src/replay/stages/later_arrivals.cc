#include "replay/stages/later_arrivals.h"

namespace apf {

void move_later(PreparedEvent& event, Nanos by) {
  event.received += by;
  if (event.stage_time != kNoTime) event.stage_time += by;
  if (event.watch_end != kNoTime) event.watch_end += by;
}

}  // namespace apf
