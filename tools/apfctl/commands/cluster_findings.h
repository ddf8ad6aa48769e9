// Findings about the objects of a live cluster, which are in no file.
#pragma once

#include <apf/lint.h>

#include "shared/cluster.h"

namespace apfctl {

// Places are objects and fields, commands read the cluster, and what --fix would do is said, as there is no file to
// change.
void say_of_cluster(apf::ProjectFindings& found, const ClusterFlags& cluster);

}  // namespace apfctl
