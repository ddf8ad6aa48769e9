// The parts of Go's net/url that decide how kube-apiserver reads a request target.
#include "classify/go_url.h"

#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace apf {
namespace {

// Parts of a URL escape differently.
enum class UrlPart { path, user, host, zone, fragment };

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Must this byte be written as %XX in that part?
bool must_escape(char c, UrlPart part) {
  if (is_letter(c) || is_digit(c) || (c != 0 && std::strchr("-_.~", c) != nullptr)) return false;
  if (c == 0) return true;
  if (part == UrlPart::host || part == UrlPart::zone) return std::strchr("!$&'()*+,;=:[]<>\"", c) == nullptr;
  switch (part) {
    case UrlPart::path:
      return std::strchr("$&+,/:;=@", c) == nullptr;
    case UrlPart::user:
      return std::strchr("$&+,;=", c) == nullptr;
    default:
      return std::strchr("$&+,/:;=?@!()*", c) == nullptr;
  }
}

std::string escape(std::string_view text, UrlPart part) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (must_escape(c, part)) {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

// Is this text a possible escaped form, if not the default one?
bool is_valid_encoding(std::string_view text, UrlPart part) {
  for (const char c : text) {
    if (c != 0 && std::strchr("!$&'()*+,;=:@[]%", c) != nullptr) continue;
    if (must_escape(c, part)) return false;
  }
  return true;
}

std::string bad_escape(std::string_view rest) { return "invalid URL escape " + go_quote(rest.substr(0, 3)); }

// Empty: fine. Otherwise Go's text of what is wrong.
std::string unescape(std::string_view text, UrlPart part, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0)
        return bad_escape(text.substr(i));
      const int high = hex_value(text[i + 1]);
      const char byte = static_cast<char>(high << 4 | hex_value(text[i + 2]));
      const bool percent = text.substr(i, 3) == "%25";
      if (part == UrlPart::host && high < 8 && !percent) return bad_escape(text.substr(i));
      if (part == UrlPart::zone && !percent && byte != ' ' && must_escape(byte, UrlPart::host))
        return bad_escape(text.substr(i));
      out += byte;
      i += 2;
      continue;
    }
    if ((part == UrlPart::host || part == UrlPart::zone) && static_cast<unsigned char>(c) < 0x80 &&
        must_escape(c, part)) {
      return "invalid character " + go_quote(text.substr(i, 1)) + " in host name";
    }
    out += c;
  }
  return {};
}

bool is_optional_port(std::string_view text) {
  if (text.empty()) return true;
  if (text[0] != ':') return false;
  for (const char c : text.substr(1)) {
    if (!is_digit(c)) return false;
  }
  return true;
}

std::string parse_host(std::string_view text, std::string& host) {
  if (text.starts_with('[')) {
    const std::size_t close = text.rfind(']');
    if (close == text.npos) return "missing ']' in host";
    const std::string_view port = text.substr(close + 1);
    if (!is_optional_port(port)) return "invalid port " + go_quote(port) + " after host";
    const std::size_t zone = text.substr(0, close).find("%25");
    if (zone != text.npos) {  // RFC 6874: a zone after the address
      std::string parts[3];
      std::string error = unescape(text.substr(0, zone), UrlPart::host, parts[0]);
      if (error.empty()) error = unescape(text.substr(zone, close - zone), UrlPart::zone, parts[1]);
      if (error.empty()) error = unescape(text.substr(close), UrlPart::host, parts[2]);
      host = parts[0] + parts[1] + parts[2];
      return error;
    }
  } else if (const std::size_t colon = text.rfind(':'); colon != text.npos) {
    const std::string_view port = text.substr(colon);
    if (!is_optional_port(port)) return "invalid port " + go_quote(port) + " after host";
  }
  return unescape(text, UrlPart::host, host);
}

std::string parse_authority(std::string_view text, GoUrl& out) {
  const std::size_t at = text.rfind('@');
  if (std::string error = parse_host(at == text.npos ? text : text.substr(at + 1), out.host); !error.empty())
    return error;
  if (at == text.npos) return {};
  const std::string_view user = text.substr(0, at);
  for (const char c : user) {
    if (!is_letter(c) && !is_digit(c) && (c == 0 || std::strchr("-._:~!$&'()*+,;=%@", c) == nullptr)) {
      return "net/url: invalid userinfo";
    }
  }
  out.has_user = true;
  const std::size_t colon = user.find(':');
  std::string decoded;
  if (std::string error = unescape(user.substr(0, colon), UrlPart::user, decoded); !error.empty()) return error;
  out.user_info = escape(decoded, UrlPart::user);
  if (colon == user.npos) return {};
  if (std::string error = unescape(user.substr(colon + 1), UrlPart::user, decoded); !error.empty()) return error;
  out.user_info += ':' + escape(decoded, UrlPart::user);
  return {};
}

// Splits off "scheme:"; an error text only for a text that begins with a colon.
std::string split_scheme(std::string_view& text, std::string& scheme) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (c == ':') {
      if (i == 0) return "missing protocol scheme";
      for (const char s : text.substr(0, i)) scheme += s >= 'A' && s <= 'Z' ? static_cast<char>(s + 32) : s;
      text.remove_prefix(i + 1);
      return {};
    }
    if (i == 0 || !(is_digit(c) || c == '+' || c == '-' || c == '.')) return {};
  }
  return {};
}

std::string parse_parts(std::string_view text, bool via_request, GoUrl& out) {
  out = GoUrl();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "net/url: invalid control character in URL";
  }
  if (text.empty() && via_request) return "empty url";
  if (text == "*") {
    out.path = out.raw_path = "*";
    return {};
  }
  if (std::string error = split_scheme(text, out.scheme); !error.empty()) return error;
  const std::size_t mark = text.find('?');
  if (mark != text.npos) {
    out.force_query = mark + 1 == text.size();
    out.raw_query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (!text.starts_with('/')) {
    if (!out.scheme.empty()) {
      out.opaque = text;
      return {};
    }
    if (via_request) return "invalid URI for request";
    if (text.substr(0, text.find('/')).find(':') != text.npos) return "first path segment in URL cannot contain colon";
  }
  if ((!out.scheme.empty() || (!via_request && !text.starts_with("///"))) && text.starts_with("//")) {
    std::string_view authority = text.substr(2);
    const std::size_t slash = authority.find('/');
    text = slash == authority.npos ? std::string_view() : authority.substr(slash);
    authority = authority.substr(0, slash);
    if (std::string error = parse_authority(authority, out); !error.empty()) return error;
  } else if (!out.scheme.empty() && text.starts_with('/')) {
    out.omit_host = true;
  }
  out.raw_path = text;
  return unescape(text, UrlPart::path, out.path);
}

}  // namespace

bool parse_request_uri(std::string_view text, GoUrl& out, std::string& error) {
  const std::string what = parse_parts(text, true, out);
  if (what.empty()) return true;
  error = "parse " + go_quote(text) + ": " + what;
  return false;
}

bool parse_url(std::string_view text, GoUrl& out, std::string& error) {
  const std::size_t hash = text.find('#');
  const std::string_view url = text.substr(0, hash);
  if (const std::string what = parse_parts(url, false, out); !what.empty()) {
    error = "parse " + go_quote(url) + ": " + what;
    return false;
  }
  if (hash == text.npos) return true;
  out.fragment = text.substr(hash + 1);
  std::string decoded;
  if (const std::string what = unescape(out.fragment, UrlPart::fragment, decoded); !what.empty()) {
    error = "parse " + go_quote(text) + ": " + what;
    return false;
  }
  if (!is_valid_encoding(out.fragment, UrlPart::fragment)) out.fragment = escape(decoded, UrlPart::fragment);
  return true;
}

std::string GoUrl::str() const {
  std::string out;
  if (!scheme.empty()) out += scheme + ':';
  if (!opaque.empty()) {
    out += opaque;
  } else {
    const bool authority = !scheme.empty() || !host.empty() || has_user;
    if (authority && !(omit_host && host.empty() && !has_user)) {
      if (!host.empty() || !path.empty() || has_user) out += "//";
      if (has_user) out += user_info + '@';
      out += escape(host, UrlPart::host);
    }
    const std::string text = path == "*"                                  ? path
                             : is_valid_encoding(raw_path, UrlPart::path) ? raw_path
                                                                          : escape(path, UrlPart::path);
    if (!text.empty() && text[0] != '/' && !host.empty()) out += '/';
    if (out.empty() && text.substr(0, text.find('/')).find(':') != text.npos) out += "./";
    out += text;
  }
  if (force_query || !raw_query.empty()) out += '?' + raw_query;
  if (!fragment.empty()) out += '#' + fragment;
  return out;
}

bool append_unescaped(std::string_view text, bool plus_is_space, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) return false;
      c = static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    out += c;
  }
  return true;
}

}  // namespace apf
