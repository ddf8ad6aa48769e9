// Boxes of requests as people say them, and requests in them.
#pragma once

#include <optional>
#include <string>

#include "lint/reach/reach.h"
#include "lint/reach/request_space.h"

namespace apf {

// "list, watch pods in any namespace by ServiceAccount ci/*". Long lists are cut short.
std::string words_of(const RequestSpace& space, const RequestBox& box);
// "ServiceAccount ci/*": the last part of it.
std::string who_of(const RequestSpace& space, const RequestBox& box);

// Whether the box has requests of the cluster's own components: users and groups that are named "system:…", nodes,
// service accounts of kube-system. Boxes of everybody have none in particular.
bool is_system_traffic(const RequestSpace& space, const RequestBox& box);

// A request of the box, as real as can be found, with a command that ends with `flags`; the command is empty where no
// real request is like this.
std::optional<Witness> witness_in(const RequestSpace& space, const RequestBox& box, const std::string& flags);

}  // namespace apf
