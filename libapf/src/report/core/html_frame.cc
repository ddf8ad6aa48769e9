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

std::string html_foot(const std::string& made_by) {
  return fmt::format("</main>\n<footer>{}apfctl {}.{}.{}</footer>\n</body>\n</html>\n",
                     made_by.empty() ? "" : "<code>" + html_text(made_by) + "</code><br>", APF_VERSION_MAJOR,
                     APF_VERSION_MINOR, APF_VERSION_PATCH);
}

// Programs that show pictures know no variables of style sheets.
std::string svg_file(double width, double height, const std::string& body, const std::string& title) {
  const std::string_view variables = page_style();
  std::string style(chart_style());
  for (std::size_t at = 0; (at = style.find("var(", at)) != std::string::npos;) {
    const std::size_t end = style.find(')', at);
    const std::string name = style.substr(at + 4, end - at - 4) + ":";
    const std::size_t from = variables.find(name) + name.size();
    style.replace(at, end + 1 - at, variables.substr(from, variables.find_first_of(";}", from) - from));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"system-ui, sans-serif\">\n<title>{2}</title>\n<style>{3}</style>\n<path fill=\"#fff\" "
      "d=\"M0 0h{0}v{1}H0Z\"/>\n{4}\n</svg>\n",
      svg_number(width), svg_number(height), title, style, body);
}

}  // namespace apf
