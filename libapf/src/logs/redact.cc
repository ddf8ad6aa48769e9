// Trace lines without names: who and what is replaced by hashes, what decides about a request stays.
#include <apf/config.h>
#include <apf/logs.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/identities.h"
#include "base/sha256.h"
#include "base/text.h"
#include "classify/go_url.h"
#include "classify/selectors.h"
#include "logs/api_vocabulary.h"

namespace apf {
namespace {

constexpr std::size_t kWordDigits = 12;
constexpr std::size_t kMostWords = 1u << 20;  // remembered

constexpr std::string_view kSystem = "system:";
constexpr std::string_view kOwnNamespaces[] = {"default", "kube-node-lease", "kube-public", "kube-system"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

// As a value of a query.
std::string escaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    if (plain) out += c;
    else out.append(1, '%').append(1, kDigits[static_cast<unsigned char>(c) >> 4]).append(1, kDigits[c & 15]);
  }
  return out;
}

}  // namespace

struct Redactor::Impl {
  explicit Impl(std::string_view key) : hash(key) {}

  HmacSha256 hash;
  std::set<std::string, std::less<>> own_schemas, own_levels;
  mutable std::unordered_map<std::string, std::string> words;

  std::string word(std::string_view text) const;
  std::string name(std::string_view text, bool is_namespace) const;
  std::string api_word(std::string_view text) const;
  std::string path(std::string_view decoded) const;
  std::string field_selector(std::string_view selector) const;
  std::string label_selector(std::string_view selector) const;
  std::string parameter(std::string_view text) const;
  void request_info(RequestInfo& info) const;
};

std::string Redactor::Impl::word(std::string_view text) const {
  if (text.empty()) return {};
  if (words.size() >= kMostWords) words.clear();
  const auto [it, is_new] = words.try_emplace(std::string(text));
  if (is_new) it->second = "r-" + hexadecimal(hash.of(text)).substr(0, kWordDigits);
  return it->second;
}

std::string Redactor::Impl::name(std::string_view text, bool is_namespace) const {
  return is_namespace && is_one_of(kOwnNamespaces, text) ? std::string(text) : word(text);
}

std::string Redactor::Impl::api_word(std::string_view text) const {
  return is_api_word(text) || is_api_version(text) ? std::string(text) : word(text);
}

// Segment by segment, each by what the server takes it for: [/]api/VERSION or apis/GROUP/VERSION, then
// [watch|proxy/][namespaces/NAME/]RESOURCE/NAME/SUBRESOURCE[/...]. Empty segments count.
std::string Redactor::Impl::path(std::string_view decoded) const {
  enum class Role : std::uint8_t { api, name_space, object, foreign };
  std::vector<std::string_view> parts = split(decoded, '/');
  std::vector<Role> roles(parts.size(), Role::api);
  std::size_t first = 0, end = parts.size();
  while (first < end && parts[first].empty()) ++first;
  while (end > first && parts[end - 1].empty()) --end;
  const std::size_t prefixes = first < end && parts[first] == "api" ? 2 : first < end && parts[first] == "apis" ? 3 : 0;
  if (prefixes > 0 && end > first + prefixes) {
    std::size_t at = first + prefixes;
    const bool special = parts[at] == "watch" || parts[at] == "proxy";
    const bool proxied = parts[at] == "proxy";
    if (special) ++at;
    bool itself = false;  // /namespaces/NAME/status
    if (at + 1 < end && parts[at] == "namespaces") {
      roles[at + 1] = Role::name_space;
      itself = at + 2 < end && (parts[at + 2] == "status" || parts[at + 2] == "finalize");
      if (at + 2 < end && !itself) at += 2;
    }
    if (at + 1 < end && roles[at + 1] == Role::api) roles[at + 1] = Role::object;
    // Behind the subresource, or the object of a proxied request, come paths of others.
    for (std::size_t i = at + (proxied && !itself ? 2 : 3); i < end; ++i) roles[i] = Role::foreign;
  }
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '/';
    if (roles[i] == Role::api) out += api_word(parts[i]);
    else out += name(parts[i], roles[i] == Role::name_space);
  }
  return out;
}

// The fields stay, which name none, and tell what the request is of (metadata.name, spec.nodeName).
std::string Redactor::Impl::field_selector(std::string_view selector) const {
  if (selector.find('\\') != std::string_view::npos) return word(selector);
  std::string out;
  bool more = false;
  for (const std::string_view term : split(selector, ',')) {
    if (std::exchange(more, true)) out += ',';
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      out += word(term);
      continue;
    }
    std::string_view field = term.substr(0, equals);
    const bool differs = field.ends_with('!');
    if (differs) field.remove_suffix(1);
    std::string_view value = term.substr(equals + 1);
    const bool twice = !differs && value.starts_with('=');
    if (twice) value.remove_prefix(1);
    out += is_selector_field(field) ? std::string(field) : word(field);
    out += differs ? "!=" : twice ? "==" : "=";
    out += name(value, field == "metadata.namespace");
  }
  return out;
}

// Whether it is a selector at all decides, too.
std::string Redactor::Impl::label_selector(std::string_view selector) const {
  return is_valid_label_selector(selector) ? word(selector) : "=" + word(selector);
}

std::string Redactor::Impl::parameter(std::string_view text) const {
  const std::size_t equals = text.find('=');
  std::string field, value;
  const bool readable = text.find(';') == std::string_view::npos &&
                        append_unescaped(text.substr(0, equals), true, field) &&
                        (equals == std::string_view::npos || append_unescaped(text.substr(equals + 1), true, value));
  if (!readable) return word(text);
  const bool known = is_query_parameter(field);
  std::string out = known ? field : word(field);
  if (equals == std::string_view::npos) return out;
  out += '=';
  if (known && is_plain_value(value)) return out + escaped(value);
  if (field == "fieldSelector") return out + escaped(field_selector(value));
  if (field == "labelSelector") return out + escaped(label_selector(value));
  return out + word(value);
}

void Redactor::Impl::request_info(RequestInfo& info) const {
  info.path = path(info.path);
  if (!is_request_verb(info.verb)) info.verb = word(info.verb);
  for (std::string* text : {&info.api_prefix, &info.api_group, &info.api_version}) *text = api_word(*text);
  info.ns = name(info.ns, true);
  info.name = name(info.name, info.resource == "namespaces");
  info.resource = api_word(info.resource);
  info.subresource = api_word(info.subresource);
  for (std::size_t i = 0; i < info.parts.size(); ++i) {
    std::string& part = info.parts[i];
    if (i == 1) part = name(part, info.resource == "namespaces");
    else part = i == 0 || i == 2 ? api_word(part) : word(part);
  }
  if (!info.field_selector.empty()) info.field_selector = field_selector(info.field_selector);
  if (!info.label_selector.empty()) info.label_selector = label_selector(info.label_selector);
}

Redactor::Redactor(std::string_view key) : impl_(std::make_unique<Impl>(key)) {
  for (const KubeVersion version : {kOldestKubeVersion, kNewestKubeVersion}) {
    const Config own = bootstrap_config(version);
    for (const FlowSchema& schema : own.flow_schemas) impl_->own_schemas.insert(schema.meta.name);
    for (const PriorityLevel& level : own.priority_levels) impl_->own_levels.insert(level.meta.name);
  }
}

Redactor::~Redactor() = default;

std::string Redactor::word(std::string_view text) const { return impl_->word(text); }
std::string Redactor::name_space(std::string_view name) const { return impl_->name(name, true); }

std::string Redactor::user(std::string_view name) const {
  if (!name.starts_with(kServiceAccountPrefix)) return group(name);
  const std::string_view rest = name.substr(kServiceAccountPrefix.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::string(kServiceAccountPrefix) + word(rest);
  const std::string_view space = rest.substr(0, colon), account = rest.substr(colon + 1);
  // Those of kube-system are the controllers, which FlowSchemas name.
  const bool own = space == "kube-system" && is_system_service_account(account);
  return std::string(kServiceAccountPrefix)
      .append(name_space(space))
      .append(":")
      .append(own ? std::string(account) : word(account));
}

std::string Redactor::group(std::string_view name) const {
  if (!name.starts_with(kSystem)) return word(name);
  if (name.starts_with(kNamespaceGroupPrefix))
    return std::string(kNamespaceGroupPrefix) + name_space(name.substr(kNamespaceGroupPrefix.size()));
  const std::string_view rest = name.substr(kSystem.size());
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  const std::string_view kind = rest.substr(0, colon);
  std::string out = std::string(kSystem) + (is_system_name(kind) ? std::string(kind) : word(kind));
  if (colon < rest.size()) out.append(":").append(word(rest.substr(colon + 1)));
  return out;
}

std::string Redactor::uri(std::string_view target) const {
  if (target.empty()) return {};
  GoUrl url;
  std::string error;
  // What the server cannot read stays unreadable.
  if (!parse_request_uri(target, url, error) && !parse_url(target, url, error)) return "%" + impl_->word(target);
  std::string out = impl_->path(url.path);
  if (url.raw_query.empty()) return url.force_query || out.empty() ? out + '?' : out;
  char separator = '?';
  for (const std::string_view parameter : split(url.raw_query, '&')) {
    out += separator + impl_->parameter(parameter);
    separator = '&';
  }
  return out;
}

void Redactor::apply(TraceRequest& request) const {
  request.id = word(request.id);
  request.user.name = user(request.user.name);
  for (std::string& g : request.user.groups) g = group(g);
  if (!request.impersonator.empty()) request.impersonator = user(request.impersonator);
  if (!is_request_verb(request.verb)) request.verb = word(request.verb);
  if (!is_request_verb(request.method)) request.method = word(request.method);
  request.uri = uri(request.uri);
  if (request.request_info) impl_->request_info(*request.request_info);
  request.user_agent = word(request.user_agent);
  request.source_ip = word(request.source_ip);
  auto& recorded = request.recorded;
  if (!impl_->own_schemas.contains(recorded.flow_schema)) recorded.flow_schema = word(recorded.flow_schema);
  recorded.webhook = word(recorded.webhook);
  if (!impl_->own_levels.contains(recorded.priority_level)) recorded.priority_level = word(recorded.priority_level);
  request.object.clear();
  request.server = word(request.server);
}

}  // namespace apf
