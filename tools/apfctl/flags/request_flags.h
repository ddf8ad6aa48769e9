// A request as the command line names it, and who sends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/classify.h>

#include "flags/assumptions.h"
#include "flags/options.h"
#include "shared/command_line.h"

namespace apfctl {

struct AskedRequest {
  apf::ParsedRequest request;
  apf::User user;
  std::string method, uri;
  std::vector<std::string> implied;  // groups that were added
  std::vector<apf::Remark> notes;    // of the words that name the request
  std::vector<Assumption> assumptions;

  // But for the user who is not named: answers have that beside the name.
  void print_notes(const Console& console) const;
};

class RequestFlags {
 public:
  // --as, --as-group, --no-implied-groups, -n, -A, --subresource, --method, --uri
  void declare(CommandLine& line);
  std::string first_given() const;  // empty: none of them
  // Of the arguments, VERB RESOURCE [NAME] or METHOD PATH, or of --uri. `admin`: whom the short name means. Throws
  // UsageError.
  AskedRequest take(const CommandLine& line, const apf::User& admin, const Console& console) const;
  // The same words again, for a shell, and who sends the request.
  std::string words(const CommandLine& line) const;

 private:
  apf::NamedRequest request(const CommandLine& line) const;

  std::optional<std::string> user_, method_, uri_;
  std::vector<std::string> groups_;
  std::string ns_, subresource_;
  bool no_implied_groups_ = false, all_namespaces_ = false;
};

}  // namespace apfctl
