// Trace lines without names: who and what is replaced by hashes, what decides about a request stays.
#include <apf/config.h>
#include <apf/logs.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/text.h"

namespace apf {
namespace {

constexpr std::size_t kWordBytes = 6;
constexpr std::size_t kMostWords = 1u << 20;  // remembered

constexpr std::string_view kSystem = "system:", kServiceAccount = "system:serviceaccount:",
                           kServiceAccounts = "system:serviceaccounts:", kNode = "system:node:";
constexpr std::string_view kOwnNamespaces[] = {"default", "kube-node-lease", "kube-public", "kube-system"};

// Query parameters whose values name nothing: they decide about costs, time limits and long-running requests.
constexpr std::string_view kPlainParameters[] = {"allowWatchBookmarks",
                                                 "dryRun",
                                                 "follow",
                                                 "force",
                                                 "gracePeriodSeconds",
                                                 "limit",
                                                 "orphanDependents",
                                                 "pretty",
                                                 "previous",
                                                 "propagationPolicy",
                                                 "resourceVersion",
                                                 "resourceVersionMatch",
                                                 "sendInitialEvents",
                                                 "sinceSeconds",
                                                 "stderr",
                                                 "stdin",
                                                 "stdout",
                                                 "tailLines",
                                                 "timeout",
                                                 "timeoutSeconds",
                                                 "timestamps",
                                                 "tty",
                                                 "watch"};

template <std::size_t kSize>
bool is_one_of(const std::string_view (&names)[kSize], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string decoded(std::string_view text, bool query) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) << 4 | hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

struct Redactor::Impl {
  std::string key;
  std::set<std::string, std::less<>> own_schemas, own_levels;
  mutable std::unordered_map<std::string, std::string> words;

  std::string word(std::string_view text) const;
  std::string name(std::string_view text, bool is_namespace) const;
  void segments(std::vector<std::string>& parts, std::size_t from) const;
  std::string path(std::string_view text) const;
  std::string field_selector(std::string_view selector) const;
  std::string parameter(std::string_view text) const;
};

std::string Redactor::Impl::word(std::string_view text) const {
  if (text.empty()) return {};
  if (words.size() >= kMostWords) words.clear();
  const auto [it, is_new] = words.try_emplace(std::string(text));
  if (is_new) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), digest, &size);
    constexpr const char* kDigits = "0123456789abcdef";
    it->second = "r-";
    for (std::size_t i = 0; i < kWordBytes; ++i)
      it->second.append(1, kDigits[digest[i] >> 4]).append(1, kDigits[digest[i] & 15]);
  }
  return it->second;
}

std::string Redactor::Impl::name(std::string_view text, bool is_namespace) const {
  return is_namespace && is_one_of(kOwnNamespaces, text) ? std::string(text) : word(text);
}

// What follows /api/VERSION or /apis/GROUP/VERSION: [watch|proxy/][namespaces/NAME/]RESOURCE/NAME/SUBRESOURCE[/…].
void Redactor::Impl::segments(std::vector<std::string>& parts, std::size_t from) const {
  if (from < parts.size() && (parts[from] == "watch" || parts[from] == "proxy")) ++from;
  if (from + 1 < parts.size() && parts[from] == "namespaces") {
    parts[from + 1] = name(parts[from + 1], true);
    const bool of_namespace = from + 2 >= parts.size() || parts[from + 2] == "status" ||
                              parts[from + 2] == "finalize" || parts[from + 2].empty();
    if (of_namespace) return;
    from += 2;
  }
  if (from + 1 < parts.size()) parts[from + 1] = name(parts[from + 1], false);
  // Behind the subresource (proxy) come paths of others.
  for (std::size_t i = from + 3; i < parts.size(); ++i) parts[i] = word(parts[i]);
}

std::string Redactor::Impl::path(std::string_view text) const {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '/')) parts.emplace_back(part);
  const bool core = parts.size() > 3 && parts[1] == "api", grouped = parts.size() > 4 && parts[1] == "apis";
  if (!text.starts_with('/') || !(core || grouped)) return std::string(text);
  for (std::string& part : parts) part = decoded(part, false);
  segments(parts, core ? 3 : 4);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out.append(i > 0 ? "/" : "").append(parts[i]);
  return out;
}

// The fields stay, which name none, and tell what the request is of (metadata.name, spec.nodeName).
std::string Redactor::Impl::field_selector(std::string_view selector) const {
  std::string out;
  for (const std::string_view term : split(selector, ',')) {
    if (!out.empty()) out += ',';
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      out += word(term);
      continue;
    }
    const std::size_t value = term.find_first_not_of('=', equals);
    const std::size_t end = value == std::string_view::npos ? term.size() : value;
    out.append(term.substr(0, end)).append(name(term.substr(end), term.starts_with("metadata.namespace")));
  }
  return out;
}

std::string Redactor::Impl::parameter(std::string_view text) const {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::string(text);
  const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
  if (value.empty() || is_one_of(kPlainParameters, name)) return std::string(text);
  std::string out = std::string(name) + "=";
  if (name != "fieldSelector") return out + word(decoded(value, true));
  for (const char c : field_selector(decoded(value, true)))
    out += c == '=' ? "%3D" : c == ',' ? "%2C" : c == '!' ? "%21" : std::string(1, c);
  return out;
}

Redactor::Redactor(std::string_view key) : impl_(std::make_unique<Impl>()) {
  impl_->key = key;
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
  if (name.starts_with(kServiceAccount)) {
    const std::string_view rest = name.substr(kServiceAccount.size());
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return std::string(kServiceAccount) + word(rest);
    const std::string_view space = rest.substr(0, colon);
    // Those of kube-system are the controllers, which FlowSchemas name.
    if (space == "kube-system") return std::string(name);
    return std::string(kServiceAccount).append(name_space(space)).append(":").append(word(rest.substr(colon + 1)));
  }
  if (name.starts_with(kNode)) return std::string(kNode) + word(name.substr(kNode.size()));
  return group(name);
}

std::string Redactor::group(std::string_view name) const {
  if (!name.starts_with(kSystem)) return word(name);
  if (name.starts_with(kServiceAccounts))
    return std::string(kServiceAccounts) + name_space(name.substr(kServiceAccounts.size()));
  const std::size_t colon = name.find(':', kSystem.size());
  if (colon == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, colon + 1)) + word(name.substr(colon + 1));
}

std::string Redactor::uri(std::string_view target) const {
  const std::size_t question = target.find('?');
  std::string out = impl_->path(target.substr(0, question));
  if (question == std::string_view::npos) return out;
  char separator = '?';
  for (const std::string_view parameter : split(target.substr(question + 1), '&')) {
    out += separator + impl_->parameter(parameter);
    separator = '&';
  }
  return out;
}

void Redactor::apply(TraceRequest& request) const {
  request.id = word(request.id);
  request.user.name = user(request.user.name);
  for (std::string& g : request.user.groups) g = group(g);
  if (!request.uri.empty()) request.uri = uri(request.uri);
  if (request.request_info) {
    RequestInfo& info = *request.request_info;
    info.path = impl_->path(info.path);
    info.ns = name_space(info.ns);
    info.name = info.resource == "namespaces" ? name_space(info.name) : word(info.name);
    if (info.parts.size() > 1) info.parts[1] = info.name;
    for (std::size_t i = 3; i < info.parts.size(); ++i) info.parts[i] = word(info.parts[i]);
    if (!info.field_selector.empty()) info.field_selector = impl_->field_selector(info.field_selector);
    info.label_selector = word(info.label_selector);
  }
  request.user_agent = word(request.user_agent);
  request.source_ip = word(request.source_ip);
  auto& recorded = request.recorded;
  if (!impl_->own_schemas.contains(recorded.flow_schema)) recorded.flow_schema = word(recorded.flow_schema);
  if (!impl_->own_levels.contains(recorded.priority_level)) recorded.priority_level = word(recorded.priority_level);
  request.object.clear();
  request.server = word(request.server);
}

}  // namespace apf
