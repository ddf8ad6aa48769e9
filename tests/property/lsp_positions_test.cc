// Positions of the language protocol and offsets are the same places, in UTF-16 units and in bytes.
#include "catch.h"

#include <array>
#include <random>
#include <string>
#include <vector>

#include "lsp/line_table.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Random = std::mt19937_64;

// A letter as bytes, and how many UTF-16 units it takes: said here, not computed.
struct Letter {
  std::string_view bytes;
  std::size_t units;
};
constexpr std::array<Letter, 7> kLetters = {
    {{"a", 1}, {"é", 1}, {"漢", 1}, {"😀", 2}, {"\r\n", 0}, {"\n", 0}, {"\xF0\x9F\x87\xAA", 2}}};

struct MadeText {
  std::string text;
  std::vector<TextPosition> utf16, utf8;  // by letter: where it begins; and the end
  std::vector<std::size_t> offsets;
};

MadeText made_text(Random& random) {
  MadeText out;
  TextPosition wide, bytes;
  const std::size_t letters = random() % 40;
  for (std::size_t i = 0; i <= letters; ++i) {
    out.utf16.push_back(wide);
    out.utf8.push_back(bytes);
    out.offsets.push_back(out.text.size());
    if (i == letters) break;
    const Letter& letter = kLetters[random() % kLetters.size()];
    out.text += letter.bytes;
    if (letter.units == 0) {
      wide = {wide.line + 1, 0};
      bytes = {bytes.line + 1, 0};
    } else {
      wide.character += letter.units;
      bytes.character += letter.bytes.size();
    }
  }
  return out;
}

bool same(TextPosition a, TextPosition b) { return a.line == b.line && a.character == b.character; }

}  // namespace

TEST_CASE("positions and offsets of a text are the same places", "[property][lsp]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int i = 0; i < apf::test::rounds(3000); ++i) {
    INFO("case " << i);
    const MadeText made = made_text(random);
    const LineTable utf16(made.text, false), utf8(made.text, true);
    bool all = true;
    for (std::size_t k = 0; k < made.offsets.size(); ++k) {
      all = all && same(utf16.position_of(made.offsets[k]), made.utf16[k]);
      all = all && same(utf8.position_of(made.offsets[k]), made.utf8[k]);
      all = all && utf16.offset_of(made.utf16[k]) == made.offsets[k] && utf8.offset_of(made.utf8[k]) == made.offsets[k];
    }
    INFO(made.text);
    REQUIRE(all);
    // Beyond the end of a line is its end; beyond the last line the end of the text.
    REQUIRE(utf16.offset_of({made.utf16.back().line, 1000}) == made.text.size());
    REQUIRE(utf16.offset_of({made.utf16.back().line + 1, 0}) == made.text.size());
  }
}

TEST_CASE("within a surrogate pair is before it", "[lsp]") {
  const LineTable lines("a😀b", false);
  CHECK(lines.offset_of({0, 2}) == 1);
  CHECK(lines.offset_of({0, 3}) == 5);
}

TEST_CASE("the lines of two texts that differ lie between lines that are the same", "[property][lsp]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  const auto made = [&] {
    std::string out;
    for (std::size_t i = random() % 5; i > 0; --i) out += std::array{"a\n", "b\n", "ab\n", "\n"}[random() % 4];
    return out + std::array{"", "a", "ba"}[random() % 3];
  };
  for (int i = 0; i < apf::test::rounds(20'000); ++i) {
    const std::string before = made(), now = made();
    INFO('"' << before << "\" \"" << now << '"');
    const ChangedLines changed = changed_lines(before, now);
    REQUIRE(changed.begin <= std::min(changed.end, changed.new_end));
    REQUIRE(changed.end <= before.size());
    REQUIRE(before.substr(0, changed.begin) == now.substr(0, changed.begin));
    REQUIRE(before.substr(changed.end) == now.substr(changed.new_end));
    for (const std::size_t at : {changed.begin, changed.end})
      REQUIRE((at == 0 || before[at - 1] == '\n' || at == before.size()));
    for (const std::size_t at : {changed.begin, changed.new_end})
      REQUIRE((at == 0 || now[at - 1] == '\n' || at == now.size()));
    for (std::size_t at = 0; at < now.size(); ++at) {
      const std::size_t was = changed.offset_before(at);
      REQUIRE((was == std::string::npos) == (at >= changed.begin && at < changed.new_end));
      if (was != std::string::npos) REQUIRE((before[was] == now[at] && changed.range_now({was, was}).begin == at));
    }
    // What begins in these lines begins where they do now, and what ends in them ends where they do.
    for (std::size_t first = 0; first <= before.size(); ++first)
      for (std::size_t last = first; last <= before.size(); ++last) {
        const TextRange found = changed.range_now({first, last});
        REQUIRE((found.begin <= found.end && found.end <= now.size()));
        if (first >= changed.begin && first < changed.end) REQUIRE(found.begin == changed.begin);
        if (last > changed.begin && last < changed.end) REQUIRE(found.end == changed.new_end);
        if (last <= changed.begin && first < last) REQUIRE((found.begin == first && found.end == last));
      }
  }
}
