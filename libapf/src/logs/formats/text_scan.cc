#include "logs/formats/text_scan.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace apf {

namespace {

// So many bytes at a time; a byte's counter holds up to 255.
template <std::size_t kSize>
[[gnu::always_inline]] inline std::uint64_t count_in_blocks(const char* text, std::size_t size) {
  typedef char Text __attribute__((vector_size(kSize)));
  typedef unsigned char Bytes __attribute__((vector_size(kSize)));
  std::uint64_t count = 0;
  std::size_t i = 0;
  while (size - i >= 2 * kSize) {
    const std::size_t blocks = std::min<std::size_t>((size - i) / (2 * kSize), 255);
    Bytes even = {}, odd = {};
    for (std::size_t b = 0; b < blocks; ++b, i += 2 * kSize) {
      Text first, second;
      std::memcpy(&first, text + i, kSize);
      std::memcpy(&second, text + i + kSize, kSize);
      even -= reinterpret_cast<Bytes>(first == '\n');  // true is all ones
      odd -= reinterpret_cast<Bytes>(second == '\n');
    }
    std::array<unsigned char, 2 * kSize> counters;
    std::memcpy(counters.data(), &even, kSize);
    std::memcpy(counters.data() + kSize, &odd, kSize);
    for (const unsigned char counter : counters) count += counter;
  }
  for (; i < size; ++i) count += text[i] == '\n';
  return count;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t count_by_avx2(const char* text, std::size_t size) {
  return count_in_blocks<32>(text, size);
}
#endif

}  // namespace

std::uint64_t count_newlines(const char* text, std::size_t size) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return count_by_avx2(text, size);
#endif
  return count_in_blocks<16>(text, size);
}

bool is_of_client(std::string_view line) {
  constexpr std::string_view kWords[] = {
      "-side throttling",       "Throttling request took ",        "client rate limiter Wait returned",
      "rate: Wait(n=",          "has asked us to try again later", "violate the pod's disruption budget",
      "limit reached on type ", " 429 Too Many Requests"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return holds(line, word); });
}

template <bool kAll>
std::size_t DocumentScanner::scan(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
        continue;
      } else if (c == '"') {
        in_string_ = false;
        last_ = c;
      }
      if (c == '\n') in_string_ = false;  // no string crosses a line: the text is broken, go on after it
      continue;
    }
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        continue;
      case '"':
        in_string_ = depth_ > 0;
        break;
      case '{':
        // Right after a value no object can begin: what came before was cut off.
        if (depth_ > 0 && last_ != '[' && last_ != ',' && last_ != ':') {
          depth_ = 0;
          end = i;
          if (!kAll && i > 0) return i;
        }
        [[fallthrough]];
      case '[':
        if (depth_ < 64) {
          const std::uint64_t bit = std::uint64_t{1} << depth_;
          kinds_ = c == '{' ? kinds_ | bit : kinds_ & ~bit;
        }
        ++depth_;
        break;
      case '}':
      case ']':
        if (depth_ > 0 && --depth_ == 0) {
          last_ = c;
          end = i + 1;
          if (!kAll) return end;
          continue;
        }
        break;
      default:
        break;
    }
    last_ = c;
  }
  return kAll ? end : std::string_view::npos;
}

std::size_t DocumentScanner::scan_all(std::string_view text) { return scan<true>(text); }
std::size_t DocumentScanner::scan_one(std::string_view text) { return scan<false>(text); }

bool holds(std::string_view text, std::string_view word) {
  return ::memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

bool is_klog_json(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const auto begins = [&](std::string_view key) { return text.substr(1).starts_with(key); };
  return (begins("\"ts\":") || begins("\\\"ts\\\":") || begins("\"\"ts\"\":")) && holds(text, "\"msg") &&
         (holds(text, "\"caller") || holds(text, "\"v"));
}

bool has_audit_names(std::string_view text) {
  if (holds(text, "auditID") || holds(text, "audit.k8s.io/") || holds(text, "requestURI")) return true;
  return holds(text, "protoPayload") && holds(text, "k8s.io");
}

}  // namespace apf
