// The configurations of a replay, compiled, and where the requests of a log go under them: for logs that are read once
// and classified by each replay.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <apf/replay.h>

#include "replay/prepare/flows.h"
#include "replay/prepare/request_shape.h"

namespace apf {

// Whether the books of flows are parted by user as well, who may be several in one flow: see FlowReport::user. That is
// about reports alone: no request fares otherwise for it.
enum class FlowBooks : std::uint8_t { of_flows, of_users };

struct ShapeClasses {
  // `by_all_fields`: the shapes have all that a configuration may look at. Throws Error when the configurations do not
  // fit together, or look at more than the shapes have.
  ShapeClasses(const ReplayOptions& options, const std::vector<std::shared_ptr<const RequestShape>>& shapes,
               bool by_all_fields, FlowBooks books = FlowBooks::of_flows);

  std::vector<std::shared_ptr<const Classifier>> classifiers;
  std::unique_ptr<Flows> flows;  // of these classifiers
};

}  // namespace apf
