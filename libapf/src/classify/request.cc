// RequestInfo and the query's meaning, copied out of the view that the parser fills.
#include <apf/classify.h>

#include <algorithm>

#include "base/identities.h"
#include "base/releases.h"
#include "classify/flow_schema.h"
#include "classify/go_url.h"
#include "classify/request_view.h"

namespace apf {
namespace {

// Like resize(), but strings that fall away keep their memory in `spare` and come back from there.
void resize_parts(std::vector<std::string>& parts, std::size_t size, std::vector<std::string>& spare) {
  while (parts.size() > size) {
    spare.push_back(std::move(parts.back()));
    parts.pop_back();
  }
  while (parts.size() < size) {
    if (spare.empty()) {
      parts.emplace_back();
    } else {
      parts.push_back(std::move(spare.back()));
      spare.pop_back();
    }
  }
}

void copy_info(const RequestView::Fields& f, RequestInfo& info, std::vector<std::string>& spare) {
  info.is_resource_request = f.is_resource;
  info.path.assign(f.path);
  info.verb.assign(f.verb);
  info.api_prefix.assign(f.api_prefix);
  info.api_group.assign(f.api_group);
  info.api_version.assign(f.api_version);
  info.ns.assign(f.ns);
  info.resource.assign(f.resource);
  info.subresource.assign(f.subresource);
  info.name.assign(f.name);
  info.field_selector.assign(f.field_selector);
  info.label_selector.assign(f.label_selector);
  info.has_parts = f.has_parts;
  if (!f.has_parts) {
    resize_parts(info.parts, 0, spare);
    return;
  }
  resize_parts(info.parts, 1 + static_cast<std::size_t>(std::count(f.parts.begin(), f.parts.end(), '/')), spare);
  std::string_view left = f.parts;
  for (std::string& part : info.parts) {
    const std::size_t slash = left.find('/');
    part.assign(left.substr(0, slash));
    left.remove_prefix(slash == left.npos ? left.size() : slash + 1);
  }
}

void copy_query(const RequestView::Fields& f, RequestQuery& query) {
  query.list_options_ok = f.list_options_ok;
  query.limit = f.limit;
  query.has_selector = f.has_selector;
  query.resource_version.assign(f.resource_version);
  query.resource_version_match.assign(f.resource_version_match);
  query.has_continue = f.has_continue;
  query.send_initial_events = f.send_initial_events;
  query.timeout = f.timeout > 0 ? std::optional<Nanos>(f.timeout) : std::nullopt;
  query.timeout_invalid = f.timeout_invalid;
  query.node_name_selector = f.node_name_selector;
}

// The errors' texts are made here, off the usual path.
void set_errors(RequestView::Fault fault, std::string_view uri, ParsedRequest& out) {
  GoUrl url;
  std::string error;
  const bool is_target = parse_request_uri(uri, url, error);
  if (fault == RequestView::Fault::bad_url) {
    out.url_error = error;
    return;
  }
  std::string ignored;
  if (!is_target) parse_url(uri, url, ignored);
  out.info_error = "unable to determine kind and namespace from url, " + url.str();
}

template <class Parse>
void parse_with(Parse parse, std::string_view word, std::string_view uri, ParsedRequest& out) {
  RequestView view;
  view.scratch.swap(out.spare.text);
  parse(word, uri, view);
  copy_info(view.f, out.info, out.spare.parts);
  copy_query(view.f, out.query);
  out.url_error.clear();
  out.info_error.clear();
  if (view.f.fault != RequestView::Fault::none) set_errors(view.f.fault, uri, out);
  view.scratch.swap(out.spare.text);
}

}  // namespace

void RequestInfo::clear() {
  is_resource_request = has_parts = false;
  for (std::string* text : {&path, &verb, &api_prefix, &api_group, &api_version, &ns, &resource, &subresource, &name,
                            &field_selector, &label_selector}) {
    text->clear();
  }
  parts.clear();
}

void parse_request(std::string_view method, std::string_view uri, ParsedRequest& out) {
  parse_with(parse_request_view, method, uri, out);
}

void parse_audited_request(std::string_view verb, std::string_view uri, ParsedRequest& out) {
  parse_with(parse_audited_view, verb, uri, out);
}

bool is_long_running(const RequestInfo& info) {
  return is_long_running_request(info.is_resource_request, info.verb, info.subresource, info.path);
}

bool is_mutating(const RequestInfo& info) { return info.verb != "get" && info.verb != "list" && info.verb != "watch"; }

// As the server's authenticators and its impersonation filter do (v1.36).
std::vector<std::string> add_implied_groups(User& user) {
  std::vector<std::string> added;
  const auto has = [&](std::string_view group) {
    return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
  };
  const auto add = [&](std::string group) {
    if (has(group)) return;
    user.groups.push_back(group);
    added.push_back(std::move(group));
  };
  const std::string_view name = user.name;
  if (name.starts_with(kServiceAccountPrefix)) {
    const std::string_view account = name.substr(kServiceAccountPrefix.size());
    const std::size_t colon = account.find(':');
    const bool two_parts = colon != account.npos && colon > 0 && colon + 1 < account.size() &&
                           account.find(':', colon + 1) == account.npos;
    if (two_parts) {
      add(std::string(kServiceAccountsGroup));
      add(std::string(kNamespaceGroupPrefix) + std::string(account.substr(0, colon)));
    }
  }
  if (name.empty() || name == "system:anonymous") {
    add("system:unauthenticated");
  } else if (!has("system:unauthenticated")) {
    add("system:authenticated");
  }
  return added;
}

bool records_selectors(KubeVersion version) { return has(version, Feature::request_selectors); }

}  // namespace apf
