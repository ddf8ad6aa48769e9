// apf::request_of_words(): which request words mean.
#include "classify/request_words.h"

#include <algorithm>
#include <array>

#include <apf/error.h>

#include "classify/kubectl_commands.h"
#include "classify/verbs.h"
#include "config/closest.h"

namespace apf {

namespace {

bool is_url(std::string_view word) { return word.starts_with("https://") || word.starts_with("http://"); }

// The path and query of a URL: what a client sends to the server.
std::string_view target_of(std::string_view word) {
  if (!is_url(word)) return word;
  const std::size_t slash = word.find('/', word.find("://") + 3);
  return slash == std::string_view::npos ? "/" : word.substr(slash);
}

// Of METHOD:URL, as client-go's messages about its own limits have it, two words.
std::vector<std::string> parted_at_url(const std::vector<std::string>& words) {
  if (words.size() != 1) return words;
  const std::size_t colon = words[0].find(':');
  if (colon == std::string::npos || !is_url(std::string_view(words[0]).substr(colon + 1))) return words;
  return {words[0].substr(0, colon), words[0].substr(colon + 1)};
}

[[noreturn]] void refuse_verb_of_path(std::string_view verb, const NamedRequest& read) {
  const RequestInfo& info = read.request.info;
  std::string text = "no request for the path '" + info.path + "' has the verb '" + std::string(verb) + "': ";
  if (info.is_resource_request) text += "the server reads " + read.method + " as the verb '" + info.verb + "' here";
  else text += "outside of /api and /apis, the verb is the HTTP method: get, post, put, patch, delete, head or options";
  throw Error(text);
}

void refuse_command(std::string_view word, std::string_view resource = {}, std::string_view name = {}) {
  if (word == "kubectl")
    throw Error(
        "'kubectl' is a program: leave it out, and write the request that it sends ('list pods' for kubectl get "
        "pods, 'get pods x' for kubectl get pods x)");
  const std::string requests = requests_of_kubectl(word, resource, name);
  if (!requests.empty())
    throw Error("'" + std::string(word) + "' is a command of kubectl, not the verb of a request: " + requests);
}

[[noreturn]] void refuse_word_before_path(std::string_view word) {
  refuse_command(word);
  std::vector<std::string_view> names(kHttpMethods.begin(), kHttpMethods.end());
  for (const VerbMethod& row : kResourceVerbs) names.push_back(row.verb);
  const std::string_view near = closest(word, names);
  throw Error("'" + std::string(word) + "' is neither an HTTP method nor a verb" +
              (near.empty() ? "" : "; " + did_you_mean(near, '\'')));
}

// What is neither a verb nor near one.
void refuse_word_before_resource(const std::vector<std::string>& plain) {
  if (find_resource_verb(plain[0])) return;
  refuse_command(plain[0], plain[1], plain.size() > 2 ? plain[2] : "");
  if (find_http_method(plain[0]).empty()) return;
  throw Error("'" + plain[0] +
              "' is an HTTP method, which needs a path such as /api/v1/pods; the verb of a request for a resource is "
              "get, list, watch, create, update, patch, delete, deletecollection or proxy");
}

}  // namespace

NamedRequest http_request(std::string_view method, std::string_view url) {
  NamedRequest out;
  const std::string_view known = find_http_method(method);
  out.method = known.empty() ? method : known;
  out.uri = target_of(url);
  parse_request(out.method, out.uri, out.request);
  return out;
}

NamedRequest request_for_path(std::string_view word, std::string_view target) {
  if (!find_http_method(word).empty()) return http_request(word, target);
  NamedRequest out;
  out.uri = target_of(target);
  const VerbMethod* const known = find_resource_verb(word);
  if (!known) refuse_word_before_path(word);
  out.method = known->method;
  const auto fits = [&] {
    parse_request(out.method, out.uri, out.request);
    return out.request.info.verb == word || !out.request.error().empty();
  };
  if (fits()) return out;
  if (word == "watch" && out.request.info.verb == "list" && out.uri.find("watch=") == std::string::npos) {
    out.uri += out.uri.find('?') == std::string::npos ? "?watch=true" : "&watch=true";
    if (fits()) return out;
  }
  refuse_verb_of_path(word, out);
}

NamedRequest request_of_words(const RequestWords& words) {
  const std::vector<std::string> plain = parted_at_url(words.plain);
  if (plain.size() < 2) {
    const std::string given = plain.empty() ? "" : plain[0];
    refuse_command(given);
    throw Error("'" + given + "' is not a request: write VERB RESOURCE [NAME], or METHOD and a path or URL");
  }
  if (words.all_namespaces && !words.ns.empty()) throw Error("-A and -n cannot be combined");
  const bool is_path = plain[1].starts_with('/') || is_url(plain[1]);
  if (is_path && (!words.ns.empty() || !words.subresource.empty() || words.all_namespaces))
    throw Error("-n, -A and --subresource need a resource, not the path '" + plain[1] + "'");
  if (is_path && plain.size() > 2) throw Error("one word too many: '" + plain[2] + "'");
  if (is_path) return request_for_path(plain[0], plain[1]);
  refuse_word_before_resource(plain);
  if (plain.size() > 3) throw Error("one word too many: '" + plain[3] + "'");
  std::string resource = plain[1], name = plain.size() > 2 ? plain[2] : "";
  if (!words.subresource.empty()) {
    const std::size_t slash = resource.find('/');
    if (slash != std::string::npos) {  // TYPE/NAME, as kubectl takes it
      if (!name.empty()) throw Error("the subresource is given twice: in '" + resource + "' and with --subresource");
      name = resource.substr(slash + 1);
      resource.resize(slash);
    }
    resource += "/" + words.subresource;
  }
  return name_request(plain[0], resource, name, words.ns);
}

}  // namespace apf
