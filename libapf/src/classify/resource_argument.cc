// From kubectl's way of naming a request to the HTTP request, and so to its RequestInfo.
#include <apf/classify.h>
#include <apf/error.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/api_resources.h"
#include "classify/verbs.h"
#include "config/closest.h"

namespace apf {

namespace {

struct ResourceName {
  std::string resource, version, group, subresource;
  bool has_group = false;
};

// v1, v2beta1, …: as kubectl distinguishes a version from the first word of a group.
bool is_version(std::string_view text) {
  std::size_t at = 1;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
    return at > from;
  };
  if (text.empty() || text[0] != 'v' || !digits()) return false;
  if (at == text.size()) return true;
  const std::string_view stage = text.substr(at);
  at += stage.starts_with("alpha") ? 5 : stage.starts_with("beta") ? 4 : text.size() + 1;
  return at < text.size() && digits() && at == text.size();
}

ResourceName split(std::string_view text) {
  ResourceName out;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) out.subresource = text.substr(slash + 1);
  text = text.substr(0, slash);
  const std::size_t dot = text.find('.');
  out.resource = text.substr(0, dot);
  if (dot == std::string_view::npos) return out;
  std::string_view rest = text.substr(dot + 1);
  out.has_group = true;
  if (const std::string_view first = rest.substr(0, rest.find('.')); is_version(first)) {
    out.version = first;
    rest.remove_prefix(std::min(first.size() + 1, rest.size()));
  }
  out.group = rest;
  return out;
}

std::string escaped(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-._~:@!$'()*,;").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

// Subresources of built-in and of custom resources; RESOURCE/WORD with another word is TYPE/NAME, as kubectl writes it.
constexpr std::string_view kSubresources[] = {"approval",    "attach", "binding",  "ephemeralcontainers",
                                              "eviction",    "exec",   "finalize", "log",
                                              "portforward", "proxy",  "resize",   "scale",
                                              "status",      "token"};

bool is_subresource(std::string_view word) {
  return std::find(std::begin(kSubresources), std::end(kSubresources), word.substr(0, word.find('/'))) !=
         std::end(kSubresources);
}

// Words of paths that are no resources: `get healthz` asks for /healthz.
constexpr std::string_view kPathWords[] = {"api",     "apis",    "healthz", "livez",
                                           "metrics", "openapi", "readyz",  "version"};

// What no request is for.
void refuse_no_resource(const ResourceName& name) {
  const std::string& word = name.resource;
  if (word == "*") throw Error("'*' is every resource in a rule, and none in a request: name one, such as pods");
  if (word.find(',') != std::string::npos)
    throw Error("'" + word + "' is several resources, and kubectl sends a request for each: name one of them");
  if (name.has_group || std::find(std::begin(kPathWords), std::end(kPathWords), word) == std::end(kPathWords)) return;
  throw Error("'" + word + "' is a path, not a resource: write /" + word + " (a resource of that name is " + word +
              ".GROUP)");
}

std::vector<std::string_view> resource_names() {
  std::vector<std::string_view> names;
  for (const ApiResource& resource : api_resources()) names.push_back(resource.name);
  return names;
}

// Fills in what the table knows; null when it does not know the resource.
const ApiResource* complete(ResourceName& name, std::vector<Remark>& notes) {
  const std::string_view group = name.group;
  const ApiResource* known = find_api_resource(name.resource, name.has_group ? &group : nullptr);
  if (known) {
    name.resource = known->name;
    name.group = known->group;
    if (name.version.empty()) name.version = known->version;
    return known;
  }
  if (name.version.empty()) name.version = "v1";
  if (!name.has_group) {
    const std::string_view near = closest(name.resource, resource_names());
    notes.push_back({.kind = RemarkKind::resource_unknown, .name = name.resource, .detail = std::string(near)});
  }
  return nullptr;
}

std::string path_of(const ResourceName& name, std::string_view object, std::string_view ns, bool proxy) {
  std::string path = name.group.empty() ? "/api/" + escaped(name.version)
                                        : "/apis/" + escaped(name.group) + "/" + escaped(name.version);
  if (proxy) path += "/proxy";  // the old form, the only one whose verb is proxy
  if (!ns.empty()) path += "/namespaces/" + escaped(ns);
  path += "/" + escaped(name.resource);
  if (!object.empty() || !name.subresource.empty()) path += "/" + escaped(object);
  if (!name.subresource.empty()) path += "/" + escaped(name.subresource);
  return path;
}

}  // namespace

NamedRequest name_request(std::string_view verb, std::string_view resource, std::string_view name,
                          std::string_view ns) {
  const VerbMethod* const row = find_resource_verb(verb);
  if (!row) {
    std::vector<std::string_view> verbs;
    for (const VerbMethod& known : kResourceVerbs) verbs.push_back(known.verb);
    const std::string_view near = closest(verb, verbs);
    throw Error("no request for a resource has the verb '" + std::string(verb) + "'" +
                (near.empty()
                     ? "; it is one of get, list, watch, create, update, patch, delete, deletecollection, proxy"
                     : "; " + did_you_mean(near, '\'')));
  }
  NamedRequest out;
  ResourceName parts = split(resource);
  if (parts.resource.empty())
    throw Error(resource.empty() ? "the resource is empty: name one, such as pods, or give a path, such as /healthz"
                                 : "'" + std::string(resource) + "' names no resource");
  refuse_no_resource(parts);
  std::string object;
  if (!parts.subresource.empty() && name.empty() && !is_subresource(parts.subresource)) {
    object = std::exchange(parts.subresource, {});
    const std::size_t slash = object.find('/');  // TYPE/NAME/SUBRESOURCE: names hold none
    if (slash != std::string::npos && is_subresource(std::string_view(object).substr(slash + 1))) {
      parts.subresource = object.substr(slash + 1);
      object.resize(slash);
    }
    name = object;
  }
  if (name.find('/') != std::string_view::npos)
    throw Error("'" + std::string(name) +
                "' is not the name of an object, because it has a '/'; a file or folder is given with -f");
  const bool whole_collection = verb == "list" || verb == "watch" || verb == "deletecollection";
  if (whole_collection && !parts.subresource.empty())
    throw Error("no request for the subresource '" + parts.subresource + "' has the verb '" + std::string(verb) +
                "': the server reads " + std::string(row->method) + " of it as '" +
                (verb == "deletecollection" ? "delete" : "get") + "'");
  const ApiResource* known = complete(parts, out.notes);
  if (!object.empty()) {
    const std::string of = parts.resource + (parts.subresource.empty() ? "" : "/" + parts.subresource);
    out.notes.push_back({.kind = RemarkKind::type_and_name, .name = of, .detail = object});
  }
  if (object.empty() && !parts.subresource.empty() && name.empty())
    out.notes.push_back({.kind = RemarkKind::subresource_read, .name = parts.resource, .detail = parts.subresource});
  if (known && !known->namespaced && !ns.empty()) {
    out.notes.push_back({.kind = RemarkKind::namespace_ignored, .name = parts.resource, .detail = std::string(ns)});
    ns = {};
  }
  if (known && known->namespaced && ns.empty() && (!whole_collection || verb == "deletecollection")) {
    out.notes.push_back({.kind = RemarkKind::namespace_needed, .name = parts.resource, .detail = std::string(verb)});
  }
  // A list or watch of one object says so in its field selector.
  const bool by_selector = whole_collection && !name.empty();
  out.method = row->method;
  out.uri = path_of(parts, by_selector ? "" : name, ns, verb == "proxy");
  if (verb == "watch") out.uri += "?watch=true";
  if (by_selector)
    out.uri += std::string(verb == "watch" ? "&" : "?") + "fieldSelector=metadata.name%3D" + escaped(name);
  parse_request(out.method, out.uri, out.request);
  out.request.info.verb = verb;  // the URL of a get without a name would be a list
  return out;
}

}  // namespace apf
