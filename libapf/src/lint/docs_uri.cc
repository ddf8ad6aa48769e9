#include "lint/docs_uri.h"

#ifndef APF_DOCS_URL
#define APF_DOCS_URL ""
#endif

namespace apf {

std::string_view docs_url() {
  std::string_view url = APF_DOCS_URL;
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

std::string rule_page_uri(std::string_view docs, std::string_view code) {
  if (docs.empty() || code.empty()) return {};
  return std::string(docs) + "/rules/" + std::string(code) + ".html";
}

}  // namespace apf
