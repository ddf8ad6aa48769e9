#include "base/text_digest.h"

#include <bit>
#include <cstring>

#include "base/hash.h"

namespace apf {

namespace {

constexpr std::uint64_t kA = 0xa0761d6478bd642fULL, kB = 0xe7037ed1a0b428dbULL, kC = 0x8ebc6af09c88c6e3ULL;
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;  // odd: no line is lost in a product

std::uint64_t load(const char* at) {
  std::uint64_t out;
  std::memcpy(&out, at, sizeof out);
  return std::endian::native == std::endian::little ? out : __builtin_bswap64(out);
}

// Three sums that do not wait for each other, of 16 bytes each at a time.
struct Sums {
  std::uint64_t first, second, third;

  void add(const char* at) {
    first = mix64(load(at) ^ kA, load(at + 8) ^ first);
    second = mix64(load(at + 16) ^ kB, load(at + 24) ^ second);
    third = mix64(load(at + 32) ^ kC, load(at + 40) ^ third);
  }
};

std::uint64_t digest_of(std::string_view line) {
  constexpr std::size_t kStep = 48;
  Sums sums = {kA ^ line.size(), kB, kC};
  if (line.size() < kStep) {
    char padded[kStep] = {};
    std::memcpy(padded, line.data(), line.size());
    sums.add(padded);
  } else {
    const char* const last = line.data() + line.size() - kStep;
    for (const char* at = line.data(); at < last; at += kStep) sums.add(at);
    sums.add(last);
  }
  return mix64(sums.first ^ kB, sums.second ^ kC) ^ mix64(sums.third, kA);
}

}  // namespace

void TextDigest::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    sum_ = sum_ * kFactor + digest_of(line);
    factor_ *= kFactor;
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
}

void TextDigest::add(const TextDigest& next) {
  sum_ = sum_ * next.factor_ + next.sum_;
  factor_ *= next.factor_;
}

}  // namespace apf
