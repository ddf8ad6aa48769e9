// The digest of lines: of their bytes and their order, and of nothing else.
#include "base/text_digest.h"

#include <set>
#include <string>
#include <vector>

#include "catch.h"

namespace apf::test {
namespace {

std::uint64_t digest_of(std::string_view text) {
  TextDigest digest;
  digest.add(text);
  return digest.value();
}

std::string text_of_lines() {
  std::string out;
  for (std::size_t length = 0; length < 130; ++length) {
    for (std::size_t i = 0; i < length; ++i) out += static_cast<char>('a' + (7 * length + i) % 26);
    out += '\n';
  }
  return out;
}

TEST_CASE("A digest is the same however the lines come, and on every machine", "[base][text-digest]") {
  const std::string text = text_of_lines();
  CHECK(digest_of(text) == 0x126e15000b3aad15ULL);
  CHECK(digest_of("") == 0);
  CHECK(digest_of("a\nb\n") == digest_of("a\nb"));  // the end of the text is the end of a line
  for (std::size_t cut = text.find('\n'); cut != std::string::npos; cut = text.find('\n', cut + 1)) {
    const std::string_view first = std::string_view(text).substr(0, cut + 1),
                           rest = std::string_view(text).substr(cut + 1);
    TextDigest pieces, behind;
    pieces.add(first);
    pieces.add(rest);
    CHECK(pieces.value() == digest_of(text));
    TextDigest joined;
    joined.add(first);
    behind.add(rest);
    joined.add(behind);
    CHECK(joined.value() == digest_of(text));
  }
}

TEST_CASE("Other lines have another digest", "[base][text-digest]") {
  const std::string text = text_of_lines();
  std::set<std::uint64_t> seen = {digest_of(text)};
  std::size_t texts = 1;
  const auto see = [&](const std::string& other) {
    ++texts;
    seen.insert(digest_of(other));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    see(other);
    if (text[at] == '\n') continue;
    other = text;
    other.erase(at, 1);
    other.insert(at, 1, 'z');
    if (other != text) see(other);
  }
  for (std::size_t lines = 1; lines < 40; ++lines) see(std::string(lines, '\n'));
  see("ab\ncd\n");
  see("cd\nab\n");
  see("abcd\n");
  see(std::string("ab\0\n", 4));
  see("ab\n");
  CHECK(seen.size() == texts);
}

}  // namespace
}  // namespace apf::test
