// A fault in a user's file as a value: where it is, what is wrong, and how it is cured.
#include <apf/findings.h>

#include <algorithm>
#include <tuple>

#include "base/sort_stably.h"

namespace apf {

Diagnostic::Diagnostic() = default;
Diagnostic::Diagnostic(const Diagnostic&) = default;
Diagnostic::Diagnostic(Diagnostic&&) noexcept = default;
Diagnostic& Diagnostic::operator=(const Diagnostic&) = default;
Diagnostic& Diagnostic::operator=(Diagnostic&&) noexcept = default;
Diagnostic::~Diagnostic() = default;

namespace {

auto order(const Diagnostic& d) {
  return std::tie(d.span.file, d.span.line, d.span.column, d.code, d.field, d.message);
}

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::string to_string(const Diagnostic& d) {
  std::string out;
  if (!d.span.file.empty()) {
    out += d.span.file;
    if (d.span.known()) out += ":" + std::to_string(d.span.line) + ":" + std::to_string(d.span.column);
    out += ": ";
  }
  out += to_string(d.severity);
  out += ": ";
  if (!d.kind.empty() && !d.object_name.empty()) out += d.kind + "/" + d.object_name + ": ";
  out += d.message;
  return out;
}

void sort_diagnostics(std::vector<Diagnostic>& diagnostics) {
  sort_stably(diagnostics, [](const Diagnostic& a, const Diagnostic& b) { return order(a) < order(b); });
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(),
                                [](const Diagnostic& a, const Diagnostic& b) { return order(a) == order(b); }),
                    diagnostics.end());
}

}  // namespace apf
