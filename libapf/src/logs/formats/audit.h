// Audit events of kube-apiserver (audit.k8s.io/v1, v1beta1, v1alpha1): one JSON object a line, an EventList, an array.
#pragma once

#include <string_view>

#include <apf/classify.h>

namespace apf {

// The user behind LogEvent::user_json: {"username":…,"groups":[…]} of an audit event or {"user":…,"groups":[…]} of a
// trace line. Tolerant: what is missing or of another type stays empty; the last of repeated members counts.
User parse_user_json(std::string_view raw);

}  // namespace apf
