// Which documents are about limits of requests: by their apiVersion and kind alone.
#pragma once

#include <string>
#include <string_view>

#include <apf/config.h>

#include "config/tree.h"

namespace apf {

// Is it an object that load_config() reads, or reports because it means to be one? Of a list: is one of its items?
bool is_limiting_object(const ConfigNode& object);

// Does it have both, an apiVersion and a kind?
bool is_api_object(const ConfigNode& object);

// What an object of no kind that is read is meant to be: the one of its apiVersion and kind is exactly that of a kind
// of ours, and the other nearly, or its members are that kind's. Null: it is of another kind.
struct OwnKind {
  std::string_view api_version, kind;
};
const OwnKind* meant_kind(const ConfigNode& object, std::string_view api_version, std::string_view kind);

// By which annotations Config Sync decides to which clusters and namespaces an object goes; empty: to all. Objects of
// one name that differ in them are told apart by it.
std::string selector_of(const ObjectMeta& meta);

// For a text that does not parse: does a line of it say such an apiVersion or kind?
bool has_limiting_head(std::string_view text);

}  // namespace apf
