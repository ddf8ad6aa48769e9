// Short names of users: sa:NS/NAME, node:NAME, admin, user:NAME.
#include <apf/error.h>
#include <apf/test_file.h>

namespace apf {

namespace {

constexpr std::string_view kAccount = "sa:", kNode = "node:", kGroup = "group:", kUser = "user:";

std::string name_after(const std::string& text, std::string_view prefix) {
  std::string name = text.substr(prefix.size());
  if (name.empty()) throw Error("'" + text + "' is not " + std::string(prefix) + "NAME");
  return name;
}

[[noreturn]] void refuse_many(const std::string& text) {
  throw Error("'" + text + "' is more than one user; name one of them");
}

}  // namespace

User user_named(const std::string& text) {
  if (text == "admin") return {"kubernetes-admin", {"system:masters"}};
  if (text.starts_with(kAccount)) {
    const std::string rest = text.substr(kAccount.size());
    const std::size_t slash = rest.find('/');
    const bool fits = slash != std::string::npos && slash > 0 && slash + 1 < rest.size() &&
                      rest.find('/', slash + 1) == std::string::npos && rest.find(':') == std::string::npos;
    if (!fits) throw Error("'" + text + "' is not sa:NAMESPACE/NAME");
    if (rest.substr(slash + 1) == "*") refuse_many(text);
    return {"system:serviceaccount:" + rest.substr(0, slash) + ":" + rest.substr(slash + 1), {}};
  }
  if (text.starts_with(kNode)) {
    const std::string name = name_after(text, kNode);
    if (name == "*") refuse_many(text);
    return {"system:node:" + name, {"system:nodes"}};
  }
  if (text.starts_with(kUser)) return {name_after(text, kUser), {}};
  if (text.starts_with(kGroup)) refuse_many(text);
  return {text, {}};
}

}  // namespace apf
