// URLs as Go reads and writes them.
#include "classify/go_url.h"

#include <apf/classify.h>

#include "catch.h"

using namespace apf;

namespace {

std::string request_error(std::string_view text) {
  GoUrl url;
  std::string error;
  return parse_request_uri(text, url, error) ? "" : error;
}

std::string url_error(std::string_view text) {
  GoUrl url;
  std::string error;
  return parse_url(text, url, error) ? "" : error;
}

std::string round_trip(std::string_view text) {
  GoUrl url;
  std::string error;
  REQUIRE(parse_url(text, url, error));
  return url.str();
}

}  // namespace

TEST_CASE("error texts of request targets are Go's", "[classify]") {
  CHECK(request_error("") == R"(parse "": empty url)");
  CHECK(request_error("pods") == R"(parse "pods": invalid URI for request)");
  CHECK(request_error("/a%") == R"(parse "/a%": invalid URL escape "%")");
  CHECK(request_error("/a%4") == R"(parse "/a%4": invalid URL escape "%4")");
  CHECK(request_error("/a%zzz") == R"(parse "/a%zzz": invalid URL escape "%zz")");
  CHECK(request_error("/a\x7f") == R"(parse "/a\x7f": net/url: invalid control character in URL)");
  CHECK(request_error("/a\tb") == R"(parse "/a\tb": net/url: invalid control character in URL)");
  CHECK(request_error(":foo") == R"(parse ":foo": missing protocol scheme)");
  CHECK(request_error("http://[::1") == R"(parse "http://[::1": missing ']' in host)");
  CHECK(request_error("http://[::1]:x/") == R"(parse "http://[::1]:x/": invalid port ":x" after host)");
  CHECK(request_error("http://h:8x/") == R"(parse "http://h:8x/": invalid port ":8x" after host)");
  CHECK(request_error("http://a b/") == R"(parse "http://a b/": invalid character " " in host name)");
  CHECK(request_error("http://%41/") == R"(parse "http://%41/": invalid URL escape "%41")");
  CHECK(request_error("http://[fe80::1%25en%41]/") == "");
  CHECK(request_error("http://[fe80::1%25e%2f]/") == R"(parse "http://[fe80::1%25e%2f]/": invalid URL escape "%2f")");
  CHECK(request_error("http://a[b@h/") == R"(parse "http://a[b@h/": net/url: invalid userinfo)");
  CHECK(request_error("mailto:x") == "");
  CHECK(request_error("*") == "");
  CHECK(request_error("/a%zz?b") == R"(parse "/a%zz?b": invalid URL escape "%zz")");
  CHECK(request_error("/a?b=%zz") == "");  // the query is not looked at
}

TEST_CASE("url.Parse takes references and fragments", "[classify]") {
  CHECK(url_error("") == "");
  CHECK(url_error("api/v1") == "");
  CHECK(url_error("1a:b/c") == R"(parse "1a:b/c": first path segment in URL cannot contain colon)");
  CHECK(url_error("/a#%zz") == R"(parse "/a#%zz": invalid URL escape "%zz")");
  CHECK(url_error("/%zz#f") == R"(parse "/%zz": invalid URL escape "%zz")");  // without the fragment, as Go has it
}

TEST_CASE("URLs are written as Go writes them", "[classify]") {
  for (const char* same : {"/api/v1/w%61tch", "/a%2Fb", "http://u:p@h:1/x?y=%zz#f", "http://h", "//h/x", "/x?",
                           "/a;b,c=d@e", "https:opaque?x", "file:/x"}) {
    CHECK(round_trip(same) == same);
  }
  CHECK(round_trip("/日本") == "/%E6%97%A5%E6%9C%AC");
  CHECK(round_trip("/a b") == "/a%20b");
  CHECK(round_trip("HTTP://H/") == "http://H/");
  CHECK(round_trip("a/b:c") == "a/b:c");
  CHECK(round_trip("http://h/a#b c") == "http://h/a#b%20c");
}

TEST_CASE("strings are quoted as Go quotes them", "[classify]") {
  CHECK(go_quote("a\"\\\n\x01\x7f") == R"("a\"\\\n\x01\x7f")");
  CHECK(go_quote("日本") == "\"日本\"");
  CHECK(go_quote("\xff\xc3") == R"("\xff\xc3")");
  CHECK(go_quote("\u200b\u00a0") == R"("\u200b\u00a0")");
  CHECK(go_quote("\U000f0000") == R"("\U000f0000")");
}

TEST_CASE("the error of a path without a resource shows the URL", "[classify]") {
  ParsedRequest out;
  parse_request("GET", "/api/v1/w%61tch", out);
  CHECK(out.info_error == "unable to determine kind and namespace from url, /api/v1/w%61tch");
  parse_request("GET", "http://h:1/apis/apps/v1/proxy//?x=1", out);
  CHECK(out.info_error == "unable to determine kind and namespace from url, http://h:1/apis/apps/v1/proxy//?x=1");
  CHECK(out.info.verb == "get");
  CHECK(out.info.api_group == "apps");
  CHECK_FALSE(out.info.has_parts);
}
