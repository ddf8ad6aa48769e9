// A request for a path, in words: the part of request_of_words() that records of requests share.
#pragma once

#include <string_view>

#include <apf/request_words.h>

namespace apf {

// `word`: an HTTP method in any case, or a verb that the server gives to a request for `target`, a path or URL. Throws
// Error where it gives none of this verb.
NamedRequest request_for_path(std::string_view word, std::string_view target);

}  // namespace apf
