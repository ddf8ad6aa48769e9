#include "flags/user_shorthand.h"

#include <apf/error.h>
#include <apf/report.h>
#include <apf/request_words.h>

#include "shared/command_line.h"

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

std::optional<apf::Subject> subject_of_shorthand(const std::string& flag, const std::string& text,
                                                 const apf::User& admin) {
  if (text == apf::kAdministrator) return apf::Subject{"Group", {}, admin.groups.front(), {}};
  return of_flag(flag, text, apf::subject_named);
}

}  // namespace apfctl
