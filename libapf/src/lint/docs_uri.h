// Where the manual is published that `make docs` writes, for the links of findings. The only place that knows its
// names.
#pragma once

#include <string>
#include <string_view>

namespace apf {

// The address that this build was given (make DOCS_URL=https://...), without a slash at its end; empty without one.
std::string_view docs_url();

// The page of a rule below this address; empty if there is no address or no rule.
std::string rule_page_uri(std::string_view docs, std::string_view code);

}  // namespace apf
