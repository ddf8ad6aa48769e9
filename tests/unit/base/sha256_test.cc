// SHA-256 by the examples of FIPS 180-2, HMAC by those of RFC 4231.
#include "base/sha256.h"

#include "catch.h"

namespace apf::test {
namespace {

std::string of(std::string_view text) { return hexadecimal(sha256(text)); }
std::string hmac(std::string_view key, std::string_view text) { return hexadecimal(HmacSha256(key).of(text)); }
std::string bytes(std::size_t count, unsigned char byte) { return std::string(count, static_cast<char>(byte)); }

constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST_CASE("SHA-256 of texts of all lengths around a block", "[base][sha256]") {
  CHECK(of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(of("abc") == kAbc);
  CHECK(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(of(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how a text is divided, and starts anew", "[base][sha256]") {
  const std::string text = bytes(200, 'x');
  Sha256 sum;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    sum.add(std::string_view(text).substr(0, at)).add("").add(std::string_view(text).substr(at));
    CHECK(hexadecimal(sum.finish()) == of(text));
  }
  CHECK(hexadecimal(sum.add("a").add("bc").finish()) == kAbc);
  CHECK(hexadecimal(sum.finish()) == of(""));
}

TEST_CASE("HMAC with SHA-256 gives what RFC 4231 says", "[base][sha256]") {
  CHECK(hmac(bytes(20, 0x0b), "Hi There") == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hmac("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac(bytes(20, 0xaa), bytes(50, 0xdd)) == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  std::string counted;
  for (unsigned char i = 1; i <= 25; ++i) counted += static_cast<char>(i);
  CHECK(hmac(counted, bytes(50, 0xcd)) == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
  CHECK(hmac(bytes(20, 0x0c), "Test With Truncation").substr(0, 32) == "a3b6167473100ee06e0c796c2955552b");
  CHECK(hmac(bytes(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(hmac(bytes(131, 0xaa),
             "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
             "hashed before being used by the HMAC algorithm.") ==
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST_CASE("HMAC with an empty key and with keys around a block", "[base][sha256]") {
  CHECK(hmac("", "") == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
  // A key is as good as itself with zeros up to a block; from one byte more on, its hash takes its place.
  CHECK(hmac("key", "text") == hmac(std::string("key") + bytes(61, 0), "text"));
  CHECK(hmac("key", "text") != hmac(std::string("key") + bytes(62, 0), "text"));
  const Sha256Digest hashed = sha256(bytes(65, 'k'));
  CHECK(hmac(bytes(65, 'k'), "text") ==
        hmac(std::string_view(reinterpret_cast<const char*>(hashed.data()), hashed.size()), "text"));
  const HmacSha256 twice("key");
  CHECK(twice.of("text") == twice.of("text"));
}

}  // namespace
}  // namespace apf::test
