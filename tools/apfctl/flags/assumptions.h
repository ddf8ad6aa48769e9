// What an answer assumes because nobody said it, or said it for short.
#pragma once

#include <optional>
#include <string>

#include <apf/classify.h>

namespace apfctl {

struct Assumption {
  const char* kind;
  std::string message, hint;  // without a hint: empty
};

// As a note prints it, the hint in brackets.
std::string text_of(const Assumption& assumption);

// The user is system:anonymous.
Assumption user_not_named();
// Whom "admin" means; nothing for another name.
std::optional<Assumption> administrator_meant(const std::string& name, const apf::User& admin);
// Only the built-in objects of a release were asked.
Assumption only_built_in_objects(const std::string& release);
// Nothing for a request that needs no name, or has one.
std::optional<Assumption> name_missing(const apf::RequestInfo& request);

}  // namespace apfctl
