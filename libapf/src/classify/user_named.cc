// apf::user_named() and apf::subject_named(). Short names of users: sa:NS/NAME, node:NAME, admin, user:NAME; and of
// many: sa:NS/*, node:*, group:NAME.
#include <apf/error.h>
#include <apf/request_words.h>

#include <utility>

#include "base/identities.h"

namespace apf {

namespace {

constexpr std::string_view kAccount = "sa:", kNode = "node:", kGroup = "group:", kUser = "user:";

std::string name_after(const std::string& text, std::string_view prefix) {
  std::string name = text.substr(prefix.size());
  if (name.empty()) throw Error("'" + text + "' is not " + std::string(prefix) + "NAME");
  return name;
}

// NS and NAME of "sa:NS/NAME".
std::pair<std::string, std::string> account_of(const std::string& text) {
  const std::string rest = text.substr(kAccount.size());
  const std::size_t slash = rest.find('/');
  const bool fits = slash != std::string::npos && slash > 0 && slash + 1 < rest.size() &&
                    rest.find('/', slash + 1) == std::string::npos && rest.find(':') == std::string::npos;
  if (!fits) throw Error("'" + text + "' is not sa:NAMESPACE/NAME");
  return {rest.substr(0, slash), rest.substr(slash + 1)};
}

[[noreturn]] void refuse_many(const std::string& text) {
  throw Error("'" + text + "' is more than one user; name one of them");
}

}  // namespace

User user_named(const std::string& text) {
  if (text == kAdministrator) return administrator(kNewestKubeVersion, "");
  if (text.starts_with(kAccount)) {
    const auto [ns, name] = account_of(text);
    if (name == "*") refuse_many(text);
    return {std::string(kServiceAccountPrefix) + ns + ":" + name, {}};
  }
  if (text.starts_with(kNode)) {
    const std::string name = name_after(text, kNode);
    if (name == "*") refuse_many(text);
    return {std::string(kNodePrefix) + name, {std::string(kNodesGroup)}};
  }
  if (text.starts_with(kUser)) return {name_after(text, kUser), {}};
  if (text.starts_with(kGroup)) refuse_many(text);
  return {text, {}};
}

std::optional<Subject> subject_named(const std::string& text) {
  const auto group = [](std::string name) { return Subject{"Group", {}, std::move(name), {}}; };
  if (text == kAdministrator) return group(administrator(kNewestKubeVersion, "").groups.front());
  if (text.starts_with(kGroup)) return group(name_after(text, kGroup));
  if (text == std::string(kNode) + "*") return group(std::string(kNodesGroup));
  if (text.starts_with(kAccount)) {
    auto [ns, name] = account_of(text);
    return Subject{"ServiceAccount", {}, {}, Subject::ServiceAccount{std::move(ns), std::move(name)}};
  }
  if (!text.starts_with(kNode) && !text.starts_with(kUser)) return std::nullopt;
  return Subject{"User", user_named(text).name, {}, {}};
}

}  // namespace apf
