// The words of the Kubernetes API that everybody knows: what a redacted request may keep.
#pragma once

#include <string_view>

namespace apf {

// API groups, resources and subresources of Kubernetes itself, and the segments of paths that kube-apiserver serves
// beside them ("apis", "healthz", "openapi").
bool is_api_word(std::string_view segment);
// "v1", "v2beta1".
bool is_api_version(std::string_view segment);
// A verb of RequestInfo, or an HTTP method in upper or lower case.
bool is_request_verb(std::string_view verb);

// Fields of field selectors.
bool is_selector_field(std::string_view field);
// Names of query parameters.
bool is_query_parameter(std::string_view name);
// Values that name nothing: numbers, booleans, durations and the words that some parameters take. Empty ones, too.
bool is_plain_value(std::string_view value);

// What follows "system:" in users and groups of the system's own ("kube-scheduler", "masters").
bool is_system_name(std::string_view name);
// A service account of kube-system that kube-controller-manager or kubeadm makes.
bool is_system_service_account(std::string_view name);

}  // namespace apf
