// What all objects have: names and annotations, and the place in a text that they came from.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/diagnostic.h>
#include <apf/version.h>

namespace apf {

class ConfigNode;  // the located tree an object was decoded from (internal)

// Where an object came from; gives the position of any of its fields.
struct APF_API ObjectSource {
  std::shared_ptr<const ConfigNode> tree;  // null for built-in and synthetic objects
  std::string file;
  int document = 0;  // index within the file, from 0

  // `field` as kube-apiserver prints paths ("spec.rules[0].subjects[1].kind"). Falls back to the
  // nearest enclosing field that is present; unknown Span when there is no source.
  Span span_of(std::string_view field) const;
};

struct ObjectMeta {
  std::string api_version;  // "flowcontrol.apiserver.k8s.io/v1"
  std::string name;
  std::string uid;
  std::vector<std::pair<std::string, std::string>> annotations;  // in source order
  ObjectSource source;
};

}  // namespace apf
