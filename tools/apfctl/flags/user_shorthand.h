// Short names of users: sa:NS/NAME, node:NAME, admin; of many also sa:NS/*, node:*, group:NAME and user:NAME.
#pragma once

#include <optional>
#include <string>

#include <apf/classify.h>
#include <apf/config.h>

namespace apfctl {

struct Console;

// apf::user_named() for the value of a flag. Throws UsageError, naming `flag`, for a short name that is none of one
// user.
apf::User user_of_shorthand(const std::string& flag, const std::string& text, const apf::User& admin);

// Whom it means as the subject of a FlowSchema; nothing if it is no short name. Throws UsageError.
std::optional<apf::Subject> subject_of_shorthand(const std::string& flag, const std::string& text,
                                                 const apf::User& admin);

// Says of a user whom no FlowSchema names what the name means: a service account that one names, or no user at all.
void note_meant_user(const apf::Config& config, const apf::User& user, const Console& console);

}  // namespace apfctl
