// libcrypto recommends its newer interface, EVP. That one fetches algorithms by name, which puts all of them (3 MB)
// into a static program, takes longer than the hash of a short text, and fails where openssl.cnf is wrong. The
// functions used here do nothing but hash.
#include "base/sha256.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace apf {

static_assert(sizeof(Sha256Digest) == SHA256_DIGEST_LENGTH);

Sha256::Sha256() { SHA256_Init(&state_); }

Sha256& Sha256::add(std::string_view text) {
  SHA256_Update(&state_, text.data(), text.size());
  return *this;
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest;
  SHA256_Final(digest.data(), &state_);
  SHA256_Init(&state_);
  return digest;
}

Sha256Digest sha256(std::string_view text) { return Sha256().add(text).finish(); }

namespace {

std::string_view as_text(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

HmacSha256::HmacSha256(std::string_view key) {
  // Keys that are longer than a block are hashed first.
  std::string block(key.size() > SHA256_CBLOCK ? as_text(sha256(key)) : key);
  block.resize(SHA256_CBLOCK, '\0');
  const auto padded = [&](unsigned char pad) {
    std::string out = block;
    for (char& c : out) c = static_cast<char>(static_cast<unsigned char>(c) ^ pad);
    return out;
  };
  inner_.add(padded(0x36));
  outer_.add(padded(0x5c));
}

Sha256Digest HmacSha256::of(std::string_view text) const {
  Sha256 inner = inner_, outer = outer_;
  const Sha256Digest digest = inner.add(text).finish();
  return outer.add(as_text(digest)).finish();
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace apf

#pragma GCC diagnostic pop
