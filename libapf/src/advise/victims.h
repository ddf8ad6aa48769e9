// Who suffered: clients whose requests a level refused or let wait.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <apf/why.h>

#include "advise/suspects.h"

namespace apf {

// Of all users, without the culprits: components of the control plane first, then nodes and
// leader election, then kube-system, and each time those of whose requests most were refused. Nodes
// are one row, and so are the service accounts of a namespace where there are several.
std::vector<WhyVictim> victims_of(const std::map<std::string, UserFigures>& all,
                                  const std::vector<WhyCulprit>& culprits);

}  // namespace apf
