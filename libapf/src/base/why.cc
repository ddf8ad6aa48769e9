// The words of <apf/why.h> in machine-readable outputs.
#include <apf/why.h>

#include <array>
#include <cstddef>

namespace apf {

const char* to_string(WhyVerdict verdict) {
  constexpr std::array kNames = {"client", "fleet",          "configuration", "overload", "server",   "watches",
                                 "herd",   "client-limiter", "max-in-flight", "none",     "undecided"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const char* to_string(WhyBasis basis) { return basis == WhyBasis::replay ? "replay" : "log"; }

const char* to_string(WhyBy by) {
  constexpr std::array kNames = {"user", "userAgent", "fleet", "group", "namespace", "flowSchema", "request", "answer"};
  return kNames[static_cast<std::size_t>(by)];
}

const char* to_string(WhyCureKind kind) {
  constexpr std::array kNames = {"client", "level", "flowSchema", "server"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace apf
