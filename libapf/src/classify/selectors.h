// Field and label selectors as list requests carry them: enough of their grammar to know whether kube-apiserver
// could parse them and which object a field selector pins down (k8s.io/apimachinery/pkg/fields and /labels, v1.36).
#pragma once

#include <string>
#include <string_view>

namespace apf {

// What a field selector demands. A value may point into `scratch` of the call or into the selector.
struct FieldDemands {
  bool valid = false;          // the grammar holds; the rest is empty otherwise
  std::string_view name;       // metadata.name must be exactly this; empty: no such term, or an empty value
  std::string_view node_name;  // the same for spec.nodeName
};

// Terms are taken in the order of their texts, as the server sorts them before it looks. `scratch` must have
// room for the selector once more, so that views into it stay valid.
FieldDemands parse_field_selector(std::string_view selector, std::string& scratch);

// labels.Parse accepts it: grammar, keys and values.
bool is_valid_label_selector(std::string_view selector);

}  // namespace apf
