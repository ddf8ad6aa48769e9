// Labels of kube-apiserver's metrics of requests (k8s.io/apiserver/pkg/endpoints/metrics, v1.36).
#pragma once

#include "classify/request_view.h"
#include "replay/prepare/prepared.h"

namespace apf {

Endpoint endpoint_of(const RequestView& view);

}  // namespace apf
