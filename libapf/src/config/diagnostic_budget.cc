#include "config/diagnostic_budget.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/codes.h"

namespace apf {

void DiagnosticBudget::leave_out(const Diagnostic& diagnostic) {
  if (left_out_++ == 0) {
    first_ = diagnostic;
    first_.notes.clear();
  }
  first_.severity = std::max(first_.severity, diagnostic.severity);
}

void DiagnosticBudget::finish(std::vector<Diagnostic>& out) const {
  if (left_out_ == 0) return;
  Diagnostic d = first_;
  d.code = kTooManyFindings.code;
  d.name = kTooManyFindings.name;
  d.type.clear();
  d.detail.clear();
  d.message = fmt::format("{} more {} in this file, from here on", left_out_, left_out_ == 1 ? "finding" : "findings");
  out.push_back(std::move(d));
}

}  // namespace apf
