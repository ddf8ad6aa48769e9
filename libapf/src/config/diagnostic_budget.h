// How much may be said about one text: memory stays in proportion to what was read, however much is wrong with it.
#pragma once

#include <cstddef>
#include <vector>

#include <apf/diagnostic.h>

namespace apf {

class DiagnosticBudget {
 public:
  explicit DiagnosticBudget(std::size_t text_size) : left_(kFree + kShare * text_size) {}

  bool exhausted() const { return left_ == 0; }

  // What is said about object `object_name` at `field`; `message` is the length of its text. Once false, always false.
  bool take(std::size_t object_name, std::size_t field, std::size_t message) {
    const std::size_t cost = kAround + 2 * object_name + 2 * field + 2 * message;
    left_ = cost < left_ ? left_ - cost : 0;
    return left_ > 0;
  }

  // What the budget has no room for: counted, and shown as the first of them.
  void leave_out(const Diagnostic& diagnostic);

  // Says in `out` how much was left out, if anything was: an error if there was one among it.
  void finish(std::vector<Diagnostic>& out) const;

 private:
  static constexpr std::size_t kFree = std::size_t{4} << 20;
  static constexpr std::size_t kShare = 8;    // of the bytes of the text
  static constexpr std::size_t kAround = 1000;  // the value itself, file names, notes, allocation

  std::size_t left_;
  std::size_t left_out_ = 0;
  Diagnostic first_;
};

}  // namespace apf
