// SHA-256, and HMAC with it (RFC 2104): for hashes of flows, fingerprints, checksums and redaction.
#pragma once

#include <openssl/sha.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace apf {

using Sha256Digest = std::array<unsigned char, 32>;

class Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view text);
  // Of all that was added. Then it starts anew.
  Sha256Digest finish();

 private:
  SHA256_CTX state_;
};

Sha256Digest sha256(std::string_view text);

class HmacSha256 {
 public:
  explicit HmacSha256(std::string_view key);
  Sha256Digest of(std::string_view text) const;

 private:
  Sha256 inner_, outer_;  // after the padded key
};

std::string hexadecimal(std::span<const unsigned char> bytes);  // in lower case

}  // namespace apf
