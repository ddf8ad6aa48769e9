// Flow hashes, hands and the dealer's conditions against the server's.
#include <apf/hand.h>

#include <string>
#include <string_view>

#include <simdjson.h>

#include "catch.h"
#include "support/vectors.h"

namespace apf::test {
namespace {

using simdjson::dom::element;

void check_hash(element line, std::uint64_t hash) {
  CHECK(flow_hash(line["flowSchema"].get_string().value(), line["distinguisher"].get_string().value()) == hash);
}

void check_hand(element line, std::uint64_t hash) {
  std::vector<std::uint32_t> expected;
  for (element card : line["hand"].get_array()) expected.push_back(static_cast<std::uint32_t>(card.get_uint64()));
  const auto deck = static_cast<int>(line["deckSize"].get_int64());
  const auto size = static_cast<int>(line["handSize"].get_int64());
  CHECK(deal_hand(hash, deck, size) == expected);
}

void check_valid(element line) {
  const auto deck = static_cast<int>(line["deckSize"].get_int64());
  const auto size = static_cast<int>(line["handSize"].get_int64());
  const std::string error = dealer_error(deck, size);
  CHECK(error.empty() == line["valid"].get_bool().value());
  std::string_view expected;
  if (line["error"].get(expected) == simdjson::SUCCESS) CHECK(error == expected);
  std::int64_t bits = 0;
  if (line["requiredEntropyBits"].get(bits) == simdjson::SUCCESS) CHECK(required_entropy_bits(deck, size) == bits);
}

TEST_CASE("flows hash and deal as in the server", "[schedule][conformance]") {
  simdjson::dom::parser parser;
  for (const std::string& text : read_vectors("hands.jsonl")) {
    INFO(text);
    const element line = parser.parse(text);
    const std::string_view kind = line["kind"].get_string();
    if (kind == "valid") {
      check_valid(line);
      continue;
    }
    REQUIRE((kind == "hash" || kind == "hand" || kind == "hash+hand"));
    const std::uint64_t hash = std::stoull(std::string(line["hash"].get_string().value()));
    if (kind != "hand") check_hash(line, hash);
    if (kind != "hash") check_hand(line, hash);
  }
}

}  // namespace
}  // namespace apf::test
