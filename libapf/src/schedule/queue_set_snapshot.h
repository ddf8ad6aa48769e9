// All requests and queues of a level, for a dump.
#pragma once

#include "schedule/queue_set.h"
#include "schedule/queue_table.h"

namespace apf {

QueueSet::Snapshot snapshot_of(const QueueTable& queues, const RequestTable& requests);

}  // namespace apf
