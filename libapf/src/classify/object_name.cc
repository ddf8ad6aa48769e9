#include "classify/object_name.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/same_bytes.h"

namespace apf {
namespace {

constexpr char kFirst = '-', kLast = 'z';

// Bits of a text's first 64 bytes, the lowest for the first.
struct Marks {
  std::uint64_t slashes = 0;
  std::uint64_t stops = 0;  // what ends the path, or does not belong into one that is read here
};

// Of 16 bytes that are at `at` in the text.
[[gnu::always_inline]] inline void mark(const char* p, std::size_t at, Marks& out) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const auto bits = [](__m128i mask) { return static_cast<std::uint64_t>(_mm_movemask_epi8(mask)); };
  // Signed: bytes from 0x80 on are below the first, too.
  const __m128i stops = _mm_or_si128(
      _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(kFirst)), _mm_cmpgt_epi8(bytes, _mm_set1_epi8(kLast))),
      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('?')));
  out.slashes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'))) << at;
  out.stops |= bits(stops) << at;
#else
  for (unsigned i = 0; i < 16; ++i) {
    const auto c = static_cast<signed char>(p[i]);
    out.slashes |= std::uint64_t{c == '/'} << (at + i);
    out.stops |= std::uint64_t{c < kFirst || c > kLast || c == '?'} << (at + i);
  }
#endif
}

// Where the text ends there is a stop, too.
[[gnu::always_inline]] inline Marks marks_of(std::string_view text) {
  Marks out;
  if (text.size() >= 64) {
    for (std::size_t at = 0; at < 64; at += 16) mark(text.data() + at, at, out);
    return out;
  }
  if (text.size() >= 16) {
    for (std::size_t at = 0; at + 16 < text.size(); at += 16) mark(text.data() + at, at, out);
    mark(text.data() + text.size() - 16, text.size() - 16, out);  // some bytes again, which does no harm
  } else {
    std::array<char, 16> filled{};
    std::memcpy(filled.data(), text.data(), text.size());
    mark(filled.data(), 0, out);
  }
  out.stops |= std::uint64_t{1} << text.size();
  return out;
}

// The slashes of a path, in order: of its first 128 bytes, which is where names begin. Finds where the path ends.
class Slashes {
 public:
  explicit Slashes(std::string_view target) {
    Marks marks = marks_of(target);
    near_ = marks.slashes;
    std::size_t at = 0;
    for (; marks.stops == 0; marks = marks_of(target.substr(at))) {
      if (at == 64) far_ = marks.slashes;
      at += 64;
    }
    end_ = at + static_cast<std::size_t>(std::countr_zero(marks.stops));
    const std::uint64_t before = (marks.stops & (0 - marks.stops)) - 1;
    if (at == 0) near_ &= before;
    else if (at == 64) far_ = marks.slashes & before;
  }

  std::size_t path_end() const { return end_; }
  bool has_empty_segment() const {
    return ((near_ & near_ >> 1) | (far_ & far_ >> 1)) != 0 || (near_ >> 63 != 0 && (far_ & 1) != 0);
  }
  // Goes on to the next one; the position behind it. 0: there is none.
  std::size_t behind_next() {
    if (near_ != 0) near_ &= near_ - 1;
    else far_ &= far_ - 1;
    if (near_ != 0) return static_cast<std::size_t>(std::countr_zero(near_)) + 1;
    return far_ == 0 ? 0 : static_cast<std::size_t>(std::countr_zero(far_)) + 65;
  }

 private:
  std::uint64_t near_ = 0, far_ = 0;
  std::size_t end_ = 0;
};

template <std::size_t kSize>
bool is_at(std::string_view text, std::size_t at, const char (&word)[kSize]) {
  return at + kSize - 1 <= text.size() && text[at] == word[0] && same_bytes<kSize - 1>(text.data() + at, word);
}

}  // namespace

ObjectName find_object_name(std::string_view target) {
  if (target.size() < 8 || !is_at(target, 0, "/api")) return {};
  const bool has_group = target[4] == 's';
  if (target[has_group ? 5 : 4] != '/') return {};
  Slashes slashes(target);
  std::size_t end = slashes.path_end();
  if ((end != target.size() && target[end] != '?') || slashes.has_empty_segment()) return {};
  slashes.behind_next();
  if (has_group) slashes.behind_next();
  std::size_t at = slashes.behind_next();
  if (at == 0 || is_at(target, at, "watch/") || is_at(target, at, "proxy/")) return {};
  if (is_at(target, at, "namespaces/")) {
    slashes.behind_next();
    at = slashes.behind_next();
    // The namespace itself may be the object.
    if (at == 0 || is_at(target, at, "status/") || is_at(target, at, "finalize/")) return {};
  }
  at = slashes.behind_next();
  if (at == 0) return {};
  if (const std::size_t behind = slashes.behind_next(); behind != 0) end = behind - 1;
  else if (end > 128) end = std::min(end, target.find('/', at));
  if (end == at) return {};
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)};
}

}  // namespace apf
