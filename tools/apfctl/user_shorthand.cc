#include "user_shorthand.h"

#include <utility>

#include <apf/error.h>
#include <apf/report.h>
#include <apf/test_file.h>

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

}  // namespace

bool is_user_shorthand(const std::string& text) {
  return text == kAdmin || text.starts_with(kAccount) || text.starts_with(kNode) || text.starts_with(kGroup) ||
         text.starts_with(kUser);
}

apf::User user_of_shorthand(const std::string& flag, const std::string& text) {
  try {
    return apf::user_named(text);
  } catch (const apf::Error& error) {
    throw UsageError(flag + ": " + apf::printable(error.what()));
  }
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
