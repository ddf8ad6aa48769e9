// The objects of manifests, of all kinds, in the order in which kubectl apply sends them: file by file, document by
// document, lists unfolded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>

#include "admission/quota_subject.h"
#include "config/tree.h"

namespace apf {

struct Manifest {
  const ConfigNode* object = nullptr;
  int document = 0;
  std::string api_version, kind, name, ns;  // ns as written
  GroupResource resource;
  bool namespaced = true;

  Span span() const;  // of its kind
};

struct ManifestSet {
  std::vector<std::shared_ptr<ConfigTree>> trees;  // hold the nodes
  std::vector<Manifest> manifests;
  std::vector<Diagnostic> diagnostics;  // what does not parse or is no object
};

// Kinds that no cluster has by itself are taken for custom ones: resource and scope by a CustomResourceDefinition among
// the texts, else the plural is formed as the server's own guess has it, and they are namespaced.
ManifestSet read_manifests(std::span<const ConfigText> texts);

// A finding about an object, at one of its nodes.
Diagnostic manifest_fault(const Manifest& manifest, const ConfigNode& at, std::string field, std::string message);

}  // namespace apf
