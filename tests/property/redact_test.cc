// Nothing of a request but words of the Kubernetes API survives redaction, and the rest goes where it went.
#include "catch.h"

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/logs.h>

#include <random>
#include <regex>

#include "logs/api_vocabulary.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Random = std::mt19937_64;

const std::string kSecret = "Zanzibar";  // in no list of words

template <std::size_t kSize>
std::string pick(Random& random, const char* const (&from)[kSize]) {
  return from[random() % kSize];
}

std::string some_segment(Random& random) {
  const std::string words[] = {"api",
                               "apis",
                               "v1",
                               "apps",
                               "namespaces",
                               "pods",
                               "watch",
                               "proxy",
                               "exec",
                               "log",
                               "status",
                               "healthz",
                               "openapi",
                               kSecret,
                               "x" + kSecret,
                               kSecret,
                               "%5A" + kSecret.substr(1),
                               "a%2F" + kSecret,
                               kSecret + "%zz",
                               kSecret + "\n",
                               "kube-system",
                               "v1" + kSecret,
                               kSecret + ".k8s.io",
                               "."};
  return words[random() % std::size(words)];
}

std::string some_target(Random& random) {
  const char* const heads[] = {"",
                               "/",
                               "//",
                               "/api/v1/",
                               "//api/v1/",
                               "/api//v1/",
                               "/apis/apps/v1/namespaces/",
                               "http://h/",
                               "/api/v1/namespaces//",
                               "https://Zanzibar@Zanzibar.org:443/api/v1/",
                               "Zanzibar:",
                               "*"};
  std::string out = pick(random, heads);
  for (std::size_t n = random() % 7; n > 0; --n) {
    out += some_segment(random);
    const char* const slashes[] = {"/", "/", "/", "//", "", "///"};
    out += pick(random, slashes);
  }
  if (random() % 2 == 0) return out;
  const char* const keys[] = {"limit",   "watch",           "fieldSelector", "labelSelector", "continue",   "Zanzibar",
                              "timeout", "resourceVersion", "command",       "pretty",        "%5Aanzibar", ""};
  const char* const values[] = {"=",
                                "",
                                "=Zanzibar",
                                "=500",
                                "=1",
                                "=true",
                                "=metadata.name%3DZanzibar",
                                "=metadata.namespace=Zanzibar,spec.nodeName!=Zanzibar",
                                "=app%3DZanzibar",
                                "=a%20%20b(Zanzibar",
                                "=Zanzibar;x",
                                "=%zzZanzibar",
                                "=30s",
                                "=Zanzibar.x==y%5C,Zanzibar=1"};
  char separator = '?';
  for (std::size_t n = random() % 4; n > 0; --n) {
    out += separator + pick(random, keys) + pick(random, values);
    separator = random() % 8 == 0 ? ';' : '&';
  }
  return out + (random() % 20 == 0 ? "#" + kSecret : "");
}

std::string some_name(Random& random) {
  const char* const names[] = {"Zanzibar",
                               "system:Zanzibar",
                               "system:node:Zanzibar",
                               "system:serviceaccount:Zanzibar:x",
                               "system:serviceaccount:kube-system:Zanzibar",
                               "system:serviceaccount:Zanzibar",
                               "system:serviceaccounts:Zanzibar",
                               "system:masters:Zanzibar",
                               "system:bootstrap:Zanzibar",
                               "system:kube-scheduler",
                               "system:Zanzibar:x",
                               ""};
  return pick(random, names);
}

// What is left of a text when hashes and known words are out of it; empty if nothing.
std::string unknown_word(const std::string& text) {
  static const std::regex hash("%?r-[0-9a-f]{12}"), delimiters("[^A-Za-z0-9._*-]+");
  static const std::regex escape("%[0-9A-F]{2}");
  const std::string bare = std::regex_replace(std::regex_replace(text, hash, " "), escape, " ");
  for (std::sregex_token_iterator it(bare.begin(), bare.end(), delimiters, -1), end; it != end; ++it) {
    const std::string word = *it;
    if (word.empty() || is_api_word(word) || is_api_version(word) || is_request_verb(word) || is_selector_field(word) ||
        is_query_parameter(word) || is_plain_value(word) || is_system_name(word) || is_system_service_account(word) ||
        word == "system" || word == "default" || word.starts_with("kube-"))
      continue;
    return word;
  }
  return {};
}

void check(const TraceRequest& request, const Redactor& redactor) {
  TraceRequest redacted = request;
  redactor.apply(redacted);
  INFO(request.uri << " -> " << redacted.uri);
  CHECK(unknown_word(redacted.uri) == "");
  CHECK(unknown_word(redacted.user.name) == "");
  for (const std::string& group : redacted.user.groups) CHECK(unknown_word(group) == "");
  const std::string line = render_trace_line(redacted);
  CHECK(line.find(kSecret) == std::string::npos);
  CHECK(line.find(kSecret.substr(1)) == std::string::npos);
  if (!request.request_info) {
    ParsedRequest before, after;
    parse_request(request.method, request.uri, before);
    parse_request(redacted.method, redacted.uri, after);
    CHECK(before.url_error.empty() == after.url_error.empty());
    CHECK(before.info_error.empty() == after.info_error.empty());
    CHECK(before.info.is_resource_request == after.info.is_resource_request);
    CHECK(before.info.verb == after.info.verb);
    CHECK(before.info.ns.empty() == after.info.ns.empty());
    CHECK(before.info.name.empty() == after.info.name.empty());
    CHECK(before.info.subresource.empty() == after.info.subresource.empty());
    CHECK(before.info.parts.size() == after.info.parts.size());
    CHECK(before.query.limit == after.query.limit);
    CHECK(before.query.list_options_ok == after.query.list_options_ok);
    CHECK(before.query.has_selector == after.query.has_selector);
    CHECK(before.query.node_name_selector == after.query.node_name_selector);
    CHECK(before.query.timeout == after.query.timeout);
    CHECK(before.query.timeout_invalid == after.query.timeout_invalid);
  }
}

}  // namespace

TEST_CASE("no name survives redaction", "[property][logs]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  const Redactor redactor("key");
  for (int i = 0; i < test::rounds(20'000); ++i) {
    TraceRequest request;
    const char* const methods[] = {"GET", "POST", "DELETE", "PUT"};
    request.method = pick(random, methods);
    request.uri = some_target(random);
    request.user.name = some_name(random);
    request.user.groups = {some_name(random), some_name(random)};
    request.id = request.user_agent = request.source_ip = request.server = kSecret;
    request.recorded.flow_schema = request.recorded.priority_level = kSecret;
    request.object = "{\"a\":\"" + kSecret + "\"}";
    if (random() % 4 == 0) {
      ParsedRequest parsed;
      parse_request(request.method, request.uri, parsed);
      request.request_info = parsed.info;
      if (random() % 2 == 0) request.request_info->verb = kSecret;
      if (random() % 2 == 0) request.request_info->api_group = kSecret;
    }
    check(request, redactor);
  }
}

TEST_CASE("no name of the tests' logs survives redaction", "[property][logs]") {
  const Redactor redactor("key");
  std::size_t seen = 0;
  for (const char* log : {"audit.log", "kube-apiserver.log", "joined-audit.log", "hostile.jsonl", "amok.jsonl",
                          "clients.jsonl", "requests.jsonl"}) {
    LogOptions options;
    options.logs = {std::string("tests/golden/inputs/") + log};
    const auto take = [&](const TraceRequest& request) {
      ++seen;
      check(request, redactor);
    };
    trace_logs(options, take, [] {});
  }
  CHECK(seen > 100);
}
