// A region of requests in as few and as plain boxes as can be found.
#pragma once

#include <vector>

#include "lint/reach/request_space.h"

namespace apf {

// Boxes that hold exactly the requests that the given ones hold, in a fixed order. They may overlap where that makes
// them plainer. Regions of many corners get less effort: more boxes, but exact ones.
std::vector<RequestBox> plainest_cover(const RequestSpace& space, std::vector<RequestBox> boxes);

}  // namespace apf
