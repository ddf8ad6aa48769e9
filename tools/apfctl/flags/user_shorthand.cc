#include "flags/user_shorthand.h"

#include <set>

#include <fmt/core.h>

#include <apf/error.h>
#include <apf/report.h>
#include <apf/request_words.h>

#include "shared/command_line.h"
#include "shared/console.h"
#include "shared/words.h"

namespace apfctl {

namespace {

template <class Read>
auto of_flag(const std::string& flag, const std::string& text, Read read) {
  try {
    return read(text);
  } catch (const apf::Error& error) {
    throw UsageError(flag + ": " + apf::printable(error.what()));
  }
}

}  // namespace

apf::User user_of_shorthand(const std::string& flag, const std::string& text, const apf::User& admin) {
  return text == apf::kAdministrator ? admin : of_flag(flag, text, apf::user_named);
}

void note_meant_user(const apf::Config& config, const apf::User& user, const Console& console) {
  std::set<std::string> accounts;
  const char* other = nullptr;
  for (const apf::FlowSchema& schema : config.flow_schemas) {
    if (schema.meta.name == user.name) other = "FlowSchema";
    for (const apf::PolicyRule& rule : schema.rules) {
      for (const apf::Subject& subject : rule.subjects) {
        if (subject.user == user.name) return;
        if (subject.service_account && subject.service_account->name == user.name)
          accounts.insert("sa:" + subject.service_account->ns + "/" + user.name);
      }
    }
  }
  for (const apf::PriorityLevel& level : config.priority_levels)
    if (level.meta.name == user.name) other = "PriorityLevelConfiguration";
  // Service accounts are listed so; other names have a dot, a colon or "@" before a slash.
  const std::size_t slash = user.name.find('/');
  if (slash != std::string::npos && user.name.find_first_of(".:@/", slash + 1) == std::string::npos &&
      user.name.find_first_of(".:@") == std::string::npos)
    accounts.insert("sa:" + user.name);
  if (!accounts.empty())
    console.note(apf::printable(fmt::format("no FlowSchema names a user {}; did you mean {}?", user.name,
                                            join({accounts.begin(), accounts.end()}))));
  else if (other)
    console.note(
        apf::printable(fmt::format("no FlowSchema names a user {}, which is the name of a {}", user.name, other)));
}

std::optional<apf::Subject> subject_of_shorthand(const std::string& flag, const std::string& text,
                                                 const apf::User& admin) {
  if (text == apf::kAdministrator) return apf::Subject{"Group", {}, admin.groups.front(), {}};
  return of_flag(flag, text, apf::subject_named);
}

}  // namespace apfctl
