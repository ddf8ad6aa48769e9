// URLs as Go's net/url reads and writes them (Go 1.23, the toolchain of the servers that were observed): what
// net/http does with a request target before kube-apiserver sees it, error texts included.
// This is the thorough form; request_view.cc reads the usual "/path?query" itself and comes here for the rest.
#pragma once

#include <string>
#include <string_view>

#include "base/go_quote.h"

namespace apf {

struct GoUrl {
  std::string scheme, opaque, user_info, host;
  bool has_user = false;
  bool omit_host = false;  // a scheme, then a path that begins with one slash
  std::string path;        // decoded
  std::string raw_path;    // as it stood in the text
  bool force_query = false;
  std::string raw_query;
  std::string fragment;  // as it stood in the text

  std::string str() const;  // URL.String
};

// url.ParseRequestURI: what an HTTP server does with a request line. False: `error` holds Go's text
// (`parse "…": invalid URI for request`).
bool parse_request_uri(std::string_view text, GoUrl& out, std::string& error);

// url.Parse: any URL or relative reference, with a fragment.
bool parse_url(std::string_view text, GoUrl& out, std::string& error);

// Appends `text` with its %XX decoded; false (and nothing useful appended) at a bad escape.
bool append_unescaped(std::string_view text, bool plus_is_space, std::string& out);

// 0 … 15, or -1 if `c` is no hexadecimal digit.
inline int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace apf
