#include "flags/request_flags.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>
#include <apf/request_words.h>

#include "flags/user_shorthand.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

constexpr const char* kRequest = "the request (VERB RESOURCE [NAME], METHOD PATH or --uri)";

constexpr const char* kNobody = "system:anonymous";

// Where an object is named, `explain list pods flowcontrol/` means its files.
void refuse_files(const std::vector<std::string>& words) {
  constexpr std::string_view kEndings[] = {"/", ".yaml", ".yml", ".json"};
  for (std::size_t i = words.size() == 1 ? 0 : 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool may_be_meant = i != 1 || std::any_of(std::begin(kEndings), std::end(kEndings),
                                                    [&](std::string_view ending) { return word.ends_with(ending); });
    if (!may_be_meant || (i > 0 && word.starts_with('/')) || ::access(word.c_str(), F_OK) != 0) continue;
    const std::string file = apf::printable(word);
    throw UsageError(file + " is a file or folder here: for a configuration, write -f " + file +
                     (i > 1 && word.find('/') == std::string::npos
                          ? "; for an object of that name, " + apf::printable(words[1]) + "/" + file
                          : ""));
  }
}

// What is taken for the user of a component or a service account, and how those are named.
constexpr std::pair<std::string_view, std::string_view> kMistaken[] = {
    {"kube-apiserver", "kube-apiserver is system:apiserver in system:masters"},
    {"kube-controller-manager", "kube-controller-manager is system:kube-controller-manager"},
    {"kube-proxy", "kube-proxy is system:kube-proxy, or the service account sa:kube-system/kube-proxy"},
    {"kube-scheduler", "kube-scheduler is system:kube-scheduler"},
    {"kubelet", "a kubelet is node:NAME"},
    {"serviceaccount:", "a service account is sa:NAMESPACE/NAME"},
    {"system:sa:", "a service account is sa:NAMESPACE/NAME"},
};

// kube-apiserver names service accounts system:serviceaccount:NAMESPACE:NAME; a user of another form is none.
void note_malformed(const std::string& user, const Console& console) {
  for (const auto& [mistaken, right] : kMistaken)
    if (mistaken.ends_with(':') ? user.starts_with(mistaken) : user == mistaken)
      console.note("--as " + apf::printable(user) + " is an ordinary user; " + std::string(right));
  constexpr std::string_view kPrefix = "system:serviceaccount";
  if (!user.starts_with(kPrefix)) return;
  const std::string rest = user.substr(kPrefix.size());
  if (rest.starts_with("s:") || rest == "s") {
    console.note("--as " + apf::printable(user) +
                 " is the name of a group: use --as-group, or --as "
                 "system:serviceaccount:NAMESPACE:NAME");
    return;
  }
  const std::size_t colon = rest.find(':', 1);
  const bool formed = rest.size() > 1 && rest[0] == ':' && colon != std::string::npos && colon > 1 &&
                      colon + 1 < rest.size() && rest.find(':', colon + 1) == std::string::npos;
  if (!formed)
    console.note("--as " + apf::printable(user) +
                 " is not a service account, which is system:serviceaccount:NAMESPACE:NAME; it is an ordinary user");
}

}  // namespace

void AskedRequest::print_notes(const Console& console) const {
  for (const apf::Remark& note : notes) {
    const bool reading = note.kind == apf::RemarkKind::type_and_name || note.kind == apf::RemarkKind::subresource_read;
    const std::string text = apf::printable(apf::render_text(note));
    reading ? console.note(text) : console.warn(text);
  }
  for (const Assumption& assumption : assumptions)
    if (assumption.kind != user_not_named().kind) console.note(apf::printable(text_of(assumption)));
}

void RequestFlags::declare(CommandLine& line) {
  line.option("--as", user_, "USER",
              "User who sends the request (default system:anonymous). For short sa:NS/NAME, node:NAME or admin, which "
              "is kubernetes-admin in kubeadm:cluster-admins (before 1.29, and with the preset of a provider: in "
              "system:masters).");
  line.list("--as-group", groups_, "GROUP",
            "Group of that user. Repeatable. Groups that authentication implies are added.");
  line.flag("--no-implied-groups", no_implied_groups_, "Add no implied groups.");
  line.option(
      "-n,--namespace", ns_, "NS",
      "Namespace of the object. Without it, the object is cluster-scoped, or the request is for all namespaces.");
  line.flag("-A,--all-namespaces", all_namespaces_, "The request is for all namespaces: the same as without -n.");
  line.option("--subresource", subresource_, "NAME", "Same as /SUBRESOURCE in the argument.");
  line.option("--method", method_, "METHOD", "HTTP method, for --uri (default GET).");
  line.option("--uri", uri_, "URI", "Request URI, such as '/api/v1/pods?watch=1', instead of arguments.");
}

std::string RequestFlags::first_given() const {
  return user_                   ? "--as"
         : !groups_.empty()      ? "--as-group"
         : no_implied_groups_    ? "--no-implied-groups"
         : !ns_.empty()          ? "-n"
         : all_namespaces_       ? "-A"
         : !subresource_.empty() ? "--subresource"
         : method_               ? "--method"
         : uri_                  ? "--uri"
                                 : "";
}

apf::NamedRequest RequestFlags::request(const CommandLine& line) const {
  if (uri_ || method_) {
    line.arguments(0, 0, "");
    if (!uri_) throw UsageError("--method needs --uri");
    return apf::http_request(method_.value_or("GET"), *uri_);
  }
  const apf::RequestWords words{line.arguments(1, CommandLine::kAnyNumber, kRequest), ns_, subresource_,
                                all_namespaces_};
  refuse_files(words.plain);
  try {
    return apf::request_of_words(words);
  } catch (const apf::Error& error) {
    throw UsageError(apf::printable(error.what()));
  }
}

AskedRequest RequestFlags::take(const CommandLine& line, const apf::User& admin, const Console& console) const {
  apf::NamedRequest named = request(line);
  AskedRequest out;
  out.notes = std::move(named.notes);
  out.request = std::move(named.request);
  out.method = std::move(named.method);
  out.uri = std::move(named.uri);
  if (user_) note_malformed(*user_, console);
  else if (!groups_.empty())
    throw UsageError("--as-group needs --as: a member of a group has a name, such as --as someone");
  const std::string name = user_.value_or(kNobody);
  out.user = user_of_shorthand("--as", name, admin);
  const auto assume = [&](std::optional<Assumption> assumption) {
    if (assumption) out.assumptions.push_back(std::move(*assumption));
  };
  if (!user_) assume(user_not_named());
  assume(administrator_meant(name, admin));
  assume(name_missing(out.request.info));
  if (apf::lacks_name(out.request.info)) out.uri += "/NAME";
  for (const std::string& group : groups_) {
    std::vector<std::string>& groups = out.user.groups;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  if (!no_implied_groups_) out.implied = apf::add_implied_groups(out.user);
  return out;
}

std::string RequestFlags::words(const CommandLine& line) const {
  std::string out;
  const auto add = [&](const std::string& word) { out += (out.empty() ? "" : " ") + apf::shell_word(word); };
  const auto add_flag = [&](const char* flag, const std::string& value) {
    add(flag);
    add(value);
  };
  for (const std::string& word : line.arguments(0, CommandLine::kAnyNumber, kRequest)) add(word);
  if (method_) add_flag("--method", *method_);
  if (uri_) add_flag("--uri", *uri_);
  if (!ns_.empty()) add_flag("-n", ns_);
  if (all_namespaces_) add("-A");
  if (!subresource_.empty()) add_flag("--subresource", subresource_);
  add_flag("--as", user_.value_or(kNobody));
  for (const std::string& group : groups_) add_flag("--as-group", group);
  if (no_implied_groups_) add("--no-implied-groups");
  return out;
}

}  // namespace apfctl
