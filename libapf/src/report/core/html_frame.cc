#include "report/core/html_frame.h"

#include <apf/version.h>
#include <fmt/core.h>

#include <span>

#include "base/sha256.h"
#include "report/core/html_markup.h"
#include "report/core/html_style.h"

namespace apf {

namespace {

std::string base64(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < n ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

// Only this very style sheet; no script, no picture, no font, no connection.
std::string policy() {
  return "default-src 'none'; style-src 'sha256-" + base64(sha256(page_style())) +
         "'; base-uri 'none'; form-action 'none'";
}

}  // namespace

std::string html_head(const std::string& title) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy() + "\">\n";
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n";
  return out + "<title>" + title + "</title>\n<style>" + std::string(page_style()) + "</style>\n</head>\n<body>\n";
}

std::string html_foot() {
  return fmt::format("</main>\n<footer>apfctl {}.{}.{}</footer>\n</body>\n</html>\n", APF_VERSION_MAJOR,
                     APF_VERSION_MINOR, APF_VERSION_PATCH);
}

}  // namespace apf
