#include "user_shorthand.h"

#include <utility>

#include <apf/report.h>

#include "command_line.h"

namespace apfctl {

namespace {

constexpr const char *kAccount = "sa:", *kNode = "node:", *kGroup = "group:", *kUser = "user:", *kAdmin = "admin";

// NS and NAME of "sa:NS/NAME".
std::pair<std::string, std::string> account_of(const std::string& flag, const std::string& text) {
  const std::string rest = text.substr(3);
  const std::size_t slash = rest.find('/');
  const bool fits = slash != std::string::npos && slash > 0 && slash + 1 < rest.size() &&
                    rest.find('/', slash + 1) == std::string::npos && rest.find(':') == std::string::npos;
  if (!fits) throw UsageError(flag + ": '" + apf::printable(text) + "' is not sa:NAMESPACE/NAME");
  return {rest.substr(0, slash), rest.substr(slash + 1)};
}

std::string name_after(const std::string& flag, const std::string& text, const char* prefix, const char* form) {
  std::string name = text.substr(std::string(prefix).size());
  if (name.empty()) throw UsageError(flag + ": '" + apf::printable(text) + "' is not " + form);
  return name;
}

void refuse_many(const std::string& flag, const std::string& text, bool many) {
  if (many) throw UsageError(flag + ": '" + apf::printable(text) + "' is more than one user; name one of them");
}

}  // namespace

bool is_user_shorthand(const std::string& text) {
  return text == kAdmin || text.starts_with(kAccount) || text.starts_with(kNode) || text.starts_with(kGroup) ||
         text.starts_with(kUser);
}

apf::User user_of_shorthand(const std::string& flag, const std::string& text) {
  if (text == kAdmin) return {"kubernetes-admin", {"system:masters"}};
  if (text.starts_with(kAccount)) {
    const auto [ns, name] = account_of(flag, text);
    refuse_many(flag, text, name == "*");
    return {"system:serviceaccount:" + ns + ":" + name, {}};
  }
  if (text.starts_with(kNode)) {
    const std::string name = name_after(flag, text, kNode, "node:NAME");
    refuse_many(flag, text, name == "*");
    return {"system:node:" + name, {"system:nodes"}};
  }
  if (text.starts_with(kUser)) return {name_after(flag, text, kUser, "user:NAME"), {}};
  refuse_many(flag, text, text.starts_with(kGroup));
  return {text, {}};
}

std::optional<apf::Subject> subject_of_shorthand(const std::string& flag, const std::string& text) {
  if (!is_user_shorthand(text)) return std::nullopt;
  const auto group = [](std::string name) { return apf::Subject{"Group", {}, std::move(name), {}}; };
  if (text == kAdmin) return group("system:masters");
  if (text.starts_with(kGroup)) return group(name_after(flag, text, kGroup, "group:NAME"));
  if (text == std::string(kNode) + "*") return group("system:nodes");
  if (text.starts_with(kAccount)) {
    auto [ns, name] = account_of(flag, text);
    return apf::Subject{"ServiceAccount", {}, {}, apf::Subject::ServiceAccount{std::move(ns), std::move(name)}};
  }
  return apf::Subject{"User", user_of_shorthand(flag, text).name, {}, {}};
}

}  // namespace apfctl
