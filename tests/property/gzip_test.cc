// gzip, in whatever pieces it comes and goes: the bytes that were packed; damaged data is noticed, whatever is damaged.
#include <random>
#include <string>

#include <zlib.h>

#include "catch.h"
#include "logs/inflater.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Random = std::mt19937_64;

std::string some_bytes(Random& random) {
  std::string text;
  const std::size_t size = random() % 8 == 0 ? 0 : random() % 60000;
  while (text.size() < size) {
    if (random() % 3 == 0 && !text.empty()) {
      const std::size_t from = random() % text.size();
      text += text.substr(from, random() % 400);
    } else {
      for (std::size_t n = random() % 200; n > 0; --n)
        text += static_cast<char>(random() % (random() % 2 == 0 ? 256 : 4));
    }
  }
  return text;
}

// One member, in any way that deflate has.
std::string packed(const std::string& text, Random& random) {
  static constexpr int kStrategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, static_cast<int>(random() % 10), Z_DEFLATED, 9 + static_cast<int>(random() % 7) + 16,
                       1 + static_cast<int>(random() % 9), kStrategies[random() % std::size(kStrategies)]) == Z_OK);
  gz_header header{};
  std::string name = "audit.log", comment = "rotated", extra = "extra field";
  if (random() % 2 == 0) header.name = reinterpret_cast<Bytef*>(name.data());
  if (random() % 2 == 0) header.comment = reinterpret_cast<Bytef*>(comment.data());
  if (random() % 2 == 0) {
    header.extra = reinterpret_cast<Bytef*>(extra.data());
    header.extra_len = static_cast<uInt>(extra.size());
  }
  header.text = random() % 2 == 0;
  header.hcrc = random() % 2 == 0;
  REQUIRE(deflateSetHeader(&stream, &header) == Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Inflated {
  std::string text, fault;
  bool complete = false;
};

Inflated inflated(const std::string& data, Random& random) {
  const auto inflater = make_gzip_inflater();
  Inflated out;
  std::string room(1 + random() % 70000, '\0');
  const std::size_t most = 1 + random() % (random() % 4 == 0 ? 3 : 40000);
  for (std::size_t at = 0, idle = 0; idle < 2;) {
    const std::size_t piece = std::min(data.size() - at, 1 + random() % most);
    const Inflater::Step step = inflater->step(data.data() + at, piece, room.data(), room.size());
    REQUIRE(step.consumed <= piece);
    REQUIRE(step.produced <= room.size());
    out.text.append(room, 0, step.produced);
    out.fault = step.fault;
    if (!out.fault.empty()) return out;
    at += step.consumed;
    idle = at == data.size() && step.produced == 0 ? idle + 1 : 0;
  }
  out.complete = inflater->complete();
  return out;
}

}  // namespace

TEST_CASE("gzip: in any pieces, the text that was packed", "[property][logs][gzip]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int i = 0; i < test::rounds(100); ++i) {
    INFO(i);
    std::string text, data;
    for (std::size_t members = 1 + random() % 3; members > 0; --members) {
      const std::string part = some_bytes(random);
      text += part;
      data += packed(part, random) + std::string(random() % 4 == 0 ? random() % 20 : 0, '\0');
    }
    const Inflated got = inflated(data, random);
    REQUIRE(got.fault.empty());
    REQUIRE(got.complete);
    REQUIRE(got.text == text);

    data.resize(random() % data.size());
    const Inflated cut = inflated(data, random);
    INFO(cut.fault << " at " << data.size());
    REQUIRE(cut.fault.empty());
    REQUIRE(text.starts_with(cut.text));
    REQUIRE((cut.text.size() == text.size() || !cut.complete || cut.text.empty() || data.size() > 18));
  }
}

TEST_CASE("gzip: damaged data gives no other text unnoticed", "[property][logs][gzip]") {
  INFO("APF_TEST_SEED=" << apf::test::seed());
  Random random(apf::test::seed());
  for (int i = 0; i < test::rounds(100); ++i) {
    INFO(i);
    const std::string text = some_bytes(random);
    std::string data = packed(text, random);
    data[random() % data.size()] ^= static_cast<char>(1 << (random() % 8));
    const Inflated got = inflated(data, random);
    // What the checksum covers is right; the header may hold another time or name.
    if (got.fault.empty() && got.complete) REQUIRE(got.text == text);
  }
}
